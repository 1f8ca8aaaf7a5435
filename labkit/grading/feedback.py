"""One page for each student: what each answer earned, why, and the code that was graded.

A page holds what the student may know: no random input, no expected value, no solution, nothing of other students. What is
in a page comes from a student, so it is escaped, runs no script, and loads nothing.
"""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from ..working_copy import write_whole
from .disclosure import note_told
from .files import safe_name, safe_names
from .final_scores import Final
from .pages import exercise_title, render
from .results import BY_HAND, MARKED, QuestionResult, SubmissionResult

LONGEST = 20_000  # characters of a source that are shown
LINKED = "{path} is a link, and feedback must stay in {folder}: delete the link"


def write_feedback(
    folder: str | os.PathLike[str], results: Sequence[SubmissionResult | Final], assignment_title: str
) -> dict[str, Path]:
    """Write `folder/STUDENT/ASSIGNMENT.html` for each result; return the pages, by student.

    STUDENT is the student's id where that is a plain name, otherwise made from it (`files.safe_names`), so nothing is
    written outside `folder`. Raises ValueError
    if a student's folder is a link, OSError where a page cannot be written.
    """
    finals = [*map(Final.of, results)]
    pages = feedback_pages(folder, [final.result for final in finals])
    for final in finals:
        page = pages[final.result.student]
        if page.parent.is_symlink():
            raise ValueError(LINKED.format(path=page.parent, folder=folder))
        write_whole(page, student_page(final, assignment_title).encode())
    return pages


def feedback_pages(folder: str | os.PathLike[str], results: Iterable[SubmissionResult]) -> dict[str, Path]:
    """Where the page of each student is, or will be."""
    assignments = {result.student: result.assignment for result in results}
    names = safe_names(assignments)
    return {who: Path(folder) / names[who] / f"{safe_name(what)}.html" for who, what in assignments.items()}


def student_page(of: SubmissionResult | Final, assignment_title: str) -> str:
    """The page of one student, as HTML.

    >>> "<b>" in student_page(SubmissionResult("<b>", "week1", ()), "Week 1")
    False
    """
    final = Final.of(of)
    result = final.result
    questions = [_template_values(question, result.answers.get(question.question, "")) for question in result.questions]
    notes = [told for told in map(note_told, result.notes) if told]
    unread = bool(result.notes and (result.file or result.digest)) and not any(result.answers.values())
    values = {"title": assignment_title, "result": result, "final": final, "questions": questions, "notes": notes}
    return render("feedback.html", values | {"unread": unread})


def _template_values(question: QuestionResult, source: str) -> dict[str, Any]:
    """What the template shows of one question. `detail` is not in it."""
    return {
        **{name: getattr(question, name) for name in ("question", "points", "max_points", "text", "hint", "comment")},
        "title": exercise_title(question.exercise),
        "state": _state(question),
        "source": source[:LONGEST],
        "left_out": max(0, len(source) - LONGEST),
    }


def _state(question: QuestionResult) -> str:
    """The name of the look: right, partly, open (nothing handed in), hand (a person grades it) or wrong."""
    if question.kind == BY_HAND:
        return "hand"
    if question.kind == "right" or (question.kind == MARKED and question.points >= question.max_points):
        return "right"
    if question.kind in ("empty", "missing"):
        return "open"
    return "partly" if question.points > 0 else "wrong"
