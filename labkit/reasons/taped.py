"""Answers for the PyTorch dialect, whose tensors know where they came from."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..dialects.provenance import DETACHED, INTEGER, NO_GRAD, NUMBERS
from .answer import Why
from .cut_words import beside
from .cutting import cut_off
from .graph_answer import Standing, about, judged
from .provenance_paths import all_before, cuts
from .run import wants_one
from .tape import TapeReading, array_of, hooks_on_the_way, is_taped
from .words import answer, at

_REQUIRE = "create the tensor with requires_grad=True, or call its requires_grad_() before the loss is computed."
_FLOAT = "use floating point, such as torch.tensor([1.0, 2.0], requires_grad=True)."


def of_tape(loss: Any, w: Any, held: Any = None) -> Why:
    """The answer for two tensors; `held` is the gradient that the caller has."""
    if not w.requires_grad and w.is_leaf:
        return asks_for_none(w, _trail(w), array_of(w).dtype.kind in "iub")
    reading = TapeReading(loss, w)
    if not reading.reached and loss is not w:
        return _cut(loss, w)
    end, target = _trail(loss), _trail(w)
    more = "" if end is None or target is None else beside(cuts(end, target))
    return judged(reading, _standing(reading, held), more)


def of_run(fun: Callable[..., Any], w: Any, held: Any = None) -> Why:
    """The answer for a function, which is run once; what it adds to `w.grad` is taken away again."""
    before = w.grad if w.is_leaf else None
    copy = None if before is None else before.clone()
    output = fun(w) if wants_one(fun) else fun()
    loss = output[0] if isinstance(output, (tuple, list)) and output else output
    said = of_tape(loss, w, held) if is_taped(loss) else _cut(loss, w)
    if w.is_leaf and not (w.grad is before and (before is None or np.array_equal(array_of(before), array_of(copy)))):
        w.grad = copy
    return said


def _trail(tensor):
    return tensor.__engine_notes__().trail if is_taped(tensor) else None


_INTEGER = "The tensor has dtype {dtype}: integers and booleans have no derivative."
_UNRECORDED = "Its requires_grad is False: {op} made it without recording."


def asks_for_none(w: Any, note: Any, integer: bool) -> Why:
    """The answer for a leaf that requires no gradient; `note`: how it was made, or None."""
    if integer:
        where = note.place if note is not None and note.kind == INTEGER else None
        said = _INTEGER.format(dtype=f"{w.dtype}{at(where)}")
        return answer("None", "integer", [said], where, _FLOAT)
    said, where = "Its requires_grad is False.", None
    is_parameter = "Parameter" in (kind.__name__ for kind in type(w).__mro__)  # which requires one, unless it is frozen
    if note is not None and note.kind in (DETACHED, NO_GRAD, NUMBERS) and not is_parameter:
        said, where = _UNRECORDED.format(op=f"{note.op}{at(note.place)}"), note.place
    return answer("None", "requires_grad off", [said], where, _REQUIRE)


# ---- no path ----


def _cut(loss, w):
    end, exits = _trail(loss), w.__engine_notes__().left
    ends, outputs = ([] if end is None else [end]), ([] if is_taped(loss) else [loss])
    taken = _taken_as_number(loss, [e for e in exits if _trail(w) in all_before(e.trail)]) if is_taped(loss) else None
    return cut_off(ends, _trail(w), exits, "None", outputs, taken, aside=_nearest(ends, w))


def _taken_as_number(loss, exits):
    """`(place, exit)` where a number that left is an argument of an op that leads to the loss."""
    values = {e.value(): e for e in exits if type(e.value()) in (int, float)}
    used = _numbers_on(loss) if values else []
    known = next(((place, values[number]) for place, number in used if number in values), None)
    return known or next(((place, exits[-1]) for place, number in used if not _is_literal(place, number)), None)


def _numbers_on(loss):
    """`(place, number)` of the numbers among the arguments of what is on the tape."""
    found = []
    for node in TapeReading(loss, loss).order if loss.grad_fn is not None else ():
        for argument in node.known()[0] if hasattr(node, "known") else ():
            number = argument.item() if isinstance(argument, np.ndarray) and argument.ndim == 0 else argument
            if type(number) in (int, float):
                found.append((node.where, number))
    return found


def _is_literal(place, number):
    """Whether the number, to float32, is written in the code of that place; integers are mostly sizes."""
    written = [c for c in (place[0].co_consts if place is not None else ()) if isinstance(c, (int, float))]
    return type(number) is int or any(np.float32(c) == np.float32(number) for c in written)


def _nearest(ends, w):
    """What the loss uses instead, if the tensor is a result that it does not use."""
    mine, its = all_before(_trail(w)), [note for end in ends for note in all_before(end)]
    if w.grad_fn is not None and any(note in its for note in mine if note.kind == "leaf"):
        return "The loss does not use this result, but the tensor it was computed from (each x[0] is a new tensor)."
    return ""


# ---- what .grad holds ----


def _standing(reading, held):
    w, notes = reading.w, reading.w.__engine_notes__()
    given = held if held is not None else w.grad if w.is_leaf or w.retains_grad else None
    changed = None
    if given is not None and held is None:
        changed = given.__engine_notes__().changed or notes.forgotten
    array = None if given is None else array_of(given) if is_taped(given) else np.asarray(given)
    where = None if w.is_leaf or reading.target is None else reading.target.where
    hook = about(hooks_on_the_way(reading))
    walked = reading.released or held is not None
    known = notes.forgotten is None  # else an earlier backward() may have been of this loss
    return Standing(array, w.is_leaf, changed, notes.forgotten, walked, hook, where, known)
