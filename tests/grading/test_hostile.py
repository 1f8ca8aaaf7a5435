"""Whatever a submission does: it earns what its answers deserve, and costs nobody else anything."""

import csv
import hashlib
import json
import os
from pathlib import Path

import psutil
import pytest
from grader_exploits import EXPLOITS
from hostile import ATTACKS, POINTS, Attack
from odd_submissions import ODD

from labkit.grading.assignment import Assignment
from labkit.grading.bounds import Bounds
from labkit.grading.classwork import grade_class
from labkit.grading.collecting import collect
from labkit.grading.course import Course, new_course
from labkit.grading.findings import Pace
from labkit.grading.grader import Settings
from labkit.grading.handout import hand_out
from labkit.grading.run import Plan
from labkit.grading.workers import grade_here, work_of
from labkit.sandbox import USERS, Limits

pytestmark = pytest.mark.needs("bubblewrap")

PACE = Pace(cell=0.7, call=0.4, submission=20, grace=0.5)
AGAIN = Pace(cell=10, call=8, submission=300, grace=30)  # on a slow machine, an honest answer takes longer than `PACE`
LIMITS = Limits(megabytes=768, all_megabytes=900)
BOUNDS = Bounds(reading=2.0, talking=10.0, judging=5.0, megabytes=160)
TOML = """
title = "T"
seed = 5
[[assignment]]
name = "a1"
title = "Three questions"
questions = [
    { name = "pull", exercise = "vector-pull-cumsum", points = 1 },
    { name = "port", exercise = "port-to-torch", points = 2 },
    { name = "numbers", exercise = "tape-accumulate", points = 4 },
]
"""
FULL = sum(POINTS.values())
ATTACKS = [*ATTACKS, *ODD, *EXPLOITS]
HONEST = ("a-first", "s040-between", "s080-between", "z-last")


def filled(release, attack):
    """The release with an attack's cells in their places, as a notebook would save it."""
    cells = []
    for cell in json.loads(json.dumps(release))["cells"]:
        if cell["id"] == "answer-pull":
            cells += [own(attack.before), cell | {"source": attack.pull}, own(attack.between)]
        elif cell["id"].startswith("answer-"):
            cells.append(cell | {"source": attack.port if cell["id"] == "answer-port" else attack.numbers})
        else:
            cells.append(cell)
    return {**release, "cells": [*cells, own(attack.after)]}


def own(source):
    return {"cell_type": "code", "id": f"own-{len(source)}", "metadata": {}, "outputs": [], "execution_count": None,
            "source": source}  # fmt: skip


# ---- odd files: (folder of the student's assignment, right notebook) -> what they deserve ----


def put(folder, notebook, name="a1.ipynb"):
    text = notebook if isinstance(notebook, (bytes, str)) else json.dumps(notebook)
    (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))


def changed(notebook, change):
    for cell in (copied := json.loads(json.dumps(notebook)))["cells"]:
        change(cell)
    return copied


def a_link(folder, notebook):
    put(folder, notebook, "other.txt")
    (folder / "a1.ipynb").symlink_to(folder / "other.txt")


def a_hard_link(folder, notebook):
    put(folder, notebook, "other.txt")
    os.link(folder / "other.txt", folder / "a1.ipynb")


def a_pipe(folder, notebook):
    os.mkfifo(folder / "a1.ipynb")


def a_folder(folder, notebook):
    (folder / "a1.ipynb").mkdir()


def an_empty_file(folder, notebook):
    put(folder, b"")


def half_a_file(folder, notebook):
    text = json.dumps(notebook)
    put(folder, text[: text.index('"answer-port"')])


def other_points(folder, notebook):
    def change(cell):
        cell["metadata"].get("nbgrader", {}).update(points=1e6, locked=False)

    put(folder, changed(notebook, change))


def checks_replaced_by_code(folder, notebook):
    def change(cell):
        if cell["metadata"].get("nbgrader", {}).get("locked") and cell["cell_type"] == "code":
            cell["source"] = "def pull(v): return 0\nanswer_3 = 0\nimport os; os._exit(0)"

    put(folder, changed(notebook, change))


def without_ids(folder, notebook):
    put(folder, changed(notebook, lambda cell: (cell["metadata"].clear(), cell.pop("id"))))


def without_checks(folder, notebook):
    put(folder, {**notebook, "cells": [c for c in notebook["cells"] if c["id"].startswith("answer-")]})


def cells_twice(folder, notebook):
    put(folder, {**notebook, "cells": notebook["cells"] * 2})


def answers_as_text(folder, notebook):
    put(folder, changed(notebook, lambda c: c.update(cell_type="markdown")))


def as_colab_saves_it(folder, notebook):
    def change(cell):
        cell["metadata"] = {"id": cell.pop("id"), "colab": {"base_uri": "https://colab"}}

    put(folder, {**changed(notebook, change), "nbformat": 4, "nbformat_minor": 0, "metadata": {"colab": {}}})


def fifty_thousand_cells(folder, notebook):
    put(folder, {**notebook, "cells": [*notebook["cells"], *[own("x = 1")] * 50_000]})


def huge_outputs(folder, notebook):
    output = {"output_type": "stream", "name": "stdout", "text": "x" * 10**7}
    widgets = {"application/vnd.jupyter.widget-state+json": {"state": {str(i): {} for i in range(10**4)}}}
    first = changed(notebook, lambda c: c.update(outputs=[]))
    first["cells"][1]["outputs"] = [output]
    put(folder, {**first, "metadata": {"widgets": widgets, "labkit": {"slots": []}, "x": "y" * 10**6}})


def deep_json(folder, notebook):
    put(folder, "[" * 10**6)


def metadata_of_other_types(folder, notebook):
    put(folder, {**changed(notebook, lambda c: c.update(outputs=7)), "metadata": [], "nbformat": "four"})


def another_name(folder, notebook):
    put(folder, notebook, "my answers.ipynb")


def not_unicode(folder, notebook):
    put(folder, json.dumps(notebook).encode().replace(b'"nbformat"', b'"\xff\xfe\x80"', 1))


def texts_that_take_long_to_parse(folder, notebook):
    slow = {"nbgrader": {"solution": True, "grade_id": "x"}}
    text = {"cell_type": "markdown", "metadata": slow, "source": 'x = f"' + "{a}" * 30_000 + '"'}
    put(folder, {**notebook, "cells": [*notebook["cells"], *[text] * 200]})


def lists_that_grow(folder, notebook):
    put(folder, '{"cells": [' + "[]," * 2_700_000 + "[]]}")


def errors_in_every_cell(folder, notebook):
    put(folder, {**notebook, "cells": [*notebook["cells"], *[own("raise ValueError('x' * 1000)")] * 300]})


def a_result_that_recognisers_read_long(folder, notebook):
    put(
        folder,
        changed(notebook, lambda c: c["id"] == "answer-numbers" and c.update(source="answer_3 = [True] * 60_000")),
    )


FILES = {  # what each earns
    a_link: 0, a_hard_link: 0, a_pipe: 0, a_folder: 0, an_empty_file: 0, half_a_file: 1, other_points: FULL,
    checks_replaced_by_code: FULL, without_ids: FULL, without_checks: FULL, cells_twice: FULL, answers_as_text: FULL,
    as_colab_saves_it: FULL, fifty_thousand_cells: FULL, huge_outputs: FULL, deep_json: 0, metadata_of_other_types: FULL,
    another_name: FULL, not_unicode: FULL, texts_that_take_long_to_parse: 0,
    lists_that_grow: 0, errors_in_every_cell: FULL, a_result_that_recognisers_read_long: FULL - POINTS["numbers"],
}  # fmt: skip
STRANGERS = ("=cmd()", "line\nend", "\udcff\udcfe", "<b>", "-rf", "a'b\"c", "x" * 200)


# ---- one run for all ----


class Run:
    """A class that was graded once, what was seen meanwhile, and how everything was before and after."""

    def __init__(self, folder):
        self.folder, self.submissions, self.home = folder, folder / "submitted", folder / "home"
        self.students, self.deserved, self.seen, self.users = {}, {}, set(), set()
        self.earlier = set(psutil.Process().children(recursive=True))
        for part in ("home", "cwd", "tmp", "submitted"):
            (folder / part).mkdir()
        (self.home / "gradebook.db").write_text("secret")
        self.course = made(folder / "course")
        self.out = folder / "grades" / "g.csv"
        self.write()

    def write(self):
        release = json.loads(self.course.release("a1").read_text())
        for student in (*HONEST, *STRANGERS):
            put(self.hand_in(student), filled(release, Attack(student)))
        for i, attack in enumerate(ATTACKS):
            self.students[attack.name] = student = f"s{i:03}"
            self.deserved[student] = attack
            put(self.hand_in(student), filled(release, self.placed(attack)))
        for write in FILES:
            self.students[write] = student = f"t-{write.__name__}"
            self.deserved[student] = FILES[write]
            write(self.hand_in(student), filled(release, Attack(student)))

    def hand_in(self, student):
        folder = self.submissions / student / "a1"
        folder.mkdir(parents=True)
        return folder

    def placed(self, attack):
        """The attack with the paths of this machine in it."""
        names = {
            "@OTHER@": self.submissions / "a-first" / "a1" / "a1.ipynb", "@ASSIGNMENT@": self.course.source("a1"),
            "@JOURNAL@": self.out.with_suffix(".journal"), "@SUBMISSIONS@": self.submissions, "@HOME@": self.home,
            "@GRADER@": os.getpid(),
        }  # fmt: skip
        pull = attack.pull
        for mark, value in names.items():
            pull = pull.replace(mark, str(value))
        return Attack(**{**vars(attack), "pull": pull})

    def grade(self):
        self.before = self.listing()
        plan = Plan(
            self.submissions, self.course.source("a1"), self.out, jobs=2, feedback=self.folder / "feedback",
            pace=PACE, limits=LIMITS, bounds=BOUNDS,
        )  # fmt: skip
        self.results = {r.student: r for r in grade_class(plan, step=self.look).results}
        self.slowest = max(self.results.values(), key=lambda r: r.seconds)
        self.grade_again([student for student in self.results if self.differs(student)])

    def grade_again(self, students):
        """Give those more time whose results are not what they deserve: another fault than slowness is there again."""
        settings = Settings(seed=1, pace=AGAIN, limits=LIMITS)
        found = collect(self.submissions, "a1", self.course.source("a1")).submissions
        works = [work_of(submission) for submission in found if submission.student in students]
        for result in grade_here(Assignment.read(self.course.source("a1")), settings, works):
            self.results[result.student] = result

    def differs(self, student):
        """How a result differs from what is deserved; nothing where it does not."""
        result = self.results[student]
        if isinstance(deserved := self.deserved.get(student, FULL), int):
            return () if result.score == deserved else (deserved, told(result))
        earned = " ".join(q.question for q in result.questions if q.points)
        kinds = {q.question: q.kind for q in result.questions}
        as_due = (earned, result.score) == (deserved.earns, deserved.points) and deserved.kinds.items() <= kinds.items()
        return () if as_due else (deserved.earns, deserved.kinds, told(result))

    def look(self):
        """Remember the processes that are there now."""
        for process in set(psutil.Process().children(recursive=True)) - self.earlier:
            try:
                self.seen.add(process)
                self.users.update(uid for uid in process.uids() if uid in USERS and uid != os.getuid())
            except psutil.Error:
                pass

    def listing(self):
        """Every file where a submission might have left a trace: its time, its size and what is in it."""
        roots = ("submitted", "home", "cwd", "tmp", "course")
        paths = [p for root in roots for p in sorted((self.folder / root).rglob("*"))]
        return {str(p): (p.lstat().st_mtime_ns, p.lstat().st_mode, content(p)) for p in paths}


def content(path):
    is_plain = path.is_file() and not path.is_symlink()
    return hashlib.sha256(path.read_bytes()).hexdigest() if is_plain else ""


def made(folder):
    new_course(folder)
    (folder / "course.toml").write_text(TOML)
    course = Course.read(folder)
    hand_out(course, course.assignments[0])
    return course


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    run = Run(tmp_path_factory.mktemp("hostile"))
    with pytest.MonkeyPatch.context() as here:
        here.chdir(run.folder / "cwd")
        here.setenv("HOME", str(run.home))
        here.setenv("TMPDIR", str(run.folder / "tmp"))
        here.setenv("LABKIT_SECRET", "secret")
        run.grade()
    return run


def told(result):
    return {q.question: (q.points, q.kind, q.detail[-300:]) for q in result.questions}, result.notes


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name.replace(" ", "-"))
def test_an_attack_earns_what_its_answers_deserve(run, attack):
    assert not run.differs(run.students[attack.name])


@pytest.mark.parametrize("write", FILES, ids=lambda write: write.__name__)
def test_an_odd_file_earns_what_can_be_read_of_it(run, write):
    assert not run.differs(run.students[write])
    told = run.results[run.students[write]]
    assert FILES[write] == FULL or told.notes or told.score, "it is said why"


@pytest.mark.parametrize("student", [*HONEST, *STRANGERS], ids=ascii)
def test_an_honest_student_has_full_marks(run, student):
    assert not run.differs(student)


def test_every_student_has_a_line_and_nobody_else(run):
    students = {*HONEST, *STRANGERS, *run.students.values()}
    assert run.results.keys() == students
    for path in (run.out, run.out.with_suffix(".questions.csv")):
        lines = list(csv.DictReader(path.open(newline="")))
        assert len(lines) == len(students) * (1 if path == run.out else 3)
    assert len(list((run.folder / "feedback").glob("*/a1.html"))) == len(students)


def is_left(process):
    """True for a process that still runs, or that we have not waited for; Python's own helper stays as long as we do."""
    try:
        if process.status() == psutil.STATUS_ZOMBIE:
            return process.ppid() == os.getpid()
        return process.is_running() and "resource_tracker" not in " ".join(process.cmdline())
    except psutil.Error:
        return False


def test_no_process_is_left(run):
    assert run.seen and (run.users or os.getuid()), "some were seen while it ran"
    assert [p for p in run.seen if is_left(p)] == []
    assert [p for p in psutil.process_iter(["uids"]) if p.info["uids"] and p.info["uids"].real in run.users] == []


def test_nothing_outside_has_changed(run):
    assert run.listing() == run.before
    mine = [p for root in ("/tmp", "/var/tmp", "/dev/shm") for p in Path(root).glob("*")]
    assert [p for p in mine if os.path.lexists(p) and p.lstat().st_uid in run.users] == []


def test_no_text_of_theirs_is_run_by_a_page_a_spreadsheet_or_a_terminal(run):
    pages = [*(run.folder / "feedback").glob("*/a1.html"), run.out.with_suffix(".html")]
    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert "<script" not in text and "\x1b" not in text and "\x07" not in text, page
    for path in (run.out, run.out.with_suffix(".questions.csv")):
        for line in csv.reader(path.open(newline="", encoding="utf-8")):
            assert not [cell for cell in line if cell.startswith(("=", "+", "-", "@")) or "\x1b" in cell]
    for result in run.results.values():
        on_one_line = [*result.notes, *(text for q in result.questions for text in (q.text, q.detail))]
        assert all(len(text) < 5000 and "\x1b" not in text for text in on_one_line)


def test_no_submission_takes_longer_than_its_time(run):
    assert run.slowest.seconds < PACE.submission + 100, "so long only on a very slow machine"
