"""Numbers, shapes and ops as they are written on cards and in sentences."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from ...engine import Summary, Unknown

FEW, ROOM = 4, 22  # numbers that are told one by one on a card, and its letters
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def minus(words: str) -> str:
    """A text with true minus signs.

    >>> minus(f"{-1.5e-3:g}")
    '−0.0015'
    """
    return words.replace("-", "−")


def number(value: Any, digits: int = 3) -> str:
    """A single number with three significant digits, or so many, and a true minus sign; zero has none.

    >>> number(-0.71629), number(float("nan")), number(-0.0), number(1.5e-9)
    ('−0.716', 'nan', '0', '1.5e−09')
    """
    raw = np.asarray(value).reshape(-1)[0]
    kind = raw.dtype.kind
    text = (
        str(raw) if kind in "iub" else f"{complex(raw):.{digits}g}" if kind == "c" else f"{float(raw) + 0.0:.{digits}g}"
    )
    return minus(text)


def shape(dims: Iterable[int]) -> str:
    """A shape as `5×1`; a single number has none.

    >>> shape((5, 1)), shape((3,)), shape(())
    ('5×1', '3', '')
    """
    return "×".join(map(str, dims))


def clipped(words: str, most: int = 26) -> str:
    """A text of at most `most` characters, shortened in the middle.

    >>> clipped("encoder.layers.0.attention.weight", 16)
    'encoder….weight'
    """
    if len(words) <= most:
        return words
    return f"{words[: most // 2 - 1]}…{words[len(words) - most // 2 + 1 :]}"


def faulty(value: Any) -> str:
    """ "nan" or "inf" where an array or number holds one (nan first), else ""; also where the value is None.

    >>> faulty(np.array([1.0, np.inf])), faulty(3), faulty(None)
    ('inf', '', '')
    """
    if isinstance(value, Summary):
        return "nan" if value.nans else "inf" if value.infs else ""
    raw = np.asarray(value)
    if value is None or raw.dtype.kind in "iubOSU" or np.isfinite(raw).all():
        return ""
    return "nan" if np.isnan(raw).any() else "inf"


def brief(value: Any) -> str:
    """A value on a card: a single number as it is, a tensor by shape and norm, with what is not finite in it.

    Integers are told by their range, truth values by how many are true.

    >>> brief(np.array([[3.0], [4.0]])), brief(np.float64(2.5)), brief(np.array([1.0, np.nan]))
    ('2×1 ‖5‖', '2.5', '2, 1 nan')
    >>> brief(np.array([3, 0, 9])), brief(np.array([True, False]))
    ('3: 0 to 9', '2: 1 true')
    """
    if isinstance(value, Summary):
        return _brief_summary(value)
    array = np.asarray(value)
    dims = shape(array.shape)
    if array.size == 1:
        words = number(array)
        return words if array.ndim == 0 else f"[{words}]" if array.ndim == 1 else f"{dims}: {words}"
    if array.size == 0:
        return f"{dims} empty"
    if array.dtype.kind == "b":
        return f"{dims}: {int(array.sum())} true"
    if array.dtype.kind in "iu":
        return f"{dims}: {number(array.min())} to {number(array.max())}"
    if what := faulty(array):
        count = int((np.isnan(array) if what == "nan" else np.isinf(array)).sum())
        return f"{dims}, {count} {what}"
    return f"{dims} ‖{number(norm(array))}‖"


def on_card(value: Any, short: bool = False) -> str:
    """A value on a card or a token: its numbers where they are few, else shape and norm; `short`: of those the norm alone, or
    where there is none the shape.

    >>> on_card(np.array([1.0, -2.5, 3.0])), on_card(np.eye(2)), on_card(np.full((5, 8), 0.5))
    ('[1, −2.5, 3]', '[[1, 0], [0, 1]]', '5×8 ‖3.16‖')
    >>> on_card(np.full((5, 8), 0.5), short=True), on_card(np.array([0.7182, -0.2818, -0.06083]))
    ('‖3.16‖', '[0.72, −0.28, −0.061]')
    """
    if not isinstance(value, Summary) and 1 < np.size(value) <= FEW and np.asarray(value).dtype.kind in "fiu":
        for digits in (3, 2):
            words = _nested(np.asarray(value), digits)
            if len(words) <= ROOM:
                return words
    words = brief(value)
    return words[words.index("‖") :] if short and "‖" in words else words


def _nested(array, digits):
    inside = [_nested(a, digits) if array.ndim > 1 else number(a, digits) for a in array]
    return f"[{', '.join(inside)}]"


def _brief_summary(value):
    dims, kind = shape(value.shape), value.dtype.kind
    if isinstance(value, Unknown):
        return dims if value.size > 1 else "1 number"
    if value.norm is None:
        return f"{dims}, summarised"
    if kind == "b":
        return f"{dims}: {round(value.mean * value.size)} true"
    if kind in "iu":
        return f"{dims}: {number(int(value.low))} to {number(int(value.high))}"
    if what := faulty(value):
        return f"{dims}, {value.nans or value.infs} {what}"
    return f"{dims} ‖{number(value.norm)}‖"


def norm(value: Any) -> float:
    """The Euclidean norm, which neither overflows nor vanishes on the way; nan where it is not known.

    >>> norm([3.0, -4.0]), norm(-2.5)
    (5.0, 2.5)
    """
    if isinstance(value, Summary):
        return float("nan" if value.norm is None else value.norm)
    sizes = np.abs(np.asarray(value)).astype(float)
    largest = sizes.max(initial=0.0)
    if not largest or not np.isfinite(largest):
        return float(largest)
    return float(largest * np.sqrt(np.sum((sizes / largest) ** 2)))


def in_full(value: Any, limit: int = 6) -> str:
    """A value in a sentence: in full where it is short.

    >>> in_full(np.array([1.0, -2.5])), in_full(np.zeros((4, 4)))
    ('[1, −2.5]', '4×4 ‖0‖')
    """
    if isinstance(value, Summary):
        return brief(value)
    array = np.asarray(value)
    if array.ndim == 0 or array.size > limit or array.size == 0:
        return brief(array)
    if array.ndim == 1:
        return f"[{', '.join(map(number, array))}]"
    return f"[{', '.join(in_full(row, limit) for row in array)}]"


def times(gradient: Any, slope: float) -> str:
    """`1.48 × −0.8`; a negative factor that comes second in brackets.

    >>> times(np.float64(1.48), -0.8)
    '1.48 × (−0.8)'
    """
    return f"{number(gradient)} × {bracketed(number(slope))}"


def bracketed(words: str) -> str:
    """A number after a sign: in brackets where it is negative.

    >>> bracketed("−2"), bracketed("2")
    ('(−2)', '2')
    """
    return f"({words})" if words.startswith("−") else words


def raised(base: int, power: int) -> str:
    """A power as it is written.

    >>> raised(2, 15), raised(10, -3)
    ('2¹⁵', '10⁻³')
    """
    return f"{base}{str(power).translate(_RAISED)}"


def paragraph(*parts: str) -> str:
    """Sentences one after the other, without those that are empty.

    >>> paragraph("It is so.", "", "It is not so.")
    'It is so. It is not so.'
    """
    return " ".join(filter(None, parts))


def joined(terms: Iterable[str], sign: str = " + ") -> str:
    """Numbers with a sign between them; those after a sign in brackets where they are negative.

    >>> joined(["−1", "−2", "3"]), joined(["2", "−1"], " × ")
    ('−1 + (−2) + 3', '2 × (−1)')
    """
    return sign.join(bracketed(term) if i else term for i, term in enumerate(terms))


def counted(count: int, thing: str) -> str:
    """A number of things.

    >>> counted(1, "pass"), counted(2, "pass"), counted(0, "op")
    ('1 pass', '2 passes', '0 ops')
    """
    return f"{count} {plural(count, thing)}"


def plural(count: int, thing: str) -> str:
    """The word for so many things.

    >>> plural(2, "batch"), plural(2, "epoch")
    ('batches', 'epochs')
    """
    hissing = thing.endswith(("s", "sh", "ch")) and not thing.endswith("och")
    return f"{thing}{'' if count == 1 else 'es' if hissing else 's'}"


def capital(called: str) -> str:
    """What something is called, at the start of a sentence; a name stays as it is.

    >>> capital("the result of tanh"), capital("theta")
    ('The result of tanh', 'theta')
    """
    return f"The {called[4:]}" if called.startswith("the ") else called


def listed(words: Iterable[str], most: int = 6, last_by: str = "and") -> str:
    """`a, b and c`, or another word before the last one; beyond `most` words, how many more there are.

    >>> listed(["a"]), listed(["a", "b", "c"]), listed("abcd", most=2)
    ('a', 'a, b and c', 'a, b and 2 more')
    """
    words = list(words)
    *first, last = words[:most] + ([f"{len(words) - most} more"] if len(words) > most else []) or [""]
    return f"{', '.join(first)} {last_by} {last}" if first else last
