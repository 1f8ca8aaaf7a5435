"""The backward pass reaches the tensor: what its numbers say, in words, and what to do."""

import re

import numpy as np

from .answer import Why
from .causes import Finding
from .flow import Bad
from .words import answer, at

MOST = 0.5  # of the entries: then it is worth a sentence


def found(finding: Finding, more: str = "") -> Why:
    """The answer for what the numbers of the backward pass say."""
    said, step = _SAYING[finding.what](finding)
    lost = "" if finding.what == "nan" else bad_loss(finding)
    if finding.what == "healthy" and lost:
        bad = finding.figures["bad"]
        return answer("healthy", "", [lost, *said, more], bad.place, _NOT_FINITE[bad.given][1])
    return answer(finding.what, finding.cause, [*said, lost, more], finding.place, step)


def bad_loss(finding: Finding) -> str:
    """That the loss is not finite, and what made it so; "" where it is."""
    bad = finding.figures.get("bad")
    return "" if bad is None else "But the loss itself is not finite: {reason}".format(reason=not_finite(bad))


def _op(finding):
    return f"{finding.op}{at(finding.place)}"


_NOT_FINITE = {
    "": (
        "{op} is the first op whose result is not finite, although its inputs are.",
        "keep its argument in the domain, for instance with a clamp, a small eps, or a numerically stable form of the loss.",
    ),
    "large": (
        "{op} overflows: its inputs are finite, and its result is larger than its dtype can represent.",
        "find out where the numbers grow: a learning rate that is too large, a product in a loop, exp of a large number (use a"
        " numerically stable loss, such as logsumexp or a loss that takes logits), float16.",
    ),
    "itself": (
        "the tensor itself is not finite before any op uses it.",
        "find the update that wrote to it: its gradient was not finite, or the learning rate is so large that the tensor"
        " overflowed.",
    ),
    "leaf": (
        "{op}, a weight or an input, is not finite before any op uses it.",
        "find the update that wrote to it, for instance one with a gradient that was not finite, or check the data.",
    ),
    "infinities": (
        "{op} is the first op whose result has a nan; its inputs contain infinities.",
        "find the source of the infinities: a row that is masked completely, inf - inf, or a number that has grown too large.",
    ),
    "brought": (
        "{op} receives numbers that are not finite from the data or from a constant.",
        "look for the first nan or infinity in the data and in its preprocessing.",
    ),
    "seen": (
        "{op} is the first op whose saved result is not finite; its inputs were not saved.",
        "check its inputs, or call labkit.why(lambda: ..., w), which runs the function and sees every op.",
    ),
    "unseen": (
        "no tensor that the graph saved shows which op is the cause.",
        "call labkit.why(lambda: ..., w), which runs the function and sees every op.",
    ),
}


def not_finite(bad: Bad) -> str:
    """Which op made a loss that is not finite, and from which inputs."""
    return _NOT_FINITE[bad.given][0].format(op=f"{bad.op}{at(bad.place)}")


def _said_nan(finding):
    op, figures = _op(finding), finding.figures
    if figures.get("forward"):
        bad = Bad(finding.op, finding.place, figures["given"])
        return ["The loss itself is not finite: {reason}".format(reason=not_finite(bad))], _NOT_FINITE[bad.given][1]
    if not finding.op:
        return ["The loss itself is not finite."], "check the computation of the loss."
    if "given" in figures:
        bad = Bad(finding.op, finding.place, figures["given"])
        through = f"{figures['through'][0]}{at(figures['through'][1])}"
        return [not_finite(bad), _THROUGH.format(op=through)], _NOT_FINITE[bad.given][1]
    if "through" in figures:
        through = f"{figures['through'][0]}{at(figures['through'][1])}"
        first = "{op} is the first op whose result is not finite.".format(op=op)
        return [first, _THROUGH.format(op=through), _RETURNS.format(op=through, sent=figures["sent"])], _BEFORE
    said = _RETURNS.format(op=op, sent=figures["sent"])
    if figures["written"]:
        return [said], _WRITTEN
    return [said, "Its local derivative is not finite.", _TIMES_ZERO if figures["zeros"] else ""], _BEFORE


_THROUGH = "The loss is finite, but the derivative of {op} uses that result."
_RETURNS = "The upstream gradient of {op} is finite, and the gradient that it returns is {sent}."
_TIMES_ZERO = "The upstream gradient has zeros, and zero times an infinite derivative is nan."
_BEFORE = "change the argument before this op, so that both are finite there: where() after the op comes too late."


def _said_zero(finding):
    op, figures = _op(finding), finding.figures
    word = finding.cause.partition(" ")[0]
    size = " (up to {:.3g})".format(figures["arrived"]) if "arrived" in figures else ""
    also = figures.get("also", 0)
    more = "The gradient is blocked on other paths, too." if also else ""
    if word == "cancelled":
        return _said_cancelled(op, figures, more)
    if word == "saturated" and "softmax" in finding.op:
        word = "one-hot"
    if word in _ZERO_WORDS:
        said, step = _ZERO_WORDS[word]
        return [said.format(op=op, size=size, **figures), "" if word in ("lost", "no") else more], step
    if not finding.op:
        return ["The upstream gradient of the loss is zero."], "check the computation of the loss."
    said = "{op} blocks the upstream gradient{size}: its local derivative is zero.".format(op=op, size=size)
    return [said, _hint(finding.op, figures.get("shape", ())), more], "check its input."


def _hint(op, shape):
    """When an op that is not elementwise has a zero derivative."""
    if op.startswith("nll_loss"):
        return "Its derivative is zero if no example counts: every target may be ignore_index."
    if "softmax" in op and np.prod(shape) > 1:
        return "For a row with one entry, the result is always 1; for a saturated row, it hardly changes."
    if re.match(r"(linalg_vector_)?norm\b", op):
        return "The norm of zeros has no derivative, and its gradient is taken as 0."
    return "With only one entry, its result does not depend on the input." if "softmax" in op or "norm" in op else ""


def _said_cancelled(op, figures, more):
    if "parts" in figures:
        return [_parts(op, figures), more], _TAKEN_OUT
    said = _UP_TO_ZERO.format(op=op, uses=figures["uses"])
    return [said], "check whether the loss depends on the tensor at all: the uses may cancel, as in x - x."


_SHARED = "{op} removes the part of the upstream gradient that all entries share, and there is hardly any other part."
_UP_TO_ZERO = "The gradients of {uses} uses add up to exactly zero; {op} is the last of them."
_ADDED = "{op} adds up contributions that cancel; the sum of their absolute values is {parts:.3g}."


def _parts(op, figures):
    """How an op cancels its upstream gradient."""
    shared = figures["mixed"] > 10 * figures["parts"]
    return (_SHARED if shared else _ADDED).format(op=op, parts=figures["parts"])


_TAKEN_OUT = (
    "check whether the loss depends on the tensor at all: a later normalisation or difference removes a number that is added to"
    " all entries."
)

_SATURATED = "make its input smaller (smaller weights, normalised data), or use a loss that takes logits."

_WRITTEN = "correct the backward, the bprop or the hook that your program defines there."

_ZERO_WORDS = {
    "zeros": ("{op} receives an upstream gradient{size} and returns zeros.", _WRITTEN),
    "dead": (
        "{op} blocks the upstream gradient{size}: its derivative is 0 for every entry of its input that counts.",
        "check its input (a large negative bias, a learning rate that is too large, values out of range), or use a function whose"
        " derivative is not 0 there, such as leaky_relu.",
    ),
    "flat": (
        "{op} blocks the upstream gradient{size}: its derivative is 0 everywhere.",
        "replace its gradient, for instance with a straight-through estimator, or use a smooth function.",
    ),
    "saturated": (
        "{op} is saturated and blocks the upstream gradient{size}: its input is so large that its derivative is rounded to 0.",
        _SATURATED,
    ),
    "one-hot": (
        "{op} is saturated and blocks the upstream gradient{size}: each row has one entry of 1, the others are 0.",
        "make its input smaller (smaller weights, normalised data), or check the mask, if there is one.",
    ),
    "lost": (
        "The gradient that {op} returns is {lost:.2g}, which underflows to 0 in {dtype}.",
        "use loss scaling (a GradScaler), or compute this op in float32.",
    ),
    "overwritten": (
        "{op} overwrites the computed values, so the loss no longer depends on the tensor.",
        "write the new values into a new tensor, and compute the loss from the old one.",
    ),
    "empty": (
        "{op} returns an empty tensor, so none of its input reaches the loss.",
        "check the mask, the index or the slice, which selects nothing.",
    ),
    "multiplied": ("{op} multiplies the upstream gradient{size} by zeros only.", "check the factor that is zero."),
    "not": (
        "{op} selected other entries, which get all of the upstream gradient{size}.",
        "check the condition or the index: entries that are not selected get no gradient.",
    ),
    "no": (
        "The backward of {op} returns None for the argument that leads to the tensor.",
        "return a gradient for that argument.",
    ),
}


def _said_small(finding):
    figures = finding.figures
    count, together = figures["together"]
    if finding.cause == "cancelled":
        return [_parts(_op(finding), figures), _LARGEST.format(**figures)], _TAKEN_OUT
    word = finding.cause.partition(" ")[0]
    most = [_SHRINKS.format(op=_op(finding), **figures)]
    if word == "saturated":
        most.append("The function is saturated: elsewhere its derivative is up to {usual:.3g}.".format(**figures))
    if count > 1:
        most.append("The {count} ops of this name together shrink it to {size:.3g}.".format(count=count, size=together))
    step = _SATURATED if word == "saturated" else "check the size of its input."
    return [_LARGEST.format(**figures), *most, _said_silent(finding)], step


_LARGEST = "Its largest entry is {size:.3g}; the upstream gradient of the loss is {start:.3g}."
_SHRINKS = "It shrinks most at {op}, to {fall:.3g} of the upstream gradient."


def _said_healthy(finding):
    figures = finding.figures
    falls = finding.op and figures["fall"] < 0.9
    where = _SHRINKS.format(op=_op(finding), **figures) if falls else ""
    size = "Its norm is {norm:.3g}, its largest entry {size:.3g}.".format(**figures)
    return [size, where, _said_silent(finding)], ""


def _said_silent(finding):
    """Where most entries are blocked."""
    share, op, place = finding.figures.get("silent", (0.0, "", None))
    if share < MOST or ((place, op) == (finding.place, finding.op) and finding.what != "healthy"):
        return ""
    return "{op} blocks the gradient of {share:.0%} of the entries.".format(op=f"{op}{at(place)}", share=share)


_SAYING = {"None": _said_zero, "nan": _said_nan, "zero": _said_zero, "small": _said_small, "healthy": _said_healthy}
