"""The answer where the graph leads to the tensor: the numbers of the backward pass, and `.grad`."""

from typing import Any, NamedTuple

import numpy as np

from .answer import Why, place_of
from .causes import examine
from .flow import finite, largest
from .freed_graph import OVERWRITTEN, WALKED, of_walked, unseen
from .held_grad import compare
from .open_words import bad_loss, found
from .reading import Unreadable
from .words import answer, at, figure


class Standing(NamedTuple):
    """What `.grad` holds, or the caller holds: an `array`, or None.

    `leaf`: whether the tensor is one. `changed`, `forgotten`: where the gradient was written to, and where it was let go.
    `walked`: whether backward() has run. `hook`: words of a hook on the path. `where`: where the tensor was made, if by an op.
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
    """The answer of a `reading` (of `tape` or of `real`) that reaches the tensor; `more` is added to it."""
    if reading.loss is reading.w:
        return answer("healthy", "", ["It is the gradient of the tensor with respect to itself: 1."])
    problem = reading.problem()
    if problem is not None:
        return _refused(problem, standing)
    spoiled = reading.spoiled()
    touched = None if spoiled is None else reading.touched(spoiled)
    if spoiled is not None and (not reading.released or (touched and standing.array is not None)):
        return _spoiled(reading, spoiled, touched)
    overwritten = OVERWRITTEN if spoiled is not None else ""
    try:
        flow = reading.flow()
    except Unreadable as found_out:
        return (
            _refused(found_out, standing) if found_out.cause == "refused" else of_walked(reading, standing, overwritten)
        )
    stale = spoiled is not None or reading.stale()
    if stale and standing.array is not None:
        return of_walked(reading, standing, overwritten)
    finding = examine(flow)
    if finding.cause.partition(" ")[0] in ("dead", "saturated") and reading.unverified(finding.op, finding.place):
        more = f"{_UNVERIFIED} {more}".strip()
    smaller = standing.array is not None and largest(standing.array) < 0.5 * largest(flow.gradient)
    if finding.cause == "unknown":
        return unseen(reading, found(finding))
    if finding.what != "healthy" and not (finding.what == "small" and smaller) and not stale:
        return found(finding, more if finding.what != "nan" else "")
    standing = standing._replace(walked=standing.walked or reading.released)
    return _stands(finding, flow.gradient, standing, " ".join(filter(None, [more, _beside(reading)])))


def _beside(reading):
    """A note on a gradient that can be computed: that `backward()` would raise an error."""
    shape = np.shape(reading.numbers(reading.loss))
    if reading.released:
        return WALKED
    return "" if np.prod(shape) == 1 else _NO_SCALAR.format(shape=list(shape))


_NO_SCALAR = "backward() takes a scalar, and this loss has shape {shape}: take its sum or mean, or pass gradient=."


# ---- backward() raises an error, or does not notice what it should ----

_DETACH = "detach what is carried from one step to the next, such as a hidden state: h = h.detach()."
_SHARED = (
    "if two losses share this part, add them and call backward() once, or pass retain_graph=True to the first backward(). If"
    " it is left from an earlier step, such as a hidden state, detach it: h = h.detach()."
)
_WALKED_PART = (
    "backward() on this loss raises an error: {op}{at} is in a part of the graph that an earlier backward() has freed"
    ' ("Trying to backward through the graph a second time"), and the loss was computed from it.'
)
_WALKED_LINE = (
    'backward() on this loss raises an error ("Trying to backward through the graph a second time"): an earlier backward() has'
    " freed {op}{at}, and the same line has run again since, in a later step."
)
_REFUSED = {  # by cause: the cause in the answer, what is said, and what to do
    "shared": ("graph already walked", _WALKED_PART, _SHARED),
    "looped": ("graph already walked", _WALKED_LINE, _DETACH),
    "overwritten": (
        "overwritten",
        "{op} saved a tensor for its derivative, and that tensor was changed in place afterwards{at}. backward() raises an"
        " error.",
        "make a new tensor in that line: y = y + 1 instead of y += 1.",
    ),
    "stepped": (
        "weight changed after the forward pass",
        "{op} saved a weight, and {agent} changed it in place after the forward pass{at}. backward() raises an error.",
        "call backward() on every loss before the optimizer's step(), or compute the loss again after it.",
    ),
    "refused": (
        "refused", "backward() raises an error in {op}{at}.", "correct the backward that raises it, then ask again."),
}  # fmt: skip


def _refused(problem, standing):
    cause, said, step = _REFUSED[problem.cause]
    where = place_of(problem.place)
    agent = "a write under no_grad or through .data"
    if where is None or ".step(" in where.code:
        agent = "an optimizer's step()" if where else "an optimizer's step() or a write under no_grad"
    said = said.format(op=problem.words, at=at(where), agent=agent)
    earlier = ".grad holds the result of another backward()."
    return answer("None", cause, [said, earlier if standing.array is not None else ""], where, step)


_UNVERIFIED = (
    "An overwrite of the tensors that this op saved, through .data or .numpy(), looks the same; labkit.why(lambda: ..., w), with"
    " the computation of the loss inside, distinguishes the two."
)
_SPOILED = (
    "The tensors that {op} saved do not fit together any more: its result, or one of its arguments, was overwritten after it"
    " ran, and autograd does not notice it, because the write went through .data, .numpy() or shared memory."
)


def _spoiled(reading, node, touched):
    op, place = reading.named(node)
    line = "This line is probably the cause{at}.".format(at=at(touched[1])) if touched else ""
    try:
        gradient = reading.flow().gradient
    except Unreadable:
        gradient = None
    what = "wrong"
    if gradient is not None:
        what = "nan" if not finite(gradient) else "wrong" if largest(gradient) else "zero"
    step = "make a new tensor instead (y = y * mask), or write under torch.no_grad(), so that backward() notices it."
    said = [_SPOILED.format(op=f"{op}{at(place)}"), line, "backward() computes with the overwritten tensor."]
    return answer(what, "overwritten", said, touched[1] if touched else place, step)


# ---- what .grad holds ----

_NOT_RUN = ".grad is None: backward() has not run on this loss, or .grad was set to None after it{at}."


def _stands(finding, gradient, standing, more):
    norm = "The backward pass gives a gradient of norm {norm}.".format(norm=figure(finding.figures["norm"]))
    if standing.array is not None:
        return compare(finding, gradient, standing.array, standing.changed, standing.hook, more, standing.walked)
    more = f"{bad_loss(finding)} {more}".strip()
    if not standing.leaf:
        said = "The tensor is the result of an op{at}, and .grad is kept only for leaves.".format(at=at(standing.where))
        step = "call retain_grad() on it before backward(), or ask about the leaf it was computed from."
        return answer("None", "not a leaf", [said, norm, standing.hook, more], standing.where, step)
    if standing.walked and standing.forgotten is not None:
        said = "backward() has run; .grad was set to None afterwards{at}.".format(at=at(standing.forgotten))
        step = "read .grad between backward() and zero_grad()."
        return answer("None", "let go", [said, norm, more], standing.forgotten, step)
    if standing.walked:
        said = "backward() has run on this graph, but .grad of this tensor is None."
        step = "use the gradients that torch.autograd.grad returns; backward(inputs=...) fills only the .grad of these inputs."
        return answer("None", "not accumulated", [said, norm, more], None, step)
    said = "backward() has not run on this loss, so .grad is still None."
    if not standing.known:
        said = _NOT_RUN.format(at=at(standing.forgotten))
    step = "call loss.backward() first, and read .grad after it."
    if finding.figures["bad"] is not None:
        step = found(finding).next
    return answer("None", "read before backward", [said, norm, _tail(found(finding)), standing.hook, more], None, step)


def _tail(healthy):
    """What a healthy answer says after its norm."""
    _, _, rest = healthy.text.partition("It shrinks most")
    return "It shrinks most" + rest.partition("\n")[0] if rest else ""


def about(hook: Any) -> str:
    """Words of a hook on the path, "" for None."""
    if hook is None:
        return ""
    code = getattr(hook, "__code__", None)
    where = at(f"{code.co_filename}:{code.co_firstlineno}") if code else ""
    return "A hook{at} may change the gradient; labkit does not run it.".format(at=where)
