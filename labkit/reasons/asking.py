"""`why`: which reader can tell, and what it says."""

from collections.abc import Callable
from typing import Any

import numpy as np

from .answer import Why
from .flow import Finding, examine, largest
from .notes import all_before, cuts
from .standing import compare
from .tape import TapeReading, Unreadable, array_of, hooks_on_the_way, is_taped
from .words import answer, at, beside, cut, exit_cause, figure, found


def of_tape(loss: Any, w: Any, held: Any = None) -> Why:
    """The answer for two tensors of the PyTorch dialect; `held` is the gradient as somebody has it."""
    if not w.requires_grad and w.is_leaf:
        return _asks_for_none(loss, w)
    reading = TapeReading(loss, w)
    if loss is w:
        return answer("healthy", "", ["It is the gradient of the tensor with respect to itself: 1."])
    if not reading.reached:
        return _no_way(loss, w)
    try:
        flow = reading.flow()
    except Unreadable as problem:
        return _unreadable(problem, reading)
    finding = examine(flow)
    cut_off = cuts(loss.__engine_notes__().trail, w.__engine_notes__().trail)
    more = beside(cut_off) if finding.what != "nan" else ""
    if flow.bad is not None and finding.what != "nan":
        more = f"But the loss itself is not finite: {flow.bad[0]}{at(flow.bad[1])} is the first whose result is not."
    if finding.what != "healthy" and not (finding.what == "small" and _stands_smaller(w, flow, held)):
        return found(finding, more)
    return _stands(reading, finding, flow.gradient, held, more)


def _asks_for_none(loss, w):
    if not np.issubdtype(array_of(w).dtype, np.floating) and array_of(w).dtype.kind != "V":
        note = w.__engine_notes__().trail
        where = note.place if note is not None and note.kind == "integer" else None
        return answer(
            "None", "integer", [f"The tensor holds {w.dtype}: integers and truth values have no slope{at(where)}."], where,
            "make it floating, such as torch.tensor([1.0, 2.0], requires_grad=True).",
        )  # fmt: skip
    note = w.__engine_notes__().trail
    if note is not None and note.kind in ("detached", "no_grad", "numbers"):
        sentence = f"The tensor does not require one: {note.op}{at(note.place)} made it, off the tape."
        return answer("None", "requires_grad off", [sentence], note.place, _REQUIRE)
    return answer(
        "None", "requires_grad off", ["The tensor does not require one: its requires_grad is False."], None, _REQUIRE
    )


_REQUIRE = "ask for it before the loss is computed: w.requires_grad_(), or requires_grad=True where it is made."


# ---- no way ----


def _no_way(loss, w):
    end, target = loss.__engine_notes__().trail, w.__engine_notes__().trail
    found_cuts = [] if end is None else cuts(end, target)
    if found_cuts:
        return cut(found_cuts, left=_exit_behind(found_cuts[0], w))
    return _left_or_unused(end, target, loss, w)


def _exit_behind(note, w):
    """Of a tensor that was made of numbers: where these had left."""
    if note.kind != "numbers":
        return None
    exits = [e for e in w.__engine_notes__().left if e.number < note.number and e.trail in note.before]
    return exits[-1] if exits else None


def _left_or_unused(end, target, loss, w):
    """Numbers left the tape, and others came in later; or it was never used."""
    exits = [e for e in w.__engine_notes__().left if _stems(e.trail, target)]
    made = [note for note in all_before(end) if note.kind == "numbers"] if end is not None else []
    pairs = [(e, note) for e in exits for note in made if note.number > e.number]
    taken = _taken_as_number(loss, exits)
    before = [] if taken is None else [note for note in cuts(taken[1].trail, target) if note.kind != "detached"]
    if before:
        return cut(before)
    if taken is not None:
        place, left = taken
        sentence = (
            f"The number that {left.op}{at(left.place)} took out of it is used{at(place)}: a number has no history."
        )
        return answer("None", exit_cause(left), [sentence], left.place, _STAY)
    if pairs:
        left, note = pairs[-1]
        sentences = [
            f"{left.op}{at(left.place)} took its numbers out of the tensors, and {note.op}{at(note.place)} made a new tensor of"
            " numbers: Python and NumPy keep no history in between."
        ]
        return answer("None", exit_cause(left), sentences, left.place, _STAY)
    sentences = ["The loss was not computed from this tensor: nothing on the way to it used it."]
    if exits:
        left = exits[-1]
        sentences.append(
            f"Its numbers were taken out once, by {left.op}{at(left.place)}; what was done with them left no trace."
        )
    else:
        sentences.append(_nearest(loss, w))
    return answer("None", "never used", sentences, exits[-1].place if exits else None, _USE)


_STAY = "stay with tensors on the way to the loss, and take numbers out only to look at them."
_USE = "look for the line that should use it: another tensor may stand there, a copy, or a result that was dropped."


def _stems(trail, target):
    return target is not None and any(note is target for note in all_before(trail))


def _taken_as_number(loss, exits):
    """`(place, exit)` where a number that left is an argument of an op on the way to the loss."""
    if loss.grad_fn is None or not exits:
        return None
    values = {e.value(): e for e in exits if type(e.value()) in (int, float)}
    for node in TapeReading(loss, loss).order:
        if hasattr(node, "known"):
            for argument in node.known()[0]:
                number = argument.item() if isinstance(argument, np.ndarray) and argument.ndim == 0 else argument
                if type(number) in (int, float) and number in values:
                    return node.place, values[number]
    return None


def _nearest(loss, w):
    """What the loss uses instead, where this is a result beside the way."""
    if w.grad_fn is None:
        return ""
    mine, its = all_before(w.__engine_notes__().trail), all_before(loss.__engine_notes__().trail or _Nothing())
    if any(note in its for note in mine if note.kind == "leaf"):
        return "It is a result beside the way: what it was made of is used, but not by way of it (each x[0] is a new tensor)."
    return ""


class _Nothing:
    before = ()


# ---- the way is there, but cannot be walked ----


def _unreadable(problem, reading):
    if problem.cause == "overwritten":
        said = f"{problem.words} keeps a tensor for its derivative, and that was changed in place afterwards{at(problem.place)}."
        refused = "backward() refuses to run."
        return answer(
            "None",
            "overwritten",
            [said, refused],
            problem.place,
            "make a new tensor in that line: y = y + 1 instead of y += 1.",
        )
    standing = reading.w.grad if reading.w.is_leaf else None
    if standing is None:
        return answer("None", "already walked", [_WALKED], None, _AGAIN)
    size = largest(array_of(standing))
    what = "zero" if size == 0 else "small" if size < 1e-6 else "healthy"
    return answer(
        what,
        "already walked" if what != "healthy" else "",
        [f"The largest entry of .grad is {figure(size)}.", _WALKED],
        None,
        _AGAIN,
    )


_WALKED = "The tape leads to the tensor, but backward() has walked it and let go what it had saved, so it cannot be walked again."
_AGAIN = "ask before backward(), or with labkit.why(lambda: ..., w), which computes the loss once more."


# ---- what stands in .grad ----


def _standing_of(w, held):
    if held is not None:
        return held
    if w.is_leaf or w.retains_grad:
        return w.grad
    return None


def _stands_smaller(w, flow, held):
    standing = _standing_of(w, held)
    return standing is not None and largest(array_of(standing)) < 0.5 * largest(flow.gradient)


def _stands(reading, finding, gradient, held, more):
    w = reading.w
    standing, healthy = _standing_of(w, held), found(finding, more)
    norm = f"the way back gives a gradient of norm {figure(finding.figures['norm'])}"
    if standing is not None:
        hook = _about(hooks_on_the_way(reading))
        notes = standing.__engine_notes__() if hasattr(type(standing), "__engine_notes__") else None
        changed = None if notes is None or held is not None else notes.changed or w.__engine_notes__().forgotten
        array = array_of(standing) if notes is not None else np.asarray(standing)
        return compare(finding, gradient, array, changed, hook, more)
    if not w.is_leaf:
        where = reading.target.place
        return answer(
            "None", "not a leaf", [f"The tensor is a result{at(where)}, and .grad is kept for leaves alone; {norm}.", more], where,
            "call retain_grad() on it before backward(), or ask the leaf that it was made of.",
        )  # fmt: skip
    forgotten = w.__engine_notes__().forgotten
    if reading.released and forgotten is not None:
        return answer("None", "let go", [f"backward() has run; .grad was set to None afterwards{at(forgotten)}.", f"Now {norm}."], forgotten, "read .grad between backward() and zero_grad().")  # fmt: skip
    if reading.released:
        return answer("None", "not accumulated", [f"This tape has been walked, but not for this tensor's .grad; {norm}."], None, "torch.autograd.grad returns gradients, and backward(inputs=...) fills those named alone.")  # fmt: skip
    said = [f"backward() has not run on this loss, so nothing stands in .grad yet; {norm}.", _tail(healthy), more]
    return answer("None", "read before backward", said, None, "call loss.backward() first, and read .grad after it.")


def _tail(healthy):
    """What a healthy answer says after its norm."""
    _, _, rest = healthy.text.partition("It shrinks most")
    return f"It shrinks most{rest}" if rest else ""


def _about(hook):
    if hook is None:
        return ""
    code: Any = getattr(hook, "__code__", None)
    return f"A hook stands on the way{at(f'{code.co_filename}:{code.co_firstlineno}') if code else ''}, and is not run here."


def ask(loss: Any, w: Any, held: Any = None) -> Why:
    """See `labkit.why`."""
    if is_taped(w):
        loss = _run(loss, w) if callable(loss) and not is_taped(loss) else loss
        return of_tape(loss, w, held)
    raise TypeError("why: later")


def _run(fun: Callable[..., Any], w: Any) -> Any:
    return fun()


__all__ = ["Finding", "ask"]
