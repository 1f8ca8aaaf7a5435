"""The entries of `course.toml`: the questions that each assignment asks, and a sentence for each mistake."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..classroom import EXERCISES
from ..messages.suggestions import did_you_mean
from .assignment import not_asked
from .late_policy import ASSIGNMENT_RULES, COURSE_RULES, rule_problems

VERSIONS = 20  # of a question with drawn numbers: as many neighbours have other ones
NO_QUESTION = "{where}: expected the name of an exercise or a table {{ exercise = ... }}, but got {entry!r}."
NOT_DRAWN = "{where}: {exercises}: not available with random numbers. These are: {known}."
BAD_NAME = "{where}: name is {name!r}; expected letters, digits, - and _, at most 50, such as 'week-1'."
SAME_ASSIGNMENT = "two assignments are called {name!r}. Rename one."
SAME_QUESTION = "{where}: two questions are called {name!r}. Rename one."
ASKED_TWICE = "{where}: the exercise {name!r} is asked twice. Remove one."


@dataclass(frozen=True)
class PlannedQuestion:
    """A question as `course.toml` has it: each student gets one of `exercises`, and with `partial` part of the points."""

    name: str
    exercises: tuple[str, ...]
    points: float
    partial: bool = False


@dataclass(frozen=True)
class PlannedAssignment:
    """An assignment as `course.toml` has it; `hints` says whether students get `check` and `hint` while they work."""

    name: str
    title: str
    hints: bool
    questions: tuple[PlannedQuestion, ...]

    @property
    def varies(self) -> bool:
        """True where students get different questions."""
        return any(len(question.exercises) > 1 for question in self.questions)


def planned(entry: dict[str, Any], seed: int) -> PlannedAssignment:
    """An assignment from its table in `course.toml`; numbers are drawn by the course's `seed`."""
    usual = {str(key): entry[key] for key in ("partial", "drawn") if key in entry}
    asked = tuple(planned_question(question, seed, usual) for question in entry["questions"])
    return PlannedAssignment(entry["name"], entry["title"], entry.get("hints", False), asked)


def planned_question(
    entry: str | dict[str, Any], seed: int = 0, usual: dict[str, bool] | None = None
) -> PlannedQuestion:
    """A question; `usual` is what its assignment says of partial credit and of drawn numbers, where it says it.

    >>> planned_question({"exercise": "fd-cost", "drawn": True}, seed=1).exercises[:2]
    ('fd-cost:950890', 'fd-cost:24419')
    """
    said = {**(usual or {}), **({"exercise": entry} if isinstance(entry, str) else entry)}
    asked = tuple(said.get("any_of") or [said["exercise"]])
    name, points = said.get("name", asked[0]), said.get("points", EXERCISES[asked[0]].points)
    partial = said.get("partial", any(EXERCISES[exercise].partial_credit for exercise in asked))
    drawn = tuple(one for exercise in asked for one in versions(exercise, seed, name)) if said.get("drawn") else asked
    return PlannedQuestion(name, drawn, float(points), partial)


def versions(exercise: str, seed: int, question: str) -> tuple[str, ...]:
    """The names of an exercise with drawn numbers, in the order of a question's draw; itself where it draws none."""
    if not EXERCISES[exercise].numbers:
        return (exercise,)
    found: dict[str, None] = {}
    for k in range(2 * VERSIONS):
        digest = hashlib.sha256(f"{seed}\n{question}\n{exercise}\n{k}".encode()).digest()
        found[f"{exercise}:{int.from_bytes(digest) % 999_999 + 1}"] = None
    return tuple(found)[:VERSIONS]


NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,49}")
_COURSE_KEYS = ("title", "seed", "assignment", *COURSE_RULES)
_ASSIGNMENT_KEYS = ("name", "title", "hints", "partial", "drawn", "questions", *ASSIGNMENT_RULES)
_QUESTION_KEYS = ("exercise", "name", "any_of", "points", "partial", "drawn")


def course_problems(data: dict[str, Any]) -> Iterator[str]:
    """What is wrong with a course, as far as its assignments and rules go."""
    yield from _unknown_keys(data, _COURSE_KEYS, "the course")
    yield from _text(data, "title", "the course")
    if not _is_int(data.get("seed")):
        yield "seed is {seed!r}; expected a whole number, such as seed = 20261121.".format(seed=data.get("seed"))
    yield from rule_problems(data)
    assignments = data.get("assignment")
    if not isinstance(assignments, list) or not assignments or not all(isinstance(a, dict) for a in assignments):
        yield "there is no assignment. Start one with a line [[assignment]]."
        return
    for i, entry in enumerate(assignments, 1):
        yield from _assignment_problems(entry, f"assignment {entry.get('name', i)!r}")
    yield from _repeated((str(entry.get("name")).lower() for entry in assignments), SAME_ASSIGNMENT)


def _assignment_problems(entry: dict[str, Any], where: str) -> Iterator[str]:
    yield from _unknown_keys(entry, _ASSIGNMENT_KEYS, where)
    yield from _name(entry.get("name"), where)
    yield from _text(entry, "title", where)
    yield from _yes_or_no(entry, ("hints", "partial", "drawn"), where)
    asked = entry.get("questions")
    if not isinstance(asked, list) or not asked:
        yield '{where}: expected a list of questions, such as questions = ["grad-slip"].'.format(where=where)
        return
    problems = [
        p for i, question in enumerate(asked, 1) for p in _question_problems(question, f"{where}, question {i}")
    ]
    yield from problems
    if not problems:
        names = [planned_question(question).name for question in asked]
        twice = list(_repeated(iter(names), SAME_QUESTION, where))
        asked_for = (e for question in asked for e in planned_question(question).exercises)
        yield from twice or _repeated(asked_for, ASKED_TWICE, where)


def _question_problems(entry: Any, where: str) -> Iterator[str]:
    entry = {"exercise": entry} if isinstance(entry, str) else entry
    if not isinstance(entry, dict):
        yield NO_QUESTION.format(where=where, entry=entry)
        return
    yield from _unknown_keys(entry, _QUESTION_KEYS, where)
    yield from _yes_or_no(entry, ("partial", "drawn"), where)
    if ("exercise" in entry) == ("any_of" in entry):
        yield '{where}: expected either exercise = "..." or any_of = ["...", "..."].'.format(where=where)
        return
    exercises = entry.get("any_of", [entry.get("exercise")])
    if not isinstance(exercises, list) or not exercises or not all(isinstance(e, str) for e in exercises):
        yield "{where}: expected names of exercises, but got {exercises!r}.".format(where=where, exercises=exercises)
        return
    refused = [problem for name in exercises if (problem := not_asked(name))]
    yield from (f"{where}: {problem}" for problem in refused)
    if "any_of" in entry and "name" not in entry:
        yield '{where}: a question with any_of needs a name, such as name = "q1".'.format(where=where)
    yield from _name(entry.get("name", "a-name"), where)
    if not refused:
        yield from _points_problems(entry, exercises, where)
        yield from _drawn_problems(entry, exercises, where)


def _drawn_problems(entry: dict[str, Any], exercises: list[str], where: str) -> Iterator[str]:
    if entry.get("drawn") is True and not any(EXERCISES[name].numbers for name in exercises):
        known = ", ".join(name for name in EXERCISES if EXERCISES[name].numbers)
        yield NOT_DRAWN.format(where=where, exercises=" and ".join(exercises), known=known)


def _points_problems(entry: dict[str, Any], exercises: list[str], where: str) -> Iterator[str]:
    points = entry.get("points", 1)
    if isinstance(points, bool) or not isinstance(points, (int, float)) or not 0 < points < float("inf"):
        yield "{where}: points is {points!r}; expected a number above 0.".format(where=where, points=points)
    elif "points" not in entry and len({EXERCISES[name].points for name in exercises}) > 1:
        worth = ", ".join(f"{name} {EXERCISES[name].points}" for name in exercises)
        yield "{where}: its exercises differ in points ({worth}). Write points = 2.".format(where=where, worth=worth)


def _unknown_keys(entry: dict[str, Any], known: tuple[str, ...], where: str) -> Iterator[str]:
    for key in entry.keys() - set(known):
        yield "{where}: unknown key {key!r}. {advice}".format(where=where, key=key, advice=did_you_mean(key, known))


def _yes_or_no(entry: dict[str, Any], keys: tuple[str, ...], where: str) -> Iterator[str]:
    for key in keys:
        if not isinstance(entry.get(key, False), bool):
            yield "{where}: {key} is {value!r}; expected true or false.".format(where=where, key=key, value=entry[key])


def _text(entry: dict[str, Any], key: str, where: str) -> Iterator[str]:
    if not isinstance(entry.get(key), str) or not entry[key].strip():
        yield '{where}: it has no {key}. Write {key} = "...".'.format(where=where, key=key)


def _name(name: Any, where: str) -> Iterator[str]:
    if not isinstance(name, str) or not NAME.fullmatch(name):
        yield BAD_NAME.format(where=where, name=name)


def _repeated(names: Iterator[str], text: str, where: str = "") -> Iterator[str]:
    yield from (text.format(where=where, name=name) for name, n in Counter(names).items() if n > 1)


def _is_int(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
