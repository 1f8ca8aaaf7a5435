"""A course: its `course.toml`, read and checked, and the example that `labkit course new` writes."""

import json
import re
import tomllib
import traceback
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

from ..classroom import EXERCISES, NotAnExercise, find, named
from ..meant import did_you_mean
from .assignment import unknown_exercise
from .rules import ASSIGNMENT_RULES, COURSE_RULES, Rules, read_rules, rule_problems

FILE = "course.toml"
OWN = "exercises"  # the folder of an instructor's own
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,49}")
_COURSE_KEYS = ("title", "seed", "assignment", *COURSE_RULES)
_ASSIGNMENT_KEYS = ("name", "title", "hints", "partial", "questions", *ASSIGNMENT_RULES)
_QUESTION_KEYS = ("exercise", "name", "any_of", "points", "partial")


class CourseError(ValueError):
    """What is wrong with a course; `problems` has one sentence for each, saying what to do."""

    def __init__(self, *problems: str) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


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


@dataclass(frozen=True)
class Course:
    """A folder with a `course.toml`, and what stands in it; `own` holds the texts of the instructor's own exercises."""

    folder: Path
    title: str
    seed: int
    assignments: tuple[PlannedAssignment, ...]
    own: dict[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, folder: Path) -> "Course":
        """The course in `folder`. Raises `CourseError` with all that is wrong with its `course.toml`."""
        data = _toml(folder)
        if broken := list(_broken_files(folder)):
            raise CourseError(*broken)
        problems = list(_course_problems(data))
        if problems:
            raise CourseError(*(f"{FILE}: {problem}" for problem in problems))
        assignments = tuple(_assignment(entry) for entry in data["assignment"])
        return cls(folder, data["title"], data["seed"], assignments, _own_texts(folder))

    def source(self, name: str) -> Path:
        """The instructor's notebook of an assignment, where nbgrader looks for it."""
        return self.folder / "source" / name / f"{name}.ipynb"

    def release(self, name: str) -> Path:
        """The notebook that all students get."""
        return self.folder / "release" / name / f"{name}.ipynb"

    def personal(self, student: str, name: str) -> Path:
        """The notebook that one student gets. nbgrader looks into no folder called `personal`."""
        return self.folder / "personal" / student / name / f"{name}.ipynb"


def class_rules(source: Path, assignment: str, course: Path | None = None) -> Rules:
    """The rules for grading an assignment: those of `course`, or of the course in which its notebook `source` lies, if any.

    Only what concerns grading is looked at; raises `CourseError` with what is wrong with it.
    """
    folder = course or source.absolute().parents[min(2, len(source.absolute().parents) - 1)]
    if course is None and not (folder / FILE).is_file():
        return Rules()
    data = _toml(folder)
    if problems := list(rule_problems(data)):
        raise CourseError(*(f"{FILE}: {problem}" for problem in problems))
    return read_rules(data, folder, assignment)


def new_course(folder: Path) -> tuple[Path, ...]:
    """Write an example course into a new folder; returns its files. Raises `CourseError` where there is something."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise CourseError(f"'{folder}' exists already, and nothing was changed. Name a new folder.")
    folder.mkdir(parents=True, exist_ok=True)
    example = files(__package__) / "example"
    config = (example / "nbgrader_config.txt").read_text(encoding="utf-8")
    course_id = re.sub(r"\W+", "-", folder.resolve().name).strip("-") or "course"
    (folder / FILE).write_text((example / FILE).read_text(encoding="utf-8"), encoding="utf-8")
    (folder / "nbgrader_config.py").write_text(config.replace("COURSE_ID", json.dumps(course_id)), encoding="utf-8")
    return folder / FILE, folder / "nbgrader_config.py"


def _own_texts(folder: Path) -> dict[str, str]:
    """The instructor's own exercises of a course: the texts of the files in its folder `exercises`, by name."""
    files = sorted((folder / OWN).glob("[!_]*.py"))
    return {named(path): path.read_text(encoding="utf-8") for path in files}


def _broken_files(folder: Path) -> Iterator[str]:
    """Makes the instructor's exercises known; a sentence for each file that is none."""
    texts = _own_texts(folder)
    for name, text in texts.items():
        try:
            EXERCISES.adopt({name: text})
            exercise = EXERCISES[name]
            exercise.expected(next(exercise.inputs()))
        except Exception as error:  # it is the instructor's code: whatever it raises
            EXERCISES.forget(name)
            place = f" (line {line})" if (line := _line(error, name)) else ""
            said = str(error) if isinstance(error, NotAnExercise) else f"{type(error).__name__}: {error}"
            yield f"{OWN}/{name.replace('-', '_')}.py{place}: {said.partition('.py: ')[2] or said}"


def _line(error: Exception, name: str) -> int | None:
    """The line of an exercise's file where an error was raised."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame.lineno for frame in frames if frame.filename == f"<exercise {name}>"]
    return error.lineno if isinstance(error, SyntaxError) else own[-1] if own else None


def new_exercise(folder: Path, name: str) -> Path:
    """Write a commented example of an exercise; returns its file. Raises `CourseError` where there is one already."""
    if not _NAME.fullmatch(name) or not name.replace("-", "_").isidentifier() or name.lower() != name:
        raise CourseError(f"{name!r} is no name for an exercise. Use small letters, digits and '-', such as dot-pull.")
    path = folder / OWN / f"{name.replace('-', '_')}.py"
    if path.exists() or name in EXERCISES:
        where = f"in '{path}'" if path.exists() else "in the guided notebooks"
        raise CourseError(f"There is an exercise {name!r} already, {where}. Choose another name.")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text((files(__package__) / "example" / "exercise.txt").read_text(encoding="utf-8"), encoding="utf-8")
    return path


def _toml(folder: Path) -> dict[str, Any]:
    try:
        return tomllib.loads((folder / FILE).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise CourseError(f"There is no {FILE} in '{folder}'. Make a course: labkit course new FOLDER") from None
    except (OSError, UnicodeDecodeError) as error:
        raise CourseError(f"'{folder / FILE}' cannot be read: {error}.") from None
    except tomllib.TOMLDecodeError as error:
        raise CourseError(f"{FILE} is not valid TOML: {error}.") from None


def _assignment(entry: dict[str, Any]) -> PlannedAssignment:
    asked = tuple(_question(question, entry.get("partial")) for question in entry["questions"])
    return PlannedAssignment(entry["name"], entry["title"], entry.get("hints", False), asked)


def _question(entry: str | dict[str, Any], partial: bool | None = None) -> PlannedQuestion:
    """A question; `partial` is what its assignment says of partial credit, None where it says nothing."""
    entry = {"exercise": entry} if isinstance(entry, str) else entry
    exercises = tuple(entry.get("any_of") or [entry["exercise"]])
    points = entry.get("points", EXERCISES[exercises[0]].points)
    usual = partial if partial is not None else any(EXERCISES[name].partial_credit for name in exercises)
    return PlannedQuestion(entry.get("name", exercises[0]), exercises, float(points), entry.get("partial", usual))


# ---- what can be wrong ----


def _course_problems(data: dict[str, Any]) -> Iterator[str]:
    yield from _unknown_keys(data, _COURSE_KEYS, "the course")
    yield from _text(data, "title", "the course")
    if not _is_int(data.get("seed")):
        yield f"seed is {data.get('seed')!r}; expected a whole number, such as seed = 20261121."
    yield from rule_problems(data)
    assignments = data.get("assignment")
    if not isinstance(assignments, list) or not assignments or not all(isinstance(a, dict) for a in assignments):
        yield "there is no assignment. Begin one with a line [[assignment]]."
        return
    for i, entry in enumerate(assignments, 1):
        yield from _assignment_problems(entry, f"assignment {entry.get('name', i)!r}")
    yield from _repeated((str(entry.get("name")).lower() for entry in assignments), "two assignments are called")


def _assignment_problems(entry: dict[str, Any], where: str) -> Iterator[str]:
    yield from _unknown_keys(entry, _ASSIGNMENT_KEYS, where)
    yield from _name(entry.get("name"), where)
    yield from _text(entry, "title", where)
    yield from _yes_or_no(entry, ("hints", "partial"), where)
    asked = entry.get("questions")
    if not isinstance(asked, list) or not asked:
        yield f'{where}: it has no questions. Expected a list of exercises, such as questions = ["grad-slip"].'
        return
    problems = [
        p for i, question in enumerate(asked, 1) for p in _question_problems(question, f"{where}, question {i}")
    ]
    yield from problems
    if not problems:
        planned = [_question(question) for question in asked]
        twice = list(_repeated((q.name for q in planned), f"{where}: two questions are called"))
        yield from twice or _repeated((e for q in planned for e in q.exercises), f"{where}: asked twice:")


def _question_problems(entry: Any, where: str) -> Iterator[str]:
    entry = {"exercise": entry} if isinstance(entry, str) else entry
    if not isinstance(entry, dict):
        yield f"{where}: expected the name of an exercise or a table in braces, but got {entry!r}."
        return
    yield from _unknown_keys(entry, _QUESTION_KEYS, where)
    yield from _yes_or_no(entry, ("partial",), where)
    if ("exercise" in entry) == ("any_of" in entry):
        yield f'{where}: expected either exercise = "..." or any_of = ["...", "..."].'
        return
    exercises = entry.get("any_of", [entry.get("exercise")])
    if not isinstance(exercises, list) or not exercises or not all(isinstance(e, str) for e in exercises):
        yield f"{where}: expected names of exercises, but got {exercises!r}."
        return
    missing = [name for name in exercises if find(name) is None]
    yield from (f"{where}: {unknown_exercise(name)}" for name in missing)
    if "any_of" in entry and "name" not in entry:
        yield f'{where}: one of several needs a name of its own, such as name = "q1".'
    yield from _name(entry.get("name", "a-name"), where)
    if not missing:
        yield from _points_problems(entry, exercises, where)


def _points_problems(entry: dict[str, Any], exercises: list[str], where: str) -> Iterator[str]:
    points = entry.get("points", 1)
    if isinstance(points, bool) or not isinstance(points, (int, float)) or not 0 < points < float("inf"):
        yield f"{where}: points is {points!r}; expected a number above 0."
    elif "points" not in entry and len({EXERCISES[name].points for name in exercises}) > 1:
        worth = ", ".join(f"{name} {EXERCISES[name].points}" for name in exercises)
        yield f"{where}: its exercises have different points ({worth}). Say what the question is worth: points = 2."


def _unknown_keys(entry: dict[str, Any], known: tuple[str, ...], where: str) -> Iterator[str]:
    for key in entry.keys() - set(known):
        yield f"{where}: unknown key {key!r}. {did_you_mean(key, known)}"


def _yes_or_no(entry: dict[str, Any], keys: tuple[str, ...], where: str) -> Iterator[str]:
    for key in keys:
        if not isinstance(entry.get(key, False), bool):
            yield f"{where}: {key} is {entry[key]!r}; expected true or false."


def _text(entry: dict[str, Any], key: str, where: str) -> Iterator[str]:
    if not isinstance(entry.get(key), str) or not entry[key].strip():
        yield f'{where}: it has no {key}. Write {key} = "...".'


def _name(name: Any, where: str) -> Iterator[str]:
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        yield f"{where}: name is {name!r}; expected letters, digits, - and _, at most 50, such as 'week-1'."


def _repeated(names: Iterator[str], what: str) -> Iterator[str]:
    yield from (f"{what} {name!r}. Leave one out or rename it." for name, n in Counter(names).items() if n > 1)


def _is_int(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
