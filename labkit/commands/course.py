"""`labkit course`: start a course, write your own exercise, build the notebooks, check them, and mark answers."""

import argparse
from pathlib import Path
from typing import Any

from ._shared import add_command, not_installed, refuse


def add_parser(commands: Any) -> None:
    """Add `labkit course` with its actions to the parsers of the other commands."""
    what = "make assignments from the exercises, for nbgrader and for labkit grade"
    parser = add_command(commands, "course", run, what)
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)

    what = "write an example course into a new folder: course.toml and nbgrader_config.py"
    new = add_command(actions, "new", run, what, "An existing folder is never overwritten.")
    new.add_argument("folder", type=Path, metavar="FOLDER", help="the folder to create")

    what = "write an example of your own exercise: exercises/NAME.py"
    exercise = add_command(actions, "exercise", run, what, "Edit it, and add its name to course.toml.")
    exercise.add_argument("name", metavar="NAME", help="the name of the exercise, such as dot-pull")
    exercise.add_argument(
        "folder", type=Path, nargs="?", default=Path(), metavar="FOLDER", help="default: the current folder"
    )

    what = "write the notebooks: source/ for the instructor, release/ for the students"
    build = add_command(actions, "build", run, what, "Changes that you made by hand are kept.")
    build.add_argument(
        "folder", type=Path, nargs="?", default=Path(), metavar="FOLDER", help="default: the current folder"
    )

    what = "check course.toml, your own exercises, the notebooks and the solutions"
    check = add_command(actions, "check", run, what, "The exit status is 1 if something is wrong.")
    check.add_argument(
        "folder", type=Path, nargs="?", default=Path(), metavar="FOLDER", help="default: the current folder"
    )

    what = "grade answers by hand, one after the other, in your browser"
    more = (
        "The marks are saved in grades.marks.csv, next to grades.csv; labkit grade --rescore adds them to the grades."
    )
    marks = add_command(actions, "mark", run, what, more)
    marks.add_argument("grades", type=Path, metavar="grades.csv", help="the table that labkit grade wrote")
    marks.add_argument(
        "--assignment", type=Path, metavar="A.ipynb", help="the instructor's notebook; default: source/NAME/NAME.ipynb"
    )
    marks.add_argument("--hide-names", action="store_true", help="do not show students' names")
    marks.add_argument(
        "--question", action="append", default=[], metavar="NAME",
        help="show all answers to this question, autograded ones too; may be repeated",
    )  # fmt: skip
    marks.add_argument("--no-browser", action="store_true", help="only print the address")


def run(arguments: argparse.Namespace) -> int:
    """Do what `labkit course` was asked for; 0 when all is well, 1 with a message on stderr when not."""
    from ..grading import AssignmentError, CourseError, JournalError, MarksError, RosterError

    actions = {"new": _new, "exercise": _exercise, "build": _build, "check": _check, "mark": _mark}
    try:
        return actions[arguments.action](arguments)
    except (CourseError, RosterError, AssignmentError, JournalError, MarksError, OSError) as error:
        for why in [error] if isinstance(error, OSError) else str(error).splitlines():
            refuse("course", why)
        return 1


def _new(arguments: argparse.Namespace) -> int:
    from ..grading import new_course

    for path in new_course(arguments.folder):
        print("Wrote {path}".format(path=path))
    print("Edit course.toml, then run: labkit course build {folder}".format(folder=arguments.folder))
    return 0


def _exercise(arguments: argparse.Namespace) -> int:
    from ..grading import Course, new_exercise

    Course.read(arguments.folder)  # there has to be one
    print("Wrote {path}".format(path=new_exercise(arguments.folder, arguments.name)))
    print('Edit it, and add "{name}" to the questions of an assignment in course.toml.'.format(name=arguments.name))
    return 0


def _build(arguments: argparse.Namespace) -> int:
    from ..grading import Course, class_rules, hand_out, read_roster

    course = Course.read(arguments.folder)
    first = course.assignments[0].name
    rules = class_rules(course.source(first), first)
    students = tuple(s.id for s in read_roster(rules.roster).students) if rules.roster else ()
    for planned in course.assignments:
        print("\n".join(hand_out(course, planned, students)))
    return 0


def _mark(arguments: argparse.Namespace) -> int:
    import webbrowser

    from ..grading import Assignment, MarkingQueue, MarkingServer, results_in

    if missing := not_installed(("jinja2", "classroom")):
        return refuse("course", missing, 1)
    results = results_in(arguments.grades.with_suffix(".journal"))
    name = results[0].assignment if results else "NAME"
    source = arguments.assignment or Path("source") / name / f"{name}.ipynb"
    path = arguments.grades.with_suffix(".marks.csv")
    queue = MarkingQueue(Assignment.read(source), results, path, arguments.question, arguments.hide_names)
    if not queue.items:
        print("There is no answer to mark.")
        return 0
    count = len(queue.items)
    with MarkingServer(queue) as server:
        print("Marked: {done} of {count} answers. Mark at {url}".format(done=queue.done, count=count, url=server.url))
        print("Ctrl-C stops; each mark is saved at once.", flush=True)
        if not arguments.no_browser:
            webbrowser.open(server.url)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print()
    print("Marked: {done} of {count} answers, in {path}.".format(done=queue.done, count=count, path=path))
    print("Now run labkit grade again, with --rescore.")
    return 0


def _check(arguments: argparse.Namespace) -> int:
    from ..grading import Assignment, Course, problems, remarks

    course = Course.read(arguments.folder)
    found = list(problems(course))
    if found:
        print("\n".join(found))
        print("Problems to fix: {count}.".format(count=len(found)))
        return 1
    for remark in remarks(course):
        print("Note: {remark}".format(remark=remark))
    asked = sum(len(question.exercises) for planned in course.assignments for question in planned.questions)
    added = [q for p in course.assignments for q in Assignment.read(course.source(p.name)).added]
    tests, by_hand = (sum(question.by_hand is by for question in added) for by in (False, True))
    print("No problems: every solution is right.")
    print("Assignments: {count}. Exercises: {asked}.".format(count=len(course.assignments), asked=asked))
    if added:
        print(
            "Your own questions: {tests} with tests, {by_hand} to grade by hand.".format(tests=tests, by_hand=by_hand)
        )
    return 0
