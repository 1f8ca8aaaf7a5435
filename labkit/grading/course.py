"""A course: its `course.toml`, read and checked, and the example that `labkit course new` writes."""

import json
import re
import tomllib
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

from ..classroom import EXERCISES, NotAnExercise, named
from .course_file import NAME, PlannedAssignment, course_problems, planned
from .late_policy import Rules, read_rules, rule_problems

FILE = "course.toml"
OWN = "exercises"  # the folder of an instructor's own
NO_NAME = "{name!r} is not a name for an exercise. Use lower-case letters, digits and '-', such as dot-pull."
TAKEN = "The exercise {name!r} exists already: see {where}. Choose another name."
NO_COURSE = "There is no {file} in '{folder}'. Make a course: labkit course new FOLDER"


class CourseError(ValueError):
    """What is wrong with a course; `problems` has one sentence for each, saying what to do."""

    def __init__(self, *problems: str) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


@dataclass(frozen=True)
class Course:
    """A folder with a `course.toml`, and its contents; `own` holds the texts of the instructor's own exercises."""

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
        problems = list(course_problems(data))
        if problems:
            raise CourseError(*(f"{FILE}: {problem}" for problem in problems))
        assignments = tuple(planned(entry, data["seed"]) for entry in data["assignment"])
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


def class_rules(source: Path, assignment: str) -> Rules:
    """The rules for grading an assignment: those of the course in which its notebook `source` lies, if any.

    Only what concerns grading is looked at; raises `CourseError` with what is wrong with it.
    """
    folder = source.absolute().parents[min(2, len(source.absolute().parents) - 1)]
    if not (folder / FILE).is_file():
        return Rules()
    data = _toml(folder)
    if problems := list(rule_problems(data)):
        raise CourseError(*(f"{FILE}: {problem}" for problem in problems))
    return read_rules(data, folder, assignment)


def new_course(folder: Path) -> tuple[Path, ...]:
    """Write an example course into a new folder; returns its files. Raises `CourseError` where there is something."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise CourseError("'{folder}' already exists, and was not changed. Choose a new folder.".format(folder=folder))
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
    if not NAME.fullmatch(name) or not name.replace("-", "_").isidentifier() or name.lower() != name:
        raise CourseError(NO_NAME.format(name=name))
    path = folder / OWN / f"{name.replace('-', '_')}.py"
    if path.exists() or name in EXERCISES:
        where = f"'{path}'" if path.exists() else "a guided notebook"
        raise CourseError(TAKEN.format(name=name, where=where))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text((files(__package__) / "example" / "exercise.txt").read_text(encoding="utf-8"), encoding="utf-8")
    return path


def _toml(folder: Path) -> dict[str, Any]:
    try:
        return tomllib.loads((folder / FILE).read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        raise CourseError(NO_COURSE.format(file=FILE, folder=folder)) from None
    except (OSError, UnicodeDecodeError) as error:
        raise CourseError("'{path}' cannot be read: {error}.".format(path=folder / FILE, error=error)) from None
    except tomllib.TOMLDecodeError as error:
        raise CourseError("'{path}' is not valid TOML: {error}.".format(path=folder / FILE, error=error)) from None
