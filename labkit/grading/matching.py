"""Which exercise a notebook asks, and which cell answers which question: the steps in which a submission is run."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from .assignment import Assignment, Question
from .bindings import definitions, without_magics
from .damaged_notebooks import CodeCell, SubmittedCode

OTHERS = "This notebook belongs to "  # how a note on somebody else's notebook begins
MADE_FOR = "This notebook belongs to {owner}, not to {student}."
OTHER_VARIANT = "This notebook belongs to another student: {questions} is not this student's variant."
ANOTHER = "This is the notebook of another assignment"  # how the note on one begins
UNRECORDED = "The notebook does not record the exercises of {questions}. Grade with the course's roster: --roster FILE."
FOUND_BY_NAME = "The cell of question {question} is missing; cell {index}, which defines {name}, was graded."
NOT_FOUND = "The cell of question {question} is missing, and no cell defines {name}."
HELD = "The cell of question {question} is missing; cell {index} defines {name}, but is a given cell, which is not run."
NOT_DRAWN = "The question in your notebook is not the one assigned to you. Your instructor will look at it."
OTHER_ASSIGNMENT = "This is the notebook of another assignment, {found!r}, not of {name!r}. Ask for the right one."
SAME_ID = "Cells {numbers} all have the id of question {name}; cell {taken} was graded."
NOWHERE = "the end of the notebook"  # where a question is asked that no cell answers
NOT_FILLED = "The cell of question {name} is not filled in; the answer in {where} was graded."
POOL = "Cell {index} creates a process pool, which raises OSError in the sandbox. Use map() or a thread pool."


class UnknownVariant(ValueError):
    """A notebook whose questions are not known, neither from it nor for its student; or one of another assignment."""


def variant_of(
    assignment: Assignment, student: str, handed: SubmittedCode, called: Collection[str]
) -> tuple[Assignment, list[str], set[str]]:
    """The assignment as the notebook asks it, notes where that is not what the student was given, and the questions of that.

    The notebook's metadata say it; where a program has dropped them, the name of the exercise in the cell that grades. A
    notebook that says nothing, of an older labkit or a copy, has the student's variant. Raises `UnknownVariant`
    where the student is not known either, and for a notebook that its metadata call one of another assignment; `called` is
    what the student is called, empty where a system's number is all there is.
    """
    if handed.assignment and handed.assignment != assignment.name:
        raise UnknownVariant(OTHER_ASSIGNMENT.format(found=handed.assignment[:100], name=assignment.name))
    varying = assignment.varying
    if not varying:
        return assignment, [], set()
    told = {name: exercise for name, exercise in handed.variant if exercise in varying.get(name, ())}
    told = {**_mentioned(handed, varying), **told}
    missing = [name for name in varying if name not in told]
    if missing and not called:
        raise UnknownVariant(UNRECORDED.format(questions=", ".join(missing)))
    names = dict.fromkeys((student, *called))
    drawn = [{q.name: q.exercise for q in assignment.for_student(name).questions} for name in names]
    other = set(told) if called else set()
    for one in drawn:
        other = min(other, {name for name in told if told[name] != one[name]}, key=len)
    notes = []
    if called and handed.made_for and handed.made_for not in called:
        notes.append(MADE_FOR.format(owner=handed.made_for[:100], student=student))
    elif other:
        notes.append(OTHER_VARIANT.format(questions=", ".join(sorted(other))))
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


@dataclass(frozen=True)
class CodeStep:
    """Code to run. `label` names it in messages; `asks` are the questions whose answers are taken right after it.

    `is_given` is true for the assignment's own code.
    """

    source: str
    label: str
    asks: tuple[str, ...]
    is_given: bool = False


def plan(handed: SubmittedCode, assignment: Assignment) -> tuple[list[CodeStep], list[str]]:
    """The steps in order, and notes on what is not where it was handed out.

    First comes the assignment's own set-up, then the student's cells without those that belong to the assignment. Every
    question is asked once: after the last cell with its id; otherwise after the last cell that binds its name, or looks
    as if it should; otherwise at the end. What a submission says about points and locks does not matter.
    """
    cells = _Cells(handed, assignment)
    asked: dict[int | None, list[str]] = {}
    for question in assignment.questions:
        asked.setdefault(cells.place(question), []).append(question.name)
    steps = [CodeStep(source, f"set-up cell {grade_id}", (), is_given=True) for grade_id, source in assignment.setup]
    theirs = [
        (float(cell.index), CodeStep(cell.source, f"cell {cell.index}", tuple(asked.get(i, ()))))
        for i, cell in enumerate(cells.own)
    ]
    steps += [step for _, step in sorted([*theirs, *_placed(handed, assignment)], key=lambda placed: placed[0])]
    if None in asked:
        steps.append(CodeStep("", NOWHERE, tuple(asked[None])))
    return steps, [*_changed(handed, assignment), *cells.notes, *_processes(cells.own)]


def _placed(handed: SubmittedCode, assignment: Assignment) -> Iterator[tuple[float, CodeStep]]:
    """The instructor's cells behind an answer: tests, and locked code; each with the place where it stands here.

    That is where the submission has a cell of that id, otherwise right behind the nearest of those that stood before it.
    """
    places = {cell.grade_id: float(cell.index) for cell in handed.cells if cell.grade_id}
    places |= {cell.grade_id: cell.before + 0.5 for cell in handed.texts if cell.grade_id}
    inner = [(name, after, CodeStep(source, f"cell {name}", (), True)) for name, source, after in assignment.inner]
    tests = [
        (q.name, q.after, CodeStep("", f"the tests {q.name}", (q.name,))) for q in assignment.added if not q.by_hand
    ]
    for name, after, step in (*inner, *tests):
        if name in places:
            yield places[name], step
        else:
            yield next((places[one] + 0.25 for one in after if one in places), float("inf")), step


class _Cells:
    """The cells that are run, and where the answers are among them (positions in `own`)."""

    def __init__(self, handed: SubmittedCode, assignment: Assignment) -> None:
        questions = assignment.questions
        self.answer_ids = {q.answer_id for q in questions}
        theirs = assignment.locked - self.answer_ids
        self.own = [cell for cell in handed.cells if cell.grade_id not in theirs]
        self.carriers = defaultdict[str, list[int]](list)
        for i, cell in enumerate(self.own):
            if cell.grade_id in self.answer_ids:
                self.carriers[cell.grade_id].append(i)
        names = {q.binds for q in questions}
        self.bound = [_bound(cell, names) for cell in self.own]
        self.locked = [(cell.index, _bound(cell, names) or {}) for cell in handed.cells if cell.grade_id in theirs]
        self.notes: list[str] = []
        self.unmarked = bool(self.own and questions and not self.carriers)
        if self.unmarked:
            self.notes.append("No cell has the assignment's ids; the answers were found by their names.")

    def place(self, question: Question) -> int | None:
        """After which cell to ask; None: at the end of the notebook. Adds notes."""
        carriers = self.carriers[question.answer_id]
        if not carriers:
            return self._by_name(question)
        filled = [i for i in carriers if self._may_answer(i, question.binds)]
        if len(carriers) > 1:
            numbers = " and ".join(str(self.own[i].index) for i in carriers[-5:])
            taken = self.own[(filled or carriers)[-1]].index
            self.notes.append(SAME_ID.format(numbers=numbers, name=question.name, taken=taken))
        if not filled:
            # among the cells that were not handed out for an answer
            free = [i for i, cell in enumerate(self.own) if cell.grade_id not in self.answer_ids]
            if elsewhere := [i for i in free if (self.bound[i] or {}).get(question.binds)]:
                where = f"cell {self.own[elsewhere[-1]].index}"
                self.notes.append(NOT_FILLED.format(name=question.name, where=where))
                return elsewhere[-1]
        return (filled or carriers)[-1]

    def _may_answer(self, i: int, name: str) -> bool:
        """True where a cell gives the name more than dots; also where it is no Python, which is an answer with a mistake."""
        bound = self.bound[i]
        return bound.get(name, False) if bound is not None else bool(self.own[i].source.strip())

    def _by_name(self, question: Question) -> int | None:
        name = question.binds
        found = [i for i, bound in enumerate(self.bound) if bound and name in bound]
        found = [i for i in found if (self.bound[i] or {})[name]] or found
        found = found or [i for i, cell in enumerate(self.own) if _looks_like(cell, name)]
        if found and self.unmarked:
            return found[-1]
        if found:
            index = self.own[found[-1]].index
            self.notes.append(FOUND_BY_NAME.format(question=question.name, name=name, index=index))
            return found[-1]
        held = next((index for index, bound in self.locked if bound.get(name)), None)
        self.notes.append((HELD if held else NOT_FOUND).format(question=question.name, name=name, index=held))
        return None


def _bound(cell: CodeCell, names: set[str]) -> dict[str, bool] | None:
    """The `definitions` of a cell; not parsed where it has none of the names."""
    return definitions(without_magics(cell.source)) if any(name in cell.source for name in names) else {}


def _looks_like(cell: CodeCell, name: str) -> bool:
    """True for text that should define the name, of a cell that may be no Python."""
    word = re.escape(name)
    return bool(re.search(rf"^[ \t]*(?:def[ \t]+{word}[ \t]*\(|{word}[ \t]*=)", cell.source, re.MULTILINE))


def _processes(cells: Sequence[CodeCell]) -> list[str]:
    """A note where a cell shares work among processes, which need what no answer has."""
    pools = [cell.index for cell in cells if re.search(r"(?<!Thread)\b(?:Pool|ProcessPoolExecutor)\b", cell.source)]
    return [POOL.format(index=index) for index in pools[:3]]


def _changed(handed: SubmittedCode, assignment: Assignment) -> Sequence[str]:
    """A note for each set-up cell that is not as it was handed out: names that were added to it will be missing."""
    original = dict(assignment.setup) | {name: source for name, source, _ in assignment.inner}
    return [
        "Cell {index}, a set-up cell of the assignment, was changed; the original was run.".format(index=cell.index)
        for cell in handed.cells
        if cell.grade_id in original and cell.source.split() != original[cell.grade_id].split()
    ][:5]
