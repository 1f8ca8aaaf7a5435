"""The answer where a tape leads to the tensor: what the numbers say, and what stands in `.grad`."""

from typing import Any, NamedTuple

from .answer import Why
from .examining import examine
from .flow import largest
from .open_words import bad_loss, found
from .reading import Unreadable
from .standing import compare
from .walked import of_walked, unseen
from .words import answer, at, figure


class Standing(NamedTuple):
    """What stands in `.grad`, or is held: an `array`, or None.

    `leaf`: whether the tensor is one. `changed`, `forgotten`: where the gradient was written to, and where it was let go.
    `walked`: whether backward() has run. `hook`: words of a hook on the way. `where`: where the tensor was made, if by an op.
    `known`: whether one would know of a backward() that has run.
    """

    array: Any
    leaf: bool = True
    changed: Any = None
    forgotten: Any = None
    walked: bool = False
    hook: str = ""
    where: Any = None
    known: bool = True


def judged(reading: Any, standing: Standing, more: str) -> Why:
    """The answer of a `reading` (of `tape` or of `real`) that reaches the tensor; `more` is said beside it."""
    if reading.loss is reading.w:
        return answer("healthy", "", ["It is the gradient of the tensor with respect to itself: 1."])
    try:
        flow = reading.flow()
    except Unreadable as problem:
        return _unreadable(problem, reading, standing)
    finding = examine(flow)
    smaller = standing.array is not None and largest(standing.array) < 0.5 * largest(flow.gradient)
    if finding.cause == "unknown":
        return unseen(reading, found(finding))
    if finding.what != "healthy" and not (finding.what == "small" and smaller):
        return found(finding, more if finding.what != "nan" else "")
    return _stands(finding, flow.gradient, standing, more)


# ---- it cannot be walked ----


def _unreadable(problem, reading, standing):
    if problem.cause == "overwritten":
        said = f"{problem.words} keeps a tensor for its derivative, and that was changed in place afterwards{at(problem.place)}."
        step = "make a new tensor in that line: y = y + 1 instead of y += 1."
        return answer("None", "overwritten", [said, "backward() refuses to run."], problem.place, step)
    if problem.cause == "refused":
        said = f"The way back raises an error{at(problem.place)}: {problem.words}"
        return answer("None", "refused", [said], problem.place)
    return of_walked(reading, standing)


# ---- what stands in .grad ----


def _stands(finding, gradient, standing, more):
    norm = f"the way back gives a gradient of norm {figure(finding.figures['norm'])}"
    if standing.array is not None:
        return compare(finding, gradient, standing.array, standing.changed, standing.hook, more)
    more = f"{bad_loss(finding)} {more}".strip()
    if not standing.leaf:
        said = f"The tensor is a result{at(standing.where)}, and .grad is kept for leaves alone; {norm}."
        step = "call retain_grad() on it before backward(), or ask the leaf that it was made of."
        return answer("None", "not a leaf", [said, standing.hook, more], standing.where, step)
    if standing.walked and standing.forgotten is not None:
        said = f"backward() has run; .grad was set to None afterwards{at(standing.forgotten)}. Now {norm}."
        step = "read .grad between backward() and zero_grad()."
        return answer("None", "let go", [said, more], standing.forgotten, step)
    if standing.walked:
        said = f"This tape has been walked, but not for this tensor's .grad; {norm}."
        step = "take what torch.autograd.grad returns; backward(inputs=...) fills those named alone."
        return answer("None", "not accumulated", [said, more], None, step)
    said = f"backward() has not run on this loss, so nothing stands in .grad yet; {norm}."
    if not standing.known:
        said = (
            f"Nothing stands in .grad: backward() has not run on this loss, or .grad was set to None after it; {norm}."
        )
    step = "call loss.backward() first, and read .grad after it."
    return answer("None", "read before backward", [said, _tail(found(finding)), standing.hook, more], None, step)


def _tail(healthy):
    """What a healthy answer says after its norm."""
    _, _, rest = healthy.text.partition("It shrinks most")
    return "It shrinks most" + rest.partition("\n")[0] if rest else ""


def about(hook: Any) -> str:
    """Words of a hook on the way, "" for None."""
    if hook is None:
        return ""
    code = getattr(hook, "__code__", None)
    where = at(f"{code.co_filename}:{code.co_firstlineno}") if code else ""
    return f"A hook stands on the way{where}, and is not run here."
