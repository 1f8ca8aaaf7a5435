"""Which of several exercises a notebook asks: as it says itself, checked against what its student was given."""

import re
from collections.abc import Collection

from .assignment import Assignment
from .salvage import SubmittedCode

OTHERS = "This notebook was made for "  # how a note on somebody else's notebook begins


class UnknownVariant(ValueError):
    """A notebook that does not say which questions it asks, of somebody of whom it is not known either."""


def variant_of(
    assignment: Assignment, student: str, handed: SubmittedCode, called: Collection[str]
) -> tuple[Assignment, list[str]]:
    """The assignment as the notebook asks it, and notes where that is not what the student was given.

    The notebook's metadata say it; where a program has dropped them, the name of the exercise in the cell that grades. A
    notebook that says nothing, of an older labkit or typed anew, has what is drawn for the student. Raises `UnknownVariant`
    where the student is not known either; `called` is what they are called, empty where a system's number is all there is.
    """
    varying = assignment.varying
    if not varying:
        return assignment, []
    told = {name: exercise for name, exercise in handed.variant if exercise in varying.get(name, ())}
    told = {**_mentioned(handed, varying), **told}
    missing = [name for name in varying if name not in told]
    if missing and not called:
        raise UnknownVariant(
            f"The notebook does not say which exercise {', '.join(missing)} asks, and whose it is says no roster. "
            "Grade with the roster from which the notebooks were made: --roster FILE."
        )
    drawn = {q.name: q.exercise for q in assignment.for_student(student).questions}
    notes = []
    if called and handed.made_for and handed.made_for not in called:
        notes.append(f"{OTHERS}{handed.made_for[:100]}, and not for {student}; it was graded as it stands.")
    elif called and not handed.made_for and (other := [name for name in told if told[name] != drawn[name]]):
        notes.append(f"{OTHERS}somebody else, as {', '.join(other)} shows; it was graded as it stands.")
    return assignment.for_student(student, told), notes


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
