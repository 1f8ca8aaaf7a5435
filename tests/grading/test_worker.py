"""What the grader itself may take for one submission: one that takes more costs itself alone, and is told what it was."""

import json
import subprocess
import sys
from dataclasses import replace

import pytest
from patience import PATIENT, graded_by

from labkit.classroom import EXERCISES
from labkit.grading.assignment import Question
from labkit.grading.bounds import Bounds, Exceeded, bounded
from labkit.grading.grader import Settings
from labkit.grading.workers import Work, Worker, is_graded

SETTINGS = Settings(seed=3, pace=PATIENT, bounds=Bounds(reading=0.3, judging=0.3, megabytes=160))
SLOW = {
    "cell_type": "markdown",
    "metadata": {"nbgrader": {"solution": True}},
    "source": 'x = f"' + "{a}" * 12_000 + '"',
}


OVER = """
from labkit.grading.bounds import Exceeded, bounded

for outer, inner, said in ((50, 0.1, "One took more than 0.1 seconds"), (0.1, 50, "All took more than 0.1 seconds")):
    try:
        with bounded("All", outer), bounded("One", inner):
            while True:
                pass
    except Exceeded as exceeded:
        assert str(exceeded).startswith(said), exceeded
print("said")
"""


HIDDEN = """
import time
from labkit.grading.bounds import Exceeded, bounded

try:
    with bounded("Reading", 0.1):
        while True:
            try:
                time.sleep(0)
            except Exception:
                continue
except Exceeded:
    print("said")
with bounded("Reading", 0.05):
    pass
until = time.process_time() + 0.2
while time.process_time() < until:
    pass
"""


# As after a long collection of garbage: the next signal is there as soon as the end of the bound begins.
LATE = """
import signal
from types import FunctionType
from labkit.grading import bounds

class Late(bounds.bounded):
    def __exit__(self, *raised):
        signal.raise_signal(signal.SIGPROF)
        super().__exit__(*raised)

Late.__exit__ = FunctionType(Late.__exit__.__code__, vars(bounds), closure=Late.__exit__.__closure__)
try:
    with Late("Reading", 0.01):
        while True:
            pass
except bounds.Exceeded:
    assert bounds._bounds == []
    print("said")
"""


@pytest.mark.parametrize(
    "program",
    [OVER, HIDDEN, LATE],
    ids=["the innermost bound counts first", "what catches everything", "what rings late"],
)
def test_what_is_over_is_said_and_leaves_nothing_behind(program):
    """In a process of its own: what other tests left, threads or garbage, would take its CPU time, and end it."""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=100)
    assert (ran.returncode, ran.stdout) == (0, "said\n"), ran.stderr


def test_no_memory_is_said_in_the_same_way():
    with pytest.raises(Exceeded, match="Reading took more memory than its limit"), bounded("Reading", 5):
        raise MemoryError


HANGS = '''"""# Own numbers (2 points)

Predict."""

from labkit.classroom.writing import wrong

answer = [1, 2]


def reference():
    return [1, 2]


slow = wrong("It is seven.", {0: lambda expected, got: got == 7 and sum(range(10**13)) > 0})
more = wrong("It is eight.", {0: 8})
last = wrong("It is nine.", {0: 9})
hints = "a", "b", "c"
'''


@pytest.fixture(scope="module")
def worker(handout):
    """One that knows three questions, the first of which has a recogniser that no Python can stop."""
    asked = (
        Question("slow", "own-numbers", 2.0, "answer_9", "answer-slow", "check-slow"),
        *handout.assignment.questions[:2],
    )
    worker = Worker(replace(handout.assignment, slots=(), questions=asked, own=(("own-numbers", HANGS),)), SETTINGS)
    yield worker
    worker.kill()
    EXERCISES.forget("own-numbers")


def notebook_with(handout, *cells):
    notebook = json.loads(handout.notebook())
    return json.dumps({**notebook, "cells": [*notebook["cells"], *cells]}).encode()


@pytest.mark.needs("bubblewrap")
def test_a_file_that_takes_too_much_costs_its_own_student_alone(handout, worker):
    result = graded_by(worker, Work("ann", notebook_with(handout, *[SLOW] * 50)))
    assert result.score == 0 and is_graded(result) and result.digest
    assert result.notes == ("Reading the file took more than 0.3 seconds of CPU time, and was stopped.",)
    assert worker.helper.process.poll() is not None, "it is not used again"


@pytest.mark.needs("bubblewrap")
def test_a_judge_that_no_python_can_stop_costs_its_question_alone(handout, worker):
    """The kernel ends the process, and the next one judges the others of the student's questions."""
    seven = {"cell_type": "code", "metadata": {}, "source": "answer_9 = [7, 2]"}
    result = graded_by(worker, Work("bob", notebook_with(handout, seven)))
    assert [q.kind for q in result.questions] == ["unread", "right", "right"] and is_graded(result)
    assert result.questions[0].text == "Comparing it took more than the limit on CPU time, and was stopped."
