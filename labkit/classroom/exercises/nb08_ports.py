"""The six snippets to port in notebook 08."""

import numpy as np

from ... import mindspore as ms
from ... import torch
from ..compare import same
from ..exercise import Exercise, Misconception, WrongAnswer
from .nb08 import NOTEBOOK

NO_BACKWARD = ("'backward'", "A MindSpore Tensor has no history to walk back. Hand the function itself to ms.grad.")


def _port(name, title, statement, reference, solution, **rest):
    """A porting exercise: one point, a function of the drawn tensors."""
    return Exercise(name, NOTEBOOK, title, 1, statement, reference, solution=solution, **rest)


def _scalars(rng):
    return tuple(np.array(v, np.float32) for v in rng.uniform(0.5, 2.5, 2))


def _vector(rng):
    return (rng.uniform(0.5, 2.5, 4).astype(np.float32),)


def _backward(x, y):
    return ms.grad(lambda x, y: x**2 + y, (0, 1))(x, y)


PORT_BACKWARD = _port(
    "port-backward",
    "Port backward",
    """Port to MindSpore. Write `port(x, y)` for two Tensors; it returns the tuple of both gradients.

```python
z = x**2 + y
z.backward()
return x.grad, y.grad
```""",
    _backward,
    """
def port(x, y):
    return ms.grad(lambda x, y: x**2 + y, grad_position=(0, 1))(x, y)


answer = port
""",
    draw=_scalars,
    arguments=("x", "y"),
    tensors="mindspore",
    errors=(NO_BACKWARD,),
    misconceptions=(
        Misconception(
            "first-input-only",
            "This is the gradient for x alone. grad_position defaults to 0; ask for (0, 1).",
            lambda i, expected, got: same(expected[0], got),
        ),
        Misconception(
            "swapped",
            "The two gradients have changed places.",
            lambda i, expected, got: same(tuple(expected[::-1]), got),
        ),
        Misconception(
            "value-too",
            "The value came along. ms.value_and_grad returns both; ms.grad returns the gradients only.",
            lambda i, expected, got: len(got) == 2 and same(tuple(expected), got[1]),
        ),
    ),
    hints=(
        "There is no .grad to read: what you want comes back from a function that ms.grad makes.",
        "ms.grad takes the function x**2 + y and the positions you want gradients for.",
        "ms.grad(fn, grad_position=(0, 1))(x, y)",
    ),
    wrong_answers=(
        WrongAnswer(
            "default position", "answer = lambda x, y: ms.grad(lambda x, y: x**2 + y)(x, y)", "first-input-only"
        ),
        WrongAnswer("swapped", "answer = lambda x, y: ms.grad(lambda x, y: x**2 + y, (1, 0))(x, y)", "swapped"),
        WrongAnswer(
            "value too", "answer = lambda x, y: ms.value_and_grad(lambda x, y: x**2 + y, (0, 1))(x, y)", "value-too"
        ),
        WrongAnswer(
            "method that is not there",
            "def answer(x, y):\n    (x**2 + y).backward()\n    return x.grad, y.grad",
            "error",
        ),
    ),
)


def _two_outputs(x, y):
    return ms.grad(lambda x, y: (x**2 * y, x + y), has_aux=True)(x, y)[0]


PORT_OUTPUTS = _port(
    "port-two-outputs",
    "Port two outputs",
    """Port to MindSpore. Write `port(x, y)`; keep both outputs in the function that you differentiate.

```python
z, total = x**2 * y, x + y
z.backward()
return x.grad
```""",
    _two_outputs,
    """
def outputs(x, y):
    return x**2 * y, x + y


def port(x, y):
    gradient, _ = ms.grad(outputs, has_aux=True)(x, y)
    return gradient


answer = port
""",
    draw=_scalars,
    arguments=("x", "y"),
    tensors="mindspore",
    errors=(NO_BACKWARD,),
    misconceptions=(
        Misconception(
            "outputs-summed",
            "Your gradient belongs to the sum of both outputs. The snippet walks back from z alone: say has_aux=True.",
            lambda i, expected, got: same(expected + 1, got),
        ),
        Misconception(
            "aux-returned",
            "The gradient is right, but the other outputs came along. With has_aux=True the result is (gradient, aux).",
            lambda i, expected, got: isinstance(got, tuple) and same(expected, got[0]),
        ),
        Misconception(
            "second-output",
            "You walked back from total. z is the first output.",
            lambda i, expected, got: same(0 * expected + 1, got),
        ),
    ),
    hints=(
        "ms.grad of a function with two outputs differentiates their sum, unless you say otherwise.",
        "has_aux=True: only the first output is differentiated, the others are passed on.",
        "gradient, aux = ms.grad(outputs, has_aux=True)(x, y)",
    ),
    wrong_answers=(
        WrongAnswer("summed", "answer = lambda x, y: ms.grad(lambda x, y: (x**2 * y, x + y))(x, y)", "outputs-summed"),
        WrongAnswer(
            "aux too",
            "answer = lambda x, y: ms.grad(lambda x, y: (x**2 * y, x + y), has_aux=True)(x, y)",
            "aux-returned",
        ),
        WrongAnswer(
            "other output",
            "answer = lambda x, y: ms.grad(lambda x, y: (x + y, x**2 * y), has_aux=True)(x, y)[0]",
            "second-output",
        ),
    ),
)


def _added_up(x, v):
    one = ms.grad(lambda x, c: (x * c) ** 2)
    total = one(x, v[0])
    for i in range(1, 4):
        total = total + one(x, v[i])
    return total


PORT_ACCUMULATE = _port(
    "port-accumulate",
    "Port accumulation",
    """Port to MindSpore. Write `port(x, v)`; `x` is a scalar Tensor, `v` has four elements.

```python
for i in range(4):
    ((x * v[i]) ** 2).backward()
return x.grad
```""",
    _added_up,
    """
def port(x, v):
    one = ms.grad(lambda x, c: (x * c) ** 2)
    total = ms.Tensor(0.0)
    for i in range(4):
        total = total + one(x, v[i])
    return total


answer = port
""",
    draw=lambda rng: (np.array(rng.uniform(0.5, 2.5), np.float32), *_vector(rng)),
    arguments=("x", "v"),
    tensors="mindspore",
    errors=(NO_BACKWARD,),
    misconceptions=(
        Misconception(
            "last-only",
            "This is the last gradient alone. Nothing accumulates in MindSpore: add the gradients up yourself.",
            lambda i, expected, got: same(np.float32(2 * i[0] * i[1][3] ** 2), got),
        ),
        Misconception(
            "averaged",
            "You averaged. backward adds; it never divides by the number of calls.",
            lambda i, expected, got: same(expected / 4, got),
        ),
        Misconception(
            "squared-sum",
            "You summed before squaring: the snippet squares each product, then the gradients add up.",
            lambda i, expected, got: same(np.float32(2 * i[0] * i[1].sum() ** 2), got),
        ),
    ),
    hints=(
        "x.grad holds the sum of four gradients. What holds it in MindSpore?",
        "Make the gradient function once, outside the loop, and add up what it returns.",
        "one = ms.grad(lambda x, c: (x * c) ** 2), then total = total + one(x, v[i])",
    ),
    wrong_answers=(
        WrongAnswer(
            "last",
            "def answer(x, v):\n    for c in v:\n        g = ms.grad(lambda x: (x * c) ** 2)(x)\n    return g",
            "last-only",
        ),
        WrongAnswer("mean", "answer = lambda x, v: ms.grad(lambda x: ((x * v) ** 2).mean())(x)", "averaged"),
        WrongAnswer("sum first", "answer = lambda x, v: ms.grad(lambda x: (x * v).sum() ** 2)(x)", "squared-sum"),
    ),
)


def _stopped(x):
    return ms.grad(lambda x: (ms.ops.stop_gradient(x) * x).sum())(x)


PORT_DETACH = _port(
    "port-detach",
    "Port detach",
    """Port to MindSpore. Write `port(x)` for a Tensor of four elements.

```python
z = (x.detach() * x).sum()
z.backward()
return x.grad
```""",
    _stopped,
    """
def port(x):
    return ms.grad(lambda x: (ms.ops.stop_gradient(x) * x).sum())(x)


answer = port
""",
    draw=_vector,
    arguments=("x",),
    tensors="mindspore",
    errors=(
        ("'detach'", "MindSpore has no detach. Its word for a value that counts as a constant is ops.stop_gradient."),
        NO_BACKWARD,
    ),
    misconceptions=(
        Misconception(
            "not-stopped",
            "Both factors were differentiated. The detached one counts as a constant: use ops.stop_gradient.",
            lambda i, expected, got: same(2 * expected, got),
        ),
        Misconception(
            "all-stopped",
            "You stopped everything. Only the first factor is detached; the gradient still flows through the second.",
            lambda i, expected, got: same(0 * expected, got),
        ),
        Misconception(
            "value-instead",
            "This is the value of the products, not the gradient.",
            lambda i, expected, got: same(i[0] ** 2, got),
        ),
    ),
    hints=(
        "x.detach() has the value of x, but the tape does not connect it to x.",
        "MindSpore's name for it is ops.stop_gradient.",
        "ms.grad(lambda x: (ms.ops.stop_gradient(x) * x).sum())(x)",
    ),
    wrong_answers=(
        WrongAnswer("not stopped", "answer = lambda x: ms.grad(lambda x: (x * x).sum())(x)", "not-stopped"),
        WrongAnswer(
            "all stopped", "answer = lambda x: ms.grad(lambda x: ms.ops.stop_gradient(x * x).sum())(x)", "all-stopped"
        ),
        WrongAnswer("value", "answer = lambda x: ms.ops.stop_gradient(x) * x", "value-instead"),
    ),
)


def _ones(v):
    return torch.autograd.grad((v**2).sum(), v)[0]


PORT_VECTOR = _port(
    "port-to-torch",
    "Port a vector output to PyTorch",
    """Port to PyTorch. Write `port(v)`; `v` is a leaf of four elements that requires grad. Return one tensor.

```python
return ms.grad(lambda v: v**2)(v)
```""",
    _ones,
    """
def port(v):
    (v**2).sum().backward()
    return v.grad


answer = port
""",
    draw=_vector,
    arguments=("v",),
    tensors="torch",
    errors=(
        (
            "only for scalar outputs",
            "backward needs one number to start from; ms.grad starts from the sum of all elements.",
        ),
    ),
    misconceptions=(
        Misconception(
            "averaged",
            "You took the mean. ms.grad differentiates the sum of all output elements.",
            lambda i, expected, got: same(expected / 4, got),
        ),
        Misconception(
            "one-element",
            "Only one output element was walked back from. All of them count, once each.",
            lambda i, expected, got: np.count_nonzero(got) == 1 and bool(np.isin(got[got != 0], expected).all()),
        ),
        Misconception(
            "tuple-returned",
            "torch.autograd.grad returns a tuple, even for one input. Take its first element.",
            lambda i, expected, got: isinstance(got, tuple) and same(expected, got[0]),
        ),
    ),
    hints=(
        "backward without an argument starts from a scalar. Which scalar does ms.grad start from?",
        "ms.grad differentiates the sum of all output elements.",
        "(v**2).sum().backward(), then v.grad; or v**2 with backward(torch.ones(4)).",
    ),
    wrong_answers=(
        WrongAnswer("mean", "def answer(v):\n    (v**2).mean().backward()\n    return v.grad", "averaged"),
        WrongAnswer("one element", "def answer(v):\n    (v**2)[0].backward()\n    return v.grad", "one-element"),
        WrongAnswer("tuple", "answer = lambda v: torch.autograd.grad((v**2).sum(), v)", "tuple-returned"),
        WrongAnswer("no seed", "def answer(v):\n    (v**2).backward()\n    return v.grad", "error"),
    ),
)


def _second(x):
    (first,) = torch.autograd.grad(x**3, x, create_graph=True)
    return torch.autograd.grad(first, x)[0]


PORT_SECOND = _port(
    "port-second-order",
    "Port a second derivative to PyTorch",
    """Port to PyTorch. Write `port(x)`; `x` is a scalar leaf that requires grad. Return one tensor.

```python
return ms.grad(ms.grad(lambda x: x**3))(x)
```""",
    _second,
    """
def port(x):
    (first,) = torch.autograd.grad(x**3, x, create_graph=True)
    (second,) = torch.autograd.grad(first, x)
    return second


answer = port
""",
    draw=lambda rng: (np.array(rng.uniform(0.5, 2.5), np.float32),),
    arguments=("x",),
    tensors="torch",
    errors=(
        ("does not require grad", "The first gradient has no history: say create_graph=True when you compute it."),
        ("second time", "The first walk freed its saved values: say create_graph=True, which also keeps them."),
    ),
    misconceptions=(
        Misconception(
            "first-order",
            "This is the first derivative. Differentiate it once more.",
            lambda i, expected, got: same(3 * i[0] ** 2, got),
        ),
        Misconception(
            "accumulated",
            "The first derivative is still in .grad, and the second one was added to it. "
            "Empty it in between, or use torch.autograd.grad.",
            lambda i, expected, got: same(np.asarray(3 * i[0] ** 2 + expected, np.float32), got),
        ),
        Misconception(
            "squared",
            "You squared the first derivative. The second derivative is the derivative of the first.",
            lambda i, expected, got: same(9 * i[0] ** 4, got),
        ),
    ),
    hints=(
        "The tape has to record how the first gradient is computed.",
        "create_graph=True makes the first gradient a tensor with a history.",
        "first, = torch.autograd.grad(x**3, x, create_graph=True), and then torch.autograd.grad(first, x)",
    ),
    wrong_answers=(
        WrongAnswer("first", "answer = lambda x: torch.autograd.grad(x**3, x)[0]", "first-order"),
        WrongAnswer(
            "left in .grad",
            "def answer(x):\n    (x**3).backward(create_graph=True)\n    x.grad.backward()\n    return x.grad.detach()",
            "accumulated",
        ),
        WrongAnswer("squared", "answer = lambda x: torch.autograd.grad(x**3, x)[0] ** 2", "squared"),
        WrongAnswer(
            "no create_graph",
            "def answer(x):\n    first, = torch.autograd.grad(x**3, x)\n    return torch.autograd.grad(first, x)[0]",
            "error",
        ),
    ),
)

EXERCISES = (PORT_BACKWARD, PORT_OUTPUTS, PORT_ACCUMULATE, PORT_DETACH, PORT_VECTOR, PORT_SECOND)
