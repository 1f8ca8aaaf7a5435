"""The way back is cut: by what, in words, and what to do."""

from typing import Any

from .answer import Why, place_of
from .words import answer, at

_CUT_WORDS: dict[str, tuple[str, str]] = {
    "detached": (
        "{op}{at} gives the values on and forgets what they were made of: the way from the loss back ends there.",
        "take the loss from the tensor before this line; where a copy is only looked at, detach it beside the way.",
    ),
    "no_grad": (
        "{op}{at} ran while nothing was recorded (no_grad, inference_mode or set_grad_enabled(False)), so its result is a"
        " constant.{off}",
        "compute what the loss needs outside of that block; of a distribution take rsample, not sample.",
    ),
    "integer": (
        "{op}{at} gives integers or truth values. They jump and have no slope, so no gradient goes through them.",
        "keep the way to the loss floating: cast beside it, or take a smooth stand-in, such as sigmoid for a comparison and"
        " softmax for argmax.",
    ),
    "no derivative": (
        "{op}{at} gives its result as a constant: no gradient is sent through it, for it is flat or has no derivative.",
        "compute this with functions that have a slope, or give it a derivative of your own (straight through).",
    ),
    "no create_graph": (
        "{op}{at} gives a gradient as a constant: how that was computed is recorded only where it is asked for.",
        "write create_graph=True in that line, or in the backward() that filled .grad.",
    ),
    "overwritten": (
        "{op}{at} overwrites what had been computed; what the loss sees there no longer depends on the tensor.",
        "write the new values into a new tensor, and go on with the old one.",
    ),
    "numbers": (
        "{op}{at} gets plain numbers, which had been taken out of the tensors{left}. Python and NumPy keep no history, so the way"
        " back ends there.",
        "stay with tensors on the way to the loss: use the framework's functions, and take numbers out only to look at them.",
    ),
}


def cut(found: list, what: str = "None", left: Any = None) -> Why:
    """The way is cut at these notes, of which the first is named."""
    first = found[0]
    said, step = _CUT_WORDS[first.kind]
    out = f" by {left.op}{at(left.place)}" if left is not None else ""
    more = _others(found)
    cause = first.kind if left is None else exit_cause(left)
    where = first.place if left is None else left.place
    return answer(
        what, cause, [said.format(op=first.op, at=at(first.place), left=out, off=_off(first)), more], where, step
    )


def _off(note):
    """Where recording had been switched off, if that is another line."""
    elsewhere = note.off is not None and place_of(note.off) != place_of(note.place)
    return f" That began in {place_of(note.off)}." if elsewhere else ""


def exit_cause(left: Any) -> str:
    """ "numpy" for an array that left, "left as a number" for a number."""
    return "numpy" if left.op in ("numpy", "asnumpy", "__array__", "array", "asarray") else "left as a number"


def _others(found):
    places = list(dict.fromkeys(str(place_of(n.place)) for n in found if n.place is not None and n is not found[0]))
    places = [p for p in places if p != str(place_of(found[0].place))]
    return f"It is cut elsewhere, too: {'; '.join(places[:3])}." if places else ""


def beside(found: list) -> str:
    """That other uses are cut, beside a gradient that arrives."""
    place = next((note for note in found if note.place is not None), None)
    if place is None:
        return ""
    return f"One use of it is cut off by {place.op}{at(place.place)}: what it would bring is missing."
