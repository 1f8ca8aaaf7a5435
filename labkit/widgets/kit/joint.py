"""Marks that follow several dials at once: their positions together count as one, like the digits of a number.

A joint key such as `"a:3 b:4"` names the dials with how many positions each has; the last one turns fastest.
"""

from collections.abc import Mapping
from functools import cache


def key_of(sizes: Mapping[str, int]) -> str:
    """The joint key of dials, `{name: how many positions}`.

    >>> key_of({"a": 3, "b": 4})
    'a:3 b:4'
    """
    return " ".join(f"{name}:{size}" for name, size in sizes.items())


def place(key: str, state: Mapping[str, int]) -> int:
    """Where a dial stands, or several together by their joint key.

    >>> place("a", {"a": 2, "b": 3}), place("a:3 b:4", {"a": 2, "b": 3})
    (2, 11)
    """
    if ":" not in key:
        return state[key]
    found = 0
    for name, size in dials_of(key):
        found = found * size + state[name]
    return found


@cache
def dials_of(key: str) -> tuple[tuple[str, int], ...]:
    """The dials that a joint key names, with how many positions each has.

    >>> dials_of("a:3 b:4")
    (('a', 3), ('b', 4))
    """
    pairs = (part.split(":") for part in key.split(" "))
    return tuple((name, int(size)) for name, size in pairs)
