"""Updates of parameters as primitives, for optimizers that users write."""

import numpy as np

from ...engine import cast
from ..tensor import wrap
from ._op import value_of
from ._primitives import CLASSES, Primitive


class ApplyMomentum(Primitive):
    """`ApplyMomentum()(variable, accumulation, learning_rate, gradient, momentum)` updates the first two, which are
    parameters, and returns the new value of the first: v = momentum * v + g; p = p - lr * v.

    `use_nesterov`: p = p - lr * (g + momentum * v). The real framework's CPU kernel ignores it.
    """

    def __init__(self, use_nesterov=False, use_locking=False, gradient_scale=1.0):
        super().__init__()
        self.use_nesterov = use_nesterov

    def __call__(self, variable, accumulation, learning_rate, gradient, momentum):
        p, v, g = (value_of(t, "ApplyMomentum") for t in (variable, accumulation, gradient))
        lr, momentum = (_typed(number, p.dtype) for number in (learning_rate, momentum))
        with np.errstate(all="ignore"):
            v = momentum * v + g
            variable._value = p - lr * (g + momentum * v if self.use_nesterov else v)
        accumulation._value = v
        return wrap(variable._value)


def _typed(number, dtype):
    return cast(number._value, dtype) if hasattr(number, "_value") else dtype.type(number)


CLASSES["ApplyMomentum"] = ApplyMomentum
