"""Where an engine goes wrong first, found by comparing all it did with labkit's own reverse pass, and the likely cause."""

import linecache
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from .bench import Pass, Place, Visit, Write, near, numeric
from .broken import unbroadcast

MOST_PARTS = 10  # of one sum: beyond, only one is left out at a time to see which are missing


@dataclass(frozen=True, eq=False)
class Wrong:
    """A node with a wrong gradient. `at`: the position of the event at which it shows (`len(events)`: only at the end).
    `got`: what is there, None for nothing; `expected`: what should be."""

    node: int
    at: int
    got: Any
    expected: np.ndarray


@dataclass(frozen=True, eq=False)
class Fault:
    """The first wrong node of a run. `step`: 0 for the first backward pass. `cause`: a key of `report.FIXES`. `missing`: the
    nodes whose contributions should have been there too. `place`: the line at fault."""

    wrong: Wrong
    step: int
    cause: str
    place: Place | None = None
    missing: tuple[int, ...] = ()

    @property
    def code(self) -> str:
        """The line at fault, as it stands there; "" where it is not known."""
        return linecache.getline(self.place.file, self.place.number).strip() if self.place else ""


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

    >>> from .bench import backward_passes
    >>> from .broken import overwrite
    >>> fault = first_fault(backward_passes(overwrite, lambda x: x * x, [3.0]))
    >>> fault.cause, float(fault.wrong.got), float(fault.wrong.expected)
    ('overwritten', 3.0, 6.0)
    """
    for step, passed in enumerate(passes):
        for wrong in all_wrong(passed):
            return _recognised(passed, wrong, step)
    return None


def _recognised(passed, wrong, step):
    held, got, right = passed.before.get(wrong.node), numeric(wrong.got), wrong.expected
    parts = [one for one in passed.bench.parts[wrong.node] if np.any(one[1])]
    missing: tuple[tuple[int, np.ndarray], ...] = ()
    if wrong.got is not None and (got is None or got.shape != right.shape):
        cause = _shape_cause(got, right)
    elif held is not None and near(wrong.got, right + held):
        cause = "not reset"
    elif wrong.node == passed.bench.output.index:
        cause = "no seed"
    else:
        missing = _missing(passed, wrong, parts)
        cause = _cause_of_missing(passed, wrong, missing, parts) if missing else "wrong value"
    kind = Visit if cause == "too early" else Write  # the line that visited it, else the one that set its gradient last
    mine = [e for e in passed.events[: wrong.at + 1] if e.node == wrong.node and e.place]
    places = [e.place for e in mine if isinstance(e, kind)] or [e.place for e in mine] or [None]
    return Fault(wrong, step, cause, places[-1], tuple(sender for sender, _ in missing))


def _shape_cause(got, right):
    if got is not None and (got.ndim > right.ndim or (got.ndim == right.ndim and 1 in right.shape)):
        return "not unbroadcast" if unbroadcast(got, right).shape == right.shape else "wrong shape"
    return "wrong shape"


def _missing(passed, wrong, parts):
    """`(sender, part)` of the parts without which the sum of the others is what is there; the later ones, if several fit."""
    zeros = np.zeros_like(wrong.expected)
    there = np.asarray(zeros if wrong.got is None else wrong.got)
    order = sorted(range(len(parts)), key=lambda k: _visited_before(passed, wrong, parts[k][0]))
    for count in range(1, len(parts) + 1 if len(parts) <= MOST_PARTS else 2):
        for left_out in combinations(order, count):
            kept = [part for k, (_, part) in enumerate(parts) if k not in left_out]
            if near(_sum(kept) if kept else zeros, there):
                return tuple(parts[k] for k in left_out)
    return ()


def _visited_before(passed, wrong, node):
    return any(v.at < wrong.at for v in passed.visits(node))


def _cause_of_missing(passed, wrong, missing, parts):
    """Why parts are missing: they were overwritten, came after the visit, or were lost."""
    stored = passed.writes(wrong.node)
    if any(event.at <= wrong.at and event.how == "put" and np.any(event.before) for event in stored):
        return "overwritten"
    if wrong.at < len(passed.events) and isinstance(passed.events[wrong.at], Visit):
        before = [write.sender for write in stored if write.at < wrong.at]
        if all(write.sender is None for write in stored):  # the engine keeps its gradients to itself
            to_come = near(passed.result[wrong.node], wrong.expected)
        else:
            to_come = any(before.count(s) < [sender for sender, _ in parts].count(s) for s, _ in missing)
        if to_come or not all(_visited_before(passed, wrong, sender) for sender, _ in missing):
            return "too early"
    return "overwritten" if len(missing) == len(parts) - 1 and near(wrong.got, parts[-1][1]) else "lost"
