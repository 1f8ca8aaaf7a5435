"""Submissions: every student gets one line, and nothing but an ordinary file below the folder is ever opened."""

import json
import os
import sys
from pathlib import Path

import pytest

from labkit.grading.collecting import collect
from labkit.grading.files import on_one_line, open_below
from labkit.grading.submissions import Submission, SubmissionError, open_submission

linked = pytest.mark.skipif(sys.platform == "win32", reason="links and pipes need rights or do not exist")


def notebook(*ids):
    cells = [{"cell_type": "code", "source": "x", "metadata": {"nbgrader": {"grade_id": i}}} for i in ids]
    return json.dumps({"cells": cells, "nbformat": 4, "metadata": {}})


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "submitted"
    folder.mkdir()
    return folder


@pytest.fixture
def put(root):
    def put(name, text="{}", age=0):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        os.utime(path, (2e9 - age, 2e9 - age))
        return path

    return put


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "source" / "week1.ipynb"
    path.parent.mkdir()
    path.write_text(notebook("setup", "answer-a", "answer-b"))
    return path


def only(root, source=None):
    (found,) = collect(root, "week1", source).submissions
    return found


def refused(root, *words, source=None):
    """The one submission has a problem that says all this, and cannot be opened."""
    found = only(root, source)
    assert found.path is None
    for word in words:
        assert word in found.problem
    with pytest.raises(SubmissionError) as error:
        open_submission(found)
    assert str(error.value) == found.problem
    return found


# ---- layouts ----


def test_every_layout_gives_the_student_and_the_file(root, put):
    put("ann/week1/week1.ipynb")
    put("bob/week1.ipynb")
    put("cem_week1.ipynb")
    put("dora-week1.ipynb")
    put("week1_eve.ipynb")
    put("fay.ipynb")
    put("gus_week1.ipynb.txt")
    found = collect(root, "week1").submissions
    assert [(s.student, s.file) for s in found] == [
        ("ann", "ann/week1/week1.ipynb"), ("bob", "bob/week1.ipynb"), ("cem", "cem_week1.ipynb"),
        ("dora", "dora-week1.ipynb"), ("eve", "week1_eve.ipynb"), ("fay", "fay.ipynb"), ("gus", "gus_week1.ipynb.txt"),
    ]  # fmt: skip
    assert not any(s.problem or s.notes for s in found)
    assert [open_submission(s) for s in found] == [b"{}"] * 7


def test_a_name_that_only_begins_alike_is_not_shortened(root, put):
    put("week10.ipynb")
    assert only(root).student == "week10"


def test_hidden_files_and_checkpoints_are_nobody(root, put):
    for name in (".ipynb_checkpoints/a.ipynb", ".hidden.ipynb", "__MACOSX/._a.ipynb", "roster.csv"):
        put(name)
    assert collect(root, "week1").submissions == []


def test_a_checkpoint_is_not_the_notebook(root, put):
    put("ann/week1/.ipynb_checkpoints/week1-checkpoint.ipynb")
    refused(root, "contains no file", "expected week1.ipynb")


def test_a_folder_without_the_notebook_says_what_is_there(root, put):
    put("ann/week1/week1.docx")
    assert refused(root, "ann/week1", "week1.docx").student == "ann"


def test_the_folder_itself_must_exist(root):
    with pytest.raises(SubmissionError, match="no folder"):
        collect(root / "nowhere", "week1")
    with pytest.raises(SubmissionError, match="instructor's notebook"):
        collect(root, "week1", root / "nowhere.ipynb")


# ---- which notebook is meant ----


def test_the_only_notebook_is_taken_whatever_its_name(root, put):
    put("ann/week1/final FINAL.ipynb")
    found = only(root)
    assert found.path.name == "final FINAL.ipynb"
    assert "its name is not week1.ipynb" in found.notes[0]


def test_the_right_name_wins(root, put):
    put("ann/week1/scratch.ipynb")
    right = put("ann/week1/Week1.ipynb", age=9)
    assert only(root).path == right
    assert only(root).notes == ()


def test_among_wrong_names_the_cells_decide(root, put, source):
    put("ann/a.ipynb", notebook("setup"))
    best = put("ann/b.ipynb", notebook("answer-a", "answer-b"), age=9)
    put("ann/c.ipynb", "broken {")
    assert only(root, source).path == best
    assert "b.ipynb was graded" in only(root, source).notes[0]


def test_nothing_is_guessed_where_no_notebook_fits(root, put, source):
    put("ann/a.ipynb", notebook("setup"))
    put("ann/b.ipynb")
    refused(root, "several notebooks", "Rename", source=source)
    refused(root, "several notebooks")


def test_of_two_files_of_one_student_the_newer_is_graded(root, put):
    put("ann_week1.ipynb", age=9)
    newer = put("week1-ann.ipynb")
    found = only(root)
    assert found.path == newer
    assert "several files" in found.notes[0] and "not ann_week1.ipynb" in found.notes[0]


def test_a_file_that_can_be_read_is_preferred_to_a_newer_one_that_cannot(root, put):
    right = put("ann_week1.ipynb", age=9)
    (root / "ann.ipynb").mkdir()
    assert only(root).path == right


def test_the_timestamp_is_nbgraders_or_the_files(root, put):
    put("ann/week1/week1.ipynb")
    assert only(root).timestamp == "2033-05-18T03:33:20+00:00"
    for text, expected in {
        "2024-01-02 03:04:05.678 UTC": "2024-01-02T03:04:05+00:00",
        "soon": "2033-05-18T03:33:20+00:00",
        "9" * 500: "2033-05-18T03:33:20+00:00",
    }.items():
        put("ann/week1/timestamp.txt", text)
        assert only(root).timestamp == expected


@pytest.mark.parametrize("place", ["ann/work/week1/", "Ann_12_assignsubmission_file_/week1/", "ann/"])
def test_a_timestamp_inside_a_submission_is_no_evidence(place, root, put):
    put(f"{place}week1.ipynb")
    put(f"{place}timestamp.txt", "2024-01-02 03:04:05 UTC")
    assert only(root).time_from != "timestamp.txt"


# ---- what is never opened ----


@linked
def test_links_are_not_followed(root, put, tmp_path):
    secret = tmp_path / "secret.ipynb"
    secret.write_text("secret")
    (root / "ann.ipynb").symlink_to(secret)
    refused(root, "ann.ipynb is a link", "Put the file itself")


@linked
@pytest.mark.parametrize("place", ["ann", "ann/week1"])
def test_nor_are_links_to_folders_on_the_way(root, tmp_path, place):
    other = tmp_path / "other"
    (other / "week1").mkdir(parents=True)
    (other / "week1.ipynb").write_text("secret")
    (root / place).parent.mkdir(exist_ok=True)
    (root / place).symlink_to(other)
    assert refused(root, f"{place} is a link").student == "ann"


@linked
def test_a_link_to_nothing_gives_a_line_too(root):
    (root / "ann").symlink_to(root / "ann")
    refused(root, "ann is a link")


@linked
def test_hard_links_are_refused(root, put):
    os.link(put("ann/week1.ipynb"), root / "b.txt")
    refused(root, "hard link", "copy")


@linked
def test_pipes_and_folders_are_no_notebooks(root):
    os.mkfifo(root / "ann.ipynb")
    (root / "bob.ipynb").mkdir()
    ann, bob = collect(root, "week1").submissions
    assert "pipe" in ann.problem and "is a folder" in bob.problem


def test_the_instructors_notebook_is_nobodys_submission(root, put):
    source = put("ann/week1/week1.ipynb")
    refused(root, "instructor's own notebook", source=source)


@linked
def test_opening_looks_again_at_what_was_found(root, put, tmp_path):
    """Whatever was exchanged between finding and opening."""
    path = put("ann/week1/week1.ipynb")
    found, secret = only(root), tmp_path / "secret"
    secret.mkdir()
    (secret / "week1.ipynb").write_text("secret")

    def problem():
        with pytest.raises(SubmissionError) as error:
            open_submission(found)
        return str(error.value)

    path.unlink()
    assert "cannot be opened" in problem()
    path.symlink_to(secret / "week1.ipynb")
    assert "link" in problem()
    path.unlink()
    os.mkfifo(path)
    assert "pipe" in problem()
    path.unlink()
    path.mkdir()
    assert "is a folder" in problem()
    path.rmdir()
    path.parent.rmdir()
    path.parent.symlink_to(secret)
    assert path.read_text() == "secret"
    assert "a folder on its path is a link" in problem()


@linked
def test_devices_are_no_notebooks():
    with pytest.raises(SubmissionError, match="device"):
        open_submission(Submission("ann", Path("/dev/zero"), "zero", ""))


def test_a_large_file_is_refused_before_it_is_read(root, put):
    put("ann.ipynb", "x" * 11)
    assert open_below(root, ["ann.ipynb"], limit=11) == b"x" * 11
    with pytest.raises(SubmissionError, match="11 bytes; at most 10"):
        open_below(root, ["ann.ipynb"], limit=10)
    os.truncate(root / "ann.ipynb", 2**40)  # a hole: no disk is filled
    with pytest.raises(SubmissionError, match="Clear the outputs"):
        open_submission(only(root))


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_what_may_not_be_read_gives_a_line(root, put):
    put("ann/week1.ipynb")
    (root / "ann").chmod(0)
    found = only(root)
    (root / "ann").chmod(0o700)
    assert "Permission denied" in found.problem


# ---- names ----


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere names are always text")
def test_names_in_any_encoding_can_be_found_printed_and_opened(root):
    for name in (
        b"J\xfcrgen_week1.ipynb",
        b"a\nb.ipynb",
        b"\x1b[31mred.ipynb",
        "李.ipynb".encode(),
        b"x" * 249 + b".ipynb",
    ):
        with open(os.path.join(os.fsencode(root), name), "wb") as file:
            file.write(b"{}")
    os.mkdir(os.path.join(os.fsencode(root), b"\xff"))
    found = collect(root, "week1").submissions
    assert [s.student for s in found] == sorted(s.student for s in found)
    assert os.fsencode(found[-2].student) in (b"\xff", "李".encode())
    for submission in found:
        assert (submission.file + submission.problem).encode().decode().isprintable()
        assert submission.problem or open_submission(submission) == b"{}"


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere names are shorter or always text")
def test_a_long_name_in_a_folder(root, put):
    put(f"ann/{'x' * 249}.ipynb")
    assert open_submission(only(root)) == b"{}"


def test_names_are_shown_on_one_line():
    assert on_one_line("a\r\n\u202eb\udcff") == "a\\r\\n\\u202eb\\udcff"
    assert len(on_one_line("x" * 999)) == 203


def test_the_order_does_not_depend_on_the_disk(root, put, monkeypatch):
    for name in ("b", "a", "C"):
        put(f"{name}.ipynb")
    first = collect(root, "week1").submissions
    listed = os.listdir
    monkeypatch.setattr(os, "listdir", lambda path: listed(path)[::-1])
    assert collect(root, "week1").submissions == first
