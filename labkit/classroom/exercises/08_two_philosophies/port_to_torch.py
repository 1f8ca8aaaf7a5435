"""# Port a vector output to PyTorch (2 points)

`v**2 * v.sum()` has as many elements as `v`. Port the program to PyTorch: write `port(v)`; `v` is a leaf of four elements
that requires grad. Return one tensor.

[[_program as program]]
"""

import numpy as np

from labkit import mindspore as ms
from labkit import torch
from labkit.classroom.writing import judged, same, wrong


def port(v):
    for _ in range(3):
        (slope,) = torch.autograd.grad((v**2 * v.sum()).sum(), v)
        v = v - 0.01 * slope
    return v


def _program(v):
    slope = ms.grad(lambda v: v**2 * v.sum())
    for _ in range(3):
        v = v - 0.01 * slope(v)
    return v


def reference(v):
    return torch.tensor(_program(ms.Tensor(v.detach().numpy())).asnumpy())


def draw(rng):
    return (rng.uniform(0.5, 2.0, 4).astype(np.float32),)


tensors = "torch"
errors = (
    (
        "only for scalar outputs",
        "backward needs one number to start from; ms.grad starts from the sum of all elements.",
    ),
    (
        "'NoneType'",
        "After v = v - ... the new v is a result, no leaf, and .grad is filled for leaves alone. torch.autograd.grad "
        "takes any tensor on the tape.",
    ),
    ("a leaf Variable that requires grad", "A leaf is changed in place under torch.no_grad() only."),
)


def _stepped(v, slope):
    for _ in range(3):
        v = v - 0.01 * slope(v)
    return v


@wrong("You took the mean. ms.grad differentiates the sum of all output elements.")
def averaged(v):
    return _stepped(v, lambda v: torch.autograd.grad((v**2 * v.sum()).mean(), v)[0])


@wrong("Only one output element was walked back from. All of them count, once each.")
def one_element(v):
    return _stepped(v, lambda v: torch.autograd.grad((v**2 * v.sum())[0], v)[0])


@wrong(
    "torch.autograd.grad returns a tuple, even for one input. Take its first element, and return one tensor.",
    when=lambda i, expected, got: isinstance(got, tuple) and len(got) == 1 and same(expected, got[0]),
)
def tuple_returned(v):
    return (port(v),)


@wrong("The sum inside counts, too: it depends on v. You differentiated v**2 alone, and multiplied afterwards.")
def sum_as_a_constant(v):
    return _stepped(v, lambda v: torch.autograd.grad((v**2 * v.sum().detach()).sum(), v)[0])


@wrong("The second step still has the gradient of the first in it: backward adds to .grad. Empty it after each step.")
def never_emptied(v):
    v = v.detach().clone().requires_grad_()
    for _ in range(3):
        (v**2 * v.sum()).sum().backward()
        with torch.no_grad():
            v -= 0.01 * v.grad
    return v


@judged("error")
def no_seed(v):
    (v**2 * v.sum()).backward()
    return v - 0.01 * v.grad


hints = (
    "backward without an argument starts from a scalar. Which scalar does ms.grad start from?",
    "ms.grad differentiates the sum of all output elements. torch.autograd.grad does not need a leaf, and stores nothing.",
    "(slope,) = torch.autograd.grad((v**2 * v.sum()).sum(), v); then v = v - 0.01 * slope",
)
