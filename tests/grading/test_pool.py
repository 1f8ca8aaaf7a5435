"""Many submissions: bounded work, the same results whatever does it, and nothing lost with a worker."""

import os
import signal
import time
from dataclasses import replace

import psutil
import pytest
from patience import HANGS, PATIENT

from labkit.grading import workers
from labkit.grading.collecting import collect
from labkit.grading.grader import Grader, Settings
from labkit.grading.workers import (
    UNGRADED,
    Work,
    Worker,
    grade_here,
    grade_in_processes,
    grade_one,
    is_graded,
    ungraded_result,
    work_of,
)
from labkit.sandbox import NotIsolated

pytestmark = pytest.mark.needs("bubblewrap")

SETTINGS = Settings(seed=3, pace=PATIENT)
ENDLESS = replace(SETTINGS, pace=replace(PATIENT, call=10_000.0, submission=10_000.0))


@pytest.fixture(scope="module")
def works(handout, tmp_path_factory):
    """Eight students: right, wrong, empty, broken, no notebook."""
    root = tmp_path_factory.mktemp("submitted")
    handout.class_of(root, 8)
    return [work_of(submission) for submission in collect(root, "a1", handout.source).submissions]


def sorted_without_seconds(results):
    return sorted((replace(result, seconds=0.0) for result in results), key=lambda result: result.student)


@pytest.fixture(scope="module")
def hanging(handout, works):
    """The first of the class, and three whose answers never end."""
    data = handout.notebook({"port-to-torch": HANGS})
    return [works[0], *(Work(f"z{i}", data) for i in range(3))]


@pytest.fixture(scope="module")
def in_turn(handout, works, one_sandbox):
    with one_sandbox():
        return sorted_without_seconds(grade_here(handout.assignment, SETTINGS, works))


def test_a_class_is_graded_one_by_one(in_turn, works):
    assert [r.student for r in in_turn] == sorted(w.student for w in works)
    assert [r.score for r in in_turn] == [7.5, 6.5, 0.0, 6.5, 0.0, 7.5, 6.5, 0.0]
    assert all(map(is_graded, in_turn)) and all(r.timestamp for r in in_turn)


def test_processes_give_the_same_results_and_take_only_as_much_as_there_are_workers(handout, works, in_turn):
    taken, came = [], []
    for result in grade_in_processes(handout.assignment, SETTINGS, (taken.append(w) or w for w in works), jobs=2):
        came.append(result)
        assert len(taken) - len(came) <= 2
    assert sorted_without_seconds(came) == in_turn


def test_another_seed_gives_the_same_grades(handout, works, in_turn, same_sandbox):
    again = sorted_without_seconds(grade_here(handout.assignment, replace(SETTINGS, seed=4), works))
    assert [r.score for r in again] == [r.score for r in in_turn]


def test_a_problem_with_the_file_is_told_and_nothing_is_run(handout, same_sandbox):
    with Grader(handout.assignment, SETTINGS) as grader:
        result = grade_one(grader, Work("ann", problem="It is a link.", timestamp="2026-01-01T00:00:00"))
    assert result.score == 0 and result.notes == ("It is a link.",) and result.timestamp == "2026-01-01T00:00:00"


def test_without_work_there_is_no_sandbox(handout, monkeypatch):
    monkeypatch.setattr(workers, "Grader", None)
    monkeypatch.setattr(workers, "Worker", None)
    assert list(grade_here(handout.assignment, SETTINGS, [])) == []
    assert list(grade_in_processes(handout.assignment, SETTINGS, [], 2)) == []


# ---- what is lost ----


def test_a_file_that_costs_two_workers_is_for_a_person_and_one_loss_for_a_file_costs_nothing(handout, works, in_turn):
    deadly = replace(works[0], student="deadly")
    graded = grade_in_processes(handout.assignment, SETTINGS, [deadly, *works], jobs=1)
    victims = {"deadly": 2, works[2].student: 1, works[5].student: 1}

    def kill(worker_process):
        worker_process.kill()
        worker_process.wait()

    original = Worker.give

    def give(worker, work):
        original(worker, work)
        if victims.get(work.student):
            victims[work.student] -= 1
            kill(psutil.Process(worker.helper.process.pid))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Worker, "give", give)
        first, *others = graded
    assert first.student == "deadly" and not is_graded(first) and first.score == 0 and first.digest == ""
    assert "ended 2 times" in first.notes[0]
    assert sorted_without_seconds(others) == in_turn


def test_a_fault_of_the_graders_own_does_not_stop_the_class(handout, same_sandbox, monkeypatch):
    with Grader(handout.assignment, SETTINGS) as grader:
        monkeypatch.setattr(grader, "grade", lambda *arguments: 1 / 0)
        result = grade_one(grader, Work("ann", b"{}", file="ann.ipynb"))
    assert not is_graded(result) and {q.kind for q in result.questions} == {UNGRADED}
    assert "ZeroDivisionError" in result.questions[0].detail and result.file == "ann.ipynb"


def test_where_no_jail_can_be_everybody_hears_it(handout, works, monkeypatch, family):
    monkeypatch.setenv("PATH", "/nowhere")
    for graded in (grade_here(handout.assignment, SETTINGS, works),
                   grade_in_processes(handout.assignment, SETTINGS, works, 1)):  # fmt: skip
        with pytest.raises(NotIsolated, match="bubblewrap"):
            list(graded)
    assert not family().workers()


def test_closing_ends_the_processes_and_their_jails_whatever_they_still_run(handout, hanging, family):
    graded = grade_in_processes(handout.assignment, ENDLESS, hanging, jobs=2)
    next(graded)
    ours = family()
    assert len(ours.workers()) == 2 and ours.sandboxes()
    graded.close()
    assert not ours.workers()
    ours.wait_for_end()


def test_workers_end_when_the_process_that_leads_them_is_killed(handout, hanging, family):
    reader, writer = os.pipe()
    leader = os.fork()
    if not leader:
        graded = grade_in_processes(handout.assignment, ENDLESS, hanging, jobs=1)
        next(graded)
        os.write(writer, b"graded")
        time.sleep(10_000)
        os._exit(0)
    os.read(reader, 100)
    theirs = family(leader)
    assert len(theirs.workers()) == 1 and theirs.sandboxes()
    os.kill(leader, signal.SIGKILL)
    os.waitpid(leader, 0)
    theirs.wait_for_end()


def test_an_ungraded_result_names_the_file_and_gives_nothing(handout):
    result = ungraded_result(handout.assignment, SETTINGS, Work("ann", b"x", file="ann.ipynb"), "no reason")
    assert (result.student, result.file, result.digest, result.score) == ("ann", "ann.ipynb", "", 0)
    assert "no reason" in result.questions[0].detail
