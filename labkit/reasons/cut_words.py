"""The backward pass does not reach the tensor: which op cuts the path, in words, and what to do."""

from typing import Any

from .answer import Why, place_of
from .words import answer, at

_CUT_WORDS: dict[str, tuple[str, str]] = {
    "detached": (
        "{op} returns the values without their history, so the backward pass ends there.",
        "compute the loss from the tensor before this line. To log or plot a value, detach a copy of it.",
    ),
    "no_grad": (
        "{op} ran while recording was off (no_grad, inference_mode or set_grad_enabled(False)), so its result is a constant.",
        "move the computation of the loss out of that block. From a distribution, take rsample, not sample.",
    ),
    "integer": (
        "{op} returns integers or booleans. These have no derivative, so no gradient flows through them.",
        "keep the computation of the loss in floating point, or use a smooth function, such as sigmoid for a comparison and"
        " softmax for argmax.",
    ),
    "no derivative": (
        "{op} returns a constant: it has no derivative, or its derivative is 0 everywhere.",
        "use differentiable functions here, or define a gradient of your own (a straight-through estimator).",
    ),
    "no create_graph": (
        "{op} returns a gradient as a constant, because its backward pass was not recorded.",
        "pass create_graph=True in that line, or to the backward() that filled .grad.",
    ),
    "overwritten": (
        "{op} overwrites the computed values, so the loss no longer depends on the tensor.",
        "write the new values into a new tensor, and compute the loss from the old one.",
    ),
    "numbers": (
        "{op} receives plain numbers that were taken out of the tensors. Python and NumPy record no history, so the backward"
        " pass ends there.",
        "compute the loss with the framework's functions on tensors, and convert to numbers only for logging.",
    ),
}


def cut(found: list, what: str = "None", left: Any = None) -> Why:
    """The answer for a path that is cut at these notes, of which the first is named."""
    first = found[0]
    said, step = _CUT_WORDS[first.kind]
    took = "{op} took them out.".format(op=f"{left.op}{at(left.place)}") if left is not None else ""
    cause = first.kind if left is None else exit_cause(left)
    where = first.place if left is None else left.place
    said = said.format(op=f"{first.op}{at(first.place)}")
    return answer(what, cause, [said, took, _off(first), _others(found)], where, step)


_ASIDE = "{op} cuts off one use of the tensor, so the contribution of this use is missing from the gradient."


def _off(note):
    """Where recording had been switched off, if that is another line."""
    elsewhere = note.off is not None and place_of(note.off) != place_of(note.place)
    return "Recording was switched off in {place}.".format(place=place_of(note.off)) if elsewhere else ""


def exit_cause(left: Any) -> str:
    """ "numpy" for an array that left, "left as a number" for a number."""
    return "numpy" if left.op in ("numpy", "asnumpy", "__array__", "array", "asarray") else "left as a number"


def _others(found):
    places = list(dict.fromkeys(str(place_of(n.place)) for n in found if n.place is not None and n is not found[0]))
    places = [p for p in places if p != str(place_of(found[0].place))]
    return "The path is also cut in: {places}.".format(places="; ".join(places[:3])) if places else ""


def beside(found: list) -> str:
    """That other uses are cut, although one of them gets a gradient."""
    place = next((note for note in found if note.place is not None), None)
    if place is None:
        return ""
    return _ASIDE.format(op=f"{place.op}{at(place.place)}")
