"""A recorded tape as JSON, and back; pictures of large tensors become coarser."""

import json
from dataclasses import MISSING, fields
from typing import Any

import numpy as np

from labkit.engine import Summary
from labkit.realtape import BackStep, Saved, Tape, TapeNode, Value

_NOT_FINITE = {"nan": np.nan, "inf": np.inf, "-inf": -np.inf}
_KINDS = {kind.__name__: kind for kind in (Tape, TapeNode, Saved, BackStep)}


def as_json(tape: Tape) -> str:
    """The text of a tape."""
    values: dict[int, tuple[int, Value]] = {}  # by id: what one node sends arrives at the next, and is written once
    plain = _plain(tape, values)
    text = {"values": [_numbers(value) for _, value in values.values()], "tape": plain}
    return json.dumps(text, allow_nan=False, ensure_ascii=False, separators=(",", ":"))


def of_json(text: str) -> Tape:
    """The tape of a text."""
    held = json.loads(text)
    return _made(held["tape"], [_value(plain) for plain in held["values"]])


def _plain(part: Any, values: dict[int, tuple[int, Value]]) -> Any:
    if isinstance(part, Value):
        return {"value": values.setdefault(id(part), (len(values), part))[0]}
    if type(part).__name__ in _KINDS:
        told = [(f.name, getattr(part, f.name)) for f in fields(part) if getattr(part, f.name) != _default(f)]
        return {"kind": type(part).__name__, **{name: _plain(value, values) for name, value in told}}
    if isinstance(part, dict):  # its keys may be numbers
        return {"pairs": [[key, _plain(value, values)] for key, value in part.items()]}
    if isinstance(part, tuple | list):
        items = [_plain(p, values) for p in part]
        return {"items": items} if isinstance(part, tuple) else items
    return str(part) if isinstance(part, float) and not abs(part) < float("inf") else part


def _default(field):
    return field.default if field.default_factory is MISSING else field.default_factory()


def _made(part: Any, values: list[Value]) -> Any:
    if isinstance(part, list):
        return [_made(p, values) for p in part]
    if not isinstance(part, dict):
        return part
    if "value" in part and "kind" not in part:
        return values[part["value"]]
    if "pairs" in part:
        return {key: _made(value, values) for key, value in part["pairs"]}
    if "items" in part:
        return tuple(_made(p, values) for p in part["items"])
    return _KINDS[part["kind"]](**{name: _made(value, values) for name, value in part.items() if name != "kind"})


def _numbers(value):
    head = {"shape": list(value.shape), "dtype": value.dtype}
    if not isinstance(value.numbers, Summary):
        short = value.numbers.dtype.kind == "f"  # written with as many digits as the type needs
        flat = [float(str(n)) for n in value.numbers.ravel()] if short else value.numbers.ravel().tolist()
        return {**head, "numbers": [_written(n) for n in flat]}
    facts = {name: getattr(value.numbers, name) for name in ("low", "high", "mean", "norm", "last", "nans", "infs")}
    corner = [[_written(float(f"{n:.3g}")) for n in row] for row in value.numbers.corner.tolist()]
    return {**head, "summary": {k: _written(v) for k, v in facts.items()} | {"corner": corner}}


def _value(plain):
    shape, dtype = tuple(plain["shape"]), plain["dtype"]
    kind = np.dtype("float32" if dtype == "bfloat16" or dtype.startswith("float8") else dtype)
    if "numbers" in plain:
        return Value(shape, dtype, np.array([_number(n) for n in plain["numbers"]], kind).reshape(shape))
    facts = {k: _number(v) for k, v in plain["summary"].items() if k != "corner"}
    corner = np.array([[_number(n) for n in row] for row in plain["summary"]["corner"]], float)
    made = Summary(np.zeros((1,) * len(shape), kind))
    for name, known in {"shape": shape, "size": int(np.prod(shape)), "corner": corner, **facts}.items():
        setattr(made, name, known)
    return Value(shape, dtype, made)


def _written(number):
    if isinstance(number, complex):
        return [_written(number.real), _written(number.imag)]
    return str(number) if isinstance(number, float) and not np.isfinite(number) else number


def _number(plain):
    if isinstance(plain, list):
        return complex(*map(_number, plain))
    return _NOT_FINITE.get(plain, plain) if isinstance(plain, str) else plain
