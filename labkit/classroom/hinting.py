"""Chooses the next hint: none about items that are right, and first those about the misconception found."""

import re
from typing import Any

from ..evidence import plain_data
from .compare import as_asked, differences
from .exercise import Exercise

SO_FAR = "Right so far: {right} of {count} items. Look at item {item} first."


def wrong_items(exercise: Exercise, answer: Any, right: Any = None) -> tuple[int, ...] | None:
    """The places of a prediction's wrong items; None where the answer is not a list of the right length.

    `right` is the right answer, where that is known already.

    >>> from .exercises import EXERCISES
    >>> wrong_items(EXERCISES["start-order"], [2, 3, 3]), wrong_items(EXERCISES["start-order"], 7)
    ((2,), None)
    """
    right = exercise.expected() if exercise.is_prediction and right is None else right
    if not isinstance(right, (tuple, list)):
        return None
    try:
        paths = [found.path for found in differences(right, as_asked(right, plain_data(answer)))]
    except Exception:  # an answer may be anything
        return None
    return None if "" in paths else tuple(dict.fromkeys(int(path[1:].split("]")[0]) for path in paths))


def fitting(exercise: Exercise, wrong: tuple[int, ...] | None) -> tuple[str, ...]:
    """The hints without those that speak of right items alone; where none is left, the rules of the wrong ones.

    >>> from .exercises import EXERCISES
    >>> len(fitting(EXERCISES["grad-slip"], None))
    3
    """
    if wrong is None:
        return exercise.hints
    kept = tuple(h for h in exercise.hints if not (about := _items(exercise, h)) or about.intersection(wrong))
    rules = (exercise.rules[min(i, len(exercise.rules) - 1)] for i in wrong if exercise.rules)
    return kept or tuple(dict.fromkeys(rules)) or exercise.hints


def so_far(exercise: Exercise, wrong: tuple[int, ...] | None) -> str:
    """How much of a prediction is right, and where to look first; an empty text where that is not known."""
    if not wrong:
        return ""
    first, count = wrong[0], len(exercise.expected())
    item = f"[{first}] ({exercise.places[first]})" if first < len(exercise.places) else f"[{first}]"
    return SO_FAR.format(right=count - len(wrong), count=count, item=item)


def _items(exercise, hint):
    """The items that a hint names, by their number or by their place's words."""
    numbers = {int(n) for n in re.findall(r"\b[Ii]tems? \[?(\d)\b", hint)}
    places = {
        i for i, place in enumerate(exercise.places) if re.search(rf"(?<![\w.]){re.escape(place)}(?![\w\[(.])", hint)
    }
    return numbers | places
