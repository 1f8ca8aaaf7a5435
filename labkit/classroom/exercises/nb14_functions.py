"""Two functions to write in notebook 14: a training cell of one's own, and the port of a loop to PyTorch."""

from functools import partial

import numpy as np

from ... import mindspore as ms
from ... import torch
from ..compare import same
from ..exercise import Exercise, Misconception, WrongAnswer
from .nb14 import NOTEBOOK

STEPS = 3


# ---- step-write ----


def _batch(rng, low, high):
    """Weights and a batch, and a limit between these: every step is longer, or shorter, or the first ones alone."""
    w = rng.uniform(-1, 1, (1, 3)).astype(np.float32)
    x = rng.uniform(-1, 1, (4, 3)).astype(np.float32)
    y = rng.uniform(2, 4, (4, 1)).astype(np.float32)
    return w, x, y, float(rng.uniform(low, high))


def _trained(w, x, y, limit, clip="norm", late=False, updates=True):
    """Losses and weight after STEPS clipped steps of SGD with rate 0.1, by plain formulas; `late`: losses after the steps."""
    w, losses = np.array(w, float), []
    for _ in range(STEPS):
        error = x @ w.T - y
        gradient = 2 * (error.T @ x) / len(x)
        if clip == "norm":
            gradient = gradient * min(1.0, limit / np.linalg.norm(gradient))
        elif clip == "always":
            gradient = gradient * (limit / np.linalg.norm(gradient))
        elif clip == "value":
            gradient = np.clip(gradient, -limit, limit)
        before, w = w, w - 0.1 * gradient if updates else w
        losses.append(np.float32(np.mean((x @ (w if late else before).T - y) ** 2)))
    return tuple(np.array(value) for value in losses), w.astype(np.float32)


def _cell(w, x, y, limit):
    layer = ms.nn.Dense(3, 1, weight_init=w, has_bias=False)
    loss_fn, optimizer = ms.nn.MSELoss(), ms.nn.SGD(layer.trainable_params(), 0.1)
    gradient = ms.value_and_grad(lambda x, y: loss_fn(layer(x), y), None, optimizer.parameters)
    losses = []
    for _ in range(STEPS):
        loss, gradients = gradient(x, y)
        optimizer(ms.ops.clip_by_global_norm(gradients, limit))
        losses.append(loss)
    return tuple(losses), layer.weight.value()


def _was(**how):
    """Whether the answer is what another way of training gives."""
    return lambda i, expected, got: same(_trained(*i, **how), got)


_SOLUTION = """
class MyTrainOneStep(ms.nn.Cell):
    def __init__(self, network, optimizer, limit):
        super().__init__(auto_prefix=False)
        self.optimizer = optimizer
        self.limit = limit
        self.gradient = ms.value_and_grad(network, None, optimizer.parameters)

    def construct(self, *inputs):
        loss, gradients = self.gradient(*inputs)
        gradients = ms.ops.clip_by_global_norm(gradients, self.limit)
        self.optimizer(gradients)
        return loss


def train(w, x, y, limit):
    layer = ms.nn.Dense(3, 1, weight_init=w, has_bias=False)
    network = ms.nn.WithLossCell(layer, ms.nn.MSELoss())
    optimizer = ms.nn.SGD(layer.trainable_params(), 0.1)
    step = MyTrainOneStep(network, optimizer, limit)
    losses = tuple(step(x, y) for _ in range(3))
    return losses, layer.weight.value()


answer = train
"""
_SCALED = """        norm = float(sum((g**2).sum() for g in gradients).asnumpy()) ** 0.5
        gradients = tuple(g * (self.limit / norm) for g in gradients)
"""
_CLIP = "        gradients = ms.ops.clip_by_global_norm(gradients, self.limit)\n"

WRITE = Exercise(
    name="step-write",
    notebook=NOTEBOOK,
    title="Write MyTrainOneStep",
    points=3,
    statement="""Write a cell `MyTrainOneStep(network, optimizer, limit)`. Called with a batch, it takes loss and gradients of the
optimizer's parameters, clips the gradients by their global norm to `limit`, updates, and returns the loss.

Then write `train(w, x, y, limit)`, all but `limit` Tensors: `nn.Dense(3, 1, weight_init=w, has_bias=False)` with
`nn.MSELoss()`, and `nn.SGD` with the learning rate 0.1. Call your cell three times with `x, y`. Return the tuple
`(losses, weight)`: a tuple of the three losses, and the weight at the end, `layer.weight.value()`.""",
    reference=_cell,
    draw=tuple(partial(_batch, low=low, high=high) for low, high in ((0.3, 1.0), (40.0, 50.0), (1.0, 2.0))),
    arguments=("w", "x", "y", "limit"),
    tensors="mindspore",
    errors=(
        ("HyperMap", "The optimizer takes a tuple of gradients, one for each parameter."),
        ("can not be None at the same time", "Say what to differentiate for: weights=optimizer.parameters."),
    ),
    misconceptions=(
        Misconception(
            "not-clipped",
            "These steps are not clipped. The clip stands between the gradient and the optimizer.",
            _was(clip=""),
        ),
        Misconception(
            "clipped-by-value",
            "You clipped by value, which turns the step. The global norm keeps its direction.",
            _was(clip="value"),
        ),
        Misconception(
            "stretched",
            "You gave every gradient the length of the limit. A clip makes long ones shorter, and leaves short ones alone.",
            _was(clip="always"),
        ),
        Misconception(
            "loss-after-the-step",
            "You return the loss after the update. A training step returns the one that it differentiated, from before.",
            _was(late=True),
        ),
        Misconception(
            "no-update",
            "The weight is as it was: the optimizer has to be called with the gradients.",
            _was(updates=False),
        ),
    ),
    hints=(
        "In __init__: self.gradient = ms.value_and_grad(network, None, optimizer.parameters).",
        "In construct: loss, gradients = self.gradient(*inputs); clip; self.optimizer(gradients); return loss.",
        "In train: network = ms.nn.WithLossCell(layer, ms.nn.MSELoss()), and losses = tuple(step(x, y) for _ in range(3)).",
    ),
    solution=_SOLUTION,
    wrong_answers=(
        WrongAnswer("no clip", _SOLUTION.replace(_CLIP, ""), "not-clipped"),
        WrongAnswer(
            "by value",
            _SOLUTION.replace(
                "clip_by_global_norm(gradients, self.limit)", "clip_by_value(gradients, -self.limit, self.limit)"
            ),
            "clipped-by-value",
        ),
        WrongAnswer("always scaled", _SOLUTION.replace(_CLIP, _SCALED), "stretched"),
        WrongAnswer(
            "loss again",
            _SOLUTION.replace("return loss\n", "return self.gradient(*inputs)[0]\n"),
            "loss-after-the-step",
        ),
        WrongAnswer("no optimizer", _SOLUTION.replace("        self.optimizer(gradients)\n", ""), "no-update"),
        WrongAnswer(
            "a list of gradients",
            _SOLUTION.replace("self.optimizer(gradients)", "self.optimizer(list(gradients))"),
            "error",
        ),
        WrongAnswer(
            "losses only", _SOLUTION.replace("return losses, layer.weight.value()", "return losses"), "structure"
        ),
        WrongAnswer("another rate", _SOLUTION.replace("0.1)", "0.01)"), "value"),
    ),
)


# ---- step-port ----


def _start(rng):
    w = rng.uniform(-1, 1, 3).astype(np.float32)
    return w, rng.uniform(-1, 1, (4, 3)).astype(np.float32), rng.uniform(2, 4, 4).astype(np.float32)


def _momentum(w, x, y, factor=0.9, accumulates=False, late=False, stepping=1):
    w, v, total, losses = np.array(w, float), 0.0, 0.0, []
    for _ in range(STEPS):
        gradient = 2 * (x @ w - y) @ x / len(x)
        total = total + gradient if accumulates else gradient
        before, v = w, factor * v + total
        w = w - 0.1 * stepping * v
        losses.append(float(np.mean((x @ (w if late else before) - y) ** 2)))
    return losses, w.astype(np.float32)


def _by_torch(w, x, y):
    w, x, y = torch.tensor(w, requires_grad=True), torch.tensor(x), torch.tensor(y)
    optimizer, losses = torch.optim.SGD([w], lr=0.1, momentum=0.9), []
    for _ in range(STEPS):
        optimizer.zero_grad()
        loss = ((x @ w - y) ** 2).mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses, w.detach()


def _did(**how):
    return lambda i, expected, got: same(_momentum(*i, **how), got)


_PORTED = """
def port(w, x, y):
    w = torch.tensor(w, requires_grad=True)
    x, y = torch.tensor(x), torch.tensor(y)
    optimizer = torch.optim.SGD([w], lr=0.1, momentum=0.9)
    losses = []
    for _ in range(3):
        optimizer.zero_grad()
        loss = ((x @ w - y) ** 2).mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses, w.detach()


answer = port
"""

PORT = Exercise(
    name="step-port",
    notebook=NOTEBOOK,
    title="Port the training loop to PyTorch",
    points=3,
    statement="""Port to PyTorch. Write `port(w, x, y)`; `w`, `x` and `y` are NumPy arrays of the shapes `(3,)`, `(4, 3)`
and `(4,)`. Make tensors of them (`w` requires grad), and return `(losses, w.detach())`, with the losses as a list of Python
numbers.

```python
w = ms.Parameter(ms.Tensor(w), name="w")
loss_of = lambda x, y: ((ops.matmul(x, w) - y) ** 2).mean()
optimizer = nn.Momentum([w], learning_rate=0.1, momentum=0.9)
gradient = ms.value_and_grad(loss_of, None, optimizer.parameters)
losses = []
for _ in range(3):
    loss, gradients = gradient(x, y)
    optimizer(gradients)
    losses.append(float(loss.asnumpy()))
```""",
    reference=_by_torch,
    draw=_start,
    arguments=("w", "x", "y"),
    errors=(("Can't call numpy()", "Make tensors of the arrays x and y as well: torch.tensor(x)."),),
    misconceptions=(
        Misconception(
            "never-zeroed",
            "The gradients of the steps add up in .grad. Empty it in every round: optimizer.zero_grad().",
            _did(accumulates=True),
        ),
        Misconception(
            "without-momentum",
            "These are steps without momentum: torch.optim.SGD has momentum=0 unless you say 0.9.",
            _did(factor=0.0),
        ),
        Misconception(
            "zeroed-too-late",
            "w has not moved. Is there a zero_grad between backward and step, or no step at all?",
            _did(stepping=0),
        ),
        Misconception(
            "loss-after-the-step",
            "These are the losses after the updates. The snippet notes each loss from before its update.",
            _did(late=True),
        ),
    ),
    hints=(
        "The body of the loop has four lines: zero_grad, loss, backward, step. Then note the loss.",
        "MindSpore's Momentum(0.1, 0.9) is torch.optim.SGD([w], lr=0.1, momentum=0.9).",
        "w = torch.tensor(w, requires_grad=True) before the loop; loss = ((x @ w - y) ** 2).mean() inside it.",
    ),
    solution=_PORTED,
    wrong_answers=(
        WrongAnswer("never zeroed", _PORTED.replace("        optimizer.zero_grad()\n", ""), "never-zeroed"),
        WrongAnswer("no momentum", _PORTED.replace(", momentum=0.9", ""), "without-momentum"),
        WrongAnswer(
            "zeroed too late",
            _PORTED.replace("        optimizer.step()", "        optimizer.zero_grad()\n        optimizer.step()"),
            "zeroed-too-late",
        ),
        WrongAnswer(
            "loss after",
            _PORTED.replace("losses.append(loss.item())", "losses.append(((x @ w - y) ** 2).mean().item())"),
            "loss-after-the-step",
        ),
        WrongAnswer("w with history", _PORTED.replace("w.detach()", "w.detach().numpy()"), "kind"),
    ),
)

EXERCISES = (WRITE, PORT)
