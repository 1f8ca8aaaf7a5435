"""# Port backward (1 point)

Three steps downhill, for two numbers at once. Port the program to MindSpore: write `port(x, y)` for two Tensors; it
returns the tuple of both after the third step. Change nothing in place there: a step makes a new Tensor.

[[_program as program]]
"""

import numpy as np

from labkit import mindspore as ms
from labkit import torch
from labkit.classroom.writing import judged, wrong


def port(x, y):
    slopes = ms.grad(lambda x, y: x**2 + x * y + 2 * y**2, grad_position=(0, 1))
    for _ in range(3):
        dx, dy = slopes(x, y)
        x, y = x - 0.1 * dx, y - 0.1 * dy
    return x, y


def _program(x, y):
    for _ in range(3):
        z = x**2 + x * y + 2 * y**2
        z.backward()
        with torch.no_grad():
            x -= 0.1 * x.grad
            y -= 0.1 * y.grad
        x.grad = y.grad = None
    return x, y


def reference(x, y):
    found = _program(*(torch.tensor(t.asnumpy(), requires_grad=True) for t in (x, y)))
    return tuple(ms.Tensor(t.detach().numpy()) for t in found)


def draw(rng):
    return tuple(np.array(v, np.float32) for v in rng.uniform(0.5, 2.5, 2))


tensors = "mindspore"
errors = (
    ("'backward'", "A MindSpore Tensor has no history to walk back. Hand the function itself to ms.grad."),
    ("'grad'", "A MindSpore Tensor has no .grad: what you want comes back from a function that ms.grad makes."),
)


def _z(x, y):
    return x**2 + x * y + 2 * y**2


@wrong("x moves, y stays where it was. grad_position defaults to 0; ask for (0, 1).")
def first_input_only(x, y):
    for _ in range(3):
        x = x - 0.1 * ms.grad(_z)(x, y)
    return x, y


@wrong("The two gradients have changed places.")
def swapped(x, y):
    for _ in range(3):
        dx, dy = ms.grad(_z, (1, 0))(x, y)
        x, y = x - 0.1 * dx, y - 0.1 * dy
    return x, y


@wrong(
    "The value came along: x and y alone are to be returned. ms.value_and_grad returns both; ms.grad the gradients only.",
    when=lambda i, expected, got: isinstance(got, tuple) and len(got) == 3,
)
def value_too(x, y):
    for _ in range(3):
        z, (dx, dy) = ms.value_and_grad(_z, (0, 1))(x, y)
        x, y = x - 0.1 * dx, y - 0.1 * dy
    return z, x, y


@wrong("y's gradient was taken where x had moved already. Both gradients belong to one point: take both, then move.")
def one_after_the_other(x, y):
    for _ in range(3):
        x = x - 0.1 * ms.grad(_z, 0)(x, y)
        y = y - 0.1 * ms.grad(_z, 1)(x, y)
    return x, y


@wrong(
    "You added up the gradients of earlier steps. The program empties .grad after each step, so each step has its own."
)
def never_emptied(x, y):
    sx, sy = 0.0, 0.0
    for _ in range(3):
        dx, dy = ms.grad(_z, (0, 1))(x, y)
        sx, sy = sx + dx, sy + dy
        x, y = x - 0.1 * sx, y - 0.1 * sy
    return x, y


@judged("error")
def method_that_is_not_there(x, y):
    _z(x, y).backward()
    return x.grad, y.grad


hints = (
    "There is no .grad to read, and none to empty: what you want comes back from a function that ms.grad makes.",
    "ms.grad takes the function of x and y, and the positions you want gradients for. Make it once, call it in the loop.",
    "slopes = ms.grad(fn, grad_position=(0, 1)); in the loop dx, dy = slopes(x, y), then both steps",
)
