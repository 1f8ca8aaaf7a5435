"""An answer in sentences: the gradient, its cause and line, and the next step.

`cut_words` has those for a way that is cut, `open_words` those for one that is open.
"""

from typing import Any

from .answer import Why, place_of

_OPENINGS = {
    "None": "There is no gradient.",
    "zero": "The gradient is zero.",
    "nan": "The gradient is not finite.",
    "small": "The gradient is small.",
    "wrong": "The gradient is wrong.",
    "healthy": "The gradient is healthy.",
}


def answer(what: str, cause: str, sentences: list[str], where: Any = None, step: str = "", possible: Any = ()) -> Why:
    """A `Why` of these sentences; empty ones are left out."""
    lines = [" ".join(filter(None, [_OPENINGS[what], *sentences]))]
    lines += [f"- {way}" for way in possible]
    lines += [f"Next: {step}"] if step else []
    return Why(what, cause, place_of(where), step, "\n".join(lines), tuple(possible))


def at(where: Any) -> str:
    """` at line 3: ...`, or nothing."""
    place = place_of(where)
    return f" ({place})" if place else ""


def figure(value: float) -> str:
    """A number as short as it may be."""
    return f"{value:.3g}"
