"""Compare two answers: kind, structure, shapes, values. No student code runs here.

Tensors of both dialects are known by `__engine_value__`. Differences come in stages, so that a learner hears about the
structure before the shape, and about the shape before the numbers.
"""

import ast
import builtins
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..evidence import is_tensor, package, plain_data

LOOSE = 1e-4  # relative tolerance for Python numbers, which people type
LONGEST = 200  # of a text that is read as a tuple or list
SMALL = 1e-3  # what is smaller is compared as if it were this large
STAGES = ("kind", "structure", "shape", "value")
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

    A number may be answered by any number or 0-d tensor; a tuple or list by either, an array or a tensor; an array or a
    tensor by any of them, but not by a tensor of the other framework. An exception class may be answered by its name. The
    dtype does not count.
    Values agree within half the square root of the eps of the expected dtype (or of float32, if that came), plain Python
    numbers within 1e-4, whole ones within 0.1 at most.
    """
    return min(differences(expected, got), key=lambda d: STAGES.index(d.stage), default=None)


def differences(expected: Any, got: Any, path: str = "") -> Iterator[Difference]:
    """Every difference, item by item."""
    if isinstance(expected, (tuple, list)):
        items = items_of(got)
        if items is None:
            yield Difference("structure" if path else "kind", path, expected, got)
        elif len(items) != len(expected):
            yield Difference("structure", path, expected, got)
        else:
            for i, (e, g) in enumerate(zip(expected, items, strict=True)):
                yield from differences(e, g, f"{path}[{i}]")
        return
    stage = _leaf_stage(expected, got)
    if stage:
        yield Difference(stage, path, expected, got)


def items_of(value: Any) -> Any:
    """The items of a tuple, a list, an array or a tensor; None for anything else."""
    if isinstance(value, (tuple, list)):
        return value
    if isinstance(value, np.ndarray) or is_tensor(value):
        array = np.asarray(plain_data(value))
        return array if array.ndim else None
    return None


def _leaf_stage(expected, got):
    """The stage at which two leaves differ, or None."""
    if isinstance(expected, (type, str)):
        name = expected if isinstance(expected, str) else expected.__name__
        answered = got.__name__ if isinstance(got, type) else got
        if not isinstance(answered, str):
            return "kind"
        return None if answered.strip().lower() == name.lower() else "value"
    if type(expected) is type(got) is float:
        return None if _near(expected, got) else "value"
    if isinstance(expected, (bool, int, float, np.generic)):
        return _number_stage(np.asarray(expected), got, _tolerance(expected))
    e, g = plain_data(expected), plain_data(got)
    if not isinstance(e, np.ndarray):
        return None if package(expected) == package(got) and e == g else "value"
    if is_tensor(expected) and is_tensor(got) and package(expected) != package(got):
        return "kind"
    array = _array(g)
    if array is None:
        return "kind"
    if e.shape != array.shape:
        return "shape"
    return None if _close(e, array) else "value"


def _array(value):
    """Numbers as an array; None for anything else."""
    try:
        array = np.asarray(value)
        return array if array.dtype.kind in "biuf" or array.dtype.name == "bfloat16" else None
    except (ValueError, TypeError, OverflowError):  # rows of different lengths
        return None


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
    """Equal, both NaN, or within the tolerance of the coarser dtype relative to the largest element expected."""
    if np.array_equal(expected, got):
        return True
    if expected.dtype.kind == "f":
        kinds = [expected.dtype, *[np.float32] * (np.asarray(got).dtype == np.float32)]
        tolerance = max(tolerance, *(0.5 * np.sqrt(float(np.finfo(kind).eps)) for kind in kinds))
    e, g = np.asarray(expected, float), np.asarray(got, float)
    scale = np.max(np.abs(e), initial=SMALL, where=np.isfinite(e))
    with np.errstate(all="ignore"):
        return bool(np.all((np.abs(e - g) <= tolerance * scale) | (e == g) | (np.isnan(e) & np.isnan(g))))


def as_asked(expected: Any, got: Any) -> Any:
    """A prediction in the form that was asked for: numbers and tuples that are written as texts, 1 and 0 for True and False,
    numbers for texts of digits, and numbers that are rounded correctly to three digits or more.

    >>> as_asked([(8, 2), 0.25, True, "0", 1 / 3], ("(8, 2)", "1/4", 1, 0, 0.333))
    [(8, 2), 0.25, True, '0', 0.3333333333333333]
    """
    if isinstance(expected, (tuple, list)):
        items = items_of(_literal(got) if isinstance(got, str) else got)
        if items is None:
            return got
        return type(expected)(map(as_asked, expected, items)) if len(items) == len(expected) else items
    if isinstance(expected, bool):
        got = {"true": True, "false": False}.get(got.strip().lower(), got) if isinstance(got, str) else got
        return bool(got) if isinstance(got, (int, float, np.number)) and got in (0, 1) else got
    if isinstance(expected, str):
        whole = isinstance(got, (int, float, np.number)) and (
            -1e9 < got < 1e9 or got != got or got in (np.inf, -np.inf)
        )
        text = f"{got:g}" if whole else got
        return text if text == expected or (expected.isdecimal() and text in ("0", "1")) else got
    if isinstance(expected, (int, float, np.generic)):
        got = _number(got) if isinstance(got, str) else got
        return expected if isinstance(got, float) and _is_rounded(float(expected), got) else got
    return got


def _literal(text):
    try:
        return ast.literal_eval(text.strip()) if len(text) < LONGEST else text
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text


def _number(text):
    """The number that a text says, such as "0.5" or "1/2"; the text where it says none."""
    try:
        if found := re.fullmatch(r"\s*(-?\d{1,9})\s*/\s*(\d{1,9})\s*", text):
            return int(found[1]) / int(found[2])
        return float(text)
    except (ValueError, ZeroDivisionError):
        return text


def _is_rounded(expected, got):
    """True for a number that is another one, rounded correctly to three digits or more, one of them after the point."""
    digits, _, after = f"{abs(got):.12g}".partition(".")
    written = (digits + after).lstrip("0")
    return (
        bool(after)
        and "e" not in written
        and len(written) >= 3
        and round(expected, len(after)) == round(got, len(after))
    )


def as_arrays(right: Any, got: Any, fitting: bool = True) -> Any:
    """`got` with an array wherever the right result has one and a list of numbers came; only of its shape if `fitting`.

    >>> as_arrays((np.ones(2), 1.0), ([1.0, 3.0], 2.0))
    (array([1., 3.]), 2.0)
    """
    if isinstance(right, (tuple, list)) and type(got) in (tuple, list) and len(right) == len(got):
        return type(got)(as_arrays(r, g, fitting) for r, g in zip(right, got, strict=True))
    wanted = plain_data(right)
    if isinstance(wanted, np.ndarray) and isinstance(got, (tuple, list)):
        array = _array(plain_data(got))
        return got if array is None or (fitting and array.shape != wanted.shape) else array
    return got


def describe(value: Any) -> str:
    """The kind of a value in words, with shape and dtype, without its numbers."""
    if isinstance(value, type):
        return "the error type {value}".format(value=value.__name__) if _is_known(value) else "an error type of its own"
    if isinstance(value, (bool, np.bool_)):
        return "True or False"
    if isinstance(value, (int, float, np.generic)):
        return "a number"
    if isinstance(value, (tuple, list, dict)):
        return f"a {next(kind for kind in (tuple, list, dict) if isinstance(value, kind)).__name__} of {len(value)}"
    if is_tensor(value) or isinstance(value, np.ndarray):
        owner = f"a {DIALECTS.get(package(value), '')} Tensor" if is_tensor(value) else "a NumPy array"
        array = value if isinstance(value, np.ndarray) else plain_data(value)
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


def brief(value: Any, digits: int = 4) -> str:
    """A value on part of a line."""
    value = plain_data(value)
    if isinstance(value, (tuple, list)):
        inside = ", ".join(brief(v, digits) for v in value)
        return f"({inside}{',' * (len(value) == 1)})" if isinstance(value, tuple) else f"[{inside}]"
    if isinstance(value, (np.ndarray, np.generic)):
        text = np.array2string(np.asarray(value), precision=digits, threshold=8, edgeitems=2, separator=", ")
        return text.replace("\n", "")
    if isinstance(value, type):
        return value.__name__
    return f"{value:.{digits + 2}g}" if isinstance(value, float) else repr(value)


def shown(value: Any, most: int = 100, digits: int = 4) -> str:
    """A value on part of a line, or what it is where that would be too long."""
    text = brief(value, digits)
    return text if len(text) <= most else describe(value)


def size(inputs: tuple) -> tuple[int, float]:
    """How large inputs are: first their number of elements, then their numbers."""
    arrays = [np.asarray(value, float) for value in inputs if isinstance(value, (int, float, np.ndarray))]
    others = sum(len(value) for value in inputs if isinstance(value, (tuple, list, str)))
    with np.errstate(all="ignore"):
        return sum(a.size for a in arrays) + others, sum(float(np.nansum(np.abs(a))) for a in arrays)
