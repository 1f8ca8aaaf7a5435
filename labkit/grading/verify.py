"""Checks that a course is ready: its notebooks against `course.toml`, the solutions, the empty release."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ..classroom import assess, base_of, doubts
from ..sandbox import NotIsolated
from .assignment import Assignment, AssignmentError, grade_id_of, questions, read_notebook
from .build import instructor_notebook, variant
from .course import Course, class_rules
from .course_file import PlannedAssignment
from .final_scores import unknown_extensions
from .handout import out_of_step, trial_problems
from .instructor_questions import misplaced, ungraded
from .release import released
from .roster import RosterError, read_roster

OUT_OF_STEP = "{path}: does not match course.toml ({parts}). Run: labkit course build"
NOT_RUN = "{path}: your own exercises and tests could not be run in the sandbox: {error}"
OTHER_SOURCE = "{path}: was not built from {source}. Run: labkit course build"
NOT_ON_ROSTER = "course.toml: {name}: extensions for students who are not on the roster: {names}."
WRONG_SOLUTION = "{path}: the solution in '{answer}' is wrong. Fix it, or delete the file and build again.\n{problem}"
SOLUTION_SHOWN = "{path}: '{answer}' earns points as released. Put the solution between BEGIN and END SOLUTION."
UNPLANNED = "{path}: is not an assignment of course.toml. Add it there, or move the folder away."


def problems(course: Course) -> Iterator[str]:
    """A sentence for each thing that is not right yet, saying what to do; none when the course is ready."""
    for name in course.own:
        yield from doubts(name)
    for planned in course.assignments:
        try:
            yield from _assignment_problems(course, planned)
        except AssignmentError as error:
            yield str(error)
    yield from _class_problems(course)
    yield from _strangers(course)


def remarks(course: Course) -> Iterator[str]:
    """What the instructor may want to know of their own cells."""
    for planned in course.assignments:
        path = course.source(planned.name)
        yield from (f"{path}: {what}." for what in ungraded(read_notebook(path).cells))


def _assignment_problems(course: Course, planned: PlannedAssignment) -> Iterator[str]:
    path = course.source(planned.name)
    source = read_notebook(path)
    assignment = Assignment.from_notebook(source, str(path))
    differing = out_of_step(source, instructor_notebook(course, planned))
    if differing:
        yield OUT_OF_STEP.format(path=path, parts=", ".join(differing))
        return
    yield from (f"{path}: {problem}" for problem in misplaced(source.cells))
    if not planned.varies:
        yield from _release_problems(course, planned, source)
    tried: set[tuple[str, ...]] = set()  # a version with other numbers needs no sandbox of its own
    for asked in _variants(assignment):
        own = variant(source, asked.questions)
        yield from _answer_problems(own, asked, str(path))
        tested = any(not question.by_hand for question in assignment.added)
        exercises = tuple(base_of(question.exercise) for question in asked.questions)
        if (assignment.own or tested) and exercises not in tried:
            tried.add(exercises)
            try:
                yield from trial_problems(own, asked, str(path))
            except NotIsolated as error:
                yield NOT_RUN.format(path=path, error=error)


def _release_problems(course: Course, planned: PlannedAssignment, source: Any) -> Iterator[str]:
    path = course.release(planned.name)
    if read_notebook(path) != released(source):
        yield OTHER_SOURCE.format(path=path, source=course.source(planned.name))


def _variants(assignment: Assignment) -> Iterator[Assignment]:
    """As few variants as ask every exercise at least once."""
    for i in range(max(len(slot.any_of) for slot in assignment.slots)):
        chosen = [slot.any_of[i % len(slot.any_of)] for slot in assignment.slots]
        points = [question.points for question in assignment.questions]
        yield replace(assignment, questions=questions(assignment.slots, chosen, points))


def _answer_problems(source: Any, assignment: Assignment, path: str) -> Iterator[str]:
    """The solutions must be right, and what students get must not be."""
    solved, empty = _defined(source, assignment), _defined(released(source), assignment)
    for question in assignment.questions:
        problem = solved.get(question.answer_id) or _failing(question, solved)
        if problem:
            yield WRONG_SOLUTION.format(path=path, answer=question.answer_id, problem=problem)
        if assess(question.exercise, empty.get(question.binds)):
            yield SOLUTION_SHOWN.format(path=path, answer=question.answer_id)


def _failing(question: Any, names: dict[str, Any]) -> str:
    report = assess(question.exercise, names.get(question.binds))
    return "" if report else report.text


def _defined(notebook: Any, assignment: Assignment) -> dict[str, Any]:
    """The names after the set-up and all solution cells; for a cell that failed, its `grade_id` with the error."""
    names: dict[str, Any] = {"__name__": "__main__"}
    running = [grade_id for grade_id, _ in assignment.setup] + [q.answer_id for q in assignment.questions]
    for cell in notebook.cells:
        grade_id = grade_id_of(cell)
        if grade_id in running:
            try:
                exec(compile(cell.source, f"<{grade_id}>", "exec"), names)
            except Exception as error:
                names[grade_id] = f"{type(error).__name__}: {error}"
    return names


def _class_problems(course: Course) -> Iterator[str]:
    """A roster that cannot be used, and extensions of unknown students."""
    for planned in course.assignments:
        rules = class_rules(course.source(planned.name), planned.name)
        try:
            roster = read_roster(rules.roster) if rules.roster else None
        except RosterError as error:
            yield str(error)
            return
        if roster and (names := unknown_extensions(rules.policy, roster)):
            yield NOT_ON_ROSTER.format(name=planned.name, names=", ".join(names))


def _strangers(course: Course) -> Iterator[str]:
    """Notebooks of assignments that `course.toml` does not have any more."""
    known = {planned.name for planned in course.assignments}
    for path in sorted(course.folder.glob("source/*")):
        if path.is_dir() and path.name not in known:
            yield UNPLANNED.format(path=path)
