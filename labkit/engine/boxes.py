"""Values on their way into a run: what can be differentiated, and the box around it."""

import numpy as np
from autograd.extend import Box

from .guest import is_number
from .guest import new_box as box

_CONTAINERS = (list, tuple, dict)  # autograd differentiates them too, where it is asked to


def numeric(value, *what):
    """`value` as NumPy's, an array or a box as it is; raises TypeError for what is no number and no numeric array, with
    the words `what` that say which value this is.

    A Python number becomes NumPy's: Python raises at 1/0 and answers with a complex number for (-1.0)**0.5, where an array
    of the same numbers gives inf and nan. So there is one answer, whichever way a number came in.
    """
    kind = type(value)
    if kind is np.ndarray:
        if value.dtype.kind not in "OSUmM":
            return value
    elif kind is float:
        return np.float64(value)
    elif kind is int or kind is bool:
        return _integer(value)
    elif is_number(kind) or (kind in Box.type_mappings and kind not in _CONTAINERS):
        return value
    raise TypeError(f"{' '.join(map(str, what))}: expected a number or a NumPy array, but got {described(value)}")


def _integer(value):
    raw = np.asarray(value)[()]
    if raw is value:  # beyond 64 bits NumPy keeps Python's
        raise TypeError(f"expected a number that NumPy can hold, but got the integer {value:.3g}. Write {float(value)}")
    return raw


def described(value):
    """What `value` is, in the words of an error: its type, and what to do with it where that is known."""
    kind = type(value).__name__
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype} (make it one of numbers: x.astype(float))"
    if isinstance(value, _CONTAINERS):
        return f"{kind} (make a list an array with np.array)"
    if hasattr(value, "__engine_value__"):
        return f"{kind} (a dialect's tensors have functions of their own, of the same names)"
    return kind


def new_box(value, level, node):
    """A box around `value` at `level`, made by `node`."""
    return box(numeric(value, "differentiate"), level, node)
