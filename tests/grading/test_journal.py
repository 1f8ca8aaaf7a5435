"""A run that is killed at any byte goes on where it stopped: nothing is graded twice, nothing is lost."""

import json
import os
import signal
import subprocess
import sys

import pytest
from result_examples import NASTY, question, submission

from labkit.grading.journal import Journal, JournalError, locked

RUN = {"assignment": "12ab", "seed": 7, "labkit": "1.0", "limits": {"seconds": 5.0}}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "journal.jsonl"


def filled(path, students=("ann", "bob", "cho")):
    journal = Journal.open(path, RUN)
    for student in students:
        journal.add(submission(student))
    return journal


def test_what_was_added_is_there_after_the_next_start(path):
    result = submission(
        "ann", question(detail="a\nb"), notes=("a note",), answers={"q1": "x = 'ü\udcff'"}, seconds=0.25
    )
    Journal.open(path, RUN).add(result)
    assert Journal.open(path, RUN, resume=True).find("ann", result.digest) == result


def test_every_student_is_kept_whatever_the_name(path):
    filled(path, NASTY)
    assert list(Journal.open(path, RUN, resume=True).results) == list(NASTY)


def test_a_file_that_has_changed_since_is_to_be_graded_again_and_then_the_last_result_counts(path):
    journal = filled(path)
    assert journal.find("ann", "other") is None
    journal.add(submission("ann", question(points=1.0), digest="other"))
    again = Journal.open(path, RUN, resume=True)
    assert again.find("ann", "12ab") is None and again.find("ann", "other").score == 1.0
    assert set(again.results) == {"ann", "bob", "cho"}


def test_killed_within_a_line_or_at_its_end_all_whole_lines_are_kept_and_work_goes_on(path, monkeypatch):
    monkeypatch.setattr(os, "fsync", lambda file: None)  # it is about bytes; a disk takes 2,000 times 6 ms
    filled(path)
    whole = path.read_bytes()
    ends = [i + 1 for i, byte in enumerate(whole) if byte == ord("\n")]
    near = {end + off for end in [0, *ends] for off in (-2, -1, 0, 1)}  # of an end, and bytes within lines
    for length in sorted({*range(0, len(whole), 29), *near} & {*range(len(whole) + 1)}):
        path.write_bytes(whole[:length])
        journal = Journal.open(path, RUN, resume=True)
        assert len(journal.results) == max(sum(end <= length for end in ends) - 1, 0)
        journal.add(submission("dee"))
        assert list(Journal.open(path, RUN, resume=True).results)[-1] == "dee"


def test_a_process_that_is_killed_while_it_writes_leaves_a_journal(path):
    code = (
        "import sys; from labkit.grading.journal import Journal; from labkit.grading.results import SubmissionResult\n"
        "journal = Journal.open(sys.argv[1], {'seed': 7})\n"
        "for i in range(10**6): journal.add(SubmissionResult(str(i), 'week1', (), digest='x')); print(i, flush=True)"
    )
    with subprocess.Popen([sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE, text=True) as run:
        for _ in range(20):
            seen = int(run.stdout.readline())
        os.kill(run.pid, signal.SIGKILL if hasattr(signal, "SIGKILL") else signal.SIGTERM)
    assert list(Journal.open(path, {"seed": 7}, resume=True).results)[: seen + 1] == [str(i) for i in range(seen + 1)]


def test_an_earlier_run_is_not_written_over(path):
    filled(path)
    before = path.read_bytes()
    with pytest.raises(JournalError, match=r"earlier run.*--resume"):
        Journal.open(path, RUN)
    assert path.read_bytes() == before


def test_to_resume_without_an_earlier_run_is_to_begin(path):
    assert Journal.open(path, RUN, resume=True).results == {} and path.exists()


@pytest.mark.parametrize(
    "change, told",
    [
        ({"seed": 8}, "seed: 7, now 8"),
        ({"labkit": "1.1"}, "labkit: '1.0', now '1.1'"),
        ({"limits": {"seconds": 9.0}}, "limits: "),
        ({"added": 1}, "added: None, now 1"),
    ],
)
def test_a_run_with_other_settings_is_not_continued(path, change, told):
    filled(path)
    before = path.read_bytes()
    with pytest.raises(JournalError, match=told):
        Journal.open(path, RUN | change, resume=True)
    assert path.read_bytes() == before


def test_the_same_settings_are_the_same_after_json(path):
    Journal.open(path, {"any_of": ("a", "b"), "seed": 7})
    Journal.open(path, {"seed": 7, "any_of": ["a", "b"]}, resume=True)


@pytest.mark.parametrize(
    "content",
    [b"student,score\nann,3\n", b"half a line", b"\n", b"[]\n", b'{"fingerprint": 3}\n', b"\xff\xfe\n", b"[" * 9999],
)
def test_a_file_that_is_no_journal_stays_as_it_is(path, content):
    path.write_bytes(content)
    with pytest.raises(JournalError, match="not a labkit journal"):
        Journal.open(path, RUN, resume=True)
    assert path.read_bytes() == content


@pytest.mark.parametrize("damage", [b"{}", b"", b"[1]", b"null", b"{", b'{"questions": 3}', b"\xff", b"[" * 99999])
def test_a_damaged_line_in_the_middle_is_named(path, damage):
    filled(path)
    lines = path.read_bytes().split(b"\n")
    lines[2] = damage
    path.write_bytes(b"\n".join(lines))
    with pytest.raises(JournalError, match=r"line 3 of .* is damaged. Delete that line"):
        Journal.open(path, RUN, resume=True)


def test_two_runs_do_not_write_one_journal(path):
    first = filled(path)
    Journal.open(path, RUN, resume=True).add(submission("dee"))
    with pytest.raises(JournalError, match="another run"):
        first.add(submission("eve"))
    assert list(Journal.open(path, RUN, resume=True).results) == ["ann", "bob", "cho", "dee"]


def test_a_full_disk_leaves_the_journal_as_it_was(path, monkeypatch):
    journal = filled(path)
    with monkeypatch.context() as full:
        full.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(OSError("no space left")))
        with pytest.raises(OSError, match="no space left"):
            journal.add(submission("dee"))
    journal.add(submission("eve"))
    assert list(Journal.open(path, RUN, resume=True).results) == ["ann", "bob", "cho", "eve"]


def test_each_line_is_on_disk_when_add_returns(path, monkeypatch):
    synced = []
    monkeypatch.setattr(os, "fsync", lambda number: synced.append(os.fstat(number).st_size))
    filled(path)
    assert synced[-1] == path.stat().st_size and len(synced) == 4


def test_no_file_stays_open_that_a_forked_process_could_write(path):
    filled(path)
    if os.path.isdir("/proc/self/fd"):
        held = [
            os.readlink(f"/proc/self/fd/{n}")
            for n in os.listdir("/proc/self/fd")
            if os.path.exists(f"/proc/self/fd/{n}")
        ]
        assert str(path) not in held


def test_a_line_is_json_that_other_tools_can_read(path):
    filled(path)
    first, *others = [json.loads(line) for line in path.read_text().splitlines()]
    assert first["fingerprint"] == RUN and [line["student"] for line in others] == ["ann", "bob", "cho"]


# ---- two graders ----


def test_a_journal_is_held_from_start_to_end_and_by_nobody_else(path):
    with locked(path):
        Journal.open(path, RUN).add(submission("ann"))
        with pytest.raises(JournalError, match="another run grades into"), locked(path):
            pass
        Journal.open(path, RUN, resume=True).add(submission("bob"))
    with locked(path):
        assert list(Journal.open(path, RUN, resume=True).results) == ["ann", "bob"]


def test_a_journal_in_which_nothing_was_written_is_not_left(path):
    with locked(path):
        assert path.exists()
    assert not path.exists()


def test_a_lock_ends_with_its_process_and_is_not_held_by_what_it_starts(path):
    code = (
        "import subprocess, sys, time; from pathlib import Path; from labkit.grading.journal import locked\n"
        "with locked(Path(sys.argv[1])):\n"
        "    child = subprocess.Popen([sys.executable, '-c', 'import sys; sys.stdin.read()'], stdin=0)\n"
        "    print(child.pid, flush=True); time.sleep(1000)"
    )
    command = [sys.executable, "-c", code, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as run:
        run.stdout.readline()
        with pytest.raises(JournalError, match="in use"), locked(path):
            pass
        run.kill()
        run.wait()
        with locked(path):
            pass
