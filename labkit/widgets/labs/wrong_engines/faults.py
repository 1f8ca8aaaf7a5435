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
EARLY = ("too early", "too early, and again", "wrong order")


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
    at fault. `ended`: whether the engine came to its end, so that what it did later is known."""

    wrong: Wrong
    step: int
    cause: str
    place: Place | None = None
    missing: tuple[tuple[int, np.ndarray], ...] = ()
    held: Any = None
    ended: bool = True

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
    bench, found = passed.bench, {}
    finals = {i: w for i in range(len(bench.nodes)) if (w := _final(passed, i)) is not None}
    if not finals and passed.error is None:
        return []
    paths = _along_paths(passed)
    for event in passed.events:
        i, right = event.node, bench.gradients[event.node]
        if isinstance(event, Visit) and i not in found and i not in paths and not near(event.gradient, right):
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


def _along_paths(passed):
    """Nodes that were visited several times with parts that add up to their gradient: right, path by path."""
    given = {i: [v.gradient for v in passed.visits(i)] for i in {e.node for e in passed.events}}
    return {i for i, gs in given.items() if len(gs) > 1 and near(_sum(gs), passed.bench.gradients[i])}


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
        wrong = all_wrong(passed)
        if wrong:
            return _recognised(passed, wrong[0], step)
    return None


def _recognised(passed: Pass, wrong: Wrong, step: int) -> Fault:
    held, missing = passed.before.get(wrong.node), ()
    if (shaped := _shape_cause(wrong)) is not None:
        cause = shaped
    elif held is not None and near(wrong.arrived, wrong.expected + held):
        cause = "not reset"
    elif wrong.node == passed.bench.output.index:
        cause = "no seed"
    else:
        missing = _missing(passed, wrong)
        cause = _cause_of_missing(passed, wrong, missing) if missing else _value_cause(passed, wrong)
    place, held = _place(passed, wrong, cause), held if cause == "not reset" else None
    return Fault(wrong, step, cause, place, missing, held, passed.error is None)


def _place(passed, wrong, cause):
    """The line at fault: where a node was visited too early, else where its gradient was last set before it showed."""
    events = passed.events[: wrong.at + 1]
    kind = Visit if cause in EARLY else Write
    mine = [e for e in events if e.node == wrong.node]
    places = [e.place for e in mine if isinstance(e, kind)] or [e.place for e in mine]
    return places[-1] if places else None


def _shape_cause(wrong):
    """What a wrong shape comes from; None where the shape is right."""
    arrived, right = numeric(wrong.arrived), wrong.expected
    if wrong.arrived is None:
        return None
    if arrived is None:
        return "no array"
    if arrived.shape == right.shape:
        return None
    if arrived.ndim > right.ndim or (arrived.ndim == right.ndim and 1 in right.shape):
        summed = unbroadcast(arrived, right)
        if summed.shape == right.shape:
            return "not unbroadcast"
    return "transposed" if near(arrived.T, right) else "wrong shape"


def _missing(passed, wrong):
    """`(sender, part)` of the parts without which the sum of the others is what arrived; the later ones, if several fit."""
    parts = [(s, part) for s, part in passed.bench.parts[wrong.node] if np.any(part)]
    there = wrong.arrived if wrong.arrived is not None else np.zeros_like(wrong.expected)
    unvisited = [s for s, _ in parts if not _visited_before(passed, wrong, s)]
    first_those = sorted(range(len(parts)), key=lambda k: parts[k][0] not in unvisited)
    for count in range(1, len(parts) + 1 if len(parts) <= MOST_PARTS else 2):
        for left_out in combinations(first_those, count):
            kept = [part for k, (_, part) in enumerate(parts) if k not in left_out]
            if near(_sum(kept) if kept else np.zeros_like(wrong.expected), np.asarray(there)):
                return tuple(parts[k] for k in left_out)
    return ()


def _visited_before(passed, wrong, node):
    """Whether a node was visited before the wrong one showed; at any time, if that was not itself a visit."""
    return any(v.at < wrong.at or not _at_visit(passed, wrong) for v in passed.visits(node))


def _at_visit(passed, wrong):
    return wrong.at < len(passed.events) and isinstance(passed.events[wrong.at], Visit)


def _cause_of_missing(passed, wrong, missing):
    """Why parts are missing: they came after the visit, were never sent, or were sent and not added."""
    everything = len(missing) == sum(bool(np.any(part)) for _, part in passed.bench.parts[wrong.node])
    if _overwrites(passed, wrong):
        return "overwritten"
    if not _at_visit(passed, wrong):
        unsent = any(not _visited_before(passed, wrong, s) for s, _ in missing)
        return "never visited" if unsent else "not stored" if everything else _which_is_lost(passed, wrong, missing)
    if not _to_come(passed, wrong, missing):
        return "not stored" if everything else _which_is_lost(passed, wrong, missing)
    if everything:
        return "wrong order"
    again = any(v.at > wrong.at for v in passed.visits(wrong.node))
    return "too early, and again" if again else "too early"


def _overwrites(passed, wrong):
    """Whether a part was stored in the place of what was there."""
    for event in passed.writes(wrong.node):
        if event.at <= wrong.at and event.part is not None and np.any(event.before):
            added = _sum([event.before, event.part])
            if near(event.value, np.asarray(event.part)) and (
                added is None or not near(event.value, np.asarray(added))
            ):
                return True
    return False


def _to_come(passed, wrong, missing):
    """Whether some of the missing parts had not been sent or stored yet at the visit where it shows."""
    if any(not _visited_before(passed, wrong, sender) for sender, _ in missing):
        return True
    stored = passed.writes(wrong.node)
    if all(write.sender is None for write in stored):  # the engine keeps its gradients to itself
        return near(passed.result[wrong.node], wrong.expected)
    before = [write.sender for write in stored if write.at < wrong.at]
    sent = [s for s, part in passed.bench.parts[wrong.node] if np.any(part)]
    return any(before.count(sender) < sent.count(sender) for sender, _ in missing)


def _which_is_lost(passed, wrong, missing):
    parts = [part for _, part in passed.bench.parts[wrong.node] if np.any(part)]
    if len(missing) + 1 < len(parts):
        return "part lost"
    if near(wrong.arrived, parts[-1]):
        return "overwritten"
    return "only the first" if near(wrong.arrived, parts[0]) else "part lost"


def _value_cause(passed, wrong):
    """What a wrong number comes from where no part is missing."""
    if near(-np.asarray(wrong.arrived, float), wrong.expected):
        return "sign"
    again = any(len(passed.visits(s)) > 1 for s, _ in passed.bench.parts[wrong.node])
    return "visited again" if again else "wrong value"
