"""Answers for manual grading: found in a submission, with their pictures, and kept until they are marked."""

import base64
import json
from collections.abc import Collection, Iterable, Iterator
from typing import Any

from ..working_copy import DAMAGED
from .assignment import Assignment, Question
from .damaged_notebooks import CodeCell, SubmittedCode, TextCell
from .files import LIMIT
from .instructor_questions import TASK, AddedQuestion
from .results import BY_HAND, QuestionResult

WAITING = "Your instructor will grade this answer."


def written_answers(
    asked: Iterable[Question | AddedQuestion], handed: SubmittedCode, assignment: Assignment
) -> dict[str, str]:
    """What was written for each question that a person grades; none for a question whose cell is gone."""
    known = known_ids(assignment)
    found = {question.name: _written(question, handed, known) for question in by_person(asked)}
    return {name: answer for name, answer in found.items() if answer is not None}


def by_person(asked: Iterable[Question | AddedQuestion]) -> list[AddedQuestion]:
    """The questions that a person grades."""
    return [q for q in asked if isinstance(q, AddedQuestion) and q.by_hand]


def known_ids(assignment: Assignment) -> set[str]:
    """The ids of the cells that belong to the assignment."""
    return {*assignment.locked, *(q.answer_id for q in assignment.questions), *(q.name for q in assignment.added)}


def _written(question: AddedQuestion, handed: SubmittedCode, known: Collection[str]) -> str | None:
    """What a student wrote; for a task everything between it and the next cell with an id of the assignment."""
    cells = list(_in_order(handed))
    places = [i for i, cell in enumerate(cells) if cell.grade_id == question.name]
    if not places:
        return None
    if question.kind != TASK:
        return cells[places[-1]].source
    found: list[str] = []
    for cell in cells[places[-1] + 1 :]:
        if cell.grade_id in known:
            break
        found.append(f"```python\n{cell.source}\n```" if isinstance(cell, CodeCell) else cell.source)
    return "\n\n".join(filter(str.strip, found))


def by_hand(question: AddedQuestion, written: dict[str, str]) -> QuestionResult:
    """The result before it is marked: nothing for no answer, otherwise a person is awaited."""
    answer = written.get(question.name)
    if answer is None:
        kind, text = "missing", "The cell of this question is missing."
    elif not answer.strip() or (question.kind != TASK and answer.split() == question.blank.split()):
        kind, text = "empty", "There is no answer yet."
    else:
        kind, text = BY_HAND, WAITING
    detail = "" if kind == BY_HAND else text
    return QuestionResult(question.name, question.title, 0.0, question.points, kind, text, detail, share=0.0)


def _in_order(handed: SubmittedCode) -> Iterator[CodeCell | TextCell]:
    """All cells as they are in the notebook."""
    texts = list(handed.texts)
    for cell in handed.cells:
        while texts and texts[0].before < cell.index:
            yield texts.pop(0)
        yield cell
    yield from texts


MOST, LARGEST = 4, 1_000_000  # of one answer, and characters of each
_PNG = b"\x89PNG\r\n\x1a\n"


def pictures_of(data: bytes, kinds: dict[str, str], known: Collection[str]) -> dict[str, list[str]]:
    """The PNG pictures, in Base64, of the questions in `kinds` (name -> kind), from the bytes of a notebook.

    Of a task they are those of all cells up to the next of the ids `known`. What is not a picture is left out; nothing is raised.
    """
    try:
        cells = json.loads(data)["cells"] if kinds and len(data) <= LIMIT else []
        found, at = dict[str, list[str]](), ""
        for cell in cells:
            own = cell.get("metadata", {}).get("nbgrader", {}).get("grade_id") or cell.get("id")
            at = own if own in known or (at and kinds.get(at) != TASK) else at
            if at in kinds:
                found[at] = [*found.get(at, []), *_pictures(cell)][:MOST]
    except DAMAGED:
        return {}
    return {name: pictures for name, pictures in found.items() if pictures}


def _pictures(cell: dict[str, Any]) -> Iterator[str]:
    outputs = [output.get("data", {}) for output in cell.get("outputs", [])]
    for bundle in (*outputs, *cell.get("attachments", {}).values()):
        text = bundle.get("image/png", "")
        text = "".join("".join(text).split())
        if len(text) <= LARGEST and base64.b64decode(text[:12]).startswith(_PNG):
            yield base64.b64encode(base64.b64decode(text)).decode()
