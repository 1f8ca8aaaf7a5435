"""A student's own archive is opened in a process with limits: whatever it is, it costs its own student alone."""

import os
import re
import stat
import struct
import time

import psutil
import pytest
from class_of_forty import written, zipped
from resource_abuse import fail, number, sleep, spin, take, vanish
from test_trees import archive, named

from labkit.grading import processes
from labkit.grading.bounds import Bounds
from labkit.grading.collecting import collect
from labkit.grading.files import SubmissionError
from labkit.grading.processes import Reader
from labkit.grading.submissions import open_submission

BOUNDS = Bounds(reading=2.0, megabytes=48)
SMALL = Bounds(reading=0.3, megabytes=28)


@pytest.fixture(scope="module")
def reader():
    with Reader(BOUNDS) as reader:
        yield reader


@pytest.fixture(params=["folder", "archive"])
def handed_in(request, tmp_path, reader):
    """`handed_in(data)`: what is found of ann's archive, beside two others, in a folder and in the archive of a class."""

    def found(data):
        files = {"ann.zip": data, "bob.ipynb": b"{}", "eve.zip": zipped({"hw.ipynb": b"[]"})}
        if request.param == "folder":
            place = written(tmp_path / "in", files)
        else:
            place = tmp_path / "class.zip"
            place.write_bytes(zipped(files))
        found = {s.student: s for s in collect(place, "hw", reader=reader).submissions}
        assert open_submission(found["bob"]) == b"{}" and open_submission(found["eve"]) == b"[]"
        return found["ann"]

    return found


def said_of(submission):
    """What came of a submission: its problem, or its bytes."""
    if submission.problem:
        return submission.problem
    try:
        return open_submission(submission)
    except SubmissionError as error:
        return str(error)


def in_the_table(data, at, value, record=b"PK\x01\x02"):
    """An archive with other bytes `at` a place of the first entry in its table, or of another record."""
    data = bytearray(data)
    data[(start := data.index(record) + at) : start + len(value)] = value
    return bytes(data)


ONE = zipped({"hw.ipynb": b'{"cells": []}' * 9})
TINY = archive((named("hw.ipynb"), b""))
BOMB = zipped({"hw.ipynb": bytes(21 * 2**20)})
LIES = {  # what is handed in, and what is said of it
    "a bomb": (BOMB, "at most 20,971,520 are read"),
    "a bomb that hides its size": (in_the_table(BOMB, 24, b"\7\0\0\0"), "damaged|more than"),
    "another checksum": (in_the_table(ONE, 16, b"\1\2\3\4"), "damaged"),
    "another name in the file": (in_the_table(ONE, 30, b"x", b"PK\x03\x04"), "damaged"),
    "a password": (in_the_table(in_the_table(ONE, 8, b"\1"), 6, b"\1", b"PK\x03\x04"), "encrypted"),
    "strong encryption": (in_the_table(ONE, 8, b"\x41"), "encrypted"),
    "another method": (in_the_table(ONE, 10, b"\x63"), "unsupported compression method"),
    "bytes that are not deflated": (in_the_table(ONE, 40, b"\xff\xff\xff\xff", b"PK\x03\x04"), "damaged"),
    "an entry behind the end": (in_the_table(ONE, 42, b"\xff\xff\xff\x7f"), "damaged|not a ZIP archive"),
    "a table of four gigabytes": (in_the_table(ONE, 12, b"\xff\xff\xff\xff", b"PK\x05\x06"), "too many entries"),
    "a link": (archive((named("hw.ipynb", stat.S_IFLNK | 0o777), b"/etc/passwd")), "is a link"),
    "paths that lead out": (zipped({"../hw.ipynb": b"1", "/etc/hw.ipynb": b"2"}), r"no file.*\.\./hw.ipynb points outside"),
    "nothing": (zipped({}), "contains no file"),
    "a folder that is called a notebook": (zipped({"hw.ipynb/x": b""}), "is a folder"),
    "a file of another name": (zipped({"all.rar": b"Rar!"}), "no notebook, only all.rar"),
    "a 7z archive": (b"7z\xbc\xaf\x27\x1c" + bytes(99), "not a ZIP archive"),
}  # fmt: skip


@pytest.mark.parametrize("lie", LIES)
def test_what_an_archive_says_is_not_believed(lie, handed_in):
    data, said = LIES[lie]
    assert re.search(said, str(what := said_of(handed_in(data)))), what


def zip64(size, extra_size):
    """An archive whose sizes stand in the extra field that large archives have, where they are not true."""
    extra = struct.pack("<HHQQ", 1, extra_size, size, size)
    entry = named("hw.ipynb")
    entry.extra = extra
    data = archive((entry, b"{}"))
    return in_the_table(in_the_table(data, 20, b"\xff" * 8), 18, b"\xff" * 8, b"PK\x03\x04")


@pytest.mark.parametrize("size, extra_size", [(2**63, 16), (2**40, 16), (2, 16), (2, 65535), (0, 0)])
def test_sizes_of_large_archives_that_are_not_true_cost_their_own_student(size, extra_size, handed_in):
    said = said_of(handed_in(zip64(size, extra_size)))
    assert said == b"{}" if (size, extra_size) == (2, 16) else said.startswith(("ann.zip", "In the archive")), said


def overlapping(times):
    """An archive whose entries are all the same bytes, which are read for each of them."""
    data = zipped({"hw.ipynb": b"[]", "x.ipynb": bytes(2**20)})
    at = data.rindex(b"PK\x01\x02")
    entry, end = data[at : data.index(b"PK\x05\x06")], data[data.index(b"PK\x05\x06") :]
    many = entry * times
    end = end[:8] + struct.pack("<HHI", times + 1, times + 1, at - data.index(b"PK\x01\x02") + len(many)) + end[16:]
    return data[:at] + many + end


def test_entries_that_overlap_are_read_once_or_not_at_all(handed_in):
    assert said_of(handed_in(overlapping(3000))) == b"[]"


def nested(data, times):
    for _ in range(times):
        data = zipped({"all.zip": data})
    return data


def test_an_archive_in_an_archive_is_opened_and_not_for_ever(handed_in):
    ann = handed_in(nested(ONE, 2))
    assert said_of(ann) == b'{"cells": []}' * 9 and ann.file == "ann.zip/all.zip/all.zip/hw.ipynb"
    assert ann.notes == ("It was extracted from an archive: ann.zip/all.zip/all.zip/hw.ipynb.",)
    assert "nested archives" in handed_in(nested(ONE, 40)).problem


def test_a_table_of_very_many_entries_is_not_read(handed_in):
    entry = TINY[TINY.index(b"PK\x01\x02") : TINY.index(b"PK\x05\x06")]
    table = entry * 300_000  # 200 MB when they are read
    end = struct.pack("<4sHHHHIIH", b"PK\x05\x06", 0, 0, 2, 2, len(table), TINY.index(b"PK\x01\x02"), 0)
    data = TINY[: TINY.index(b"PK\x01\x02")] + table + end
    assert "too many entries" in handed_in(data).problem


@pytest.mark.parametrize("name",
    ["re\u0301sume\u0301/hw.ipynb", "./hw.ipynb", "a//b/./hw.ipynb", "\u202ehw/hw.ipynb", "😀/hw.ipynb", "C:\\me\\hw.ipynb"],
)  # fmt: skip
def test_names_are_what_they_are_meant_to_be(name, handed_in):
    assert said_of(handed_in(zipped({name: b"{}"}))) == b"{}"


def test_names_in_utf8_are_known_where_nothing_says_so(handed_in, tmp_path, reader):
    silent = zipped({"Zoë.ipynb": b"{}"}).replace(b"\0\x08\x08\0", b"\0\0\x08\0")
    (tmp_path / "all.zip").write_bytes(silent)
    assert [s.student for s in collect(tmp_path / "all.zip", "hw", reader=reader).submissions] == ["Zoë"]


def test_twenty_thousand_files_beside_the_notebook_are_nothing_special(handed_in):
    data = zipped({"hw.ipynb": b"{}"})
    at, end = data.index(b"PK\x01\x02"), data.index(b"PK\x05\x06")
    table = data[at:end] + b"".join(data[at:end].replace(b"hw.ipynb", b"%08x" % i) for i in range(20_000))
    tail = struct.pack("<4sHHHHIIH", b"PK\x05\x06", 0, 0, 20_001, 20_001, len(table), at, 0)
    assert said_of(handed_in(data[:at] + table + tail)) == b"{}"


# ---- the process ----


def test_what_takes_too_much_is_said_and_the_next_is_opened():
    reader = Reader(SMALL)
    for what, said in (
        (spin, "took more than 0.3 seconds of CPU time"), (take, "took more memory than its limit"),
        (vanish, "exceeds the limits for opening"), (fail, r"x.zip cannot be opened \(LookupError\)"),
    ):  # fmt: skip
        with pytest.raises(SubmissionError, match=said):
            reader.ask("x.zip", what)
        assert psutil.Process(reader.ask("x.zip", number)).ppid() == os.getpid()


def test_one_that_does_not_answer_is_left(monkeypatch):
    monkeypatch.setattr(processes, "PATIENCE", 0.1)
    began = time.monotonic()
    with Reader() as slow, pytest.raises(SubmissionError, match="exceeds the limits for opening"):
        slow.ask("x.zip", sleep)
    assert time.monotonic() - began < 100


def test_it_ends_when_nobody_has_it_any_more():
    asked = Reader()
    process = psutil.Process(asked.ask("x", number))
    del asked
    assert not process.is_running()


def test_the_class_is_graded_from_archives_without_a_process_that_is_left(tmp_path):
    before = set(psutil.Process().children(recursive=True))
    (tmp_path / "class.zip").write_bytes(zipped({"ann.ipynb": b"{}"}))
    found = collect(tmp_path / "class.zip", "hw")
    assert set(psutil.Process().children(recursive=True)) - before
    del found
    assert not set(psutil.Process().children(recursive=True)) - before
