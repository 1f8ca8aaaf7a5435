"""The predictions of notebook 08: two philosophies, tape and transform."""

from ... import mindspore as ms
from ... import torch
from ..compare import same
from ..exercise import Exercise, Misconception, WrongAnswer, raised

NOTEBOOK = "08_two_philosophies"


def _leaf(value):
    return torch.tensor(value, requires_grad=True)


# ---- tape-accumulate ----


def _accumulated():
    x, seen = _leaf(3.0), []
    for step in range(3):
        (x**2).backward()
        seen.append(x.grad.item())
        if step == 1:
            x.grad.zero_()
    torch.autograd.grad(x**2, x)
    return [*seen, x.grad.item()]


ACCUMULATE = Exercise(
    name="tape-accumulate",
    notebook=NOTEBOOK,
    title="What is in .grad?",
    points=2,
    statement="""Predict the four numbers that this prints. Answer with a list of four.

```python
x = torch.tensor(3.0, requires_grad=True)
(x**2).backward()
print(x.grad.item())             # item 0
(x**2).backward()
print(x.grad.item())             # item 1
x.grad.zero_()
(x**2).backward()
print(x.grad.item())             # item 2
torch.autograd.grad(x**2, x)
print(x.grad.item())             # item 3
```""",
    reference=_accumulated,
    misconceptions=(
        Misconception(
            "no-accumulation",
            "You expected each backward to replace what was there. It adds to .grad: only you empty it.",
            lambda inputs, expected, got: same([expected[0]] * 4, got),
        ),
        Misconception(
            "zero-forgotten",
            "You kept adding after zero_(). From there the sum starts again at 0.",
            lambda inputs, expected, got: got[2] == 3 * expected[0],
        ),
        Misconception(
            "grad-accumulates",
            "torch.autograd.grad returns its gradients and leaves every .grad as it was.",
            lambda inputs, expected, got: same(expected[:3], got[:3]) and got[3] == 2 * expected[0],
        ),
    ),
    rules=(
        "backward adds the derivative, at this x, to what is in .grad, which is empty at first.",
        "backward adds to .grad: nobody has emptied it in between.",
        "zero_() has emptied .grad: what does this backward add?",
        "autograd.grad hands its result to the caller. Does it touch .grad?",
    ),
    hints=(
        "The derivative of x**2 at 3 is 6. That is item 0.",
        "backward adds to .grad. Only zero_() empties it.",
        "Item 1 is 6 + 6, item 2 starts from 0; autograd.grad hands its result to you alone.",
    ),
    solution="answer = [6.0, 12.0, 6.0, 6.0]",
    wrong_answers=(
        WrongAnswer("replaced each time", "answer = [6, 6, 6, 6]", "no-accumulation"),
        WrongAnswer("never emptied", "answer = [6, 12, 18, 18]", "zero-forgotten"),
        WrongAnswer("grad adds too", "answer = [6, 12, 6, 12]", "grad-accumulates"),
        WrongAnswer("one number", "answer = 6.0", "kind"),
    ),
)


# ---- tape-leaves ----


def _leaves():
    x = _leaf(2.0)
    y, c = x * 2, torch.tensor(1.0)
    with torch.no_grad():
        e = x * 2
    return [bool(t.is_leaf) for t in (x, y, c, x.detach(), e, c * 2)]


LEAVES = Exercise(
    name="tape-leaves",
    notebook=NOTEBOOK,
    title="Which are leaves?",
    points=2,
    statement="""Predict `is_leaf` of `x, y, c, d, e, f`. Answer with a list of six `True` or `False`.

```python
x = torch.tensor(2.0, requires_grad=True)
y = x * 2
c = torch.tensor(1.0)
d = x.detach()
with torch.no_grad():
    e = x * 2
f = c * 2
```""",
    reference=_leaves,
    places=("x", "y", "c", "d", "e", "f"),
    misconceptions=(
        Misconception(
            "leaf-means-requires-grad",
            "You took a leaf for a tensor that requires grad. A leaf is a tensor that no recorded operation made; "
            "all that does not require grad is one by convention.",
            lambda inputs, expected, got: same([True, False, False, False, False, False], got),
        ),
        Misconception(
            "every-result-has-history",
            "You took every result of an operation for a non-leaf. The tape records an operation only if recording is "
            "on and one of the inputs requires grad.",
            lambda inputs, expected, got: same(expected[:4], got[:4]) and not (got[4] and got[5]),
        ),
        Misconception(
            "detach-keeps-history",
            "detach gives the value without its history, so nothing recorded made it.",
            lambda inputs, expected, got: (
                got[3] is False and all(e == g for e, g in zip(expected[4:], got[4:], strict=True))
            ),
        ),
    ),
    rules=(
        "A leaf is a tensor that no recorded operation made.",
        "A leaf is a tensor that no recorded operation made.",
        "What does not require grad counts as a leaf: nothing recorded made it.",
        "detach gives the value without its history.",
        "Inside of no_grad nothing is recorded.",
        "An operation is recorded only if one of its inputs requires grad.",
    ),
    hints=(
        "Ask of each tensor: did an operation that the tape recorded make it?",
        "The tape records nothing inside no_grad, and nothing whose inputs all do without gradients.",
        "Only one of the six has a grad_fn.",
    ),
    solution="answer = [True, False, True, True, True, True]",
    wrong_answers=(
        WrongAnswer("requires grad", "answer = [True, False, False, False, False, False]", "leaf-means-requires-grad"),
        WrongAnswer("any result", "answer = [True, False, True, True, False, False]", "every-result-has-history"),
        WrongAnswer("detached", "answer = [True, False, True, False, True, True]", "detach-keeps-history"),
        WrongAnswer("five of them", "answer = [True, False, True, True, True]", "structure"),
    ),
)


# ---- tape-errors ----


def _twice(z):
    z.backward()
    z.backward()


def _tape_errors():
    x, y, square = _leaf(3.0), _leaf(2.0), ms.grad(lambda t: t**2)
    t = ms.Tensor(3.0)
    return [
        raised(lambda: _twice(x + y)),
        raised(lambda: _twice(x * y)),
        raised(lambda: (_leaf([1.0, 2.0]) * 2).backward()),
        raised(lambda: (x**2, y).backward()),  # type: ignore[attr-defined]
        raised(lambda: (square(t), square(t))),
        raised(lambda: (t**2).backward()),  # type: ignore[operator]
        raised(lambda: torch.autograd.grad(torch.autograd.grad(x**3, x)[0], x)),
    ]


TAPE_ERRORS = Exercise(
    name="tape-errors",
    notebook=NOTEBOOK,
    title="Predict the errors",
    points=3,
    statement="""For each line, answer with the type of the error, such as `KeyError`, or with `"fine"` if it runs.
`x` and `y` are scalar leaves, `v` is a leaf of shape `(2,)`, `t` is a MindSpore Tensor. Answer with a list of seven.

0. `z = x + y; z.backward(); z.backward()`
1. `z = x * y; z.backward(); z.backward()`
2. `(v * 2).backward()`
3. `(x**2, y).backward()`
4. `g = ms.grad(lambda t: t**2); g(t); g(t)`
5. `(t**2).backward()`
6. `g, = torch.autograd.grad(x**3, x); torch.autograd.grad(g, x)`""",
    reference=_tape_errors,
    misconceptions=(
        Misconception(
            "sum-saves-too",
            "Line 0 runs. The gradient of x + y needs neither x nor y, so the tape saved nothing that could be freed.",
            lambda inputs, expected, got: same(RuntimeError, got[0]) and same(expected[1:], got[1:]),
        ),
        Misconception(
            "transform-runs-out",
            "Line 4 runs. ms.grad gives a function: every call works from the graph, and nothing is used up.",
            lambda inputs, expected, got: got[4] != "fine" and same(expected[:4] + expected[5:], got[:4] + got[5:]),
        ),
        Misconception(
            "tuple-has-backward",
            "A tuple is plain Python: it has no method called backward, and PyTorch is not asked at all.",
            lambda inputs, expected, got: (
                not same(expected[3], got[3]) and same(expected[:3] + expected[4:], got[:3] + got[4:])
            ),
        ),
        Misconception(
            "always-differentiable",
            "Line 6 fails. Without create_graph=True the gradient is a plain number: it does not know how it was made.",
            lambda inputs, expected, got: got[6] == "fine" and same(expected[:6], got[:6]),
        ),
    ),
    rules=(
        "A second backward fails if the first one freed something that it needs. What does a sum save?",
        "A second backward fails if the first one freed something that it needs. What does a product save?",
        "backward without a seed needs one number. What has PyTorch to refuse here?",
        "A tuple is plain Python. Who is asked for a method of that name?",
        "In MindSpore a gradient is a function: each call runs everything anew.",
        "Which methods does a MindSpore tensor have?",
        "The first derivative was taken without create_graph: has it a record?",
    ),
    hints=(
        "Where PyTorch refuses to walk a tape, it is a RuntimeError. Where a method does not exist, an AttributeError.",
        "A second backward fails only if the first one freed something. What does each operation save?",
        "Two lines run. One of them is a sum, the other one has no tape.",
    ),
    solution="""
answer = ["fine", RuntimeError, RuntimeError, AttributeError, "fine", AttributeError, RuntimeError]
""",
    wrong_answers=(
        WrongAnswer(
            "a sum saves",
            'answer = [RuntimeError, RuntimeError, RuntimeError, AttributeError, "fine", AttributeError, RuntimeError]',
            "sum-saves-too",
        ),
        WrongAnswer(
            "transform used up",
            'answer = ["fine", RuntimeError, RuntimeError, AttributeError, RuntimeError, AttributeError, RuntimeError]',
            "transform-runs-out",
        ),
        WrongAnswer(
            "tuple",
            'answer = ["fine", RuntimeError, RuntimeError, RuntimeError, "fine", AttributeError, RuntimeError]',
            "tuple-has-backward",
        ),
        WrongAnswer(
            "gradient of a gradient",
            'answer = ["fine", RuntimeError, RuntimeError, AttributeError, "fine", AttributeError, "fine"]',
            "always-differentiable",
        ),
        WrongAnswer("all fine", 'answer = ["fine"] * 7', "value"),
    ),
)

EXERCISES = (ACCUMULATE, LEAVES, TAPE_ERRORS)
