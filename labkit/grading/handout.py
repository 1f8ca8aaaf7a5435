"""Write the notebooks of a course into its folder: the instructor's, the students', one student's own."""

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..classroom import base_of
from ..sandbox import NotIsolated
from .assignment import Assignment, grade_id_of, read_notebook
from .build import digest, instructor_notebook, personal, what_is_asked
from .course import Course, CourseError
from .course_file import PlannedAssignment
from .grader import Settings
from .instructor_questions import misplaced
from .notebooks import write, writes
from .release import released
from .results import BY_HAND, QuestionResult
from .workers import Work, grade_here

OUT_OF_STEP = "{path} was changed by hand, and differs from course.toml ({parts}). Change it back, or delete it."
KEPT = "{path}: changed by hand, so it was kept. (Delete it to get a new one.)"
KEPT_EXCEPT = "{path}: changed by hand, so it was kept, except for {parts}. (Delete it to get a new one.)"
PERSONAL = "personal/STUDENT/{name}/{name}.ipynb: one for each of {count} students"
NO_STUDENTS = "{name}: each student gets a variant. Name the roster in course.toml, and build again"
SOLUTION_FAILS = "{path}: the solution of {exercise!r} fails in the sandbox: {text}"
TESTS_FAIL = "{path}: the tests '{question}' fail on your own answers: {why}"
TESTS_PASS = "{path}: the tests '{question}' pass on the released notebook."
ADVICE = "{detail}. Compare numbers, texts, containers or arrays, such as the attributes of an object."


def hand_out(course: Course, planned: PlannedAssignment, students: tuple[str, ...] = ()) -> list[str]:
    """Write the notebooks of one assignment; returns what to tell the instructor, a line each.

    A source that was changed by hand is kept, and the students' notebooks are made from it.
    """
    source, lines = _source(course, planned)
    _examine(source, str(course.source(planned.name)))
    if not planned.varies:
        path = course.release(planned.name)
        write(released(source), path)
        return [*lines, "{path}: for the students".format(path=_short(course, path))]
    assignment = Assignment.from_notebook(source)
    for student in students:
        write(released(personal(source, assignment, student)), course.personal(student, planned.name))
    if students:
        return [*lines, PERSONAL.format(name=planned.name, count=len(students))]
    return [*lines, NO_STUDENTS.format(name=planned.name)]


def _source(course: Course, planned: PlannedAssignment) -> tuple[Any, list[str]]:
    """The instructor's notebook, new or as it was changed by hand, and what to tell about it."""
    path = course.source(planned.name)
    fresh = instructor_notebook(course, planned)
    if path.exists():
        kept = read_notebook(path)
        Assignment.from_notebook(kept, str(path))  # AssignmentError, if it is not ours: it is not overwritten
        if changed_by_hand(kept):
            brought = bring_up_to_date(kept, fresh)
            if differences := out_of_step(kept, fresh):
                raise CourseError(OUT_OF_STEP.format(path=_short(course, path), parts=", ".join(differences)))
            if brought:
                write(kept, path)
            said = KEPT_EXCEPT if brought else KEPT
            return kept, [said.format(path=_short(course, path), parts=", ".join(brought))]
    write(fresh, path)
    return fresh, ["{path}: yours, with solutions and hidden tests".format(path=_short(course, path))]


def _examine(source: Any, path: str) -> None:
    """Raise CourseError for tests that cannot work, and for those that the instructor's own answers do not pass."""
    assignment = Assignment.from_notebook(source, path)
    problems = [f"{path}: {problem}" for problem in misplaced(source.cells)]
    if not problems and any(not question.by_hand for question in assignment.added):
        with suppress(NotIsolated):  # `labkit course check` says so
            problems = list(trial_problems(source, assignment, path))
    if problems:
        raise CourseError(*problems)


def trial_problems(source: Any, assignment: Assignment, path: str) -> Iterator[str]:
    """The instructor's own exercises and tests must be right where students' answers run, and not for empty ones.

    Raises `NotIsolated` where nothing can be run.
    """
    works = [Work("solution", writes(source).encode()), Work("empty", writes(released(source)).encode())]
    own, tests = dict(assignment.own), {question.name for question in assignment.added if not question.by_hand}
    solved, empty = grade_here(replace(assignment, slots=()), Settings(assignment.seed), works)
    for question in solved.questions:
        if base_of(question.exercise) in own and question.kind != "right":
            yield SOLUTION_FAILS.format(path=path, exercise=question.exercise, text=question.text)
        if question.question in tests and question.kind != "right":
            yield TESTS_FAIL.format(path=path, question=question.question, why=_why(question))
    for question in empty.questions:
        if question.question in tests and question.kind == "right":
            yield TESTS_PASS.format(path=path, question=question.question)


def _why(question: QuestionResult) -> str:
    if question.kind == BY_HAND:
        return ADVICE.format(detail=question.detail)
    return question.detail or question.text


def changed_by_hand(notebook: Any) -> bool:
    """True where a cell is not as `labkit course build` wrote it."""
    return notebook.metadata["labkit"].get("digest") != digest(notebook)


def out_of_step(notebook: Any, fresh: Any) -> list[str]:
    """What the assignment in `notebook` has other than the one in `fresh`: parts of a sentence."""
    have, want = Assignment.from_notebook(notebook), Assignment.from_notebook(fresh)
    differing = [field for field in ("name", "title", "seed") if getattr(have, field) != getattr(want, field)]
    if notebook.metadata["labkit"].get("hints") != fresh.metadata["labkit"]["hints"]:
        differing.append("hints")
    if have.slots != want.slots:
        return [*differing, "the questions"]
    differing += [f"the exercise {name!r}" for name, text in want.own if dict(have.own).get(name) != text]
    worth = [theirs.name for ours, theirs in zip(have.questions, want.questions) if ours.points != theirs.points]
    return differing + ["the points of {name!r}".format(name=name) for name in worth]


def bring_up_to_date(kept: Any, fresh: Any) -> list[str]:
    """Put into a notebook that was changed by hand what `fresh` has other: points, partial credit, own exercises.

    What else differs stays. The cells of an own exercise that was changed are replaced. Returns what was done, in words.
    """
    have, want = Assignment.from_notebook(kept), Assignment.from_notebook(fresh)
    if have.name != want.name or [slot.any_of for slot in have.slots] != [slot.any_of for slot in want.slots]:
        return []
    new = {grade_id_of(cell): cell for cell in fresh.cells}
    texts = [name for name, text in want.own if dict(have.own).get(name) != text]
    worth = {w.name for h, w in zip(have.questions, want.questions) if h.points != w.points}
    partial = [slot.name for slot, other in zip(want.slots, have.slots) if slot.partial != other.partial]
    for i, cell in enumerate(kept.cells):
        kind, _, name = (grade_id_of(cell) or "").partition("-")
        question = next((q for q in want.questions if q.name == name), None)
        sealed = bool(texts) and grade_id_of(cell) == "own-exercises"
        if sealed or (question and base_of(question.exercise) in texts and kind in ("statement", "answer", "check")):
            kept.cells[i] = new[grade_id_of(cell)]
        elif name in worth and kind == "check":
            cell.metadata["nbgrader"]["points"] = new[grade_id_of(cell)].metadata["nbgrader"]["points"]
        elif name in worth and kind == "statement" and (told := _WORTH.search(new[grade_id_of(cell)].source)):
            cell.source = _WORTH.sub(told[0], cell.source, count=1)
    changed = fresh.metadata["labkit"]
    kept.metadata["labkit"] |= {key: changed[key] for key in ("slots", "own") if key in changed}
    done = (("the exercise", texts), ("the points of", sorted(worth)), ("partial credit for", partial))
    return [f"{what} {name!r}" for what, names in done for name in names] + _title_brought(kept)


def _title_brought(kept: Any) -> list[str]:
    """Let the first cell say how many questions and points there are now, with those that were added by hand."""
    now = Assignment.from_notebook(kept)
    says = what_is_asked(len(now.order), now.max_points)
    title = next((cell for cell in kept.cells if grade_id_of(cell) == "title"), None)
    if title is None or (source := _ASKED.sub(says, title.source, count=1)) == title.source:
        return []
    title.source = source
    return ["the sum of points in the first cell"]


_ASKED = re.compile(r"\bQuestions: \d+\. Points: \d+(?:\.\d+)?\.")
_WORTH = re.compile(r"\(\d+(?:\.\d+)? points?\)$", re.MULTILINE)


def _short(course: Course, path: Path) -> str:
    return path.relative_to(course.folder).as_posix()
