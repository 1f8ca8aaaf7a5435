"""# Predict the errors (3 points)

For each line, answer with the type of the error, such as `KeyError`, or with `"fine"` if it runs.
`x` and `y` are scalar leaves, `v` is a leaf of shape `(2,)`, `t` is a MindSpore Tensor. Answer with a list of seven items.

0. `z = x + y; z.backward(); z.backward()`
1. `z = x * y; z.backward(); z.backward()`
2. `(v * 2).backward()`
3. `(x**2, y).backward()`
4. `g = ms.grad(lambda t: t**2); g(t); g(t)`
5. `(t**2).backward()`
6. `g, = torch.autograd.grad(x**3, x); torch.autograd.grad(g, x)`
"""

from labkit import mindspore as ms
from labkit import torch
from labkit.classroom.exercise import raised
from labkit.classroom.writing import either, judged, wrong

answer = ["fine", RuntimeError, RuntimeError, AttributeError, "fine", AttributeError, RuntimeError]
rules = (
    "A second backward fails if the first one freed something that it needs. What does a sum save?",
    "A second backward fails if the first one freed something that it needs. What does a product save?",
    "Without an upstream gradient, backward needs a result of one element. How many does this one have?",
    "A tuple is plain Python: does it have a method of that name?",
    "In MindSpore a gradient is a function: each call runs everything again.",
    "Which methods does a MindSpore tensor have?",
    "The first derivative was taken without create_graph: does it have a history?",
)
hints = (
    "A backward pass that PyTorch refuses raises a RuntimeError. A method that does not exist raises an AttributeError.",
    "A second backward fails only if the first one freed something. What does each operation save?",
    "Two lines run: one is a sum, and the other differentiates a function instead of a result.",
)


def _leaf(value):
    return torch.tensor(value, requires_grad=True)


def _twice(z):
    z.backward()
    z.backward()


def reference():
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


sum_saves_too = wrong(
    "Line 0 runs. The gradient of x + y needs neither x nor y, so the tape saved nothing that could be freed.",
    {0: RuntimeError},
)

transform_runs_out = wrong(
    "Line 4 runs. ms.grad gives a function: every call runs the function again, and frees nothing that the next "
    "one needs.",
    {4: RuntimeError},
    answer={4: RuntimeError},
)

tuple_has_backward = wrong(
    "A tuple is plain Python: it has no method called backward, and no PyTorch code runs.",
    {3: either(RuntimeError, "fine", TypeError)},
    answer={3: RuntimeError},
)

always_differentiable = wrong(
    "Line 6 fails. Without create_graph=True the gradient has no history, so it cannot be differentiated again.",
    {6: "fine"},
)

all_fine = judged("tuple-has-backward", ["fine"] * 7)

vector_has_a_backward = wrong(
    "backward without an argument starts from one number. v * 2 has two.",
    {2: either("fine", "TypeError", "ValueError")},
)

mindspore_has_a_backward = wrong(
    "A MindSpore tensor has no method backward: MindSpore differentiates a function.",
    {5: either("fine", "TypeError", "RuntimeError")},
)

product_saves_nothing = wrong(
    "The product saved x and y for its backward pass, and the first backward freed them.",
    {1: "fine"},
)


backward_pass_impossible = wrong(
    "It fails, because PyTorch cannot run this backward pass. Which type do PyTorch's own errors have?",
    {1: either("AttributeError", "TypeError", "ValueError"), 6: either("AttributeError", "TypeError", "ValueError")},
)

method_missing = wrong(
    "It fails, because the object has no method of this name. Which type of error does Python raise then?",
    {3: "ValueError", 5: "ValueError"},
)

line_runs = wrong(
    "This line runs: nothing that the second call needs is missing.",
    {0: either("AttributeError", "TypeError", "ValueError"), 4: either("AttributeError", "TypeError", "ValueError")},
)
