"""`labkit grade` as people meet it: as a command of its own, with Ctrl-C and with mistakes."""

import json
import os
import pty
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest
from walls import needs_walls

pytestmark = needs_walls

ROOT = Path(__file__).parents[2]
HANGS = "def port(v):\n    while True:\n        pass"


@pytest.fixture
def command(handout, tmp_path):
    """`command("--jobs", "2")`: the arguments of a process that grades the class in `submitted/`."""
    handout.class_of(tmp_path / "submitted", 5)

    def arguments(*more):
        code = "import sys; from labkit.cli import main; sys.exit(main())"
        return [sys.executable, "-c", code, "grade", "submitted", "--assignment", str(handout.source),
                "--out", "out/grades.csv", "--seconds", "1", *more]  # fmt: skip

    return arguments


@pytest.fixture
def run(command, tmp_path):
    def ran(*more):
        return subprocess.run(
            command(*more), cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=120
        )

    return ran


def environment():
    return {**os.environ, "PYTHONPATH": str(ROOT)}


def graded_so_far(folder):
    journal = folder / "out" / "grades.journal"
    return [json.loads(line)["student"] for line in journal.read_text().splitlines()[1:]] if journal.exists() else []


def test_a_class_is_graded_and_summed_up(run, tmp_path):
    done = run("--jobs", "2", "--feedback", "feedback")
    assert done.returncode == 0, done.stderr
    assert "5 students; mean 4.1" in done.stdout and "port-to-torch" in done.stdout
    assert "Written to out: grades.csv, grades.questions.csv, grades.html" in done.stdout
    assert "Feedback for 5 students: feedback" in done.stdout
    assert done.stderr == ""  # no bar where nobody looks
    assert len((tmp_path / "out" / "grades.csv").read_text().splitlines()) == 6


def test_on_a_terminal_a_bar_counts_and_says_how_long(command, tmp_path):
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, 100))
    process = subprocess.Popen(
        command("--jobs", "1"), cwd=tmp_path, env=environment(), stdout=subprocess.DEVNULL, stderr=theirs
    )
    os.close(theirs)
    shown = b""
    try:
        while part := os.read(ours, 1000):
            shown += part
    except OSError:  # the end of a terminal
        pass
    assert process.wait(60) == 0
    assert b"/5 [" in shown and b"<" in shown and b"submissions" in shown


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c_stops_soon_keeps_what_is_graded_and_leaves_no_process(jobs, handout, command, run, family, tmp_path):
    for i in range(6):
        handout.hand_in(tmp_path / "submitted", f"z{i}", {"port-to-torch": HANGS, "grad-slip": "while True: pass"})
    process = subprocess.Popen(
        command("--jobs", jobs), cwd=tmp_path, env=environment(), start_new_session=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    wait_for(lambda: len(graded_so_far(tmp_path)) >= 5)
    theirs = family(process.pid)
    assert theirs.jails()
    begun = time.monotonic()
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to all of them
    said = process.communicate(timeout=30)[1]
    assert time.monotonic() - begun < 3 and process.returncode == 130
    assert said.strip() == "Stopped. What is graded is kept: the same command with --resume goes on."
    theirs.wait_for_end()
    before = graded_so_far(tmp_path)
    for i in range(6):
        handout.hand_in(tmp_path / "submitted", f"z{i}")
    done = run("--jobs", jobs, "--resume")
    assert done.returncode == 0, done.stderr
    after = graded_so_far(tmp_path)
    assert after[: len(before)] == before
    again = [student for student in after[len(before) :] if not student.startswith("z")]
    assert sorted({*before, *again}) == sorted([*before, *again])
    assert "11 students" in done.stdout


def wait_for(true, seconds=60.0):
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_what_is_not_written_is_told_and_resume_writes_it(run, tmp_path):
    (tmp_path / "feedback").write_text("a file in the way")
    done = run("--feedback", "feedback", "--jobs", "1")
    assert done.returncode == 1
    assert "feedback was not written, or not all of it" in done.stderr and "--resume" in done.stderr
    assert "Feedback for" not in done.stdout and len((tmp_path / "out" / "grades.csv").read_text().splitlines()) == 6
    (tmp_path / "feedback").unlink()
    graded = graded_so_far(tmp_path)
    done = run("--feedback", "feedback", "--jobs", "1", "--resume")
    assert done.returncode == 0 and graded_so_far(tmp_path) == graded
    assert (tmp_path / "feedback" / "s0000" / "a1.html").exists()


@pytest.mark.parametrize(
    "more, said",
    [
        (["--out", "grades"], "expected a file such as grades.csv"),
        (["--out", "submitted/s0000/a1/a1.ipynb/x.csv"], "a1.ipynb"),
        (["--assignment", "nowhere.ipynb"], "nowhere.ipynb: there is no such file"),
        (["--jobs", "0"], "expected a number of at least 1, but got 0"),
        (["--seed", "-1"], "expected a number of at least 0, but got -1"),
        (["--memory", "-1"], "expected a number of at least 1, but got -1"),
        (["--seconds", "0"], "expected seconds above 0, but got 0"),
        (["--feedback", "out"], "handed out to students"),
    ],
)
def test_a_mistake_is_told_in_a_sentence(more, said, run):
    done = run(*more)
    assert done.returncode in (1, 2) and said in done.stderr, done.stderr
    assert "Traceback" not in done.stderr and "labkit grade: " in done.stderr.splitlines()[-1]


def test_without_walls_nothing_is_graded_unless_one_insists(command, tmp_path):
    for more, status in ([], 1), (["--unsafe"], 0):
        done = subprocess.run(
            command("--jobs", "1", *more), cwd=tmp_path, env={**environment(), "PATH": "/nowhere"},
            capture_output=True, text=True, timeout=120,
        )  # fmt: skip
        assert done.returncode == status, done.stderr
        if not more:
            assert "bubblewrap is not installed" in done.stderr and "--unsafe" in done.stderr
            assert graded_so_far(tmp_path) == []
