"""Why an op lets little gradient through: its slope, as a curve, and where on it its inputs lie; with what each kind of op does
to the length of the gradient from one layer to the next."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import prod
from typing import NamedTuple

import numpy as np

from ....engine import vjp
from ....ops import FUNCTIONS
from ...kit.axes import Axis
from ...kit.scene import Mark, Panel, line, path, rect, text
from ...kit.words import number
from ..run.forms import plain
from ..run.story import Node, Story
from .lengths import Share
from .units import Units

WIDE, SLIM, HIGH = 400.0, 372.0, 132.0  # px
LEFT, TOP, BARS = 40.0, 42.0, 44.0  # px: beside and above the axis, the highest bar
BINS, FAR, FINE = 40, 30.0, 6001  # bars; how far inputs are looked for; places in which
REACHES = (0.5, 1.0, 2.0, 4.0, 8.0)  # how far a curve is drawn at least: until nearly all of what it does is seen
NEARLY, FLAT = 0.9, 1e-4  # parts of its range; of its steepest slope, which is none


def bends(units: Units, shares: Sequence[Share]) -> list[Panel]:
    """The panel, where what was found is due to ops that are functions of one number, and their inputs are known. `shares`: what
    each kind of op does from layer to layer, the one that does most first."""
    found = _found(units, shares)
    if found is None:
        return []
    wide, slim = (_panel(found, shares, room) for room in (WIDE, SLIM))
    return [replace(wide, narrow=replace(slim, name=f"{slim.name}, narrow"))]


class _Found(NamedTuple):
    """The inputs of `calls` of an op: those that are `known`, and how many more lie somewhere where it is `flat`."""

    op: str
    calls: int
    known: np.ndarray
    flat: int


def _found(units, shares) -> _Found | None:
    story = units.story
    nodes = [story.nodes[i] for i in sorted(story.marked) if story.nodes[i].op in FUNCTIONS and story.nodes[i].parents]
    if not nodes and story.coloured:
        op = shares[0].kind if shares else ""
        nodes = [node for node in story.nodes if node.op == op and op in FUNCTIONS]
    every = [_inputs(story, node) for node in nodes if node.op == nodes[0].op]
    if not every or any(inputs is None for inputs in every):
        return None
    known = np.concatenate([inputs[0] for inputs in every if inputs])
    return _Found(nodes[0].op, len(every), known, sum(inputs[1] for inputs in every if inputs))


def _inputs(story: Story, node: Node) -> tuple[np.ndarray, int] | None:
    """What an op was given, or else what it must have been given for what it gave; of how many only that it is flat there."""
    given, result = story.nodes[node.parents[0]].value, node.value
    if len(node.parents) != 1 or not (plain(given) or plain(result)):
        return None
    fun = FUNCTIONS[node.op].fun
    if plain(given):
        x = np.ravel(np.asarray(given, float))
        return (x, 0) if not plain(result) or np.allclose(fun(x), np.ravel(result), atol=1e-3) else None
    grid = np.linspace(-FAR, FAR, FINE)
    y, reached = np.ravel(np.asarray(result, float)), np.asarray(fun(grid))
    rises = np.diff(reached)
    if (rises < 0).any():
        return None
    ends = [reached[0]] if rises[0] == 0 else []
    ends += [reached[-1]] if rises[-1] == 0 else []
    flat = np.isin(y, ends)
    known = np.concatenate([[True], rises > 0])
    return np.interp(y[~flat], reached[known], grid[known]), int(flat.sum())


def slopes(op: str, x: np.ndarray) -> np.ndarray:
    """Of an op at some places, by the engine's own rule."""
    _, pull = vjp(FUNCTIONS[op].fun, x)
    return np.asarray(pull()[0], float)


# ---- what is drawn ----


def _panel(found: _Found, shares: Sequence[Share], width: float) -> Panel:
    """The slope as a line, inputs as bars below it: crimson where the slope is none."""
    count, reach = len(found.known) + found.flat, _reach(found)
    grid = np.linspace(-reach, reach, 401)
    curve, here = slopes(found.op, grid), slopes(found.op, found.known)
    top = max(float(curve.max()), 1e-12)
    across = Axis(-reach, reach, LEFT, width - 10)
    up = Axis(min(0.0, float(curve.min())), top, HIGH, TOP)
    dead = grid[np.abs(curve) < FLAT * top]
    marks = [*_ground(across, up, top, dead), *_bars(found, here, top, across, grid, curve)]
    marks.append(path([(across(x), up(s)) for x, s in zip(grid, curve, strict=True)], "backline"))
    closed = int((np.abs(here) < FLAT * top).sum()) + found.flat
    mean = float(here.sum()) / count
    none = "0" if not here[np.abs(here) < FLAT * top].any() else "≈ 0"
    words = (
        f"slope {none} at {closed} of {count}" if closed else f"mean slope {number(mean, 2)}, at most {number(top, 2)}"
    )
    marks.append(text(LEFT, 11, words, "badtext" if closed else "slope"))
    if shares:
        whole = prod(share.factor for share in shares)
        parts = " · ".join(f"{share.kind} {number(share.factor)}" for share in shares)
        marks.append(text(LEFT, HIGH + 36, f"{parts} = × {number(whole)} per layer", "slope"))
    name = f"Slope of {found.op} at its {count} inputs"
    return Panel("slope", name, width, HIGH + (44 if shares else 20), [mark.answering("step") for mark in marks])


def _ground(across, up, top, dead) -> Iterator[Mark]:
    yield rect(across.start, TOP - 22, across.end - across.start, HIGH - TOP + 22, "area", 0)
    if len(dead):
        ends = across(dead[0]), across(dead[-1])
        yield rect(ends[0], TOP - 22, ends[1] - ends[0], HIGH - TOP + 22, "zone-over", 0)
    for value in (0.0, top):
        yield line(across.start, up(value), across.end, up(value), "grid")
        yield text(across.start - 7, up(value) + 4, number(value, 2), "tick", "end")
    yield from across.below(HIGH + 14, across.ticks(5))


def _bars(found, here, top, across, grid, curve) -> Iterator[Mark]:
    """How many inputs lie where; of those of which only that is known, spread over where the slope is none."""
    edges = np.linspace(grid[0], grid[-1], BINS + 1)
    at = np.clip(np.digitize(found.known, edges) - 1, 0, BINS - 1)
    closed = np.abs(here) < FLAT * top
    spread = grid[np.abs(curve) < FLAT * top] if found.flat else grid[:0]
    bins = max(1.0, BINS * np.ptp(spread) / np.ptp(grid)) if len(spread) else 1.0
    most = max([found.flat / bins, *np.bincount(at, minlength=BINS)])
    if len(spread):
        yield _bar(across(spread[0]), across(spread[-1]), found.flat / bins / most, "over")
    for role, these in (("badbar", closed), ("bar", ~closed)):
        for i, n in enumerate(np.bincount(at[these], minlength=BINS)):
            if n:
                yield _bar(across(edges[i]) + 0.5, across(edges[i + 1]) - 0.5, n / most, role)


def _bar(left, right, part, role):
    high = max(BARS * part, 3.0)
    return rect(left, HIGH - high, right - left, high, role, 0)


def _reach(found: _Found) -> float:
    """How far to both sides all inputs lie, or the curve does something."""
    every = slopes(found.op, np.linspace(-8.0, 8.0, 401))
    most = 1.15 * float(np.abs(found.known).max(initial=0.0))
    for reach in REACHES:
        here = slopes(found.op, np.linspace(-reach, reach, 401))
        if reach >= min(most, REACHES[-1]) and np.ptp(here) >= NEARLY * np.ptp(every):
            return reach
    return REACHES[-1]
