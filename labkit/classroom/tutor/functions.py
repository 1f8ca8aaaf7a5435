"""What is wrong with a function, from its results on drawn inputs: where the exercise's own list has no name for it.

Each look either is sure, because what it says holds for every drawn input, or says nothing; the most exact one comes first.
"""

from collections.abc import Sequence
from itertools import permutations
from typing import Any

import numpy as np

from ...evidence import plain_data
from ..closeness import Case, Reason, agree, is_numeric, near, numbers, parts, shape
from ..exercise import Exercise
from .elements import always_the_same, at_elements, coarse
from .forms import formed
from .relations import related
from .slipped import slipped
from .some import told_apart
from .watching import joined, passed, watch

MOST_PARTS = 6  # of a result whose parts are looked at one by one
Compared = tuple[tuple, Any, Any]  # plain inputs, the right result, what came: both as they came


def explain_calls(exercise: Exercise, compared: Sequence[Compared], failed: Sequence[Compared]) -> Reason | None:
    """Why `failed`, some of `compared`, are wrong; None where nothing is sure."""
    wrong = [Case(inputs, _packed(plain_data(right)), _packed(plain_data(got))) for inputs, right, got in failed]
    if reason := _form(failed):
        return reason
    if all(agree(case.right, case.got) for case in wrong):  # right numbers, in a container that was not asked for
        return None
    at = {id(one): case for one, case in zip(failed, wrong, strict=True)}
    cases = [
        at.get(id(one)) or Case(one[0], _packed(plain_data(one[1])), _packed(plain_data(one[2]))) for one in compared
    ]
    alike = _alike(wrong)
    reason = alike and (_exchanged(wrong) or _related(exercise, wrong))
    reason = reason or (alike and _on_parts(wrong, lambda some, which: always_the_same(some)))
    constant = len(wrong) > 2 and all(agree(wrong[0].got, case.got) for case in wrong)
    if reason or constant or not all(is_numeric(case.got) for case in wrong):
        return reason or None
    if reason := slipped(exercise, cases, wrong) or (_same_factor(wrong) if alike else None):
        return reason
    seen = [watch(exercise, case.inputs) for case in wrong]
    looks = [passed] + ([joined] if alike else [])
    for look in looks:
        if reason := _on_parts(wrong, lambda some, which, look=look: look([seen[i] for i in which], some)):
            return reason
    if reason := told_apart(exercise.arguments, cases, wrong):
        return reason
    return (
        (_on_parts(wrong, lambda some, which: at_elements(exercise.arguments, some) or coarse(some)) or _part(wrong))
        if alike
        else None
    )


def _packed(value):
    """A list of numbers as one array: its length may differ from input to input."""
    if isinstance(value, list) and len(value) > 1 and all(shape(v) == () for v in value):
        return np.asarray(value)
    if isinstance(value, tuple):
        return tuple(_packed(item) for item in value)
    return value


def _form(failed):
    reasons = [reason for _, right, got in failed if (reason := formed(right, got))]
    if len(reasons) == len(failed) and len({reason.kind for reason in reasons}) == 1:
        said = {reason.sentence for reason in reasons}
        first = reasons[0]
        return first if len(said) == 1 else Reason(first.kind, f"With the first input that fails: {first.sentence}")
    return None


def _alike(wrong):
    """True where every result that came has the parts of the right one, each of its shape."""
    return all(
        [(p, shape(v)) for p, v in parts(case.right)] == [(p, shape(v)) for p, v in parts(case.got)] for case in wrong
    )


def _exchanged(wrong):
    if not all(isinstance(case.right, tuple) and 1 < len(case.right) <= 4 for case in wrong):
        return None
    for order in permutations(range(len(wrong[0].right))):
        if list(order) != sorted(order) and all(
            len(case.right) == len(order) and agree([case.right[i] for i in order], list(case.got)) for case in wrong
        ):
            moved = [i for i, k in enumerate(order) if i != k]
            words = " and ".join(f"[{i}]" for i in moved)
            return Reason("results-exchanged", f"Every result is right, but parts {words} are exchanged.")
    return None


def _related(exercise, wrong):
    return _on_parts(wrong, lambda some, which: related(exercise.arguments, some))


def _on_parts(wrong, look):
    """What `look` finds for all wrong parts alike, else for one of them. `look(cases, their places in wrong)`."""
    if all(not isinstance(case.right, (tuple, list)) for case in wrong):
        return _said(look(wrong, range(len(wrong))), "Your result")
    found = {}
    if _count(wrong) > MOST_PARTS:
        return None
    for path, some, which in _wrong_parts(wrong):
        found[path] = look(some, which)
    said = {reason.sentence for reason in found.values() if reason}
    if len(said) == 1 and all(found.values()):
        paths = list(found)
        subject = "Each part of your result" if len(paths) == _count(wrong) else " and ".join(paths)
        if len(paths) > 1 and len(paths) != _count(wrong):
            subject = f"Each of {subject}"
        return _said(next(iter(found.values())), subject)
    for path, reason in found.items():
        if reason:
            also = [p for p in _outermost(found) if not path.startswith(p)]
            more = f" {' and '.join(also)} {'is' if len(also) == 1 else 'are'} wrong, too." if also else ""
            told = _said(reason, path)
            return Reason(told.kind, told.sentence + more)
    return None


def _count(wrong):
    return len(list(parts(wrong[0].right)))


def _wrong_parts(wrong):
    """Each path at which some case is wrong, with these cases cut down to it, and their places."""
    at: dict[str, list[tuple[int, Case]]] = {}
    for i, case in enumerate(wrong):
        for (path, right), (_, got) in zip(parts(case.right), parts(case.got), strict=False):
            if not agree(right, got):
                at.setdefault(path, []).append((i, Case(case.inputs, right, got)))
    return [(path, [case for _, case in some], [i for i, _ in some]) for path, some in at.items()]


def _outermost(paths):
    """Without those inside of another: a list of one number is a part in one case, and its element in the next."""
    return [path for path in paths if not any(path.startswith(f"{other}[") for other in paths)]


def _said(reason, subject):
    if reason is None:
        return None
    end = "" if reason.sentence.endswith(("?", ".")) else "."
    return Reason(reason.kind, f"{subject} {reason.sentence}{end}")


def _same_factor(wrong):
    """One and the same factor in every input, or one of its own in each: all numbers of a result together."""
    factors = []
    for case in wrong:
        pairs = [(numbers(r), numbers(g)) for (_, r), (_, g) in zip(parts(case.right), parts(case.got), strict=True)]
        if any(r is None or g is None for r, g in pairs):
            return None
        right, got = (np.concatenate([np.ravel(one) for one in side]) for side in zip(*pairs, strict=True))
        if not np.all(np.isfinite(right)) or not np.all(np.isfinite(got)) or not np.any(right) or not np.any(got):
            return None
        factor = float(right @ got / (right @ right))
        if not near(factor * right, got):
            return None
        factors.append((factor, np.count_nonzero(right)))
    if len(factors) > 1 and np.ptp([f for f, _ in factors]) <= 1e-3 * abs(factors[0][0]):
        return Reason(
            "same-factor", "Your result is the right one times one and the same factor, for every input that is wrong."
        )
    if len(factors) > 1 and all(size > 1 for _, size in factors):
        turned = ", and turned round" if all(f < 0 for f, _ in factors) else ""
        return Reason(
            "right-direction",
            f"In each input your result is the right one times a number{turned}, another number each time: the direction is "
            "right, the length is not. Which factor is wrong, or missing?",
        )
    return None


def _part(wrong):
    """Some parts are always right, others are not."""
    if any(not isinstance(case.right, (tuple, list)) for case in wrong):
        return None
    bad = _outermost([path for path, _, _ in _wrong_parts(wrong)])
    good = [path for path, _ in parts(wrong[0].right) if not f"{path}[".startswith(tuple(f"{b}[" for b in bad))]
    if not good or len(good) + len(bad) > MOST_PARTS:
        return None
    be = lambda paths: f"{' and '.join(paths)} {'is' if len(paths) == 1 else 'are'}"
    return Reason(
        "one-part", f"{be(good)} right for every input, {be(bad)} not. Look at what the wrong part alone uses."
    )
