"""Scores the journal again with the current points and texts, and finds the verdicts that must be computed again.

A verdict depends on the exercise or the tests, on the set-up and on the answer's place. Points, titles, partial credit and
the sentences of an exercise are not part of it: they are filled in whenever results are written.
"""

import hashlib
import json
from collections.abc import Collection
from dataclasses import replace
from typing import Any

from ..classroom import base_of, find
from .assignment import Assignment, Question
from .instructor_questions import AddedQuestion
from .results import BY_HAND, MARKED, QuestionResult, SubmissionResult


def basis(assignment: Assignment, question: Question | AddedQuestion) -> str:
    """A digest of what the verdict on a question depends on."""
    if isinstance(question, AddedQuestion):
        parts: list[Any] = [question.kind] if question.by_hand else [question.source, *question.prelude]
    else:
        parts = [question.exercise, dict(assignment.own).get(base_of(question.exercise), ""), question.partial]
    given = [assignment.setup, [source for _, source, _ in assignment.inner]]
    return hashlib.sha256(json.dumps([question.name, parts, given]).encode()).hexdigest()[:12]


def asked_of(variant: Assignment) -> tuple[Question | AddedQuestion, ...]:
    """All questions of a student's variant, in the order of the notebook."""
    places = {name: i for i, name in enumerate(variant.order)}
    return tuple(sorted((*variant.questions, *variant.added), key=lambda q: places.get(q.name, -1)))


def stale(result: SubmissionResult, assignment: Assignment, again: Collection[str] = ()) -> frozenset[str]:
    """The questions whose verdict is missing, or depends on something else than today's; and those to be run `again`."""
    found = {question.question: question for question in result.questions}
    asked = asked_of(assignment.for_student(result.student))
    current = (q.name for q in asked if q.name in found and _stands(found[q.name], q, assignment))
    return frozenset({q.name for q in asked} - (set(current) - set(again)))


def _stands(result: QuestionResult, question: Question | AddedQuestion, assignment: Assignment) -> bool:
    """True where a verdict was found on the question as it is today: also one of several that the notebook named."""
    if isinstance(question, Question):
        several = next((dict(slot.any_of) for slot in assignment.slots if slot.name == question.name), {})
        question = replace(question, exercise=result.exercise) if result.exercise in several else question
    return result.basis == basis(assignment, question)


def merged(before: SubmissionResult, fresh: SubmissionResult) -> SubmissionResult:
    """The earlier result with the new verdicts."""
    found = {q.question: q for q in (*before.questions, *fresh.questions)}
    answers, pictures = before.answers | fresh.answers, before.pictures | fresh.pictures
    return replace(fresh, questions=tuple(found.values()), answers=answers, pictures=pictures)


def rescored(result: SubmissionResult, assignment: Assignment) -> SubmissionResult:
    """A result by today's points and texts, its questions as they are in the notebook; those that went are left out."""
    found = {question.question: question for question in result.questions}
    asked = [q for q in asked_of(assignment.for_student(result.student)) if q.name in found]
    return replace(result, questions=tuple(_by_today(found[q.name], q) for q in asked))


def _by_today(result: QuestionResult, question: Question | AddedQuestion) -> QuestionResult:
    share = result.share
    if share is None:
        share = result.points / result.max_points if result.max_points else 0.0
    if isinstance(question, AddedQuestion):
        points = result.points if result.kind in (BY_HAND, MARKED) else round(share * question.points, 6)
        return replace(result, exercise=question.title, points=points, max_points=question.points)
    earned = share if question.partial else float(result.kind == "right")
    points = round(earned * question.points, 6)
    return replace(result, points=points, max_points=question.points, text=_text_of_today(result))


def _text_of_today(result: QuestionResult) -> str:
    """The sentence of a misconception as the exercise has it now."""
    exercise = find(result.exercise)
    sentences = {m.name: m.sentence for m in exercise.misconceptions} if exercise else {}
    sentence = sentences.get(result.kind, "")
    return result.text if sentence in result.text else sentence
