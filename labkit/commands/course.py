"""`labkit course`: begin a course, write an exercise of one's own, build the notebooks, check that all is ready."""

import argparse
from pathlib import Path
from typing import Any

from ..meant import did_you_mean
from ._shared import add_command, refuse


def add_parser(commands: Any) -> None:
    """Add `labkit course` with its actions to the parsers of the other commands."""
    what = "make assignments from the exercises, for nbgrader and for labkit's own grader"
    parser = add_command(commands, "course", run, what)
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)

    what = "write an example course into a new folder: course.toml and nbgrader_config.py"
    new = add_command(actions, "new", run, what, "An existing folder is never overwritten.")
    new.add_argument("folder", type=Path, metavar="FOLDER")

    what = "write an example of an exercise of your own: exercises/NAME.py"
    exercise = add_command(actions, "exercise", run, what, "Change it, and name it in course.toml.")
    exercise.add_argument("name", metavar="NAME", help="such as dot-pull")
    exercise.add_argument("folder", type=Path, nargs="?", default=Path(), metavar="FOLDER", help="here, if not given")

    what = "write the notebooks: source/ for the instructor, release/ for the students"
    build = add_command(actions, "build", run, what, "What you changed by hand is kept.")
    build.add_argument("folder", type=Path, nargs="?", default=Path(), metavar="FOLDER", help="here, if not given")
    build.add_argument("--assignment", metavar="NAME", help="this one only")
    build.add_argument(
        "--students",
        type=Path,
        metavar="CSV",
        help="write what each student gets to personal/STUDENT/NAME/NAME.ipynb, where questions differ "
        "(the file has a column id, as nbgrader's roster)",
    )

    what = "say what is not right yet: course.toml, your own exercises, the notebooks, the solutions"
    check = add_command(actions, "check", run, what, "Exit status 1 if there is something.")
    check.add_argument("folder", type=Path, nargs="?", default=Path(), metavar="FOLDER", help="here, if not given")


def run(arguments: argparse.Namespace) -> int:
    """Do what `labkit course` was asked for; 0 when all is well, 1 with a message on stderr when not."""
    from ..grading import AssignmentError, CourseError

    try:
        return {"new": _new, "exercise": _exercise, "build": _build, "check": _check}[arguments.action](arguments)
    except (CourseError, AssignmentError, OSError) as error:
        for line in str(error).splitlines():
            refuse("course", line)
        return 1


def _new(arguments: argparse.Namespace) -> int:
    from ..grading import new_course

    for path in new_course(arguments.folder):
        print(f"Wrote {path}")
    print(f"Change course.toml to your liking, then run: labkit course build {arguments.folder}")
    return 0


def _exercise(arguments: argparse.Namespace) -> int:
    from ..grading import Course, new_exercise

    Course.read(arguments.folder)  # there has to be one
    print(f"Wrote {new_exercise(arguments.folder, arguments.name)}")
    print(f'Change it to your liking, and add "{arguments.name}" to the questions of an assignment in course.toml.')
    return 0


def _build(arguments: argparse.Namespace) -> int:
    from ..grading import Course, CourseError, hand_out, read_roster

    course = Course.read(arguments.folder)
    names = [planned.name for planned in course.assignments]
    if arguments.assignment not in (None, *names):
        meant = did_you_mean(arguments.assignment, names)
        raise CourseError(f"There is no assignment {arguments.assignment!r} in course.toml. {meant}")
    students = read_roster(arguments.students) if arguments.students else ()
    for planned in course.assignments:
        if arguments.assignment in (None, planned.name):
            print("\n".join(hand_out(course, planned, students)))
    return 0


def _check(arguments: argparse.Namespace) -> int:
    from ..grading import Course, problems, remarks
    from ..lines import counted

    course = Course.read(arguments.folder)
    found = list(problems(course))
    if found:
        print("\n".join(found))
        print(f"{counted(len(found), 'thing')} to do.")
        return 1
    for remark in remarks(course):
        print(f"Note: {remark}")
    asked = sum(len(question.exercises) for planned in course.assignments for question in planned.questions)
    print(f"All is well: {len(course.assignments)} assignments, {asked} exercises; every solution is right.")
    return 0
