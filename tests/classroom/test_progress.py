"""Progress: right answers are kept beside the notebooks, and no check ever fails because they cannot be kept."""

import io
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

import labkit
import labkit.mindspore as ms
from labkit import cli
from labkit.classroom import EXERCISES, check, hint, solution
from labkit.classroom.progress import FILE, progress, record
from labkit.working_copy import places
from labkit.working_copy import progress_file as record_file

ROOT = Path(__file__).parent.parent.parent
RECORD = sys.modules["labkit.classroom.progress"]
CHECKING = sys.modules["labkit.classroom.checking"]
SLIP = EXERCISES["grad-slip"]


@pytest.fixture(autouse=True)
def session(monkeypatch, tmp_path):
    """A new session of a learner in an empty folder."""
    monkeypatch.setattr(RECORD, "_unsaved", record_file.Record())
    monkeypatch.setattr(CHECKING, "_given", {})
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def learner(monkeypatch):
    """Python thinks that somebody sits in front of it, who has not answered yet."""
    monkeypatch.setattr(sys, "ps1", ">>> ", raising=False)
    for memory in ("_latest", "_given"):
        monkeypatch.setattr(f"labkit.classroom.checking.{memory}", {})


def forbid_writing(monkeypatch):
    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    for name in ("open", "replace"):
        monkeypatch.setattr(os, name, refuse)


def stored(folder):
    return json.loads((folder / FILE).read_text())["answers"]


def others(folder):
    """Whatever lies in the folder besides the record."""
    return sorted(path.name for path in folder.iterdir() if path.name != FILE)


# ---- what is recorded ----


def test_the_front_door_is_the_same():
    assert labkit.progress is progress and "progress" in labkit.__all__


def test_a_right_answer_is_recorded_with_points_date_and_hints(learner, tmp_path):
    hint("grad-slip")
    hint("grad-slip")
    assert check("grad-slip", 1.0)
    assert stored(tmp_path) == {"grad-slip": {"points": 1, "date": stored(tmp_path)["grad-slip"]["date"], "hints": 2}}
    assert stored(tmp_path)["grad-slip"]["date"].startswith(time.strftime("%Y-"))
    assert others(tmp_path) == []


@pytest.mark.parametrize("answer", [None, 2.5, "text", lambda: 1.0])
def test_an_answer_that_is_not_right_is_not_recorded(learner, tmp_path, answer):
    assert not check("grad-slip", answer)
    assert not check("no-such-exercise", answer)
    assert not list(tmp_path.iterdir())


def test_hints_that_went_past_the_last_one_count_as_three(learner, tmp_path):
    for _ in range(6):
        hint("grad-slip")
    check("grad-slip", 1.0)
    assert stored(tmp_path)["grad-slip"]["hints"] == 3


def test_the_first_right_answer_stays(learner, tmp_path):
    check("grad-slip", 1.0)
    first = (tmp_path / FILE).read_text()
    hint("grad-slip")
    assert check("grad-slip", 1.0) and (tmp_path / FILE).read_text() == first


def test_a_script_a_test_and_a_grader_record_nothing(tmp_path):
    assert check("grad-slip", 1.0)
    assert not list(tmp_path.iterdir()) and progress().points == 0


# ---- what is told ----


def test_nothing_done_yet_and_the_first_exercise_is_next():
    told = progress()
    assert (told.answers, told.points) == ({}, 0)
    assert told.next == "start-fix"  # the first in the notebook, though there is none here
    assert f"0 of {len(EXERCISES)} exercises" in repr(told) and f'Next: "{told.next}"' in repr(told)


def test_exercises_and_points_of_each_notebook(tmp_path):
    for name in ("grad-slip", "grad-structures"):
        record(EXERCISES[name], 0, tmp_path)
    told = progress()
    assert told.points == 4
    (line,) = [line for line in repr(told).splitlines() if "05_grad_and_value_and_grad" in line and "Next" not in line]
    belonging = [e for e in EXERCISES.values() if e.notebook == "05_grad_and_value_and_grad"]
    assert f"2 of {len(belonging):>2} exercises" in line and f"4 of {sum(e.points for e in belonging)} points" in line
    assert "grad-fix" in line and "grad-slip" not in line


def test_the_exercises_of_one_notebook(tmp_path, capsys):
    record(SLIP, 0, tmp_path)
    assert cli.main(["progress", "5", "--folder", str(tmp_path)]) == 0
    first, *lines = capsys.readouterr().out.splitlines()
    belonging = [e for e in EXERCISES.values() if e.notebook == "05_grad_and_value_and_grad"]
    assert first == f"05_grad_and_value_and_grad: 1 of {len(belonging)} exercises."
    assert [line for line in lines if line.startswith("  done")] == [f"  done  grad-slip: {SLIP.title}"]
    assert len([line for line in lines if line.startswith("  open")]) == len(belonging) - 1


def test_next_is_in_the_notebook_of_the_latest_answer_in_its_order(tmp_path):
    notebook = "05_grad_and_value_and_grad.ipynb"
    (tmp_path / notebook).write_bytes((ROOT / "notebooks" / notebook).read_bytes())
    for name in ("port-detach", "grad-slip", "grad-structures"):
        record(EXERCISES[name], 0, tmp_path)
        record_of = stored(tmp_path)
        record_of[name]["date"] = f"2026-01-0{len(record_of)}"
        (tmp_path / FILE).write_text(json.dumps({"answers": record_of}))
    assert progress().next == "grad-sum-outputs"


def test_after_the_last_notebook_come_the_open_ones_before_it(tmp_path):
    notebooks = sorted({e.notebook for e in EXERCISES.values()})
    for exercise in EXERCISES.values():
        if exercise.notebook == notebooks[-1]:
            record(exercise, 0, tmp_path)
    assert EXERCISES[progress().next].notebook == notebooks[0]


def test_all_done(tmp_path):
    for exercise in EXERCISES.values():
        record(exercise, 0, tmp_path)
    told = progress()
    assert told.next is None and told.points == sum(e.points for e in EXERCISES.values())
    assert "All exercises are answered." in repr(told) and "open" not in repr(told)


def test_an_exercise_of_another_version_is_kept_and_not_counted(tmp_path):
    entry = {"points": 50, "date": "2030-01-01", "hints": 0, "more": "fields"}
    (tmp_path / FILE).write_text(json.dumps({"answers": {"of-tomorrow": entry}}))
    record(SLIP, 0, tmp_path)
    assert stored(tmp_path)["of-tomorrow"] == entry
    assert progress().points == 1 and f"1 of {len(EXERCISES)} exercises" in repr(progress())


def test_what_a_notebook_shows_names_no_folder(tmp_path):
    record(SLIP, 0, tmp_path)
    assert str(tmp_path) not in repr(progress())


# ---- reset ----


def test_a_reset_begins_anew_and_keeps_the_old_record(learner, tmp_path):
    for _ in range(2):
        check("grad-slip", 1.0)
        told = progress(reset=True)
        assert told.answers == {} and "The old progress file is kept as .labkit-progress.old-" in repr(told)
    assert others(tmp_path) == [".labkit-progress.old-1.json", ".labkit-progress.old-2.json"]
    assert not (tmp_path / FILE).exists()


def test_a_reset_of_nothing_is_fine(tmp_path):
    assert progress(reset=True).notes == () and not list(tmp_path.iterdir())


# ---- where it is kept ----


@pytest.mark.skipif(sys.platform == "win32", reason="a folder in use cannot be deleted")
def test_a_folder_that_was_deleted(learner, tmp_path, monkeypatch):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert check("grad-slip", 1.0) and progress().points == 1


# ---- what can go wrong ----


def test_a_read_only_folder_lets_every_check_pass(learner, tmp_path, monkeypatch):
    with monkeypatch.context() as patch:
        forbid_writing(patch)
        assert "remembered only until this kernel stops" in check("grad-slip", 1.0).text
        told = progress()
        assert told.points == 1 and "only until this kernel stops" in repr(told)
        assert "Permission denied" in repr(progress(reset=True))
        assert check("grad-slip", 1.0)
    assert not list(tmp_path.iterdir())
    names = {"ms": ms}
    exec(solution("grad-structures"), names)
    assert check("grad-structures", names["answer"])
    assert set(stored(tmp_path)) == {"grad-slip", "grad-structures"} and progress().notes == ()


@pytest.mark.parametrize(
    "damage",
    [
        b"", b"{", b"null", b"[]", b"{}", b'{"answers": []}', b'{"answers": {"grad-slip": 5}}', b"\xff\xfe",
        b'{"answers": {"grad-slip": {"points": "1", "date": "", "hints": 0}}}', b"[" * 100_000,
    ],
)  # fmt: skip
def test_a_damaged_file_is_told_kept_aside_and_begun_anew(learner, tmp_path, damage):
    (tmp_path / FILE).write_bytes(damage)
    report = check("grad-slip", 1.0)
    assert report and "was damaged" in report.text and "kept as .labkit-progress.old-1.json" in report.text
    assert (tmp_path / ".labkit-progress.old-1.json").read_bytes() == damage
    assert set(stored(tmp_path)) == {"grad-slip"} and progress().notes == ()


def test_a_damaged_file_is_told_by_progress_too(tmp_path):
    (tmp_path / FILE).write_text("half")
    assert "was damaged" in repr(progress()) and others(tmp_path) == [".labkit-progress.old-1.json"]


def test_a_folder_in_place_of_the_file(learner, tmp_path):
    (tmp_path / FILE).mkdir()
    assert check("grad-slip", 1.0) and progress().points == 1 and "cannot be used here" in repr(progress())


def test_kernels_at_the_same_time_lose_nothing(tmp_path):
    script = (
        "import sys; from labkit.classroom.progress import *\n"
        "print('ready', flush=True); input()\n"
        "for name in sys.argv[2:]: assert record(EXERCISES[name], 0, sys.argv[1]) == ''"
    )
    names = list(EXERCISES)[:20]
    commands = [[sys.executable, "-c", script, str(tmp_path), *names[i::4]] for i in range(4)]
    kernels = [subprocess.Popen(c, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for c in commands]
    assert [kernel.stdout.readline() for kernel in kernels] == ["ready\n"] * 4
    for kernel in kernels:
        kernel.stdin.write("\n")
        kernel.stdin.flush()
    for kernel in kernels:
        kernel.communicate(timeout=1200)
    assert [kernel.returncode for kernel in kernels] == [0] * 4
    assert set(stored(tmp_path)) == set(names) and others(tmp_path) == []


def test_a_lock_that_was_left_behind_is_broken(tmp_path):
    lock = tmp_path / f"{FILE}.lock"
    lock.touch()
    os.utime(lock, (time.time() - 3600,) * 2)
    record(SLIP, 0, tmp_path)
    assert set(stored(tmp_path)) == {"grad-slip"} and others(tmp_path) == []


def test_a_lock_that_is_held_delays_the_record_to_the_next_answer(tmp_path, monkeypatch):
    monkeypatch.setattr(record_file, "PATIENCE", 0.05)
    (tmp_path / f"{FILE}.lock").touch()
    record(SLIP, 0, tmp_path)
    assert others(tmp_path) == [f"{FILE}.lock"] and progress().points == 1
    (tmp_path / f"{FILE}.lock").unlink()
    record(EXERCISES["grad-structures"], 0, tmp_path)
    assert set(stored(tmp_path)) == {"grad-slip", "grad-structures"}


# ---- in a kernel, and from the command line ----


def test_a_kernel_records_a_right_answer_in_the_folder_of_its_notebook_and_no_other(tmp_path):
    cells = ["import labkit", 'labkit.check("grad-structures", ...)', 'labkit.check("port-detach", ...)']

    def run(*sources):
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in sources])
        NotebookClient(notebook, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}).execute()
        return notebook.cells[-1].outputs[0]["data"]["text/plain"]

    run(*cells)
    assert not list(tmp_path.iterdir())
    assert f"1 of {len(EXERCISES)} exercises" in run(*cells, 'labkit.check("grad-slip", 1.0)', "labkit.progress()")
    assert set(stored(tmp_path)) == {"grad-slip"} and others(tmp_path) == []


def test_the_record_is_the_learners_and_not_the_repositorys():
    if not (ROOT / ".git").exists():
        pytest.skip("not a clone")
    for name in (FILE, f"{FILE}.lock", ".labkit-progress.old-1.json"):
        ignored = subprocess.run(["git", "check-ignore", "-q", f"notebooks/{name}"], cwd=ROOT)
        assert ignored.returncode == 0, name


def command(*arguments, answer=None, monkeypatch=None):
    if answer is not None:
        monkeypatch.setattr("builtins.input", lambda question: answer)
    return cli.main(["progress", *arguments])


def test_the_command_tells_the_same_and_where_it_is_kept(tmp_path, capsys):
    record(SLIP, 0, tmp_path)
    assert command() == 0
    printed = capsys.readouterr().out
    assert repr(progress()) in printed and f"Stored in {(tmp_path / FILE).resolve()}" in printed


@pytest.mark.parametrize("answer, status, left", [("y", 0, 0), ("yes", 0, 0), ("", 1, 1), ("n", 1, 1)])
def test_the_command_asks_before_a_reset(tmp_path, monkeypatch, capsys, answer, status, left):
    record(SLIP, 0, tmp_path)
    assert command("--reset", answer=answer, monkeypatch=monkeypatch) == status
    assert len(progress().answers) == left
    assert ("Nothing was changed" in capsys.readouterr().out) == (status == 1)


def test_the_command_does_not_ask_with_yes_and_nobody_there_is_a_no(tmp_path, monkeypatch, capsys):
    record(SLIP, 0, tmp_path)
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    assert command("--reset") == 1 and progress().points == 1
    assert command("--reset", "--yes") == 0 and progress().points == 0
    assert "The old progress file is kept as" in capsys.readouterr().out


def test_the_command_looks_in_the_working_copy_from_anywhere(tmp_path, monkeypatch, capsys):
    shelf = tmp_path / "shelf"
    shelf.mkdir()
    record(SLIP, 0, shelf)
    assert command("--folder", str(shelf)) == 0 and "1 of" in capsys.readouterr().out
    monkeypatch.setenv(places.HOME, str(shelf))
    assert command() == 0 and str(shelf.resolve()) not in capsys.readouterr().out
    (shelf / places.MANIFEST).touch()
    assert command() == 0 and str(shelf.resolve()) in capsys.readouterr().out
    assert command("--folder", str(tmp_path / "nowhere")) == 2 and "is not a folder" in capsys.readouterr().err


def test_solutions_are_no_answers(learner, tmp_path):
    assert solution("grad-slip") and not list(tmp_path.iterdir())
