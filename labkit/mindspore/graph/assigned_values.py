"""Called by the rewritten source of a function for writes, `and`, `or`, `not` and `range`; `assignments` rewrites it."""

import operator
from copy import copy

import autograd.numpy as anp

from ...engine import stop_gradient as constant
from ...program import recorded
from ..common.tensor import Tensor, wrap
from .joins import check_join
from .operators import Number


def written(held, place, value):
    """`held` with `value` at a place: a value of its own, so that what else has a name for it keeps what it had."""
    held = _own(held)
    held[place] = value
    return held


_OPERATORS = {"Div": "itruediv", "MatMult": "imatmul", "Mult": "imul"}  # the others are as in the tree


def augmented(held, place, name, value):
    """`written` for `held[place] += value`; `name`: of the operator in the source's tree."""
    operate = getattr(operator, _OPERATORS.get(name, f"i{name.removeprefix('Bit').lower()}"))
    return written(held, place, operate(held[place], value))


def changed(held, method, *args, **kwargs):
    """`held` after a method was called, whose result is not used; a list or dictionary is one of its own, as in `written`."""
    held = _own(held) if type(held) in (list, dict) else held
    getattr(held, method)(*args, **kwargs)
    return held


def _own(held):
    return wrap(held._value) if type(held) is Tensor else copy(held) if type(held) in (list, dict) else held


def negated(value):
    """`not value`; of a tensor whose value is not known, a tensor."""
    if not isinstance(value, Tensor) or isinstance(value, Number) or recorded(value._value) is None or value.size != 1:
        return not value
    return wrap(anp.logical_not(anp.reshape(constant(value._value), ())))


def combined(every, *values):
    """`a and b and ...` if `every`, else `a or b or ...`, of functions that give the values.

    Raises TypeError, as graph mode does, for an unknown tensor next to a number.
    """
    value = values[0]()
    for following in values[1:]:
        if bool(value) is not every:
            break
        before, value = value, following()
        if isinstance(before, Tensor) and recorded(before._value) is not None:
            check_join(before, value)
    return value


_RANGE = (
    "For 'make_range', the {}th input should be a int scalar but got AbstractTensor(shape: ({}), element: "
    "AbstractScalar(Type: {}, Value: ValueAny, Shape: NoShape), value: ValueAny)"
)


def ranged(function, *limits):
    """`range(*limits)`, where the source calls what has that name. Raises TypeError for a tensor, as graph mode does."""
    for place, limit in enumerate(limits if function is range else ()):
        if isinstance(limit, Tensor) and not isinstance(limit, Number):
            raise TypeError(_RANGE.format(place, ", ".join(map(str, limit.shape)), limit.dtype))
    return function(*limits)
