"""What `course.toml` says of an assignment: its questions, and the exercises of which each student gets one."""

import hashlib
from dataclasses import dataclass
from typing import Any

from ..classroom import EXERCISES

VERSIONS = 20  # of a question with drawn numbers: as many neighbours have other ones


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
