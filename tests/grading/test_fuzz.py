"""What is read outside the walls, changed at random: `pytest -m fuzz -n0 -s tests/grading/test_fuzz.py`.

For `LABKIT_FUZZ_MINUTES` (15, if nothing else is said); each run draws other seeds, beginning with `LABKIT_FUZZ_SEED`. A
case that fails is kept in the folder that is named, and its seed gives it again.
"""

import hashlib
import json
import os
import shutil
import time
import warnings
from collections import defaultdict
from contextlib import suppress
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from forty import zipped
from fuzz import Actor, as_archive, cut, generator, harmless, other_message, other_value, spoiled, told

from labkit.classroom import EXERCISES
from labkit.grading.bounds import Bounds, limit_memory
from labkit.grading.collecting import collect
from labkit.grading.export import write_grades, write_questions
from labkit.grading.feedback import write_feedback
from labkit.grading.grader import Grader, Settings
from labkit.grading.overview import write_overview
from labkit.grading.processes import Reader
from labkit.grading.salvage import TOTAL, read_submission
from labkit.grading.submissions import SubmissionError, open_submission
from labkit.jail import wire

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="each batch runs in a process that is forked")
TOML = 'title = "T"\nseed = 7\n[[assignment]]\nname = "all"\ntitle = "All"\nquestions = '
BATCH = 400  # cases of one process
SECONDS = 2.0  # CPU time of a small file; of a large one it may reach its bound
SMALL = 300_000  # bytes
BOUNDS = Bounds(reading=10.0, talking=10.0, judging=10.0)
DRAWN = defaultdict(dict)  # by seed: right answers are found once


@pytest.fixture(scope="module")
def everything(make_handout):
    return make_handout(TOML + json.dumps(list(EXERCISES)))


def with_other_values(rng, often):
    def change(message):
        if "value" in message and rng.random() < often:
            message = {**message, "value": other_value(message["value"], rng)}
        return told(message)

    return change


def with_other_messages(rng):
    def change(message):
        if rng.random() < 0.02:
            raise rng.choice((wire.Closed, wire.Garbled, wire.TimedOut, wire.Spent))("drawn")
        return other_message(told(message), rng) if rng.random() < 0.1 else told(message)

    return change


def right(exercise):
    """The actor knows results alone: not the way there."""
    return not exercise.ways


@cache
def solved(everything):
    """A notebook with all solutions."""
    return everything.notebook()


def handed_in(everything):
    """The same as data, with the code of each cell as one text."""
    notebook = json.loads(solved(everything))
    for cell in notebook["cells"]:
        cell["source"] = "".join(cell["source"])
    return notebook


# ---- the cases: each draws one, and says what is wrong with what came of it ----


def a_notebook_with_other_outputs(everything, rng, folder):
    """Whatever stands beside the code, the code is read as it is."""
    notebook = handed_in(everything)
    handed = read_submission(harmless(notebook, rng))
    code = [
        (c["metadata"].get("nbgrader", {}).get("grade_id"), c["source"])
        for c in notebook["cells"]
        if c["cell_type"] == "code"
    ]
    assert [(c.grade_id, c.source) for c in handed.cells] == code and not handed.notes, handed.notes


def a_spoiled_file(everything, rng, folder):
    """It is read as far as it can be, in little time, and graded."""
    notebook = handed_in(everything)
    notebook["cells"] = rng.sample(notebook["cells"], 12)
    data = spoiled(notebook, rng)
    (folder / "file").write_bytes(data)
    began = time.process_time()  # of reading alone: to judge may take what the course's own solutions take
    read_submission(data)
    assert time.process_time() - began < SECONDS or len(data) > SMALL, time.process_time() - began
    with Grading(everything, rng, with_other_values(rng, 0.0), notebook) as grader:
        result = grader.grade("ann", data)
    assert result.digest == hashlib.sha256(data).hexdigest() and len(json.dumps(result.as_json())) < 5 * TOTAL
    written(result, folder, rng)


def other_values(everything, rng, folder):
    """Whatever an answer gives, it can be judged; and what is right earns its points."""
    often = rng.choice((0.0, 0.1, 1.0))
    with Grading(everything, rng, with_other_values(rng, often)) as grader:
        result = grader.grade("ann", solved(everything))
    compared(result)
    if not often:
        wrong = [q for q in result.questions if q.kind != "right" and right(EXERCISES[q.exercise])]
        assert not wrong, wrong
    written(result, folder, rng)


def other_messages(everything, rng, folder):
    """Whatever a program says, there is a verdict on each question."""
    with Grading(everything, rng, with_other_messages(rng)) as grader:
        result = grader.grade("ann", solved(everything))
    compared(result)
    assert len(result.questions) == len(grader.assignment.questions)


def a_spoiled_archive(everything, rng, folder):
    """Whatever one student's archive is, and whatever lies in the archive of a class, nobody else loses a file."""
    notebook = handed_in(everything)
    notebook["cells"] = notebook["cells"][:3]
    data = as_archive(notebook, rng)
    data = cut(data, rng) if rng.random() < 0.5 else data
    (folder / "file").write_bytes(data)
    shutil.rmtree(handed := folder / "handed", ignore_errors=True)
    handed.mkdir()
    files = {"ann.zip": data, "bob.ipynb": b"{}", "eve.zip": zipped({"a1.ipynb": b"[]"})}
    for name, held in files.items():
        (handed / name).write_bytes(held)
    (folder / "class.zip").write_bytes(zipped(files))
    began = time.process_time()
    for place in (handed, folder / "class.zip"):
        found = {s.student: s for s in collect(place, "a1", reader=opener()).submissions}
        assert set(found) == {"ann", "bob", "eve"} and opened(found["bob"]) == b"{}" and opened(found["eve"]) == b"[]"
        assert isinstance(opened(found["ann"]), bytes) or found["ann"].problem or found["ann"].path
    with suppress(SubmissionError):
        (folder / "class.zip").write_bytes(data)
        list(map(opened, collect(folder / "class.zip", "a1", reader=opener()).submissions))
    assert time.process_time() - began < SECONDS, time.process_time() - began


def opened(submission):
    try:
        return open_submission(submission)
    except SubmissionError as error:
        return str(error)


@cache
def opener(process=None):
    return Reader(BOUNDS) if process else opener(os.getpid())


CASES = (a_notebook_with_other_outputs, a_spoiled_file, other_values, other_messages, a_spoiled_archive)


def Grading(everything, rng, change, notebook=None):
    """A grader of some of the questions, whose jail is an actor; of those that a notebook holds, where one is given."""
    questions = everything.assignment.questions
    if notebook is not None:
        held = {c["metadata"].get("nbgrader", {}).get("grade_id") for c in notebook["cells"]}
        questions = [q for q in questions if q.answer_id in held] or questions[:1]
    chosen = rng.sample(list(questions), min(6, len(questions)))
    assignment = replace(everything.assignment, questions=tuple(chosen), slots=())
    seed = rng.randrange(3)
    grader = Grader(assignment, Settings(seed, bounds=BOUNDS))
    grader.judge.drawn = DRAWN[seed]
    grader._new_jail = lambda: Actor(assignment, change)
    return grader


def compared(result):
    """No judge and no recogniser fails at what came."""
    failed = [
        (q.exercise, q.detail)
        for q in result.questions
        if "could not be compared" in q.detail or "Comparing the answer" in q.text
    ]
    assert not failed, failed


def written(result, folder, rng):
    """Now and then: what is told of it can be written, and runs nowhere."""
    if rng.random() < 0.05:
        write_grades(folder / "g.csv", [result])
        write_questions(folder / "q.csv", [result])
        write_overview(folder / "g.html", [result], "T", {})
        write_feedback(folder / "feedback", [result], "T")
        for page in (folder / "g.html", *(folder / "feedback").rglob("*.html")):
            assert "<script" not in page.read_text(encoding="utf-8")


# ---- the run ----


def one(case, seed, everything, folder):
    """Run a case; returns what went wrong."""
    rng = generator(seed)
    try:
        with warnings.catch_warnings(action="ignore"), np.errstate(all="ignore"):
            case(everything, rng, folder)
    except BaseException as error:
        return f"{case.__name__} {seed}: {type(error).__name__}: {str(error)[:1500]}"
    return ""


def batch(seeds, everything, folder):
    """Run some cases in a process of their own; returns what went wrong, also where that process was lost."""
    report = folder / "report"
    report.write_text("")
    child = os.fork()
    if not child:
        with suppress(BaseException):
            limit_memory(BOUNDS.megabytes)
            with report.open("a", buffering=1) as file:
                for seed in seeds:
                    case = CASES[seed % len(CASES)]
                    (folder / "at").write_text(f"{case.__name__} {seed}")
                    if wrong := one(case, seed, everything, folder):
                        file.write(json.dumps(wrong) + "\n")
                        with suppress(OSError):
                            os.replace(folder / "file", folder / f"{seed}.file")
            os._exit(0)
        os._exit(1)
    status = os.waitpid(child, 0)[1]
    lost = [f"{(folder / 'at').read_text()}: the process was lost ({status})"] if status else []
    return [json.loads(line) for line in report.read_text().splitlines()] + lost


@pytest.mark.fuzz
def test_nothing_that_is_read_outside_the_walls_does_harm(everything, tmp_path, capsys):
    solved(everything)
    until = time.monotonic() + 60 * float(os.environ.get("LABKIT_FUZZ_MINUTES", "15"))
    first = int(os.environ.get("LABKIT_FUZZ_SEED", time.time_ns() // 10**6 % 10**9))
    wrong, number = [], 0
    while time.monotonic() < until and len(wrong) < 30:
        wrong += batch(range(first + number, first + number + BATCH), everything, tmp_path)
        number += BATCH
    with capsys.disabled():
        print(f"\n{number} cases from seed {first} on, {len(wrong)} went wrong; {tmp_path}", *wrong, sep="\n")
    assert not wrong


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_some_cases_of_each_kind(case, handout, tmp_path):
    assert [found for seed in range(4) if (found := one(case, seed, handout, tmp_path))] == []
