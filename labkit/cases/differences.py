"""Calls with different results in PyTorch and in MindSpore, recorded from the real frameworks in `differences.json`.

`tests/real/side_by_side.py` asks both of them every name that they share; what they do not agree on is kept. So this is no
list written by hand, and a new function of a dialect brings its differences with it.
"""

import ast
import json
import re
from dataclasses import dataclass
from functools import cache
from math import isclose
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_suffix(".json")
KINDS = {
    "value": "Other numbers",
    "slope": "Another slope",
    "default": "Another default",
    "shape": "Another shape",
    "structure": "One value or several",
    "dtype": "Another dtype",
    "refused": "One framework raises an error",
}
RAISED = re.compile(r"^\w*(Error|Exception)\b", re.MULTILINE)
NEAR = 1e-4  # relative: two frameworks round in other places


@dataclass(frozen=True)
class Difference:
    """One call: `name` of the function, `call` with its arguments, and by framework its `programs` and what they `print`.

    `alike`: the dialects of labkit that give the same as their real framework: their programs can be run here.
    """

    kind: str
    name: str
    call: str
    programs: dict[str, str]
    prints: dict[str, str]
    alike: tuple[str, ...]


@cache
def differences() -> tuple[Difference, ...]:
    """All that are known, by kind and name.

    >>> [one.prints for one in differences() if one.call == "std([3.0, 1.0, 2.0])"]
    [{'torch': 'tensor(1.)', 'mindspore': '0.8164966'}]
    """
    rows = json.loads(FILE.read_text(encoding="utf-8"))["differences"]
    found = (Difference(**{**row, "alike": tuple(row["alike"])}) for row in rows)
    return tuple(sorted(found, key=lambda one: list(KINDS).index(one.kind)))


def refuses(one: Difference) -> str:
    """Which of the two raises an error where the other computes.

    >>> {refuses(one) for one in differences() if one.name == "mean" and one.kind == "refused"}
    {'torch'}
    """
    return next(side for side, text in one.prints.items() if RAISED.search(text))


def given(one: Difference) -> str:
    """What the call is given, in words: the type of numbers that is least usual in it.

    >>> sorted({given(one) for one in differences()})
    ['booleans', 'other arguments', 'whole numbers']
    """
    call = ast.parse(one.call.lstrip("."), mode="eval").body
    lists = [ast.unparse(node) for node in getattr(call, "args", []) if isinstance(node, ast.List)]
    if any("True" in text or "False" in text for text in lists):
        return "booleans"
    return "whole numbers" if lists and "." not in lists[0] else "other arguments"


def kind_of(one: dict[str, Any], other: dict[str, Any]) -> str | None:
    """In what two answers differ, as `KINDS` names it; None where they agree, or both are errors.

    >>> a, b = {"dtype": "float32", "shape": [], "numbers": [1.0]}, {"dtype": "float32", "shape": [], "numbers": [0.8165]}
    >>> kind_of({"plain": a}, {"plain": b}), kind_of({"plain": a}, {"error": "TypeError"}), kind_of({"plain": a}, {"plain": a})
    ('value', 'refused', None)
    """
    if "error" in one or "error" in other:
        return None if "error" in one and "error" in other else "refused"
    return _kind(one["plain"], other["plain"])


def _kind(one, other):
    if isinstance(one, list) or isinstance(other, list):
        if not (isinstance(one, list) and isinstance(other, list) and len(one) == len(other)):
            return "structure"
        return next(filter(None, map(_kind, one, other)), None)
    if set(one) != set(other):
        return "structure"
    if "shape" in one and one["shape"] != other["shape"]:
        return "shape"
    pairs = zip(*(side.get("numbers", [side.get("number", 0)]) for side in (one, other)), strict=True)
    if any(not _near(a, b) for a, b in pairs) or one.get("value") != other.get("value"):
        return "value"
    return "dtype" if one.get("dtype") != other.get("dtype") else None


def _near(a, b):
    if isinstance(a, str) or isinstance(b, str):
        return str(a) == str(b)
    return isclose(a, b, rel_tol=NEAR, abs_tol=1e-6)
