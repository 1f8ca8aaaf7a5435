"""Gradient ops: `GradOperation`, `InsertGradientOf`, and assignment to parameters."""

from collections.abc import Callable

import numpy as np

from ...dialects.argument_types import as_tuple, of_kind
from ...dialects.class_paths import Placed
from ..common.parameter import assigned, check_like
from ..common.tensor import NOT_CALLABLE, Tensor, hooked, wrap
from ..gradient.grad import Grad, check_flags
from ..gradient.reverse_run import hooked_together
from .op_table import register


class GradOperation(Grad, metaclass=Placed):
    """The older form of `grad`: `GradOperation(...)(fn, weights)` is the gradient function.

    `get_all`: the gradients of all tensor inputs, a tuple, else of the first; `get_by_list`: of `weights`, or with
    `get_all` of both; `sens_param`: the output's cotangent is the last argument.

    >>> GradOperation(get_all=True)(lambda x, y: x * y)(Tensor(2.0), Tensor(3.0))
    (Tensor(shape=[], dtype=Float32, value= 3), Tensor(shape=[], dtype=Float32, value= 2))
    """

    warns = False

    def __init__(self, get_all=False, get_by_list=False, sens_param=False):
        check_flags("GradOperation", get_all=get_all, get_by_list=get_by_list, sens_param=sens_param)
        super().__init__(sens_param=sens_param)
        self.get_all, self.get_by_list, self.options = get_all, get_by_list, ("", get_all, get_by_list, sens_param)

    def __call__(self, fn, weights=None):
        if not callable(fn):
            raise TypeError(f"The fn should be callable, but got {type(fn).__name__}")
        chosen = (weights if weights is not None else _trainable(fn)) if self.get_by_list else ()
        return self.gradient_function(fn, None, tuple(chosen) if isinstance(chosen, list) else chosen)

    def places(self, positions, args):
        return range(len(args) if self.get_all else 0 if self.get_by_list else min(len(args), 1))

    def answer(self, positions, weights, by_place, by_weight, parameters):
        inputs = tuple(g for _, g in by_place)
        if not self.get_all:
            inputs = inputs[0] if inputs else ()
        if not self.get_by_list:
            return inputs
        of_weights = by_weight[0] if isinstance(weights, Tensor) else tuple(by_weight)
        return (inputs, of_weights) if self.get_all else of_weights


def _trainable(fn):
    return fn.trainable_params() if hasattr(fn, "trainable_params") else ()


class InsertGradientOf(metaclass=Placed):
    """`InsertGradientOf(f)(x)` is `x`, but the gradient that comes back is replaced by `f(gradient)`.

    `x` and what `f` returns: tensors of one shape.

    >>> import labkit.mindspore as ms
    >>> ms.grad(lambda x: ms.ops.InsertGradientOf(lambda g: 10 * g)(x) ** 2)(ms.Tensor(3.0))
    Tensor(shape=[], dtype=Float32, value= 60)
    """

    def __init__(self, f):
        self.f = f

    def __call__(self, x):
        return wrap(hooked(x._value, self.f))


class HookBackward(metaclass=Placed):
    """`HookBackward(f)(x, ...)` is what it is given; `f` gets the tuple of the gradients that come back.

    What `f` returns replaces them: a tensor or a tuple of tensors; None leaves them as they are.
    """

    def __init__(self, hook_fn):
        of_kind(hook_fn, Callable, NOT_CALLABLE)
        self.hook_fn = hook_fn

    def __call__(self, *inputs):
        def hook(gradients):
            given = tuple(
                wrap(np.zeros(x.shape, x._value.dtype)) if g is None else g
                for x, g in zip(inputs, gradients, strict=True)
            )
            answer = self.hook_fn(given)
            if answer is not None and not isinstance(answer, tuple) and len(given) > 1:
                raise TypeError("The output gradient should be a tuple!")
            return given if answer is None else as_tuple(answer)

        found = hooked_together(inputs, hook)
        return found[0] if len(found) == 1 else found


def assign(variable, value):
    """Replace a parameter's value; returns the new value. Raises ValueError for another shape."""
    return _written(variable, value, lambda new: new, "Assign")


def assign_add(variable, value):
    """Add to a parameter's value; returns the new value. Raises ValueError for another shape."""
    return _written(variable, value, lambda new: variable + new, "AssignAdd")


def assign_sub(variable, value):
    """Subtract from a parameter's value; returns the new value. Raises ValueError for another shape."""
    return _written(variable, value, lambda new: variable - new, "AssignSub")


def _written(variable, value, result, name):
    if not isinstance(variable, Tensor):
        raise TypeError(f"For '{name}', the 'variable' must be a Parameter, but got {type(variable).__name__}.")
    check_like(variable, value, name)
    assigned(variable, result(value), name)
    return wrap(variable._value)


register(assign, method=False, primitive="Assign")
register(assign_add, method=False, primitive="AssignAdd")
register(assign_sub, method=False, primitive="AssignSub")
