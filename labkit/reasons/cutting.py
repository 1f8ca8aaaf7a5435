"""The answer where no gradient flows from the loss to the tensor: where the path is cut, or that there never was one."""

from collections.abc import Iterable, Sequence
from typing import Any

from ..dialects.provenance import DETACHED, NUMBERS, Exit, Trail, is_same
from .answer import Why
from .cut_words import cut, exit_cause
from .provenance_paths import all_before, cuts
from .words import answer, at


def cut_off(
    ends: Sequence[Trail], target: Trail, exits: Iterable[Exit], what: str, outputs: Sequence[Any] = (), taken: Any = None,
    lost: Sequence[Trail] = (), aside: str = "",
) -> Why:  # fmt: skip
    """What the notes say, from the surest to the least sure.

    `ends`: the notes of the outputs; `target`: of the tensor; `exits`: all values that left tensors; `outputs`: the outputs,
    where they may not be tensors; `taken`: the place and the exit of a number that is used before the loss; `lost`: cuts
    beyond which no path was followed; `aside`: the sentence for a tensor that was not used.
    """
    for end in ends:
        found = cuts(end, target)
        if found:
            return cut(found, what, _left_before(found[0], exits))
    exits = [e for e in exits if any(note is target for note in all_before(e.trail))]
    came = [e for e in exits if any(is_same(e.value(), output) for output in outputs)]
    if came:
        return _returned(came[-1], what)
    if taken is not None and any(taken[1] is e for e in exits):
        return _taken(taken[0], taken[1], target, what)
    made = [note for end in ends for note in all_before(end) if note.kind == NUMBERS]
    pairs = [(e, note) for e in exits for note in made if note.number > e.number]
    if pairs:
        return _through_numbers(*pairs[-1], what)
    return cut(list(lost), what) if lost else _unused(exits, what, aside)


_STAY = "compute the loss from tensors only, and convert to numbers only for logging."
_USE = "find the line that should use it: it may use another tensor, a copy, or a result that is not used later."


def _left_before(note, exits):
    """For a tensor made from numbers: where a tensor was converted to them."""
    return next((e for e in reversed(list(exits)) if e.trail in note.before), None) if note.kind == NUMBERS else None


_RETURNED = "The result is not a tensor: {op} converted it to a number, and a number has no history."
_TAKEN = "{op} converted it to a number, which is used{at}: a number has no history."
_AGAIN = "{op} converted it to numbers, and {made} made a new tensor from numbers: NumPy and Python record no history."
_NO_TRACE = "{op} converted it to numbers, and their later use left no trace."


def _returned(left, what):
    said = _RETURNED.format(op=f"{left.op}{at(left.place)}")
    return answer(what, exit_cause(left), [said], left.place, _STAY)


def _taken(place, left, target, what):
    before = [note for note in cuts(left.trail, target) if note.kind != DETACHED]
    if before:
        return cut(before, what)
    said = _TAKEN.format(op=f"{left.op}{at(left.place)}", at=at(place))
    return answer(what, exit_cause(left), [said], left.place, _STAY)


def _through_numbers(left, note, what):
    said = _AGAIN.format(op=f"{left.op}{at(left.place)}", made=f"{note.op}{at(note.place)}")
    return answer(what, exit_cause(left), [said], left.place, _STAY)


def _unused(exits, what, aside):
    said = ["The loss was not computed from this tensor: no op that leads to the loss used it.", aside]
    if exits:
        left = exits[-1]
        said[1] = _NO_TRACE.format(op=f"{left.op}{at(left.place)}")
    return answer(what, "never used", said, exits[-1].place if exits else None, _USE)
