"""`labkit grade` as people meet it: as a command of its own, with Ctrl-C and with mistakes."""

import csv
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
from patience import HANGS

from labkit.cli import main

pytestmark = pytest.mark.needs("bubblewrap")

ROOT = Path(__file__).parents[2]
UNREAD = (  # of the class, s0004 is one
    "labkit grade: submissions that could not be read: s0004. The overview says why. Ask for them again, and add --resume.\n"
)


@pytest.fixture
def arguments(handout, tmp_path, monkeypatch):
    """`arguments("--jobs", "2")`: how to grade the class in `submitted/`, in this folder."""
    handout.class_of(tmp_path / "submitted", 5)
    monkeypatch.chdir(tmp_path)
    given = ["grade", "submitted", "--assignment", str(handout.source), "--out", "out/grades.csv", "--seconds", "60"]
    return lambda *more: [*given, *more]


@pytest.fixture
def command(arguments, tmp_path):
    """`command("--jobs", "2")`: a process that does it."""

    def started(*more, **options):
        code = "import sys; from labkit.cli import main; sys.exit(main())"
        return subprocess.Popen(
            [sys.executable, "-c", code, *arguments(*more)], cwd=tmp_path, env=environment(), **options
        )

    return started


@pytest.fixture
def run(arguments, same_sandbox, capsys):
    """`run("--resume")`: the same in this process; its status, and what it prints and complains about."""

    def ran(*more):
        try:
            status = main(arguments("--jobs", "1", *more))
        except SystemExit as stop:
            status = stop.code
        return status, *capsys.readouterr()

    return ran


def environment():
    return {**os.environ, "PYTHONPATH": str(ROOT)}


def graded_so_far(folder):
    journal = folder / "out" / "grades.journal"
    return [json.loads(line)["student"] for line in journal.read_text().splitlines()[1:]] if journal.exists() else []


def test_a_class_is_graded_and_summed_up(run, tmp_path):
    status, printed, complained = run("--feedback", "feedback")
    assert (status, complained) == (1, UNREAD)  # and no bar where nobody looks
    assert "Students: 5; points: mean 4.1" in printed and "port-to-torch" in printed
    assert "Written to out: grades.csv, grades.questions.csv, grades.html" in printed
    assert "Feedback for the students: feedback" in printed
    assert len((tmp_path / "out" / "grades.csv").read_text().splitlines()) == 6


def test_on_a_terminal_a_bar_counts_and_says_how_long(command, tmp_path):
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, 100))
    process = command("--jobs", "2", stdout=subprocess.DEVNULL, stderr=theirs)
    os.close(theirs)
    shown = b""
    try:
        while part := os.read(ours, 1000):
            shown += part
    except OSError:  # the end of a terminal
        pass
    assert process.wait(1200) == 1
    assert b"/5 [" in shown and b"<" in shown and b"submissions" in shown
    assert len((tmp_path / "out" / "grades.csv").read_text().splitlines()) == 6


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c_stops_soon_keeps_what_is_graded_and_leaves_no_process(jobs, handout, command, run, family, tmp_path):
    for i in range(3):
        handout.hand_in(tmp_path / "submitted", f"z{i}", {"port-to-torch": HANGS})
    process = command(
        "--jobs", jobs, "--seconds", "1000", start_new_session=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    wait_for(lambda: len(graded_so_far(tmp_path)) >= 5)
    theirs = family(process.pid)
    assert theirs.sandboxes()
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to all of them
    said = process.communicate(timeout=900)[1]  # what runs would take longer
    assert process.returncode == 130
    assert said.strip() == "Stopped. The results so far are kept: continue with the same command and --resume."
    theirs.wait_for_end()
    before = graded_so_far(tmp_path)
    for i in range(3):
        handout.hand_in(tmp_path / "submitted", f"z{i}")
    status, printed, complained = run("--seconds", "1000", "--resume")
    assert (status, complained) == (1, UNREAD)
    after = graded_so_far(tmp_path)
    assert after[: len(before)] == before and len(after) == len({*after}) == 8
    assert "Students: 8;" in printed


def wait_for(true, seconds=1200.0):
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_what_is_not_written_is_told_and_resume_writes_it(run, tmp_path):
    (tmp_path / "feedback").write_text("a file in the way")
    status, printed, complained = run("--feedback", "feedback")
    assert status == 1
    assert "feedback was not written completely" in complained and "--resume" in complained
    assert "Feedback for" not in printed and len((tmp_path / "out" / "grades.csv").read_text().splitlines()) == 6
    (tmp_path / "feedback").unlink()
    graded = graded_so_far(tmp_path)
    assert run("--feedback", "feedback", "--resume")[2] == UNREAD and graded_so_far(tmp_path) == graded
    assert (tmp_path / "feedback" / "s0000" / "a1.html").exists()


@pytest.mark.parametrize(
    "more, said",
    [
        (["--out", "grades"], "expected a file such as grades.csv"),
        (["--out", "submitted/s0000/a1/a1.ipynb/x.csv"], "a1.ipynb"),
        (["--assignment", "nowhere.ipynb"], "nowhere.ipynb: there is no such file"),
        (["--jobs", "0"], "expected a whole number of at least 1, but got '0'"),
        (["--seed", "-1"], "expected a whole number of at least 0, but got '-1'"),
        (["--seconds", "0"], "expected a number of at least 0.001, but got '0'"),
        (["--feedback", "out"], "is for students"),
    ],
)
def test_a_mistake_is_told_in_a_sentence(more, said, run):
    status, _, complained = run(*more)
    assert status in (1, 2) and said in complained
    assert "labkit grade: " in complained.splitlines()[-1]


def test_without_walls_nothing_is_graded_unless_one_insists(arguments, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PATH", "/nowhere")
    assert main(arguments("--jobs", "1")) == 1
    complained = capsys.readouterr().err
    assert "bubblewrap is not installed" in complained and "--unsafe" in complained
    assert not (tmp_path / "out").exists()
    assert main(arguments("--jobs", "1", "--unsafe", "--feedback", "pages")) == 1
    said = capsys.readouterr().err
    assert said.startswith("labkit grade: --unsafe: students' code may run without isolation.") and said.endswith(
        UNREAD
    )
    (journal,) = tmp_path.rglob("*.journal")
    assert '"unsafe": true' in journal.read_text().splitlines()[0]
    files = [*tmp_path.rglob("pages/*/*.html"), journal.with_suffix(".html")]
    assert len(files) > 1 and all("Graded with --unsafe" in page.read_text() for page in files)
    assert {line["unsafe"] for line in csv.DictReader(journal.with_suffix(".csv").open())} == {"unsafe"}
