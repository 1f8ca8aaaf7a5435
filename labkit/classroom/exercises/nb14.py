"""The predictions of notebook 14: what optimizers do, a loss of zero, and loops in another order."""

import numpy as np

from ... import torch
from ...mindspore import Parameter, Tensor, float32, grad, nn, ops
from ..compare import same
from ..exercise import Exercise, Misconception, WrongAnswer

NOTEBOOK = "14_training_step"


# ---- step-optimizers ----


def _stepped(make, gradient, steps):
    """The parameter that starts at 1 after some steps with the same gradient, and the optimizer."""
    p = Parameter(Tensor([1.0]), name="p")
    optimizer = make([p])
    for _ in range(steps):
        optimizer((Tensor([gradient]),))
    return float(p.asnumpy()[0]), optimizer


def _optimizers():
    sgd, adam = (lambda p: nn.SGD(p, 0.1)), (lambda p: nn.Adam(p, 0.1))
    momentum, optimizer = _stepped(lambda p: nn.Momentum(p, 0.1, 0.9), 2.0, 2)
    return [
        _stepped(sgd, 2.0, 2)[0],
        momentum,
        float(optimizer.moments[0].asnumpy()[0]),
        _stepped(adam, 2.0, 1)[0],
        _stepped(sgd, 2000.0, 1)[0],
        _stepped(adam, 2000.0, 1)[0],
    ]


OPTIMIZERS = Exercise(
    name="step-optimizers",
    notebook=NOTEBOOK,
    title="Three optimizers by hand",
    points=3,
    statement="""The parameter `p` is 1.0 at first. The learning rate is 0.1, and the gradient is the same at every step.
Answer with a list of six numbers.

0. `p` after two steps of `SGD`, gradient 2
1. `p` after two steps of `Momentum` (0.9), gradient 2
2. what `Momentum` keeps after these two steps
3. `p` after one step of `Adam`, gradient 2
4. `p` after one step of `SGD`, gradient 2000
5. `p` after one step of `Adam`, gradient 2000""",
    reference=_optimizers,
    misconceptions=(
        Misconception(
            "momentum-like-sgd",
            "That is SGD. Momentum keeps its velocity: at the second step it adds 0.9 times the first one to the gradient.",
            lambda inputs, expected, got: same(expected[0], got[1]),
        ),
        Misconception(
            "momentum-as-a-mean",
            "You took a running mean. This Momentum has no factor 0.1 before the gradient: v = 0.9 * v + g.",
            lambda inputs, expected, got: same(0.38, got[2]) or same(0.38 / 10, got[2]),
        ),
        Misconception(
            "nothing-fades",
            "You added both gradients in full. What was kept counts 0.9 times: 0.9 * 2 + 2.",
            lambda inputs, expected, got: same(4.0, got[2]),
        ),
        Misconception(
            "adam-like-sgd",
            "Adam divides the mean of the gradients by their typical size. At the first step that is g / |g|, so p moves by "
            "the learning rate.",
            lambda inputs, expected, got: same(0.8, got[3]),
        ),
        Misconception(
            "bias-correction-forgotten",
            "You left out the bias correction. m and v start at 0, and Adam divides by 1 - beta**t to make up for it.",
            lambda inputs, expected, got: same(1 - 0.1 * 0.1 / 0.001**0.5, got[3]),
        ),
        Misconception(
            "adam-follows-the-size",
            "A gradient 1000 times as large makes m and the root of v 1000 times as large. Their ratio stays.",
            lambda inputs, expected, got: same(expected[4], got[5]),
        ),
    ),
    rules=(
        "Each step of SGD takes off rate times gradient. There are two of them.",
        "Momentum adds the new gradient to 0.9 times what it keeps, and steps with the sum.",
        "What is kept is 0.9 times what was kept, plus the gradient: begin with nothing.",
        "Adam divides by the size of the gradient: its first step is as long as the rate.",
        "SGD's step has no limit.",
        "Adam divides by the size of the gradient: its first step is as long as the rate.",
    ),
    hints=(
        "SGD: p - rate * g. Momentum: v = 0.9 * v + g, then p - rate * v, with v = 0 before the first step.",
        "For item 1: v is 2 after the first step, and 0.9 * 2 + 2 after the second.",
        "Adam's first step is the learning rate, whatever the size of the gradient. SGD's step has no limit.",
    ),
    solution="answer = [0.6, 0.42, 3.8, 0.9, -199, 0.9]",
    wrong_answers=(
        WrongAnswer("like SGD", "answer = [0.6, 0.6, 2, 0.9, -199, 0.9]", "momentum-like-sgd"),
        WrongAnswer("a mean", "answer = [0.6, 0.942, 0.38, 0.9, -199, 0.9]", "momentum-as-a-mean"),
        WrongAnswer("in full", "answer = [0.6, 0.4, 4, 0.9, -199, 0.9]", "nothing-fades"),
        WrongAnswer("Adam like SGD", "answer = [0.6, 0.42, 3.8, 0.8, -199, -199]", "adam-like-sgd"),
        WrongAnswer(
            "no correction", "answer = [0.6, 0.42, 3.8, 0.683772, -199, 0.683772]", "bias-correction-forgotten"
        ),
        WrongAnswer("size", "answer = [0.6, 0.42, 3.8, 0.9, -199, -199]", "adam-follows-the-size"),
        WrongAnswer("upwards", "answer = [1.4, 1.58, 3.8, 1.1, 201, 1.1]", "value"),
    ),
)


# ---- step-zero-loss ----


def _zero_loss():
    logits, fused = Tensor(np.zeros((1, 4), np.float32)), nn.SoftmaxCrossEntropyWithLogits(sparse=False)
    zeros, second, twice = (Tensor([[0, n, 0, 0]], float32) for n in (0, 1, 2))

    def by_formula(logits, label):
        return -(label * ops.log_softmax(logits)).sum()

    return [
        float(abs(fused(logits, zeros).asnumpy()[0])),
        float(fused(logits, second).asnumpy()[0]),
        float(fused(logits, twice).asnumpy()[0]),
        float(grad(by_formula)(logits, zeros).asnumpy()[0, 0]),
        float(grad(fused)(logits, zeros).asnumpy()[0, 0]),
        float(grad(fused)(logits, second).asnumpy()[0, 1]),
    ]


ZERO_LOSS = Exercise(
    name="step-zero-loss",
    notebook=NOTEBOOK,
    title="Explain the zero loss",
    points=3,
    statement="""A network gives the logits `[0, 0, 0, 0]`, so its probabilities are 0.25 each (ln 4 is 1.3863).
`fused` is `nn.SoftmaxCrossEntropyWithLogits(sparse=False)`, and `formula` is `-(label * ops.log_softmax(logits)).sum()`.
Answer with a list of six numbers, with four decimals where they do not end.

0. `fused`, label `[0, 0, 0, 0]`: the loss
1. `fused`, label `[0, 1, 0, 0]`: the loss
2. `fused`, label `[0, 2, 0, 0]`: the loss
3. `formula`, label `[0, 0, 0, 0]`: its gradient for the first logit
4. `fused`, label `[0, 0, 0, 0]`: its gradient for the first logit
5. `fused`, label `[0, 1, 0, 0]`: its gradient for the second logit""",
    reference=_zero_loss,
    misconceptions=(
        Misconception(
            "loss-of-guessing",
            "ln 4 is the loss of guessing with a proper label. Here every term is multiplied by a label of 0.",
            lambda inputs, expected, got: same(expected[1], got[0]),
        ),
        Misconception(
            "label-weight-forgotten",
            "A label of 2 counts twice: the loss multiplies -log p by the label.",
            lambda inputs, expected, got: same(expected[:2], got[:2]) and same(expected[1], got[2]),
        ),
        Misconception(
            "formula-moves-too",
            "The formula gives 0 for all logits when the label is zero. What is always 0 has the gradient 0.",
            lambda inputs, expected, got: same(expected[:3], got[:3]) and same(expected[4], got[3]),
        ),
        Misconception(
            "zero-loss-zero-gradient",
            "The fused loss does not differentiate what it prints. Its gradient is softmax - label, also for a label of zeros.",
            lambda inputs, expected, got: same(expected[:4], got[:4]) and same(0.0, got[4]),
        ),
        Misconception(
            "label-minus-softmax",
            "The gradient is softmax - label. With the sign turned, the descent would lower the right logit.",
            lambda inputs, expected, got: same(expected[:4], got[:4]) and same(-expected[5], got[5]),
        ),
    ),
    rules=(
        "The loss is -(label * log p).sum(): put the label in first.",
        "The loss is -(label * log p).sum(), with p the probability of that class.",
        "The loss is linear in the label.",
        "Every term is multiplied by the label before it is differentiated.",
        "The fused gradient is the probability minus the label, whatever the label is.",
        "The fused gradient is the probability minus the label: take the label of this logit.",
    ),
    hints=(
        "The loss is -(label * log p).sum(). Put the label in first.",
        "Items 0 and 3 need no calculation: everything is multiplied by 0.",
        "The fused gradient is softmax - label: 0.25 minus the element of the label.",
    ),
    solution="answer = [0, 1.3863, 2.7726, 0, 0.25, -0.75]",
    wrong_answers=(
        WrongAnswer("guessing", "answer = [1.3863, 1.3863, 2.7726, 0, 0.25, -0.75]", "loss-of-guessing"),
        WrongAnswer("once", "answer = [0, 1.3863, 1.3863, 0, 0.25, -0.75]", "label-weight-forgotten"),
        WrongAnswer("formula moves", "answer = [0, 1.3863, 2.7726, 0.25, 0.25, -0.75]", "formula-moves-too"),
        WrongAnswer("no gradient", "answer = [0, 1.3863, 2.7726, 0, 0, -0.75]", "zero-loss-zero-gradient"),
        WrongAnswer("sign", "answer = [0, 1.3863, 2.7726, 0, -0.25, 0.75]", "label-minus-softmax"),
        WrongAnswer("five", "answer = [0, 1.3863, 2.7726, 0, 0.25]", "structure"),
    ),
)


# ---- step-loops ----

_ROUNDS = (
    ("zero", "back", "step"),
    ("back", "step"),
    ("back", "zero", "step"),
    ("step", "zero", "back"),
    ("zero", "back", "step", "step"),
    ("zero", "back", "back", "step"),
)


def _looped(actions):
    """The parameter after two rounds of a loop; the loss is w**2."""
    w = torch.tensor(1.0, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.1)
    does = {"zero": optimizer.zero_grad, "back": lambda: (w**2).backward(), "step": optimizer.step}
    for _ in range(2):
        for action in actions:
            does[action]()
    return w.item()


LOOPS = Exercise(
    name="step-loops",
    notebook=NOTEBOOK,
    title="Six loops, one of them right",
    points=3,
    statement="""`w` is 1.0 at first, the loss is `w**2`, and `optimizer` is `torch.optim.SGD([w], lr=0.1)`.
Each line is the body of a loop that runs twice. What is `w` afterwards? Answer with a list of six numbers.

0. `optimizer.zero_grad(); (w**2).backward(); optimizer.step()`
1. `(w**2).backward(); optimizer.step()`
2. `(w**2).backward(); optimizer.zero_grad(); optimizer.step()`
3. `optimizer.step(); optimizer.zero_grad(); (w**2).backward()`
4. `optimizer.zero_grad(); (w**2).backward(); optimizer.step(); optimizer.step()`
5. `optimizer.zero_grad(); (w**2).backward(); (w**2).backward(); optimizer.step()`""",
    reference=lambda: [_looped(actions) for actions in _ROUNDS],
    misconceptions=(
        Misconception(
            "same-gradient-twice",
            "You used the gradient 2 at both steps. After the first step w is 0.8, and the gradient there is 1.6.",
            lambda inputs, expected, got: same(0.6, got[0]),
        ),
        Misconception(
            "no-accumulation",
            "In line 1 nobody empties .grad. The second backward adds 1.6 to the 2 that is still there.",
            lambda inputs, expected, got: same(expected[0], got[0]) and same(expected[0], got[1]),
        ),
        Misconception(
            "zeroed-too-late",
            "In line 2 zero_grad takes the gradient away before the step. Nothing is left to step with.",
            lambda inputs, expected, got: same(expected[:2], got[:2]) and not same(expected[2], got[2]),
        ),
        Misconception(
            "first-step-has-a-gradient",
            "In line 3 the first step comes before any backward. It finds no gradient and does nothing.",
            lambda inputs, expected, got: same(expected[:3], got[:3]) and same(expected[0], got[3]),
        ),
        Misconception(
            "step-computes-a-gradient",
            "In line 4 the second step uses the same .grad as the first one: step does not walk back.",
            lambda inputs, expected, got: same(expected[:4], got[:4]) and same(0.8**4, got[4]),
        ),
    ),
    rules=(
        "Each round takes off 0.1 times the gradient, which is 2 * w at that moment.",
        "Nobody empties .grad here: the second step uses both gradients.",
        "What is in .grad when the step is taken?",
        "In the first round .grad is still empty; in the second one it holds what the first one brought.",
        "Both steps of a round use the same .grad, which the first of them does not empty.",
        "Two backward calls add up in .grad before the step.",
    ),
    hints=(
        "The gradient of w**2 is 2 * w. A step subtracts 0.1 times what is in .grad at that moment.",
        "Ask at each step: which backward calls have added to .grad since it was last emptied?",
        "Lines 4 and 5 give the same. In line 2 nothing happens at all.",
    ),
    solution="answer = [0.64, 0.44, 1.0, 0.8, 0.36, 0.36]",
    wrong_answers=(
        WrongAnswer("same gradient", "answer = [0.6, 0.4, 1, 0.8, 0.2, 0.2]", "same-gradient-twice"),
        WrongAnswer("emptied by itself", "answer = [0.64, 0.64, 1, 0.8, 0.36, 0.36]", "no-accumulation"),
        WrongAnswer("late", "answer = [0.64, 0.44, 0.64, 0.8, 0.36, 0.36]", "zeroed-too-late"),
        WrongAnswer("early step", "answer = [0.64, 0.44, 1, 0.64, 0.36, 0.36]", "first-step-has-a-gradient"),
        WrongAnswer("fresh", "answer = [0.64, 0.44, 1, 0.8, 0.4096, 0.36]", "step-computes-a-gradient"),
        WrongAnswer("once", "answer = [0.64, 0.44, 1, 0.8, 0.36, 0.64]", "value"),
    ),
)

EXERCISES = (OPTIMIZERS, ZERO_LOSS, LOOPS)
