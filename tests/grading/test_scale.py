"""A large class in one run, within bounds of memory: `pytest -m scale -n0 -s tests/grading/test_scale.py`."""

import threading
import time

import psutil
import pytest
from patience import HANGS

from labkit.grading.classwork import grade_class
from labkit.grading.findings import Pace
from labkit.grading.run import Plan

STUDENTS = 1000
HANGING = 4
MEGABYTES = 1000  # the grader, two workers, and their sandboxes with what runs in them


class Watch(threading.Thread):
    """Looks at the memory of this process and all that it started; `highest` in MB, what is shared counted once each."""

    def __init__(self):
        super().__init__(daemon=True)
        self.highest, self.over = 0.0, threading.Event()

    def run(self):
        us = psutil.Process()
        while not self.over.wait(0.2):
            used = 0
            for process in [us, *us.children(recursive=True)]:
                try:
                    used += process.memory_info().rss
                except psutil.Error:
                    continue
            self.highest = max(self.highest, used / 2**20)


@pytest.mark.scale
@pytest.mark.needs("bubblewrap")
def test_a_thousand_submissions_in_bounded_memory(handout, tmp_path, capsys):
    handout.class_of(tmp_path / "submitted", STUDENTS - HANGING)
    for i in range(HANGING):
        handout.hand_in(tmp_path / "submitted", f"z{i}", {"port-to-torch": HANGS})
    pace = Pace(cell=2.0, call=1.0, submission=30.0)
    plan = Plan(tmp_path / "submitted", handout.source, tmp_path / "out" / "grades.csv", 2, pace=pace, seed=3)
    watch = Watch()
    watch.start()
    begun = time.monotonic()
    graded = grade_class(plan)
    seconds = time.monotonic() - begun
    watch.over.set()
    with capsys.disabled():
        print(f"\n{STUDENTS / seconds:.0f} submissions a second with 2 jobs, at most {watch.highest:.0f} MB")
    assert len(graded.results) == STUDENTS and not graded.unwritten and not graded.ungraded_result
    scores = {r.student: r.score for r in graded.results}
    by_turns = [7.5, 6.5, 0.0, 6.5, 0.0]
    assert all(scores[f"s{i:04}"] == by_turns[i % 5] for i in range(STUDENTS - HANGING))
    assert {scores[f"z{i}"] for i in range(HANGING)} == {6.5}
    assert watch.highest < MEGABYTES
