"""What is wrong with a function, from its results on drawn inputs: where no single slip of the exercise explains it.

Each look is sure, because what it says holds for every result that is wrong, or says nothing; the most exact one comes first.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from ...evidence import plain_data
from ..closeness import Case, Reason, agree, numbers, parts, shape, sure
from ..compare import same
from ..exercise import Exercise
from .forms import formed
from .relations import related
from .some import condition

MOST_PARTS = 6  # of a result whose parts are looked at one by one
Compared = tuple[tuple, Any, Any]  # plain inputs, the right result, what came: both as they came


def explain_calls(exercise: Exercise, compared: Sequence[Compared], failed: Sequence[Compared]) -> Reason | None:
    """Why `failed`, some of `compared`, are wrong; None where nothing is sure."""
    plain = {id(one): Case(one[0], plain_data(one[1]), plain_data(one[2])) for one in compared}
    cases, wrong = list(plain.values()), [plain[id(one)] for one in failed]
    if reason := two_slips(exercise, cases, wrong) or _form(failed):
        return reason
    if reason := sure(_exchanged, wrong):
        return reason
    if not _alike(wrong):
        return None
    unpacked, wrong = wrong, [Case(case.inputs, _packed(case.right), _packed(case.got)) for case in wrong]
    where = condition(exercise.arguments, cases, unpacked)
    if len(wrong) == len(cases) or where:  # a relation that other inputs contradict says where it holds, or nothing
        reason = _on_parts(wrong, lambda some: related(exercise.arguments, some))
        if reason or where:
            words = f"Wherever {where}: " if where else ""
            words += reason.sentence[0].lower() + reason.sentence[1:] if where and reason else ""
            return Reason(reason.kind, words or reason.sentence) if reason else Reason(
                "where", f"Your result is wrong wherever {where}, and right for the other inputs."
            )  # fmt: skip
    return _one_part(exercise, cases, unpacked) or _part(wrong)


# ---- two slips of the exercise at once ----


def two_slips(exercise: Exercise, cases: list[Case], wrong: list[Case]) -> Reason | None:
    """Two slips of the exercise that give together what came: both made in one program, or each its own inputs and parts."""
    bad = {id(case) for case in wrong}
    fine = [case for case in cases if id(case) not in bad]
    varied = any(not same(wrong[0].got, case.got) for case in wrong)  # two slips explain a constant by chance
    for both in exercise.pairs() if varied else ():
        if sure(lambda both=both: _fits(both, wrong, fine)):
            return Reason(both.name, both.sentence)
    given = [(m, found) for m in exercise.misconceptions if m.gives and (found := _explained(m, cases, wrong))]
    needed = {(id(case), part) for case in wrong for part in _wrong_parts(case.right, case.got)}
    for (one, first), (other, second) in combinations(given, 2):
        if first | second == needed and first - second and second - first:
            return Reason(one.name, f"{one.sentence}\n{other.sentence}")
    return None


def _one_part(exercise, cases, wrong):
    """A slip that gives some parts of the result just so, wherever they are wrong, and no other wrong part."""
    needed = {(id(case), part) for case in wrong for part in _wrong_parts(case.right, case.got)}
    for one in exercise.misconceptions:
        found = _explained(one, cases, wrong) if one.gives else set()
        left = {part for _, part in needed - found}
        if found and not any(part in left for _, part in found):
            return Reason(one.name, f"{one.sentence}\nAlso wrong: {', '.join(f'result[{i}]' for i in sorted(left))}.")
    return None


def _fits(both, wrong, fine):
    return all(same(both.gives(c.inputs), c.got) for c in wrong) and all(
        same(both.gives(c.inputs), c.right) for c in fine
    )


def _explained(misconception, cases, wrong):
    """The wrong parts of results that a slip gives just so; nothing where it gives another wrong part."""
    bad, found = {id(case) for case in wrong}, set()
    for case in cases:
        theirs = sure(misconception.gives, case.inputs)
        its = {-1} if theirs is None else _wrong_parts(case.right, theirs)
        here = _wrong_parts(case.right, case.got) if id(case) in bad else set()
        if not its <= here or any(not same(_part_of(theirs, k), _part_of(case.got, k)) for k in its):
            return set()
        found |= {(id(case), part) for part in its}
    return found


def _wrong_parts(right, got):
    """The places in a tuple that are wrong; -1 for a result that is wrong as a whole."""
    if not isinstance(right, tuple) or not isinstance(got, (tuple, list)) or len(got) != len(right):
        return set() if same(right, got) else {-1}
    return {i for i in range(len(right)) if not same(right[i], got[i])}


def _part_of(value, part):
    return value if part < 0 else value[part]


# ---- the form, and relations ----


def _packed(value):
    """A list of numbers as one array: its length may differ from input to input."""
    if isinstance(value, list) and len(value) > 1 and all(shape(v) == () for v in value):
        return np.asarray(value)
    if isinstance(value, (tuple, list)):
        return tuple(_packed(item) for item in value)
    return value


def _form(failed):
    reasons = [reason for _, right, got in failed if (reason := formed(right, got))]
    if len(reasons) == len(failed) and len({reason.kind for reason in reasons}) == 1:
        return reasons[0]
    return None


def _alike(wrong):
    """True where every result that came has the parts of the right one, each of its shape, and numbers alone."""
    return all(
        [(p, shape(v)) for p, v in parts(case.right)] == [(p, shape(v)) for p, v in parts(case.got)]
        and all(numbers(v) is not None for _, v in parts(case.got))
        for case in wrong
    )


def _exchanged(wrong):
    """Each part that came is the right one of some place, everywhere of the same one."""
    n = len(wrong[0].right) if isinstance(wrong[0].right, tuple) else 0
    if len(wrong) < 2 or not 1 < n <= 4 or any(len(case.got) != n for case in wrong):
        return None
    from_where = [
        next((k for k in (i, *range(n)) if all(agree(c.right[k], c.got[i]) for c in wrong)), None) for i in range(n)
    ]
    moved = [i for i, k in enumerate(from_where) if i != k]
    if None in from_where or not moved:
        return None
    if len(set(from_where)) == n:
        return Reason("results-exchanged", f"Every result is right, but parts {_listed(moved)} are exchanged.")
    return Reason(
        "results-repeated", " ".join(f"result[{i}] is what belongs in result[{from_where[i]}]." for i in moved)
    )


def _listed(places):
    return " and ".join(f"[{i}]" for i in places)


def _on_parts(wrong, look):
    """What `look` finds for all wrong parts alike, else for one of them where no other one is wrong."""
    if not any(isinstance(case.right, tuple) for case in wrong):
        return _said(look(wrong), "Your result")
    found = {path: look(some) for path, some in _by_part(wrong)} if _count(wrong) <= MOST_PARTS else {}
    said = {reason.sentence for reason in found.values() if reason}
    if len(said) != 1 or not all(found.values()):
        return None
    paths = list(found)
    whole = len(paths) == _count(wrong)
    subject = "Each part of your result" if whole else f"{'Each of ' * (len(paths) > 1)}{' and '.join(paths)}"
    return _said(next(iter(found.values())), subject)


def _count(wrong):
    return len(list(parts(wrong[0].right)))


def _by_part(wrong):
    """Each path at which some case is wrong, with these cases cut down to it."""
    at: dict[str, list[Case]] = {}
    for case in wrong:
        for (path, right), (_, got) in zip(parts(case.right), parts(case.got), strict=False):
            if not same(right, got):
                at.setdefault(path, []).append(Case(case.inputs, right, got))
    return at.items()


def _said(reason, subject):
    if reason is None:
        return None
    end = "" if reason.sentence.endswith(("?", ".")) else "."
    return Reason(reason.kind, f"{subject} {reason.sentence}{end}")


def _part(wrong):
    """Some parts are always right, others are not."""
    if len(wrong) < 2 or any(not isinstance(case.right, tuple) for case in wrong):
        return None
    bad = sorted({path.partition("]")[0] + "]" for path, _ in _by_part(wrong)})
    good = [path for i in range(len(wrong[0].right)) if (path := f"result[{i}]") not in bad]
    if not good or len(good) + len(bad) > MOST_PARTS:
        return None
    return Reason("where", f"Right for every input: {', '.join(good)}. Not right: {', '.join(bad)}.")
