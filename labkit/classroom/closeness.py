"""Whether two results have the same numbers, in tensors, arrays or lists, for relations between results."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Reason:
    """Why an answer is wrong: a name for it, and a sentence that is true of this answer and does not reveal the right one."""

    kind: str
    sentence: str


@dataclass(frozen=True)
class Case:
    """One drawn input as plain data, the right result for it, and the one that came."""

    inputs: tuple
    right: Any
    got: Any


def sure(explain: Callable[..., Any], *evidence: Any) -> Any:
    """What `explain(*evidence)` says; nothing where it fails, because answers may be of any kind and shape."""
    try:
        return explain(*evidence)
    except Exception:
        return None


def numbers(value: Any) -> Any:
    """A number or an array of numbers as floats; None for anything else."""
    if isinstance(value, (bool, int, float, np.generic, np.ndarray)):
        try:
            array = np.asarray(value)
            return array.astype(float) if array.dtype.kind in "biuf" or array.dtype.itemsize <= 2 else None
        except (TypeError, ValueError, OverflowError):
            return None
    return None


def shape(value: Any) -> tuple[int, ...] | None:
    """The shape of a number or an array of numbers; None for anything else."""
    array = numbers(value)
    return None if array is None else array.shape


def tolerance(*values: Any) -> float:
    """Relative, of the coarsest dtype: numbers that people type are read as if they had four digits."""
    kinds = [np.asarray(v).dtype for v in values if isinstance(v, (np.ndarray, np.generic))]
    return max([1e-4, *(0.5 * np.sqrt(float(np.finfo(d).eps)) for d in kinds if d.kind == "f")])


def near(right: Any, got: Any) -> bool:
    """True for numbers of the same shape that agree within `tolerance` of the largest; NaN agrees with NaN."""
    e, g = numbers(right), numbers(got)
    if e is None or g is None or e.shape != g.shape:
        return False
    with np.errstate(all="ignore"):
        scale = np.max(np.abs(e), initial=0.0, where=np.isfinite(e))
        close = np.abs(e - g) <= tolerance(right, got) * scale
        return bool(np.all(close | (e == g) | (np.isnan(e) & np.isnan(g))))


def agree(right: Any, got: Any) -> bool:
    """`near` for tuples and lists, item by item; one may be a list where the other is a tuple. Texts must be equal."""
    if isinstance(right, (tuple, list)) and isinstance(got, (tuple, list)):
        return len(right) == len(got) and all(map(agree, right, got))
    if numbers(right) is None or numbers(got) is None:
        try:
            return bool(right == got)
        except Exception:  # whatever a student's object says about being equal
            return False
    return near(right, got)


def parts(value: Any, path: str = "result") -> Iterator[tuple[str, Any]]:
    """Everything in a value that is not a tuple and no list, with its path such as `result[1]`."""
    if isinstance(value, (tuple, list)):
        for i, item in enumerate(value):
            yield from parts(item, f"{path}[{i}]")
    else:
        yield path, value
