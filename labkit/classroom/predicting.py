"""`predict` keeps what a reader expects before the code runs; `predictions` counts how often a unit's predictions were right."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from ..messages.suggestions import did_you_mean
from ..messages.wrapping import wrapped
from .progress import kept_predictions, remember_prediction

HOW = "Replace ... by {options} to keep your prediction."
KEPT = 'Your prediction "{choice}" is kept.'
NO_NAME = "There is no prediction {name!r}. {suggestion}"
COPY_IT = 'Copy it from the cell in the notebook, such as predict("{name}", ...).'
NO_OPTION = "expected {options}, but got {choice!r}"
NO_UNIT = "There are no predictions of a unit {unit!r}. {suggestion}"
NONE_KEPT = 'No prediction of unit {unit} is kept. In each cell predict("{name}", ...), replace ... by a letter.'
RATE = "You predicted {right} of {kept} correctly."
MISS = "The miss was about {subjects}."
MISSES = "The {number} misses were about {subjects}."
OPEN = "Not predicted yet: {names}."
NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


@cache
def course() -> dict[str, dict[str, dict[str, str]]]:
    """The predictions of each unit by name: the `right` option, what it is `about`, and `options = "ab"` if there are two."""
    return tomllib.loads(Path(__file__).with_name("predictions.toml").read_text(encoding="utf-8"))


def predict(name: str, choice: Any = ...) -> None:
    """Keep your prediction `name`: the letter of one of its options. It does not say which one is right.

    `...` keeps nothing. Raises ValueError for a name that no unit has, and for another option. In a notebook the choice is kept
    next to the right answers (`labkit.progress`); a later choice replaces it.
    """
    entries = {f"{unit}-{each}": entry for unit, names in course().items() for each, entry in names.items()}
    if name not in entries:
        suggestion = did_you_mean(name, entries, COPY_IT.format(name=next(iter(entries))))
        raise ValueError(NO_NAME.format(name=name, suggestion=suggestion))
    letters = entries[name].get("options", "abc")
    options = '"a" or "b"' if letters == "ab" else '"a", "b" or "c"'
    if choice is ...:
        print(HOW.format(options=options))
        return
    chosen = choice.strip(" ()").lower() if isinstance(choice, str) else choice
    if chosen not in list(letters):
        raise ValueError(NO_OPTION.format(options=options, choice=choice))
    notice = remember_prediction(name, chosen)
    print(wrapped("\n".join(filter(None, [KEPT.format(choice=chosen), notice]))))


def predictions(unit: str) -> None:
    """Print how many of your predictions in a unit, such as "05" or "E3", were right, and what the others were about.

    Raises ValueError for a unit without predictions.
    """
    unit = str(unit).upper()
    if unit not in course():
        raise ValueError(NO_UNIT.format(unit=unit, suggestion=did_you_mean(unit, sorted(course()))))
    names, kept = course()[unit], kept_predictions()
    chosen = {name: kept[f"{unit}-{name}"] for name in names if f"{unit}-{name}" in kept}
    if not chosen:
        print(wrapped(NONE_KEPT.format(unit=unit, name=f"{unit}-{next(iter(names))}")))
        return
    missed = [names[name]["about"] for name, choice in chosen.items() if choice != names[name]["right"]]
    lines = [RATE.format(right=len(chosen) - len(missed), kept=len(chosen))]
    if missed:
        subjects = " and ".join(filter(None, [", ".join(missed[:-1]), missed[-1]]))
        lines[0] += " " + (MISS if len(missed) == 1 else MISSES).format(number=NUMBERS[len(missed)], subjects=subjects)
    if left := [f"{unit}-{name}" for name in names if name not in chosen]:
        lines.append(OPEN.format(names=", ".join(left)))
    print(wrapped("\n".join(lines)))
