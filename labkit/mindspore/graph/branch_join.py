"""What two sides of a choice give, joined into one: nested tensors, numbers and constants, by the rules of graph mode."""

import numpy as np

from ...engine import user_site
from ...program import TraceError
from ..common.tensor import Tensor, wrap
from .operators import Number, as_number, number, numbered

RULE = "Cannot join the return values of different branches, perhaps you need to make them equal.\nType Join Failed: "
MORE = ".\nFor more details, please refer to https://www.mindspore.cn/search?inputValue=Type%20Join%20Failed"
ABSENT = object()  # stands where a side gives nothing, and nobody will ask for it


class Missing:
    """Stands for a name that has no value; with `words`, for one that has none on every way here."""

    def __init__(self, words=None):
        self.words = words


MISSING = Missing()


class _Place:
    """Where a joined value goes, once it is there."""

    def __init__(self, number, wrapped):
        self.number, self.wrapped = number, wrapped


class Joining:
    """Pairs of values to be joined: `join` each, `close` once, and what was `made` of each is there."""

    def __init__(self, names=()):
        self.names, self.pairs, self.called, self.values = list(names), [], [], []

    def join(self, one, other, name=None):
        """What is put in the place of two values, nested as they are. Raises TypeError where types differ."""
        if one is other:
            return one
        if isinstance(one, Missing) or isinstance(other, Missing):
            return self._missing(one, other, name)
        if one is ABSENT or other is ABSENT:
            one, other = _beside_nothing(one, other)
            return self.join(one, other, name)
        if isinstance(one, Tensor) and isinstance(other, Tensor) and not {type(one), type(other)} & {Number}:
            return self._tensors(one, other, name)
        if isinstance(one, (list, tuple)) and type(one) is type(other) and len(one) == len(other):
            called = (
                self.names if name is None and len(self.names) == len(one) else [part(name, k) for k in range(len(one))]
            )
            self.names = []
            parts = [self.join(a, b, n) for a, b, n in zip(one, other, called, strict=True)]
            return one._make(parts) if hasattr(one, "_make") else type(one)(parts)
        if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
            return {key: self.join(one[key], other[key], part(name, key)) for key in one}
        return self._constants(one, other, name)

    def _missing(self, one, other, name):
        if isinstance(one, Missing) and isinstance(other, Missing):
            return one if one.words else other
        sides = ("true", "false") if isinstance(one, Missing) else ("false", "true")
        file, line = user_site()
        return Missing(
            f"The local variable '{name}' is not defined in {sides[0]} branch, but defined in {sides[1]} branch.\n"
            f"In file {file}:{line}"
        )

    def _tensors(self, one, other, name):
        a, b = one._value, other._value
        if a is b:
            return one
        if a.dtype != b.dtype:
            raise TypeError(f"{RULE}dtype1 = {one.dtype}, dtype2 = {other.dtype}{MORE}")
        if one.shape != other.shape:
            file, line = user_site()
            raise TraceError(
                f"{file}:{line}: a compiled function cannot go on with {_called(name)} of shape {one.shape} from one side of a "
                f"branch and of {other.shape} from the other: a program is made for fixed shapes. Give both one shape, or do not "
                "compile this function."
            )
        return self._pair(a, b, name, wrap)

    def _pair(self, a, b, name, wrapped):
        self.pairs.append((a, b))
        self.called.append(name)
        return _Place(len(self.pairs) - 1, wrapped)

    def _constants(self, one, other, name):
        numbers = as_number(one), as_number(other)
        if None not in numbers and (one is not other) and not _alike(one, other):
            a, b = numbers
            if a.dtype != b.dtype:
                raise TypeError(f"{RULE}dtype1 = {a.dtype}, dtype2 = {b.dtype}{MORE}")
            return self._pair(a._value, b._value, name, number)
        if _alike(one, other):
            return one
        kinds = [_kind(value) for value in (one, other)]
        if kinds[0] == "Scalar" and kinds[1] == "Tensor":
            raise TypeError(f"{RULE}dtype1 = {numbered(one).dtype}, dtype2 = Any{MORE}")
        if None not in kinds and kinds[0] != kinds[1]:
            raise TypeError(f"{RULE}Abstract type Abstract{kinds[0]} cannot join with Abstract{kinds[1]}{MORE}")
        file, line = user_site()
        raise TraceError(
            f"{file}:{line}: a compiled function cannot go on with {_called(name)} that is {_described(one)} from one side of a "
            f"branch and {_described(other)} from the other. Make tensors of one type of both, or do not compile this function."
        )

    def close(self, fork):
        """Let the choice give what was joined."""
        self.values = fork.join(self.pairs, self.called)

    def made(self, tree):
        """What was joined, for what `join` returned."""
        if isinstance(tree, _Place):
            return tree.wrapped(self.values[tree.number])
        if isinstance(tree, (list, tuple)):
            parts = [self.made(part) for part in tree]
            return tree._make(parts) if hasattr(tree, "_make") else type(tree)(parts)
        return {key: self.made(part) for key, part in tree.items()} if type(tree) is dict else tree


def part(name, key):
    """The name of a part of what is called `name`."""
    return None if name is None else f"{name}_{key}"


def _called(name):
    return "a value" if name is None else f"'{name}'"


def _alike(one, other):
    """Whether two constants are the same."""
    try:
        return type(one) is type(other) and not isinstance(one, Tensor) and one == other and repr(one) == repr(other)
    except Exception:  # objects of somebody else's
        return False


def _kind(value):
    """What graph mode calls a value when it is to be joined with one of another kind."""
    if as_number(value) is not None:
        return "Scalar"
    kinds = {Tensor: "Tensor", tuple: "Tuple", list: "List", dict: "Dictionary"}
    return next((name for kind, name in kinds.items() if isinstance(value, kind)), None)


def _described(value):
    return "None" if value is None else f"a {type(value).__name__}"


def _beside_nothing(one, other):
    """Two values, zeros for the one that is absent."""
    if one is ABSENT:
        return _zeros(other), other
    return one, _zeros(one)


def _zeros(tree):
    if isinstance(tree, Tensor):
        return wrap(np.zeros(tree.shape, tree._value.dtype))
    if isinstance(tree, (list, tuple)):
        return type(tree)(map(_zeros, tree))
    return tree
