"""An object of the answers' process, for the tests: its data is here, its methods run in the other process (`peer`).

What a test compares is data. An object whose class derives from a type of data has that data, and what its class says
about equality does not matter; two other objects are equal where their attributes were the same when they came. Where
anything else would have to be believed, the test is `Strange`, and a person looks at it.
"""

import operator
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partialmethod
from typing import Any

import numpy as np

from ..evidence import decode

BINARY = (
    "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and_", "or_", "xor", "lshift", "rshift",
)  # fmt: skip
DIFFERENCES = ("sub", "truediv", "floordiv", "mod", "xor")  # which are a known value where the answer is right
COMPARED = ("eq", "ne", "lt", "le", "gt", "ge")
NUMBERS: dict[str, Callable] = {
    "bool": bool, "float": float, "int": int, "abs": abs, "round": round, "index": operator.index, "complex": complex,
}  # fmt: skip
UNARY: dict[str, Callable] = {
    "len": len, "str": str, "repr": repr, "neg": operator.neg, "pos": operator.pos, "invert": operator.invert,
    "iter": iter, "next": next, "reversed": reversed,
}  # fmt: skip
ITEMS = ("getitem", "setitem", "delitem")
OPERATIONS: dict[str, Callable] = {
    **UNARY, **NUMBERS, **{name: getattr(operator, name) for name in (*BINARY, *ITEMS)},
    "call": lambda function, *args, **named: function(*args, **named),
    "getattr": getattr, "setattr": setattr, "isinstance": isinstance, "issubclass": issubclass,
    "enter": lambda it: it.__enter__(), "exit": lambda it, kind: it.__exit__(kind, kind and kind(), None), "next or end": next,
}  # fmt: skip
DATA: dict[type, Callable] = {  # types of data that a class may derive from, and what it holds of them
    **{kind: lambda v, kind=kind: kind(kind.__iter__(v)) for kind in (tuple, list, set, frozenset, bytes)},  # type: ignore[misc]
    dict: lambda v: dict(dict.items(v)), str: str.__str__, int: int.__int__, float: float.__float__,
    complex: complex.__complex__, np.ndarray: lambda v: np.array(np.ndarray.view(v, np.ndarray)),
}  # fmt: skip
BY_ATTRIBUTES = "= of a dataclass"  # a name that no class can define
KEPT = ("__name__", "__qualname__", "__bases__", "__members__")
_COMPUTED = "{value} that was computed with a value from the tests"


class Strange(BaseException):
    """Tests would have to believe an answer's own process: a person has to look."""


class Theirs:
    """An object of the answers. `_own` are the names that its class defines, `_state` its attributes where they are data.

    `_fed` is true for the result of an operation with another value: a number that it gives then was not a test of it.
    """

    _peer: Any = None
    _at: Any = None
    _kind, _own, _state, _base, _fed = "", frozenset[str](), None, None, False
    _carries: frozenset[int] = frozenset()
    _owner: Any = None

    def __getattribute__(self, name: str) -> Any:
        if name == "__doc__" or (name[:2] != "__" and name in object.__getattribute__(self, "_own")):
            return self.__getattr__(name)
        return object.__getattribute__(self, name)

    def __getattr__(self, name: str) -> Any:
        if self._peer is None or (name.startswith("__") and name not in (*KEPT, "__doc__")):
            raise AttributeError(name)
        found = self._peer.ask("getattr", self, name)
        if isinstance(found, Theirs) and found._owner is None:
            object.__setattr__(found, "_owner", self)
        return found

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise self._peer.strange("a copy of {value}".format(value=self._words()))

    def __call__(self, *args: Any, **named: Any) -> Any:
        return self._peer.ask("call", self, *args, **named)

    def __setattr__(self, name: str, value: Any) -> None:
        self._peer.ask("setattr", self, name, value)

    def __hash__(self) -> int:
        if self._base:
            return hash(plain(self))
        if {"__eq__", "__hash__"} & self._own:
            raise self._peer.strange("the hash of {value}".format(value=self._words()))
        return object.__hash__(self)

    def __contains__(self, item: Any) -> bool:
        if not self._base:
            raise self._peer.strange("what {value} contains".format(value=self._words()))
        return item in plain(self)

    def __instancecheck__(self, instance: Any) -> bool:
        return isinstance(instance, Theirs) and self._peer.ask("isinstance", instance, self) is True

    def __subclasscheck__(self, kind: Any) -> bool:
        return self._peer.ask("issubclass", kind, self) is True

    def __enter__(self) -> Any:
        return self._peer.ask("enter", self)

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if self._peer.ask("exit", self, kind) and kind:  # the error goes on: it may be that of a test
            raise self._peer.strange("{value} that suppresses an error".format(value=self._words()))

    def __array_ufunc__(self, ufunc: Any, method: str, *args: Any, **named: Any) -> Any:
        return self._numpy(ufunc if method == "__call__" else getattr(ufunc, method), args, named)

    def __array_function__(self, function: Any, types: Any, args: tuple, named: dict[str, Any]) -> Any:
        return self._numpy(function, args, named)

    def _numpy(self, function: Any, args: tuple, named: dict[str, Any]) -> Any:
        """What a function of NumPy gives: of the data; of a step of a recording what the answers give, if it is the same."""
        here = function(*map(plain, args), **{key: plain(one) for key, one in named.items()})
        steps = any(isinstance(one, Theirs) and "__array_ufunc__" in one._own for one in args)
        asked = steps and np.asarray(here).dtype != bool
        return checked(self._peer.ask("call", function, *args, **named), here) if asked else here

    def _words(self) -> str:
        return "an object of the class {kind}".format(kind=self._kind)

    def _compared(self, name: str, other: Any) -> Any:
        fed = self._fed or (isinstance(other, Theirs) and other._fed)
        if self._base:
            if fed and not isinstance(other, Theirs):
                raise self._peer.strange(_COMPUTED.format(value=self._words()))
            found = getattr(operator, name)(plain(self), plain(other) if isinstance(other, Theirs) else other)
            if found is False and f"__{name}__" in self._own:  # its class may call other things equal
                raise self._peer.strange(self._words())
            return found
        if name in ("eq", "ne") and "__eq__" not in self._own:
            return (self is other) == (name == "eq")
        if name in ("eq", "ne") and isinstance(other, Theirs) and self._state and other._state:
            same = (self._kind, self._state) == (other._kind, other._state)
            if BY_ATTRIBUTES in self._own and not same:
                same = self._kind == other._kind and bool(decode(self._state) == decode(other._state))
            if BY_ATTRIBUTES in self._own or (same and name == "eq"):
                return same == (name == "eq")
        raise self._peer.strange(self._words())

    def _does(self, name: str, *args: Any) -> Any:
        """A unary operation, or one on an item: with the data where the class does not define it, otherwise asked for."""
        if self._fed and name in NUMBERS:
            raise self._peer.strange(_COMPUTED.format(value=self._words()))
        held = name in ("len", "iter", "reversed", *NUMBERS) and hasattr(self._base, f"__{name}__")
        asks = f"__{name}__" in self._own or (name == "getitem" and "__missing__" in self._own)
        if self._base and (held or not asks):
            changes = name in ("setitem", "delitem")
            return getattr(self._base, f"__{name}__")(self, *args) if changes else OPERATIONS[name](plain(self), *args)
        came = self._peer.ask("next or end" if name == "next" else name, self, *args)
        return self._counted(came) if name == "iter" and "__len__" in self._own else came

    def _counted(self, items: Any) -> Iterator[Any]:
        """What an object gives one by one: as much as its length, or a test that stops with it would say nothing."""
        number = 0
        for number, item in enumerate(items, 1):  # noqa: B007
            yield item
        if number != len(self):
            raise self._peer.strange("{value}, whose length is not the number of its items".format(value=self._words()))

    def _joined(self, name: str, dunder: str, turned: bool, other: Any) -> Any:
        """An operation with another value, which it then receives."""
        first, second = (other, self) if turned else (self, other)
        theirs = isinstance(other, Theirs)
        keeps_class = self._base is np.ndarray and self._own  # an operation gives an object of the class again
        if self._base and dunder not in self._own and not keeps_class and not (theirs and other._own):
            return OPERATIONS[name](plain(first), plain(second))
        came = self._peer.ask(name, first, second)
        if theirs and not (other._fed or self._fed):
            return came
        is_number = self._base in (int, float, complex, np.ndarray)
        if isinstance(came, (tuple, list, dict, str)) and not is_number and name not in DIFFERENCES:
            return came
        if self._base:
            with suppress(TypeError):
                return checked(came, OPERATIONS[name](plain(first), plain(second)))
        if not isinstance(came, Theirs):
            raise self._peer.strange("what {value} returns for a value from the tests".format(value=self._words()))
        object.__setattr__(came, "_fed", True)
        return came


def plain(value: Any) -> Any:
    """The data of an object of the answers; other values as they are."""
    if isinstance(value, Theirs):
        if value._base is None:
            raise value._peer.strange(value._words())
        return DATA[value._base](value)
    return type(value)(map(plain, value)) if type(value) in (tuple, list) else value


def checked(came: Any, here: Any) -> Any:
    """What the other side gave, where its data is what the same operation gives here; otherwise it received a value."""
    if isinstance(came, Theirs) and not (came._base and np.array_equal(plain(came), here)):
        object.__setattr__(came, "_fed", True)
    return came if isinstance(came, Theirs) else here


INTERNAL = frozenset(name for name in vars(Theirs) if name[0] == "_" and name[:2] != "__")
for _name in (*UNARY, *NUMBERS, *ITEMS):
    setattr(Theirs, f"__{_name}__", partialmethod(Theirs._does, _name))
for _name in COMPARED:
    setattr(Theirs, f"__{_name}__", partialmethod(Theirs._compared, _name))
for _name in BINARY:
    _bare = _name.strip("_")
    setattr(Theirs, f"__{_bare}__", partialmethod(Theirs._joined, _name, f"__{_bare}__", False))
    setattr(Theirs, f"__r{_bare}__", partialmethod(Theirs._joined, _name, f"__r{_bare}__", True))
KINDS: dict[Any, type] = {None: Theirs}
for _base in DATA:
    KINDS[_base] = type(f"Their_{_base.__name__}", (Theirs, _base), {"_base": _base})
