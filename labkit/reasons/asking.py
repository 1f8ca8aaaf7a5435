"""`why`: which reader can tell, and what it says."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..engine import getval
from ..trails import is_same
from .answer import Why
from .flow import examine, largest
from .mode import RealRun
from .notes import all_before, cuts
from .real import RealReading, is_real, numbers
from .run import Run, is_functional, wants_one
from .standing import compare
from .tape import TapeReading, Unreadable, array_of, hooks_on_the_way, is_taped
from .words import answer, at, beside, cut, exit_cause, figure, found


def of_taped_run(fun: Callable[..., Any], w: Any, held: Any = None) -> Why:
    """The answer for a function of the PyTorch dialect, which is run once; what it adds to `w.grad` is taken away again."""
    before = w.grad if w.is_leaf else None
    copy = None if before is None else before.clone()
    output = fun(w) if wants_one(fun) else fun()
    loss = output[0] if isinstance(output, (tuple, list)) and output else output
    if not is_taped(loss):
        return _no_tensor(loss, w)
    said = of_tape(loss, w, held)
    if w.is_leaf and (
        w.grad is not before or (before is not None and not np.array_equal(array_of(before), array_of(copy)))
    ):
        w.grad = copy
    return said


def _no_tensor(value, w):
    """The function returned no tensor, perhaps a number that was taken out of one."""
    target = w.__engine_notes__().trail
    left = [e for e in w.__engine_notes__().left if is_same(e.value(), value) and _stems(e.trail, target)]
    said = f"The function returns no tensor but {type(value).__name__}"
    said += f": {left[-1].op}{at(left[-1].place)} took the number out, and a number has no history." if left else "."
    return answer(
        "None", exit_cause(left[-1]) if left else "no tensor", [said], left[-1].place if left else None, _STAY
    )


class Standing(NamedTuple):
    """What stands in `.grad`, or is held: an array or None. `leaf`: of a leaf. `changed`, `forgotten`: where it was written to, and
    where it was let go. `walked`: whether backward() has run. `hook`: words of a hook on the way. `where`: a result was made."""

    array: Any
    leaf: bool = True
    changed: Any = None
    forgotten: Any = None
    walked: bool = False
    hook: str = ""
    where: Any = None


def of_tape(loss: Any, w: Any, held: Any = None) -> Why:
    """The answer for two tensors of the PyTorch dialect; `held` is the gradient as somebody has it."""
    if not w.requires_grad and w.is_leaf:
        return _asks_for_none(loss, w)
    reading = TapeReading(loss, w)
    if not reading.reached and loss is not w:
        return _no_way(loss, w)
    standing = _standing_of(reading, held)
    cut_off = cuts(loss.__engine_notes__().trail, w.__engine_notes__().trail)
    return judged(reading, standing, beside(cut_off))


def judged(reading: Any, standing: Standing, more: str) -> Why:
    """The answer where the tape leads to the tensor."""
    if reading.loss is reading.w:
        return answer("healthy", "", ["It is the gradient of the tensor with respect to itself: 1."])
    try:
        flow = reading.flow()
    except Unreadable as problem:
        return _unreadable(problem, standing)
    finding = examine(flow)
    if flow.bad is not None and finding.what != "nan":
        more = f"But the loss itself is not finite: {flow.bad[0]}{at(flow.bad[1])} is the first whose result is not."
    smaller = standing.array is not None and largest(standing.array) < 0.5 * largest(flow.gradient)
    if finding.what != "healthy" and not (finding.what == "small" and smaller):
        return found(finding, more if finding.what != "nan" else "")
    return _stands(finding, flow.gradient, standing, more)


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
        return _by_numbers(*pairs[-1], "None")
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
                found.append((node.place, number))
    return found


def _is_literal(place, number):
    """Whether the number, to float32, is written in the code of that place; integers are mostly sizes."""
    written = place[0].co_consts if place is not None else ()
    return type(number) is int or any(
        isinstance(c, (int, float)) and np.float32(c) == np.float32(number) for c in written
    )


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

_WALKED = "The tape leads to the tensor, but backward() has walked it and let go what it had saved, so it cannot be walked again."
_AGAIN = "ask before backward(), or with labkit.why(lambda: ..., w), which computes the loss once more."


def _unreadable(problem, standing):
    if problem.cause == "overwritten":
        said = f"{problem.words} keeps a tensor for its derivative, and that was changed in place afterwards{at(problem.place)}."
        step = "make a new tensor in that line: y = y + 1 instead of y += 1."
        return answer("None", "overwritten", [said, "backward() refuses to run."], problem.place, step)
    if problem.cause == "refused":
        return answer(
            "None", "refused", [f"The way back raises an error{at(problem.place)}: {problem.words}"], problem.place
        )
    if standing.array is None:
        return answer("None", "already walked", [_WALKED], None, _AGAIN)
    size = largest(standing.array)
    what = "zero" if size == 0 else "small" if size < 1e-6 else "healthy"
    cause = "already walked" if what != "healthy" else ""
    return answer(what, cause, [f"The largest entry of .grad is {figure(size)}.", _WALKED], None, _AGAIN)


# ---- what stands in .grad ----


def _standing_of(reading, held):
    w, notes = reading.w, reading.w.__engine_notes__()
    kept = held is not None or w.is_leaf or w.retains_grad
    given = held if held is not None else w.grad if kept else None
    changed = None
    if given is not None and held is None:
        changed = given.__engine_notes__().changed or notes.forgotten
    array = None if given is None else array_of(given) if is_taped(given) else np.asarray(given)
    where = None if w.is_leaf or reading.target is None else reading.target.place
    hook = _about(hooks_on_the_way(reading))
    return Standing(array, w.is_leaf, changed, notes.forgotten, reading.released, hook, where)


def _stands(finding, gradient, standing, more):
    norm = f"the way back gives a gradient of norm {figure(finding.figures['norm'])}"
    if standing.array is not None:
        return compare(finding, gradient, standing.array, standing.changed, standing.hook, more)
    if not standing.leaf:
        said = f"The tensor is a result{at(standing.where)}, and .grad is kept for leaves alone; {norm}."
        step = "call retain_grad() on it before backward(), or ask the leaf that it was made of."
        return answer("None", "not a leaf", [said, more], standing.where, step)
    if standing.walked and standing.forgotten is not None:
        said = f"backward() has run; .grad was set to None afterwards{at(standing.forgotten)}. Now {norm}."
        return answer(
            "None", "let go", [said, more], standing.forgotten, "read .grad between backward() and zero_grad()."
        )
    if standing.walked:
        said = f"This tape has been walked, but not for this tensor's .grad; {norm}."
        step = "take what torch.autograd.grad returns; backward(inputs=...) fills those named alone."
        return answer("None", "not accumulated", [said, more], None, step)
    said = f"backward() has not run on this loss, so nothing stands in .grad yet; {norm}."
    step = "call loss.backward() first, and read .grad after it."
    return answer("None", "read before backward", [said, _tail(found(finding, "")), more], None, step)


def _tail(healthy):
    """What a healthy answer says after its norm."""
    _, _, rest = healthy.text.partition("It shrinks most")
    return f"It shrinks most{rest}" if rest else ""


def _about(hook):
    if hook is None:
        return ""
    code: Any = getattr(hook, "__code__", None)
    return f"A hook stands on the way{at(f'{code.co_filename}:{code.co_firstlineno}') if code else ''}, and is not run here."


# ---- the installed PyTorch ----

_POSSIBLE = (
    "it was detached: detach(), .data, torch.tensor(w) or a new Parameter made of it",
    "it was used while nothing was recorded: no_grad, inference_mode",
    "it went through integers or truth values: a cast, a comparison, argmax",
    "it went through NumPy or Python numbers: numpy(), item(), tolist()",
    "what had been computed from it was overwritten by .data or under no_grad",
    "it was never used: the loss is made of another tensor, or of a copy",
)


def of_real_tape(loss: Any, w: Any, held: Any = None) -> Why:
    """The answer for two tensors of the installed PyTorch, whose tape is finished: it has no lines."""
    refused = _not_asked_for(w)
    if refused is not None:
        return refused
    reading = RealReading(loss, w)
    if reading.reached or loss is w:
        return judged(reading, _real_standing(w, held), "")
    said = (
        "The tape of the loss does not lead to this tensor."
        if reading.order
        else "The loss has no tape: nothing that was recorded led to it."
    )
    ways = _POSSIBLE if loss.is_floating_point() else (_POSSIBLE[2],)
    step = "labkit.why(lambda: ..., w), with the computation of the loss inside, runs it once and names the line."
    return answer(
        "None",
        "unknown",
        [said, "PyTorch keeps no trace of what was not recorded. It remains possible that:"],
        None,
        step,
        ways,
    )


def of_real_run(fun: Callable[..., Any], w: Any, held: Any = None) -> Why:
    """The answer for a function of the installed PyTorch, run once and watched."""
    refused = _not_asked_for(w)
    if refused is not None:
        return refused
    run = RealRun(fun, w)
    standing = _real_standing(w, held, run)
    run.put_back()
    if not is_real(run.loss):
        return _cut_in_run(run.sight, run.outputs, "None")
    reading = run.reading()
    if not reading.reached and run.loss is not w:
        return _cut_in_run(run.sight, run.outputs, "None")
    cut_off = [note for end in _ends(run.sight, run.outputs[:1]) for note in cuts(end, run.sight.target)]
    return judged(reading, standing, beside(cut_off))


def _not_asked_for(w):
    if w.requires_grad:
        return None
    if not (w.is_floating_point() or w.is_complex()):
        return answer(
            "None", "integer", [f"The tensor holds {w.dtype}: integers and truth values have no slope."], None, _FLOAT
        )
    return answer(
        "None", "requires_grad off", ["The tensor does not require one: its requires_grad is False."], None, _REQUIRE
    )


_FLOAT = "make it floating, such as torch.tensor([1.0, 2.0], requires_grad=True)."


def _real_standing(w, held, run=None):
    given = held if held is not None else w.grad if w.is_leaf or w.retains_grad else None
    array = None if given is None else numbers(given) if is_real(given) else np.asarray(given)
    hooks = list((getattr(w, "_backward_hooks", None) or {}).values()) + (run.hooks if run is not None else [])
    where = run.lines.get(w.grad_fn) if run is not None else None
    changed = run.changes.get(id(given)) if run is not None else None
    return Standing(array, w.is_leaf, changed, hook=_about(next(iter(hooks), None)), where=where)


# ---- a run ----


def of_run(fun: Callable[..., Any], w: Any, held: Any = None) -> Why:
    """The answer for a function of the MindSpore dialect or of arrays, which is run once."""
    if getattr(w, "requires_grad", True) is False:
        return answer(
            "None",
            "requires_grad off",
            ["The parameter is not to be trained: its requires_grad is False."],
            None,
            _TRAIN,
        )
    if np.asarray(getval(w.__engine_value__() if is_functional(w) else w)).dtype.kind in "iub":
        said = "It holds integers or truth values, which have no slope."
        return answer("None", "integer", [said], None, "make it floating, such as 1.0 or ms.Tensor([1.0, 2.0]).")
    run = Run(fun, w)
    if not run.reached:
        return _cut_in_run(run.sight, run.outputs)
    finding = examine(run.flow)
    found_cuts = [note for end in _ends(run.sight, run.outputs) for note in cuts(end, run.sight.target)]
    more = beside(found_cuts) if finding.what != "nan" else ""
    if held is None or finding.what in ("zero", "nan"):
        return found(finding, more)
    return compare(finding, run.gradient, array_of(held) if hasattr(held, "__engine_value__") else held, more=more)


_TRAIN = "set requires_grad to True before the optimizer and trainable_params() are asked for."


def _ends(sight, outputs):
    return [note for leaf in outputs if (note := sight.note_of(leaf)) is not None]


def _cut_in_run(sight, outputs, what="zero"):
    """The way was cut in a run that was watched, or there is none."""
    for end in _ends(sight, outputs):
        found_cuts = cuts(end, sight.target)
        if found_cuts:
            return cut(found_cuts, what, _left_before(found_cuts[0], sight.exits))
    exits = sight.exits
    came = [e for e in exits if any(is_same(e.value(), leaf) for leaf in outputs)]
    if came:
        said = f"The result is no tensor: {came[-1].op}{at(came[-1].place)} took the number out, and a number has no history."
        return answer(what, exit_cause(came[-1]), [said], came[-1].place, _STAY)
    made = [n for end in _ends(sight, outputs) for n in all_before(end) if n.kind == "numbers"]
    pairs = [(e, n) for e in exits for n in made if n.number > e.number]
    if pairs:
        return _by_numbers(*pairs[-1], what)
    if sight.lost:
        return cut(sight.lost, what)
    said = ["The result was not computed from this tensor: nothing on the way to it used it."]
    if exits:
        said.append(
            f"Its numbers were taken out, by {exits[-1].op}{at(exits[-1].place)}; what was done with them left no trace."
        )
    return answer(what, "never used", said, exits[-1].place if exits else None, _USE)


def _left_before(note, exits):
    return next((e for e in reversed(exits) if e.trail in note.before), None) if note.kind == "numbers" else None


def _by_numbers(left, note, what):
    said = (
        f"{left.op}{at(left.place)} took its numbers out of the tensors, and {note.op}{at(note.place)} made a new tensor of numbers:"
        " Python and NumPy keep no history in between."
    )
    return answer(what, exit_cause(left), [said], left.place, _STAY)


def why(loss: Any, w: Any, grad: Any = None) -> Why:
    """Why the gradient of `loss` with respect to `w` is None, zero, nan, small or healthy: a `Why`, which prints as a few
    sentences and has `what`, `cause`, `where`, `next`.

    `w`: a tensor or parameter of either dialect or of the installed PyTorch, or a number or an array. `loss`: the tensor that
    was computed from it, of any shape; or a function that computes it, which is called once, without arguments or with `w`
    where it takes one, and may return other things behind the loss. `grad`: the gradient as you hold it, to be compared; by
    default what stands in `w.grad`.

    labkit's own tape remembers lines, so a tensor of its PyTorch dialect is enough. MindSpore has no tape, and that of the
    installed PyTorch has neither lines nor what was not recorded: there a function names the line. No hook is run, no `.grad`
    changes, the tape can still be walked. Raises TypeError for what is neither.

    >>> import labkit.torch as torch
    >>> w = torch.tensor([-1.0, -2.0], requires_grad=True)
    >>> loss = torch.relu(w).sum()
    >>> reason = why(loss, w)
    >>> reason.what, reason.cause
    ('zero', 'dead relu')
    """
    if is_taped(w):
        if not (is_taped(loss) or callable(loss)):
            raise _not_of_one(loss, w)
        return of_tape(loss, w, grad) if is_taped(loss) else of_taped_run(loss, w, grad)
    if is_real(w):
        if not (is_real(loss) or callable(loss)):
            raise _not_of_one(loss, w)
        return of_real_tape(loss, w, grad) if is_real(loss) else of_real_run(loss, w, grad)
    if not (is_functional(w) or isinstance(w, (int, float, np.ndarray, np.generic))):
        raise _not_of_one(loss, w)
    if is_functional(loss):
        said = "A tensor of MindSpore does not remember how it was computed: there is no tape, and no .grad to be read."
        return answer(
            "None",
            "read before backward",
            [said],
            None,
            "labkit.why(lambda: forward_fn(x, y), w), or ms.value_and_grad.",
        )
    if is_taped(loss) or is_real(loss) or not callable(loss):
        raise _not_of_one(loss, w)
    return of_run(loss, w, grad)


def _not_of_one(loss, w):
    came = f"{_kind(loss)} and {_kind(w)}"
    return TypeError(
        f"why(loss, w): expected two tensors of one framework, or a function that computes the loss and a tensor, but got {came}"
    )


def _kind(value):
    kind = type(value)
    if is_taped(value) or is_functional(value):
        return f"a {kind.__name__} of labkit.{'torch' if is_taped(value) else 'mindspore'}"
    return f"a {kind.__name__}" + (" of the installed PyTorch" if is_real(value) else "")
