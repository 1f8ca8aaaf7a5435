"""What an answer's process may send to the tests' process: data of the types below, and numbers of objects that stay there."""

import builtins
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable
from dataclasses import FrozenInstanceError
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from json import dumps
from typing import Any

import numpy as np

from ..engine import getval, isbox
from ..evidence import Unreadable, encode
from .remote import BY_ATTRIBUTES, DATA

BUILT: dict[str, tuple[type, Callable]] = {  # types of objects that are rebuilt from other data
    kind.__name__: (kind, parts)
    for kind, parts in {
        Fraction: lambda v: (v.numerator, v.denominator), Decimal: lambda v: (str(v),), date: lambda v: (v.year, v.month, v.day),
        datetime: lambda v: (v.year, v.month, v.day, v.hour, v.minute, v.second, v.microsecond),
        time: lambda v: (v.hour, v.minute, v.second, v.microsecond), timedelta: lambda v: (v.days, v.seconds, v.microseconds),
        range: lambda v: (v.start, v.stop, v.step), slice: lambda v: (v.start, v.stop, v.step), bytearray: lambda v: (bytes(v),),
        Counter: lambda v: (dict(v),), OrderedDict: lambda v: (list(v.items()),), deque: lambda v: (list(v), v.maxlen),
        defaultdict: lambda v: (v.default_factory if v.default_factory in TYPES.values() else None, dict(v)),
    }.items()
}  # fmt: skip
TYPES: dict[str, type] = {
    one.__name__: one
    for one in (*DATA, bool, object, type(None), *(kind for kind, _ in BUILT.values()), np.dtype, *set(np.sctypeDict.values()))
}  # fmt: skip
ERRORS: dict[str, type[Exception]] = {
    one.__name__: one
    for one in (*vars(builtins).values(), FrozenInstanceError, np.linalg.LinAlgError, np.exceptions.AxisError)
    if isinstance(one, type) and issubclass(one, Exception) and not issubclass(one, (StopIteration, StopAsyncIteration))
}
_UNREADABLE = "a value of the type {kind} that is too large, nested too deeply, or holds no data"


class Kept:
    """The objects of a student that tests know by a number."""

    def __init__(self) -> None:
        self.objects: list[Any] = []
        self.numbers: dict[int, int] = {}

    def number(self, value: Any) -> int:
        """The number of an object, the same each time."""
        if id(value) not in self.numbers:
            self.numbers[id(value)] = len(self.objects)
            self.objects.append(value)
        return self.numbers[id(value)]

    def encoded(self, value: Any) -> list:
        """A value for the tests; raises Unreadable for what cannot go there."""
        return encode(value, self._refer)

    def _refer(self, value: Any) -> list:
        kind = type(value)
        if kind.__name__ in BUILT and BUILT[kind.__name__][0] is kind:
            return ["built", kind.__name__, self.encoded(BUILT[kind.__name__][1](value))]
        if kind in DATA or kind in (int, float, bool):
            raise Unreadable(_UNREADABLE.format(kind=kind.__name__))
        if isinstance(value, type):
            if TYPES.get(value.__name__) is value:
                return ["type", value.__name__]
            if issubclass(value, BaseException):
                return ["errors", *self.classes(value)]
        base = next((base for base in DATA if isinstance(value, base)), None)
        held = DATA[base](value) if base else None
        if isbox(value):
            held = np.array(_inside(value))[()]
            held = held if isinstance(held, np.ndarray) else held.item()
            base = type(held)
        name, own = str(kind.__name__)[:100], sorted(_own(kind, base))[:500]
        return [
            "theirs",
            self.number(value),
            name,
            own,
            base.__name__ if base else "",
            self.encoded(held),
            attributes(value),
        ]

    def classes(self, kind: type) -> tuple[list, str]:
        """Numbers and names of a class of errors and those that it derives from, and the known one behind them."""
        base = next((one.__name__ for one in kind.__mro__ if ERRORS.get(one.__name__) is one), "Exception")
        theirs = [one for one in kind.__mro__ if issubclass(one, BaseException) and one.__module__ != "builtins"]
        theirs = [one for one in theirs if ERRORS.get(one.__name__) is not one]
        return [[self.number(one), str(one.__name__)[:100]] for one in theirs[:20]], base

    def error(self, error: BaseException) -> list:
        """An error for the tests: its class, what it says, and its attributes where they are data."""
        args = alone(error.args)
        text = alone((str(error)[:1000],)) if args is None else args
        return [*self.classes(type(error)), text, alone(dict(vars(error)))]


def alone(value: Any) -> list | None:
    """A small value as data, None where it holds anything else."""

    def refuse(value):
        raise Unreadable("no data")

    try:
        data = encode(value, refuse)
    except Exception:
        return None
    return data if len(dumps(data)) <= 20_000 else None


def attributes(value: Any) -> list | None:
    """What an object holds by name, where that is data."""
    slots = {name for kind in type(value).__mro__ for name in (getattr(kind, "__slots__", None) or ())}
    held = {name: getattr(value, name) for name in sorted(slots) if name != "__dict__" and hasattr(value, name)}
    held |= getattr(value, "__dict__", None) or {}
    return alone(held) if held and not isinstance(value, type) else None


def _own(kind: type, base: Any) -> set[str]:
    """The names that the classes of an object define, without those of Python."""
    found = set() if base or kind.__eq__ is object.__eq__ else {"__eq__"}
    for one in kind.__mro__:
        if one is base or one.__module__ in ("builtins", "enum", "typing", "functools"):
            break
        found |= vars(one).keys() - {"__dict__", "__doc__", "__init__", "__module__", "__new__", "__weakref__"}
        made = getattr(vars(one).get("__eq__"), "__code__", None)
        if hasattr(one, "__dataclass_fields__") and made and made.co_filename == "<string>":
            found.add(BY_ATTRIBUTES)
    return found


def _inside(value: Any) -> Any:
    while isbox(value):
        value = getval(value)
    return value
