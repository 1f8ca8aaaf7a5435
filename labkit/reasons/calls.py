"""Sees every call of a dialect in the user's code, with its arguments and its result, by Python's profiler."""

import ast
import linecache
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

from ..dialects.provenance import is_own
from ..engine import leaves

_SIGNS = {
    "Add": "+", "Sub": "-", "Mult": "*", "Div": "/", "FloorDiv": "//", "Mod": "%", "Pow": "**", "MatMult": "@", "USub": "-",
    "Gt": ">", "Lt": "<", "GtE": ">=", "LtE": "<=", "Eq": "==", "NotEq": "!=", "BitAnd": "&", "BitOr": "|",
}  # fmt: skip
_WRAPPERS = ("call", "wrapper", "wrapped", "computed", "fun", "operate", "made", "answer", "<lambda>", "__call__",
             "__init__", "f_wrapped")  # fmt: skip


@contextmanager
def watched(saw: Callable[[str, Any, list, Any, Any], None]) -> Iterator[None]:
    """While open, `saw(op, place, given, result, owner)` is called for each call of labkit in this thread's user code.

    `owner`: the object whose method it is, or None. What was profiled before is profiled again afterwards.
    """
    open_calls: dict[Any, tuple] = {}

    def look(frame, event, value):
        if event == "call":
            if _enters(frame):
                given, owner = _arguments(frame)
                open_calls[frame] = ((frame.f_back.f_code, frame.f_back.f_lasti), given, owner)
        elif event == "return" and frame in open_calls:
            where, given, owner = open_calls.pop(frame)
            result = value
            if frame.f_code.co_name == "__init__":
                given, result = [v for v in given if v is not owner], owner
            sys.setprofile(None)
            try:
                saw(_name(frame.f_code, where), where, given, result, owner)
            finally:
                sys.setprofile(look)

    before = sys.getprofile()
    sys.setprofile(look)
    try:
        yield
    finally:
        sys.setprofile(before)


def _enters(frame):
    """Whether this is where the user's code goes into a dialect."""
    home = frame.f_globals.get("__name__", "").partition(".")[0]
    return frame.f_back is not None and home in ("labkit", "autograd") and is_own(frame) and not is_own(frame.f_back)


def _arguments(frame):
    code, values = frame.f_code, frame.f_locals
    names = code.co_varnames[
        : code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & 4) + bool(code.co_flags & 8)
    ]
    given = [values.get(name) for name in names]
    owner = given[0] if given and names[0] in ("self", "cls") else None
    return [
        leaf for value in given for leaf in (value, *(leaves(value) if isinstance(value, (tuple, list, dict)) else ()))
    ], owner


def _name(code, where):
    if code.co_name not in _WRAPPERS:
        return code.co_name
    return _called(*where) or code.co_name


def expression_at(code: Any, instruction: int) -> Any:
    """The expression that is computed there, as the user has written it; None where that cannot be read."""
    line, last, start, end = list(code.co_positions())[instruction // 2]
    if line is None or last is None:
        return None
    rows = [linecache.getline(code.co_filename, number).encode() for number in range(line, last + 1)]
    rows[-1] = rows[-1][:end]
    rows[0] = rows[0][start:]
    try:
        return ast.parse(b"".join(rows).decode().strip(), mode="eval").body
    except (SyntaxError, ValueError):
        return None


@lru_cache(256)
def _called(code, instruction) -> str:
    """The name of what is called there, as the user has written it: `stop_gradient` of `ops.stop_gradient(x)`."""
    expression = expression_at(code, instruction)
    if expression is None:
        return ""
    sign = getattr(expression, "op", None) or next(iter(getattr(expression, "ops", ())), None)
    if type(sign).__name__ in _SIGNS:
        return _SIGNS[type(sign).__name__]
    while isinstance(expression, ast.Call):
        expression = expression.func
    return getattr(expression, "attr", None) or getattr(expression, "id", None) or ""
