"""A tape as JSON, and back: `of_json(as_json(tape))` is the same tape."""

import json
from dataclasses import fields
from typing import Any

from .tape import BackStep, Saved, Tape, TapeNode
from .values import Value

_KINDS = {kind.__name__: kind for kind in (Tape, TapeNode, Saved, BackStep)}


def as_json(tape: Tape) -> str:
    """The text of a tape."""
    return json.dumps(_plain(tape), allow_nan=False, ensure_ascii=False)


def of_json(text: str) -> Tape:
    """The tape of a text. Raises ValueError for one that is none."""
    made = _made(json.loads(text))
    if not isinstance(made, Tape):
        raise ValueError("of_json: expected the text of a tape")
    return made


def _plain(part: Any) -> Any:
    if isinstance(part, Value):
        return {"kind": "Value", **part.plain()}
    if type(part).__name__ in _KINDS:
        found = {field.name: getattr(part, field.name) for field in fields(part)}
        return {"kind": type(part).__name__, **{name: _plain(value) for name, value in found.items()}}
    if isinstance(part, dict):  # its keys may be numbers
        return {"kind": "dict", "pairs": [[key, _plain(value)] for key, value in part.items()]}
    if isinstance(part, tuple | list):
        return (
            {"kind": "tuple", "items": [_plain(p) for p in part]}
            if isinstance(part, tuple)
            else list(map(_plain, part))
        )
    return str(part) if isinstance(part, float) and not abs(part) < float("inf") else part


def _made(part: Any) -> Any:
    if isinstance(part, list):
        return [_made(p) for p in part]
    if not isinstance(part, dict):
        return part
    kind = part["kind"]
    if kind == "Value":
        return Value.of(part)
    if kind == "dict":
        return {key: _made(value) for key, value in part["pairs"]}
    if kind == "tuple":
        return tuple(_made(p) for p in part["items"])
    return _KINDS[kind](**{name: _made(value) for name, value in part.items() if name != "kind"})
