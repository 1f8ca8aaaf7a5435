"""The way back is open: what the numbers on it say, in words, and what to do."""

import numpy as np

from .answer import Why
from .examining import Finding
from .flow import Bad
from .words import answer, at, figure

MOST = 0.5  # of the entries: then it is worth a sentence


def found(finding: Finding, more: str = "") -> Why:
    """What the numbers on the way back say."""
    said, step = _SAYING[finding.what](finding)
    lost = "" if finding.what == "nan" else bad_loss(finding)
    if finding.what == "healthy" and lost:
        bad = finding.figures["bad"]
        return answer("healthy", "", [lost, *said, more], bad.place, _NOT_FINITE[bad.given][1])
    return answer(finding.what, finding.cause, [*said, lost, more], finding.place, step)


def bad_loss(finding: Finding) -> str:
    """That the loss is not finite, and what made it so; "" where it is."""
    bad = finding.figures.get("bad")
    return "" if bad is None else f"But the loss itself is not finite: {not_finite(bad)}"


def _op(finding):
    return f"{finding.op}{at(finding.place)}"


_NOT_FINITE = {
    "": (
        "{op} is the first whose result is not, although what went in is.",
        "keep its argument where it is finite, for instance by a clamp, a small number added, or a stable form of the loss.",
    ),
    "large": (
        "{op} overflows: what went in is finite, what comes out is more than its dtype can hold.",
        "look where the numbers grow: a step that was too long, a product in a loop, exp of a large number (take a stable form"
        " of the loss, such as logsumexp or one of logits), float16.",
    ),
    "itself": (
        "the tensor that is asked about is not finite itself, before anything is computed of it.",
        "look at what wrote to it: an update with a gradient that was not finite, or steps that were too long, so that it grew"
        " until it overflowed.",
    ),
    "leaf": (
        "{op} is not finite before anything is computed of it: a weight, or an input.",
        "look at what wrote to it, for instance an update with a gradient that was not finite, or at the data.",
    ),
    "infinities": (
        "{op} is the first whose result has a nan; infinities went in.",
        "look at the infinities: a row that is masked out whole, inf - inf, or a number that has grown too large.",
    ),
    "brought": (
        "{op} is given numbers that are not finite from outside, in the data or a constant.",
        "look for the first nan or infinity in the data, and in what is computed of them alone.",
    ),
    "seen": (
        "{op} is the first whose result can be seen not to be; what went in was not saved.",
        "look at what goes into it, or ask with a function, labkit.why(lambda: ..., w), which sees every op.",
    ),
    "unseen": (
        "no value that the tape has saved shows which op made it so.",
        "ask with a function, labkit.why(lambda: ..., w), which sees every op.",
    ),
}


def not_finite(bad: Bad) -> str:
    """Which op made a loss that is not finite, and of what."""
    return _NOT_FINITE[bad.given][0].format(op=f"{bad.op}{at(bad.place)}")


def _said_nan(finding):
    op, figures = _op(finding), finding.figures
    if figures.get("forward"):
        bad = Bad(finding.op, finding.place, figures["given"])
        return [f"The loss itself is not finite: {not_finite(bad)}"], _NOT_FINITE[bad.given][1]
    if not finding.op:
        return ["It is so from the start."], "look at the loss: it is not finite."
    if "given" in figures:
        bad = Bad(finding.op, finding.place, figures["given"])
        through = f"{figures['through'][0]}{at(figures['through'][1])}"
        return [
            f"{not_finite(bad)} The loss is finite all the same, but the derivative of {through} meets it."
        ], _NOT_FINITE[bad.given][1]
    if "through" in figures:
        through = f"{figures['through'][0]}{at(figures['through'][1])}"
        return (
            [f"{op} is the first whose result is not finite. The loss does not show it, but the derivative of {through} meets it:"
             f" what arrives there is finite, what it sends on is {figures['sent']}."],
            "give it an argument where it is finite, before it is computed: where() behind it comes too late.",
        )  # fmt: skip
    zero = " Zeros arrive there, and zero times an infinite derivative is nan." if figures["zeros"] else ""
    return (
        [f"What arrives at the derivative of {op} is finite; what it sends on is {figures['sent']}: its local derivative is not"
         f" finite.{zero}"],
        "give it an argument whose derivative is finite, before it is computed: where() behind it comes too late.",
    )  # fmt: skip


def _said_zero(finding):
    op, figures = _op(finding), finding.figures
    word = finding.cause.partition(" ")[0]
    arrives = f"of what arrives (up to {figures['arrived']:.3g})" if "arrived" in figures else ""
    also = figures.get("also", 0)
    more = f"On {also} other way{'s' * (also > 1)} it ends elsewhere." if also else ""
    if word == "cancelled":
        return _said_cancelled(op, figures, more)
    if word in _ZERO_WORDS:
        said, step = _ZERO_WORDS[word]
        return [said.format(op=op, arrives=arrives, **figures), "" if word in ("lost", "no") else more], step
    if not finding.op:
        return ["Nothing but zeros starts from the loss."], "look at the loss."
    said = f"{op} sends nothing on {arrives}: its slope there is zero."
    return [said, _hint(finding.op, figures.get("shape", ())), more], "look at what goes into it."


def _hint(op, shape):
    """When an op that is no function of one number is flat."""
    if op.startswith("nll_loss"):
        return "It is flat where no example counts: every target may be one to be ignored."
    if "softmax" in op and np.prod(shape) > 1:
        return "A row of one entry alone gives 1, whatever the number is; and so does one entry that takes it all."
    return "Of one entry alone it makes the same, whatever the number is." if "softmax" in op or "norm" in op else ""


def _said_cancelled(op, figures, more):
    if "parts" in figures:
        return [f"{_parts(op, figures)} to exactly zero.", more], _TAKEN_OUT
    return (
        [f"{figures['uses']} uses bring gradients that add up to exactly zero, the last at {op}."],
        "look whether the loss depends on it at all: the uses may cancel out, as in x - x.",
    )


def _parts(op, figures):
    """What an op makes nothing of."""
    if figures["mixed"] > 10 * figures["parts"]:
        return f"{op} takes out what is alike in all that arrives, and there is nothing else: it comes"
    more = f" that would come to {figures['parts']:.3g} if they had one sign" if figures["parts"] else ""
    return f"{op} adds up parts{more}"


_TAKEN_OUT = (
    "look whether the loss depends on it at all: what is added to everything alike is taken out again by a normalisation or a"
    " difference behind it."
)

_SATURATED = "make what goes in smaller (smaller weights, normalised inputs), or use the loss of logits."

_ZERO_WORDS = {
    "dead": (
        "{op} is on its flat side with every number that counts: its slope there is 0, so {arrives} nothing goes on.",
        "look at what goes in (a large negative bias, a step that was too long, values out of the range): bring it back, or"
        " take a function with a slope on both sides.",
    ),
    "flat": (
        "{op} is flat wherever it is defined: its slope is 0 for all numbers, so {arrives} nothing goes on.",
        "replace it on the way back, for instance by a straight-through estimator, or use a smooth function.",
    ),
    "saturated": (
        "{op} is saturated: what goes in is so large that its slope is rounded to 0, so {arrives} nothing goes on.",
        _SATURATED,
    ),
    "lost": (
        "{op} should send {lost:.2g}, which is too small for {dtype} and becomes 0.",
        "scale the loss up before backward and the gradients down after it (a GradScaler), or compute this in float32.",
    ),
    "overwritten": (
        "{op} puts other values in the place of what had been computed, so the loss does not depend on it any more.",
        "write the new values into a new tensor, and go on with the old one.",
    ),
    "empty": (
        "{op} gives a tensor without entries: nothing of what went in is in the loss.",
        "look at the mask, the index or the slice: here it chooses nothing.",
    ),
    "multiplied": ("{op} multiplies with zeros only: {arrives} nothing goes on.", "look at the factor that is zero."),
    "not": (
        "{op} chose others: {arrives} all goes to what was chosen.",
        "look at the condition or the index; what is not chosen learns nothing.",
    ),
    "no": (
        "The derivative of {op} answers with no gradient (None) for what leads to the tensor.",
        "let its backward return a gradient for that argument.",
    ),
}


def _said_small(finding):
    figures = finding.figures
    count, together = figures["together"]
    if finding.cause == "cancelled":
        said = f"{_parts(_op(finding), figures)} to next to nothing, {figure(figures['size'])}."
        return [said], _TAKEN_OUT
    word = finding.cause.partition(" ")[0]
    size = f"Its largest entry is {figure(figures['size'])}; the loss started with {figure(figures['start'])}."
    most = f"It shrinks most at {_op(finding)}, to {figure(figures['fall'])} of what arrives."
    if word == "saturated":
        most += f" The function is saturated there: its slope elsewhere is up to {figure(figures['usual'])}."
    all_of = f"The {count} ops of this name on the way shrink it to {figure(together)} together." if count > 1 else ""
    step = _SATURATED if word == "saturated" else "look at the size of what goes into it."
    return [size, most, all_of, _said_silent(finding)], step


def _said_healthy(finding):
    figures = finding.figures
    falls = finding.op and figures["fall"] < 0.9
    where = f" It shrinks most at {_op(finding)}, to {figure(figures['fall'])} of what arrives." if falls else ""
    return [
        f"Its norm is {figure(figures['norm'])}, its largest entry {figure(figures['size'])}.{where}",
        _said_silent(finding),
    ], ""


def _said_silent(finding):
    """Where most entries end on the way."""
    share, op, place = finding.figures.get("silent", (0.0, "", None))
    if share < MOST or ((place, op) == (finding.place, finding.op) and finding.what != "healthy"):
        return ""
    return f"At {op}{at(place)}, {share:.0%} of the entries get nothing, or next to nothing."


_SAYING = {"None": _said_zero, "nan": _said_nan, "zero": _said_zero, "small": _said_small, "healthy": _said_healthy}
