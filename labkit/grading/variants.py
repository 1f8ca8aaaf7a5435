"""Which of several exercises a notebook asks: as it says itself, checked against what its student was given."""

import re
from collections.abc import Collection

from .assignment import Assignment
from .salvage import SubmittedCode

OTHERS = "This notebook was made for "  # how a note on somebody else's notebook begins


ANOTHER = "This is the notebook of another assignment"  # how the note on one begins
NOT_DRAWN = "Your notebook asks another question here than the one that was drawn for you; your instructor looks at it."


class UnknownVariant(ValueError):
    """A notebook whose questions are not known, neither from it nor for its student; or one of another assignment."""


def variant_of(
    assignment: Assignment, student: str, handed: SubmittedCode, called: Collection[str]
) -> tuple[Assignment, list[str], set[str]]:
    """The assignment as the notebook asks it, notes where that is not what the student was given, and the questions of that.

    The notebook's metadata say it; where a program has dropped them, the name of the exercise in the cell that grades. A
    notebook that says nothing, of an older labkit or typed anew, has what is drawn for the student. Raises `UnknownVariant`
    where the student is not known either, and for a notebook that its metadata call one of another assignment; `called` is
    what the student is called, empty where a system's number is all there is.
    """
    if handed.assignment and handed.assignment != assignment.name:
        raise UnknownVariant(
            f"{ANOTHER}, {handed.assignment[:100]!r}, and not of {assignment.name!r}. Ask for the right one."
        )
    varying = assignment.varying
    if not varying:
        return assignment, [], set()
    told = {name: exercise for name, exercise in handed.variant if exercise in varying.get(name, ())}
    told = {**_mentioned(handed, varying), **told}
    missing = [name for name in varying if name not in told]
    if missing and not called:
        raise UnknownVariant(
            f"The notebook does not say which exercise {', '.join(missing)} asks, and whose it is says no roster. "
            "Grade with the roster from which the notebooks were made: --roster FILE."
        )
    names = dict.fromkeys((student, *called))
    drawn = [{q.name: q.exercise for q in assignment.for_student(name).questions} for name in names]
    other = set(told) if called else set()
    for one in drawn:
        other = min(other, {name for name in told if told[name] != one[name]}, key=len)
    notes = []
    if called and handed.made_for and handed.made_for not in called:
        notes.append(f"{OTHERS}{handed.made_for[:100]}, and not for {student}.")
    elif other:
        notes.append(f"{OTHERS}somebody else, as {', '.join(sorted(other))} shows.")
    return assignment.for_student(student, told), notes, other


def _mentioned(handed: SubmittedCode, varying: dict[str, tuple[str, ...]]) -> dict[str, str]:
    """The exercises that cells name, in quotes: the cell that grades a question, otherwise any."""
    found = {}
    for name, exercises in varying.items():
        grading = [cell.source for cell in handed.cells if cell.grade_id == f"check-{name}"]
        for text in ("\n".join(grading), "\n".join(cell.source for cell in handed.cells)):
            named = [e for e in exercises if re.search(rf"[\"']{re.escape(e)}[\"']", text)]
            if len(named) == 1:
                found[name] = named[0]
                break
    return found
