"""A tape as JSON, and back: `of_json(as_json(tape))` is the same tape, but that pictures of large tensors are coarser."""

import json
from dataclasses import MISSING, fields
from typing import Any

from .tape import BackStep, Saved, Tape, TapeNode
from .values import Value

_KINDS = {kind.__name__: kind for kind in (Tape, TapeNode, Saved, BackStep)}


def as_json(tape: Tape) -> str:
    """The text of a tape."""
    values: dict[int, tuple[int, Value]] = {}  # by id: what one node sends arrives at the next, and is written once
    plain = _plain(tape, values)
    text = {"values": [value.plain() for _, value in values.values()], "tape": plain}
    return json.dumps(text, allow_nan=False, ensure_ascii=False, separators=(",", ":"))


def of_json(text: str) -> Tape:
    """The tape of a text. Raises ValueError for one that is none."""
    held = json.loads(text)
    if not isinstance(held, dict) or held.keys() != {"values", "tape"}:
        raise ValueError("of_json: expected the text of a tape")
    return _made(held["tape"], [Value.of(plain) for plain in held["values"]])


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
