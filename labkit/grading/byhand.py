"""Answers that a person grades: found in what was handed in, and kept for whoever marks them."""

from collections.abc import Collection, Iterable, Iterator

from .added import TASK, AddedQuestion
from .assignment import Assignment, Question
from .results import BY_HAND, QuestionResult
from .salvage import CodeCell, SubmittedCode, TextCell

WAITING = "This answer is graded by a person."


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
    """What a student wrote; for a task what stands between it and the next cell with an id of the assignment."""
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
    """The result before anybody has marked it: nothing for no answer, otherwise a person is awaited."""
    answer = written.get(question.name)
    if answer is None:
        kind, text = "missing", "The cell of this question is missing."
    elif not answer.strip() or (question.kind != TASK and answer.split() == question.blank.split()):
        kind, text = "empty", "There is no answer yet."
    else:
        kind, text = BY_HAND, WAITING
    return QuestionResult(question.name, question.title, 0.0, question.points, kind, text, share=0.0)


def _in_order(handed: SubmittedCode) -> Iterator[CodeCell | TextCell]:
    """All cells as they stand in the notebook."""
    texts = list(handed.texts)
    for cell in handed.cells:
        while texts and texts[0].before < cell.index:
            yield texts.pop(0)
        yield cell
    yield from texts
