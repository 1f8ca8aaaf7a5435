"""Where an engine goes wrong first, found by comparing all it did with labkit's own reverse pass, and the likely cause."""

import linecache
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from .bench import Pass, Place, Visit, Write, numeric
from .broken import unbroadcast

MOST_PARTS = 10  # of one sum: beyond, only one is left out at a time to see which are missing


@dataclass(frozen=True, eq=False)
class Wrong:
    """A node with a wrong gradient. `at`: the position of the event at which it shows (`len(events)`: only at the end).
    `arrived`: what is there, None for nothing; `expected`: what should be."""

    node: int
    at: int
    arrived: Any
    expected: np.ndarray


@dataclass(frozen=True, eq=False)
class Fault:
    """The first wrong node of a run. `step`: 0 for the first training step. `cause`: a key of `report.FIXES`. `missing`:
    `(sender, part)` of what should have been there too. `held`: what was there from the steps before. `place`: the line
    at fault."""

    wrong: Wrong
    step: int
    cause: str
    place: Place | None = None
    missing: tuple[tuple[int, np.ndarray], ...] = ()
    held: Any = None

    @property
    def code(self) -> str:
        """The line at fault, as it stands there; "" where it is not known."""
        return linecache.getline(self.place.file, self.place.number).strip() if self.place else ""


def near(got: Any, right: np.ndarray) -> bool:
    """Whether `got` has the shape of `right` and its numbers, within half the square root of the dtype's eps.

    >>> near(0.1 + 0.2, np.array(0.3)), near([0.3], np.array(0.3))
    (True, False)
    """
    array = numeric(got)
    if array is None or array.shape != np.shape(right):
        return False
    kinds = [k for k in (array.dtype, right.dtype) if k.kind != "i"]
    eps = max([float(np.finfo(k).eps) if k.kind == "f" else 0.01 for k in kinds], default=0.0)
    a, b = array.astype(float), right.astype(float)
    scale = np.max(np.abs(b), initial=1e-6, where=np.isfinite(b))
    with np.errstate(all="ignore"):
        return bool(np.all((np.abs(a - b) <= 0.5 * np.sqrt(eps) * scale) | (a == b) | (np.isnan(a) & np.isnan(b))))


# ---- which nodes are wrong ----


def all_wrong(passed: Pass) -> list[Wrong]:
    """The nodes with a wrong gradient, each once, in the order in which it shows.

    If every gradient is right in the end, none is wrong, whatever way it came about. Otherwise a node is wrong from the
    first visit at which it passed on something else than its whole gradient, and a node that was passed by from the last
    change of its `grad`.
    """
    bench, found = passed.bench, dict[int, Wrong]()
    finals = {i: w for i in range(len(bench.nodes)) if (w := _final(passed, i)) is not None}
    if not finals and passed.error is None:
        return []
    for event in passed.events:
        i, right = event.node, bench.gradients[event.node]
        if isinstance(event, Visit) and i not in found and not near(event.gradient, right):
            gradients = [v.gradient for v in passed.visits(i)]
            if len(gradients) == 1 or not near(_sum(gradients), right):  # else it is right, path by path
                found[i] = Wrong(i, event.at, event.gradient, right)
    if passed.error is None:
        found = finals | found
    return sorted(found.values(), key=lambda w: (w.at, -w.node))


def _final(passed, i):
    """What is wrong with the gradient that a node has in the end, or None."""
    right, got = passed.bench.gradients[i], passed.result[i]
    if near(got, right) or (
        got is None and (not right.any() or any(near(v.gradient, right) for v in passed.visits(i)))
    ):
        return None
    writes = passed.writes(i)
    return Wrong(i, writes[-1].at if writes else len(passed.events), got, right)


def _sum(parts):
    try:
        return sum(parts[1:], parts[0])
    except (TypeError, ValueError):
        return None


# ---- why ----


def first_fault(passes: Sequence[Pass]) -> Fault | None:
    """The first wrong node of a run, or None where every gradient is right.

    >>> from .bench import Subject, train
    >>> from .broken import overwrite
    >>> fault = first_fault(train(overwrite, Subject(lambda x: x * x, [3.0])))
    >>> fault.cause, float(fault.wrong.arrived), float(fault.wrong.expected)
    ('overwritten', 3.0, 6.0)
    """
    for step, passed in enumerate(passes):
        for wrong in all_wrong(passed):
            return _recognised(passed, wrong, step)
    return None


def _recognised(passed, wrong, step):
    held, missing = passed.before.get(wrong.node), ()
    arrived = numeric(wrong.arrived)
    if wrong.arrived is not None and (arrived is None or arrived.shape != wrong.expected.shape):
        cause = _shape_cause(arrived, wrong.expected)
    elif held is not None and near(wrong.arrived, wrong.expected + held):
        cause = "not reset"
    elif wrong.node == passed.bench.output.index:
        cause = "no seed"
    else:
        parts = [one for one in passed.bench.parts[wrong.node] if np.any(one[1])]
        missing = _missing(passed, wrong, parts)
        cause = _cause_of_missing(passed, wrong, missing, parts) if missing else _value_cause(passed, wrong)
    kind = Visit if cause == "too early" else Write  # the line that visited it, else the one that set its gradient last
    mine = [e for e in passed.events[: wrong.at + 1] if e.node == wrong.node]
    places = [e.place for e in mine if isinstance(e, kind)] or [e.place for e in mine] or [None]
    return Fault(wrong, step, cause, places[-1], missing, held if cause == "not reset" else None)


def _shape_cause(arrived, right):
    if arrived is not None and (arrived.ndim > right.ndim or (arrived.ndim == right.ndim and 1 in right.shape)):
        return "not unbroadcast" if unbroadcast(arrived, right).shape == right.shape else "wrong shape"
    return "wrong shape"


def _missing(passed, wrong, parts):
    """`(sender, part)` of the parts without which the sum of the others is what is there; the later ones, if several fit."""
    zeros = np.zeros_like(wrong.expected)
    there = np.asarray(zeros if wrong.arrived is None else wrong.arrived)
    order = sorted(range(len(parts)), key=lambda k: _visited_before(passed, wrong, parts[k][0]))
    for count in range(1, len(parts) + 1 if len(parts) <= MOST_PARTS else 2):
        for left_out in combinations(order, count):
            kept = [part for k, (_, part) in enumerate(parts) if k not in left_out]
            if near(_sum(kept) if kept else zeros, there):
                return tuple(parts[k] for k in left_out)
    return ()


def _visited_before(passed, wrong, node):
    """Whether a node was visited before the wrong one showed; at any time, if that was not itself a visit."""
    return any(v.at < wrong.at or not _at_visit(passed, wrong) for v in passed.visits(node))


def _at_visit(passed, wrong):
    return wrong.at < len(passed.events) and isinstance(passed.events[wrong.at], Visit)


def _cause_of_missing(passed, wrong, missing, parts):
    """Why parts are missing: they were overwritten, came after the visit, were never sent, or were sent and not added."""
    if _overwrites(passed, wrong):
        return "overwritten"
    visited = all(_visited_before(passed, wrong, sender) for sender, _ in missing)
    if not _at_visit(passed, wrong) and not visited:
        return "never visited"
    if _at_visit(passed, wrong) and (not visited or _to_come(passed, wrong, missing, parts)):
        return "too early"
    if len(missing) == len(parts):
        return "not stored"
    return "overwritten" if len(missing) == len(parts) - 1 and near(wrong.arrived, parts[-1][1]) else "part lost"


def _overwrites(passed, wrong):
    """Whether a part was stored in the place of what was there."""
    return any(
        event.at <= wrong.at and event.part is not None and np.any(event.before) and near(event.value, event.part)
        and not near(event.value, np.asarray(_sum([event.before, event.part])))
        for event in passed.writes(wrong.node)
    )  # fmt: skip


def _to_come(passed, wrong, missing, parts):
    """Whether some of the missing parts had not been stored yet at the visit where it shows."""
    stored = passed.writes(wrong.node)
    if all(write.sender is None for write in stored):  # the engine keeps its gradients to itself
        return near(passed.result[wrong.node], wrong.expected)
    before, sent = [write.sender for write in stored if write.at < wrong.at], [sender for sender, _ in parts]
    return any(before.count(sender) < sent.count(sender) for sender, _ in missing)


def _value_cause(passed, wrong):
    """What a wrong number comes from where no part is missing."""
    if near(-np.asarray(wrong.arrived, float), wrong.expected):
        return "sign"
    again = any(len(passed.visits(s)) > 1 for s, _ in passed.bench.parts[wrong.node])
    return "visited again" if again else "wrong value"
