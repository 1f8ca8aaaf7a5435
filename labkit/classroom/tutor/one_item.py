"""How one wrong item of a prediction follows from the right one: a sign, a factor, an entry too many, another error."""

import ast
import builtins

import numpy as np

from ..closeness import Reason, agree, near, numbers


def relation(right, got) -> Reason | None:
    """How a wrong item follows from the right one, without telling that."""
    for look in (_quoted, _word, _shape, _number, _digits):
        if reason := look(right, got):
            return reason
    return None


def _quoted(right, got):
    """One text for a tuple or a list, which may be one as soon as its quotes are gone."""
    if not isinstance(right, (tuple, list)) or not isinstance(got, str) or (len(right) == 1 and agree(right[0], got)):
        return None
    word = "tuple" if isinstance(right, tuple) else "list"
    try:
        inside = ast.literal_eval(got.strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        inside = None
    if isinstance(inside, (tuple, list)):
        return Reason("quoted", f"is a text; write the {word} without quotes")
    return None if got.isidentifier() else Reason("one-text", f"is one text, where a {word} is asked for")


def _word(right, got):
    names = [v.__name__ if isinstance(v, type) else v for v in (right, got)]
    if not all(isinstance(v, str) for v in names):
        return None
    r, g = (v.strip() for v in names)
    if "".join(r.split()).lower() == "".join(g.split()).lower():
        return Reason("spelling", "is the right word in another spelling: capital letters and spaces count")
    fails = [v.endswith(("Error", "Exception")) for v in (r, g)]
    if fails[0] and g != "fine" and not fails[1] and not hasattr(builtins, g):
        return Reason("no-error-type", "is answered by a word that is no type of error: write its name, such as KeyError, or "
                      "\"fine\" if it runs")  # fmt: skip
    if g == "fine" and fails[0]:
        return Reason("expects-no-error", "is refused, and you expect that it runs. Which rule does it break?")
    if fails[1] and r == "fine":
        return Reason("expects-an-error", "breaks no rule, and you expect an error. What would be refused in it?")
    if all(fails):
        return Reason("another-error", "fails, as you expect, but with another type of error: the kind of an argument, its "
                      "value, and what happens only while it runs, each have a type of their own")  # fmt: skip
    return None


def _shape(right, got):
    if isinstance(right, tuple) and not isinstance(got, (tuple, list)) and len(right) == 1 and agree(right[0], got):
        return Reason(
            "no-comma",
            "comes alone, with brackets around it or without: a tuple of one needs a comma, as in (7,)",
        )
    if not (isinstance(right, (tuple, list)) and isinstance(got, (tuple, list))) or not right:
        return None
    if type(right) is not type(got) and agree(right, got):
        return _listed(right)
    if len(right) == len(got) > 1 and agree(list(right)[::-1], list(got)):
        return Reason("opposite-order", "has the right numbers in the opposite order")
    if len(right) == len(got) and not agree(right, got) and _multiset(right) == _multiset(got):
        return Reason("permuted", "has the right entries in another order")
    if len(got) > len(right) and _inside(right, got):
        return Reason("entry-too-many", "has an entry too many: the others are right")
    if len(right) > len(got) and _inside(got, right) and len(got):
        return Reason("entry-missing", "has an entry too few: those that you have are right")
    wrong = [i for i, (r, g) in enumerate(zip(right, got, strict=False)) if not agree(r, g)]
    if len(right) == len(got) and 2 * len(wrong) <= len(right):
        return Reason("entries", f"is right but for its entr{'y' if len(wrong) == 1 else 'ies'} {' and '.join(map(str, wrong))}, "
                      "counted from 0")  # fmt: skip
    return None


def _listed(right):
    """A list for a tuple, in one item."""
    word = "tuple, written with round brackets" if isinstance(right, tuple) else "list, written with square brackets"
    return Reason("another-collection", f"has the right entries; what is asked for is a {word}")


def _multiset(values):
    return sorted(map(repr, values))


def _inside(some, whole):
    rest = iter(whole)
    return all(any(agree(one, other) for other in rest) for one in some)


def _number(right, got):
    r, g = numbers(right), numbers(got)
    if r is None or g is None or isinstance(right, bool) or isinstance(got, bool) or r.shape or g.shape:
        return None
    r, g = float(r), float(g)
    if not np.isfinite(r):
        return (
            Reason("finite", "is no finite number: look for an overflow, or a division by 0")
            if np.isfinite(g)
            else None
        )
    if not np.isfinite(g):
        return Reason("not-finite", "is a finite number: what would make it overflow?")
    if r and near(-r, g):
        return Reason("sign", "has the wrong sign")
    if not g:
        return Reason("zero", "is not 0")
    if not r:
        return Reason("not-zero", "is less than you say")
    ratio = g / r
    if any(min(abs(ratio / f - 1), abs(ratio * f - 1)) < 1e-3 for f in (2, 3, 4, 8, 10, 100, 1000)):
        return Reason("factor", "is off by a simple factor")
    if near(r * r, g) or near(r, g * g):
        return Reason("power", "is a power of the right one, or its root")
    if r == int(r) and g == int(g) and abs(r - g) == 1:
        return Reason("one-off", "is off by one")
    if r != int(r) and g == int(g) and abs(r - g) < 1:
        return Reason("rounded", "is not a whole number")
    if r == int(r) and g != int(g) and abs(r - g) < 1:
        return Reason("not-rounded", "is a whole number: a part of one does not count")
    return None


def _digits(right, got):
    """Rounded by hand, each number to the decimals that it is written with."""
    pairs = [(right, got)] if numbers(right) is not None else _paired(right, got)
    if not pairs or agree(right, got) or not all(agree(r, g) or _is_rounded(r, g) for r, g in pairs):
        return None
    return Reason(
        "few-digits", "is right to the digits that you wrote: write more of them, or let Python divide, as in 2 / 7"
    )


def _paired(right, got):
    same = isinstance(right, (tuple, list)) and isinstance(got, (tuple, list)) and len(right) == len(got)
    return list(zip(right, got, strict=True)) if same else []


def _is_rounded(right, got):
    r, g = numbers(right), numbers(got)
    if r is None or g is None or r.shape or g.shape or not np.isfinite([r, g]).all() or float(g) == int(g):
        return False
    decimals = len(repr(float(g)).partition(".")[2]) if "e" not in repr(float(g)) else 99
    return round(float(r), decimals) == float(g)
