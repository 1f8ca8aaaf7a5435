"""An object of another process, as something to work with here: each operation on it is asked of its owner (`peer`)."""

import operator
from collections.abc import Callable
from typing import Any

BINARY = (
    "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and_", "or_", "xor", "lshift", "rshift",
)  # fmt: skip
COMPARED = ("eq", "ne", "lt", "le", "gt", "ge")
UNARY: dict[str, Callable] = {
    "len": len, "bool": bool, "str": str, "repr": repr, "float": float, "int": int, "abs": abs, "neg": operator.neg,
    "pos": operator.pos, "invert": operator.invert, "iter": iter, "next": next, "round": round, "hash": hash,
    "index": operator.index, "complex": complex, "reversed": reversed,
}  # fmt: skip
OPERATIONS: dict[str, Callable] = {
    **UNARY, **{name: getattr(operator, name) for name in (*BINARY, *COMPARED)},
    "call": lambda function, *args, **named: function(*args, **named),
    "getattr": getattr, "setattr": setattr, "delattr": delattr, "getitem": operator.getitem,
    "setitem": operator.setitem, "delitem": operator.delitem, "contains": operator.contains, "isinstance": isinstance,
    "issubclass": issubclass, "enter": lambda it: it.__enter__(), "exit": lambda it, *why: it.__exit__(*why),
}  # fmt: skip


class Remote:
    """An object of the other side."""

    __slots__ = ("_at", "_kind", "_peer", "_trusted")
    __hash__ = object.__hash__

    def __init__(self, peer: Any, at: int, kind: str, trusted: int) -> None:
        for name, value in (("_peer", peer), ("_at", at), ("_kind", kind), ("_trusted", trusted)):
            object.__setattr__(self, name, value)

    def __call__(self, *args: Any, **named: Any) -> Any:
        return self._peer.ask("call", self, *args, **named)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name not in ("__name__", "__doc__"):
            raise AttributeError(name)
        return self._peer.ask("getattr", self, name)

    def __array_ufunc__(self, ufunc: Any, method: str, *args: Any, **named: Any) -> Any:
        """A function of NumPy on an object that a function of the tests was called with, such as a step of a recording."""
        return self._peer.compare("call", ufunc, *args, **named) if method == "__call__" else NotImplemented

    def __array_function__(self, function: Any, types: Any, args: tuple, named: dict[str, Any]) -> Any:
        return self._peer.compare("call", function, *args, **named)

    def __setattr__(self, name: str, value: Any) -> None:
        self._peer.ask("setattr", self, name, value)

    def __delattr__(self, name: str) -> None:
        self._peer.ask("delattr", self, name)

    def __getitem__(self, key: Any) -> Any:
        return self._peer.ask("getitem", self, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        self._peer.ask("setitem", self, key, value)

    def __delitem__(self, key: Any) -> None:
        self._peer.ask("delitem", self, key)

    def __contains__(self, item: Any) -> bool:
        return bool(self._peer.compare("contains", self, item))

    def __instancecheck__(self, instance: Any) -> bool:
        return bool(self._peer.ask("isinstance", instance, self))

    def __subclasscheck__(self, kind: Any) -> bool:
        return bool(self._peer.ask("issubclass", kind, self))

    def __enter__(self) -> Any:
        return self._peer.ask("enter", self)

    def __exit__(self, *why: Any) -> Any:
        return self._peer.ask("exit", self, None, None, None)


def _unary(name):
    return lambda self: self._peer.ask(name, self)


def _binary(name):
    return lambda self, other: self._peer.compare(name, self, other)


def _reflected(name):
    return lambda self, other: self._peer.compare(name, other, self)


for _name in UNARY:
    if _name != "hash":
        setattr(Remote, f"__{_name}__", _unary(_name))
for _name in (*BINARY, *COMPARED):
    setattr(Remote, f"__{_name.strip('_')}__", _binary(_name))
for _name in BINARY:
    setattr(Remote, f"__r{_name.strip('_')}__", _reflected(_name))
