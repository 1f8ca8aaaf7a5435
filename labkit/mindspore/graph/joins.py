"""Graph mode's rule that all branches of a function return values of one type."""

from ..common.tensor import Tensor
from .operators import KINDS, Number, as_number

_RULE = "Cannot join the return values of different branches, perhaps you need to make them equal.\nType Join Failed: "
_MORE = ".\nFor more details, please refer to https://www.mindspore.cn/search?inputValue=Type%20Join%20Failed"
_ABSTRACT = {Tensor: "Tensor", tuple: "Tuple", list: "List", dict: "Dictionary"}


def check_join(one, other):
    """Raise TypeError, as graph mode does, unless what two ways through a function return is of one type.

    >>> check_join((Tensor(1.0), 2), (Tensor(3.0), 4))
    """
    kinds = [_kind(value) for value in (one, other)]
    if None in kinds or one is other:
        return
    if kinds == ["Scalar", "Tensor"]:
        raise TypeError(f"{_RULE}dtype1 = {as_number(one).dtype}, dtype2 = Any{_MORE}")
    if kinds[0] != kinds[1]:
        raise TypeError(f"{_RULE}Abstract type Abstract{kinds[0]} cannot join with Abstract{kinds[1]}{_MORE}")
    if isinstance(one, (tuple, list)):
        for pair in zip(one, other, strict=False):
            check_join(*pair)
    elif not isinstance(one, dict):
        types = [value.dtype if isinstance(value, Tensor) else as_number(value).dtype for value in (one, other)]
        if types[0] != types[1]:
            raise TypeError(f"{_RULE}dtype1 = {types[0]}, dtype2 = {types[1]}{_MORE}")


def _kind(value):
    """What graph mode calls the type of a value; None for what it does not join."""
    if isinstance(value, Number) or type(value) in KINDS:
        return "Scalar"
    return next((name for kind, name in _ABSTRACT.items() if isinstance(value, kind)), None)
