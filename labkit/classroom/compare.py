"""Compare two answers: kind, structure, shapes, dtypes, values. No student code runs here.

Tensors of both dialects are known by `__engine_value__`. Differences come in stages, so that a learner hears about the
structure before the shape, and about the shape before the numbers.
"""

import builtins
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..evidence import is_tensor, package, plain_data

LOOSE = 1e-4  # relative tolerance for Python numbers, which people type
SMALL = 1e-3  # what is smaller is compared as if it were this large
STAGES = ("kind", "structure", "shape", "dtype", "value")
DIALECTS = {"mindspore": "MindSpore", "torch": "PyTorch"}


@dataclass(frozen=True)
class Difference:
    """Where two answers differ: `path` such as `[0][1]`, `stage` (one of STAGES), and the two values found there."""

    stage: str
    path: str
    expected: Any
    got: Any


def same(expected: Any, got: Any) -> bool:
    """True where the two answers do not differ."""
    return difference(expected, got) is None


def difference(expected: Any, got: Any) -> Difference | None:
    """The first difference of the earliest stage, or None.

    A number may be answered by any number or 0-d tensor, a list by a tuple; a tuple, a tensor and an array only by
    their own kind. An exception class may be answered by its name. Values agree within half the square root of the
    expected dtype's eps, plain Python numbers within 1e-4, whole ones within 0.1 at most.
    """
    return min(differences(expected, got), key=lambda d: STAGES.index(d.stage), default=None)


def differences(expected: Any, got: Any, path: str = "") -> Iterator[Difference]:
    """Every difference, item by item."""
    if isinstance(expected, (tuple, list)):
        if not isinstance(got, tuple if isinstance(expected, tuple) else (tuple, list)):
            yield Difference("structure" if path else "kind", path, expected, got)
        elif len(got) != len(expected):
            yield Difference("structure", path, expected, got)
        else:
            for i, (e, g) in enumerate(zip(expected, got, strict=True)):
                yield from differences(e, g, f"{path}[{i}]")
        return
    stage = _leaf_stage(expected, got)
    if stage:
        yield Difference(stage, path, expected, got)


def _leaf_stage(expected, got):
    """The stage at which two leaves differ, or None."""
    if isinstance(expected, (type, str)):
        name = expected if isinstance(expected, str) else expected.__name__
        answered = got.__name__ if isinstance(got, type) else got
        return "kind" if not isinstance(answered, str) else None if answered.strip() == name else "value"
    if type(expected) is type(got) is float:
        return None if _near(expected, got) else "value"
    if isinstance(expected, (bool, int, float, np.generic)):
        return _number_stage(np.asarray(expected), got, _tolerance(expected))
    if package(expected) != package(got) or is_tensor(expected) != is_tensor(got):
        return "kind"
    e, g = plain_data(expected), plain_data(got)
    if not isinstance(e, np.ndarray):
        return None if e == g else "value"
    if e.shape != np.shape(g):
        return "shape"
    if e.dtype != np.asarray(g).dtype.newbyteorder("="):  # in which order bytes lie is no question of an exercise
        return "dtype"
    return None if _close(e, g) else "value"


def _tolerance(number):
    """Of a count at most a part of 1, so that one more or less is another number."""
    if isinstance(number, np.generic):
        return 0.0
    return LOOSE if isinstance(number, float) else min(LOOSE, 0.1 / max(abs(number), 1))


def _number_stage(expected, got, tolerance):
    got = plain_data(got)
    if not isinstance(got, (bool, int, float, np.generic, np.ndarray)):
        return "kind"
    got = np.asarray(got)
    if got.shape != () or got.dtype.kind not in "fiub" or (got.dtype.kind == "b") != (expected.dtype.kind == "b"):
        return "kind"
    return None if _close(expected, got, tolerance) else "value"


def _near(expected, got):
    """`_close` for two Python floats; lists of them are long."""
    near = math.isfinite(expected) and abs(expected - got) <= LOOSE * max(abs(expected), SMALL)
    return near or expected == got or (math.isnan(expected) and math.isnan(got))


def _close(expected, got, tolerance=0.0):
    """Equal, both NaN, or within the tolerance of the expected dtype relative to the largest element expected."""
    if np.array_equal(expected, got):
        return True
    if expected.dtype.kind == "f":
        tolerance = max(tolerance, 0.5 * np.sqrt(float(np.finfo(expected.dtype).eps)))
    e, g = np.asarray(expected, float), np.asarray(got, float)
    scale = np.max(np.abs(e), initial=SMALL, where=np.isfinite(e))
    with np.errstate(all="ignore"):
        return bool(np.all((np.abs(e - g) <= tolerance * scale) | (e == g) | (np.isnan(e) & np.isnan(g))))


def as_asked(expected: Any, got: Any) -> Any:
    """A prediction in the form that was asked for: an array for a list of numbers, either for a tuple of numbers, 1 and 0
    where all are True or False.

    >>> as_asked([(8, 2), ("dx", "dy")], [[8, 2], ["dx", "dy"]])
    [(8, 2), ['dx', 'dy']]
    """
    if not isinstance(expected, (tuple, list)):
        return got
    if isinstance(got, np.ndarray) and got.ndim and got.dtype.kind in "fiub":
        got = got.tolist()
    if isinstance(expected, tuple):
        return tuple(got) if isinstance(got, list) and all(map(_is_number, (*expected, *got))) else got
    if isinstance(got, (tuple, list)) and len(got) == len(expected) and any(map(_has_parts, expected)):
        return type(got)(map(as_asked, expected, got)) if type(got) in (tuple, list) else got
    if isinstance(got, (tuple, list)) and len(got) == len(expected) and all(isinstance(e, bool) for e in expected):
        return [bool(g) if isinstance(g, (int, float, np.number)) and g in (0, 1) else g for g in got]
    return got


def _is_number(value):
    return isinstance(value, (int, float, np.number))


def _has_parts(value):
    return isinstance(value, (tuple, list))


def describe(value: Any) -> str:
    """The kind of a value in words, with shape and dtype, without its numbers."""
    if isinstance(value, type):
        return f"the error type {value.__name__}" if _is_known(value) else "an error type of its own"
    if isinstance(value, (bool, np.bool_)):
        return "True or False"
    if isinstance(value, (int, float, np.generic)):
        return "a number"
    if isinstance(value, (tuple, list, dict)):
        return f"a {next(kind for kind in (tuple, list, dict) if isinstance(value, kind)).__name__} of {len(value)}"
    if is_tensor(value) or isinstance(value, np.ndarray):
        owner = f"a {DIALECTS.get(package(value), '')} Tensor" if is_tensor(value) else "a NumPy array"
        array = np.asarray(plain_data(value))
        return f"{owner} of shape {array.shape}, {array.dtype}"
    if isinstance(value, BaseException):
        return f"one error, {type(value).__name__}()" if _is_known(type(value)) else "one error, of its own class"
    names = {
        "NoneType": "None", "ellipsis": "still three dots", "str": "a text", "function": "a function",
        "builtin_function_or_method": "a function",
    }  # fmt: skip
    name = type(value).__name__
    return names.get(name) or (f"a {name}" if _is_known(type(value)) else "an object of another class")


def _is_known(kind):
    """True for a type whose name Python has; another name may be anything, such as a hidden input."""
    return hasattr(builtins, kind.__name__)


_QUOTE = "\0"  # never in a type's name, nor in the repr of a text


def quoted(text: str, instead: str = "") -> str:
    """What a learner said, in a text whose other form, for hidden inputs, has `instead` in its place."""
    return f"{_QUOTE}{text}{_QUOTE}{instead}{_QUOTE}"


def quotes_told(text: str) -> tuple[str, str]:
    """A text with what the learner said, and without: an answer may be made of what was hidden in another question.

    >>> quotes_told(f"It is wrong{quoted(': 3.5')}.")
    ('It is wrong: 3.5.', 'It is wrong.')
    """
    shown, hidden = (re.sub(f"{_QUOTE}([^{_QUOTE}]*){_QUOTE}([^{_QUOTE}]*){_QUOTE}", at, text) for at in (r"\1", r"\2"))
    return shown, hidden


def brief(value: Any) -> str:
    """A value on part of a line."""
    value = plain_data(value)
    if isinstance(value, (tuple, list)):
        inside = ", ".join(brief(v) for v in value)
        return f"({inside}{',' * (len(value) == 1)})" if isinstance(value, tuple) else f"[{inside}]"
    if isinstance(value, (np.ndarray, np.generic)):
        return np.array2string(np.asarray(value), precision=4, threshold=8, edgeitems=2, separator=", ").replace(
            "\n", ""
        )
    if isinstance(value, type):
        return value.__name__
    return f"{value:.6g}" if isinstance(value, float) else repr(value)
