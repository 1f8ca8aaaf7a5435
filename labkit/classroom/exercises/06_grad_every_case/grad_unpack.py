"""# Value and gradients, unpacked (2 points)

`model(x, y)` returns `(x**2 * y).sum(), x + y`. Only the first output is to be differentiated.
Write `report(x, y)`: it calls `ms.value_and_grad` once and returns the flat tuple `(value, dx, dy)`:
the first output, and its gradients with respect to `x` and to `y`. `x` and `y` are Tensors of shape `(3,)`.
"""

import numpy as np

from labkit import mindspore as ms
from labkit.classroom.writing import Way, judged, wrong


def model(x, y):
    return (x**2 * y).sum(), x + y


def report(x, y):
    (value, aux), (dx, dy) = ms.value_and_grad(model, (0, 1), has_aux=True)(x, y)
    return value, dx, dy


answer = report


def draw(rng):
    return tuple(rng.uniform(0.5, 2, (2, 3)).astype(np.float32))


tensors = "mindspore"


@wrong("Your gradients belong to the sum of both outputs. Say has_aux=True, and only the first output counts.")
def aux_differentiated(x, y):
    (v, _), (dx, dy) = ms.value_and_grad(model, (0, 1))(x, y)
    return v, dx, dy


@wrong(
    "All values are right, but the gradients are still a tuple inside the tuple. value_and_grad returns a pair; "
    "unpack both of its parts."
)
def still_nested(x, y):
    return ms.value_and_grad(model, (0, 1), has_aux=True)(x, y)


@wrong("dx and dy have changed places. Gradients come in the order of grad_position.")
def swapped(x, y):
    (v, _), (dy, dx) = ms.value_and_grad(model, (0, 1), has_aux=True)(x, y)
    return v, dx, dy


@judged("kind")
def arrays_instead_of_tensors(x, y):
    x, y = x.asnumpy(), y.asnumpy()
    return (x**2 * y).sum(), 2 * x * y, x**2


ways = (Way("Call `ms.value_and_grad` once: it gives all three.", ("walk back",), most=1, least=1),)
hints = (
    "grad_position=(0, 1) asks for both inputs, has_aux=True keeps the second output out of it.",
    "The result is a pair: (outputs, gradients). With has_aux=True the outputs are (value, aux).",
    "Unpack it in one line: (value, aux), (dx, dy) = ms.value_and_grad(model, (0, 1), has_aux=True)(x, y)",
)
