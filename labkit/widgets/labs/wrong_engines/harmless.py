"""Why a broken engine is right on a graph: what it gets wrong does not happen there."""

from collections.abc import Callable

import numpy as np

from ...kit.words import listed
from .bench import Bench
from .plays import Play


def why(play: Play) -> str:
    """The reason in a sentence, read off the graph; "" for a right engine and one that is not known."""
    said = _REASONS.get(play.name)
    if said and not all(np.isfinite(g).all() for g in play.passes[0].bench.gradients):
        return "But there is inf or nan among them, and then a comparison tells little."
    return said(play.passes[0].bench, play) if said else ""


def _fanned(bench: Bench) -> list[int]:
    """The nodes at which several parts arrive that are not zero."""
    return [i for i, parts in bench.parts.items() if sum(bool(np.any(part)) for _, part in parts) > 1]


def _order(bench, play):
    used = _fanned(bench)
    leaves = [bench.called(i) for i in used if not bench.nodes[i].parents]
    if len(leaves) < len(used):
        return "What is passed on too early meets a slope of zero here, or the rest adds up to zero: it makes no difference."
    if leaves:
        are = "is" if len(leaves) == 1 else "are"
        return f"Only {listed(leaves)} {are} used more than once, and a leaf passes nothing on: nothing is passed on too early."
    return "No value is used more than once here, so nothing is passed on too early."


def _overwriting(bench, play):
    if _fanned(bench):
        return "What is overwritten adds up to zero here: it makes no difference."
    return "No value is used more than once here, so there is nothing to add up: overwriting does no harm."


def _broadcasting(bench, play):
    return "Nothing is repeated to a larger shape here, so every gradient has its value's shape without being summed."


def _resetting(bench, play):
    if len(play.passes) < play.steps:
        return "In the next step the function takes another way, so the steps end here."
    if len(play.passes) == 1:
        return "It is a single step: nothing is left over from an earlier one."
    return "What was left over from the earlier steps is zero here."


_REASONS: dict[str, Callable[[Bench, Play], str]] = {
    "recursion": _order, "visited once": _order, "overwrite": _overwriting, "no unbroadcast": _broadcasting,
    "not reset": _resetting,
}  # fmt: skip
