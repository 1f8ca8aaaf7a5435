"""# Port a second derivative to PyTorch (1 point)

Newton's method (notebook 10b) divides the first derivative by the second. Port the program to PyTorch: write
`port(x)`; `x` is a scalar leaf that requires grad. Return one tensor.

[[_program as program]]
"""

import numpy as np

from labkit import mindspore as ms
from labkit import torch
from labkit.classroom.writing import judged, wrong


def port(x):
    for _ in range(2):
        (first,) = torch.autograd.grad(x**4 - 8 * x, x, create_graph=True)
        (second,) = torch.autograd.grad(first, x)
        x = x - first / second
    return x


def _program(x):
    first = ms.grad(lambda x: x**4 - 8 * x)
    second = ms.grad(first)
    for _ in range(2):
        x = x - first(x) / second(x)
    return x


def reference(x):
    return torch.tensor(_program(ms.Tensor(x.detach().numpy())).asnumpy())


def draw(rng):
    return (np.array(rng.uniform(2.5, 4.0), np.float32),)


tensors = "torch"
errors = (
    ("does not require grad", "The first gradient has no history: say create_graph=True when you compute it."),
    (
        "second time",
        "A walk came to values that an earlier one had freed. create_graph=True keeps them for the second derivative; and a new "
        "x that still hangs on the old record leads back to it: detach it.",
    ),
    ("'NoneType'", "After x = x - ... the new x is a result, no leaf: its .grad stays None. Use torch.autograd.grad."),
)


def _slope(x):
    return torch.autograd.grad(x**4 - 8 * x, x, create_graph=True)[0]


@wrong("These are steps against the first derivative. Newton divides it by the second: differentiate once more.")
def first_order(x):
    for _ in range(2):
        x = x - _slope(x)
    return x


@wrong(
    "The first derivative is still in .grad, and the second one was added to it. Empty it in between, or use "
    "torch.autograd.grad."
)
def accumulated(x):
    for _ in range(2):
        first = _slope(x)
        x = x - first / (first + torch.autograd.grad(first, x)[0])
    return x


@wrong("You squared the first derivative. The second derivative is the derivative of the first.")
def squared(x):
    for _ in range(2):
        x = x - _slope(x) / _slope(x) ** 2
    return x


@wrong("You divided the second derivative by the first. It is the other way round.")
def upside_down(x):
    for _ in range(2):
        first = _slope(x)
        x = x - torch.autograd.grad(first, x)[0] / first
    return x


@wrong("That is one step. The program takes two.")
def one_step(x):
    first = _slope(x)
    return x - first / torch.autograd.grad(first, x)[0]


@judged("error")
def no_create_graph(x):
    (first,) = torch.autograd.grad(x**4 - 8 * x, x)
    return x - first / torch.autograd.grad(first, x)[0]


hints = (
    "The tape has to record how the first gradient is computed.",
    "create_graph=True makes the first gradient a tensor with a history.",
    "first, = torch.autograd.grad(x**4 - 8 * x, x, create_graph=True), then second, = torch.autograd.grad(first, x)",
)
