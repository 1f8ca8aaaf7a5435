"""Archives of submissions: read where they are, within limits, and nothing of them is taken for what it is not."""

import io
import os
import stat
import time
import zipfile

import pytest
from class_of_forty import written, zipped

from labkit.grading import trees
from labkit.grading.collecting import collect
from labkit.grading.roster import read_roster
from labkit.grading.submissions import SubmissionError, open_submission
from labkit.grading.trees import Archive


def found_in(tmp_path, files, **more):
    (tmp_path / "class.zip").write_bytes(files if isinstance(files, bytes) else zipped(files))
    return collect(tmp_path / "class.zip", "hw", **more)


def named(name, mode=0, method=zipfile.ZIP_STORED):
    entry = zipfile.ZipInfo(name, (2026, 11, 30, 12, 0, 0))
    entry.external_attr, entry.compress_type = mode << 16, method
    return entry


def archive(*entries):
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as made:
        for entry, data in entries:
            made.writestr(entry, data)
    return held.getvalue()


def test_paths_that_lead_out_are_listed_and_nothing_is_written(tmp_path):
    names = ("../out.ipynb", "/abs.ipynb", "a/../../b.ipynb", "..\\win.ipynb")
    found = found_in(tmp_path, {**dict.fromkeys(names, b"{}"), "ann.ipynb": b"{}"})
    assert [s.student for s in found.submissions] == ["ann"]
    assert len(found.strangers) == 4 and all("points outside" in s.why for s in found.strangers)
    assert os.listdir(tmp_path) == ["class.zip"]


def test_what_cannot_be_read_costs_its_own_student(tmp_path):
    bomb = zipped({"hw.ipynb": b" " * 2**25})
    entries = [
        (named("link.ipynb", stat.S_IFLNK | 0o777), b"/etc/passwd"), (named("large.ipynb"), b" " * (2**20 * 20 + 1)),
        (named("lzma.ipynb", method=zipfile.ZIP_LZMA), b"{}"), (named("ok.ipynb"), b"{}"), (named("bomb.zip"), bomb),
        (named("nozip.zip"), b"{}"), (named("empty.zip"), zipped({"x.docx": b"1"})),
    ]  # fmt: skip
    found = {s.student: s for s in found_in(tmp_path, archive(*entries)).submissions}
    for student, said in {"link": "is a link", "large": "at most", "lzma": "unsupported compression", "bomb": "at most",
                          "nozip": "not a ZIP archive", "empty": "no notebook, only x.docx"}.items():  # fmt: skip
        assert said in found[student].problem and found[student].file, student
    assert open_submission(found["ok"]) == b"{}"


def test_a_size_that_an_archive_lies_about_and_a_damaged_entry_are_refused(tmp_path):
    data = bytearray(zipped({"ann.ipynb": b"a" * 5000, "bob.ipynb": b"b" * 5000}))
    data[data.index(b"PK\x01\x02") + 24 : data.index(b"PK\x01\x02") + 28] = (10).to_bytes(4, "little")
    data[60] ^= 0xFF
    ann, bob = found_in(tmp_path, bytes(data)).submissions
    with pytest.raises(SubmissionError, match="damaged"):
        open_submission(ann)
    assert open_submission(bob) == b"b" * 5000


def test_encrypted_files_are_told(tmp_path):
    data = bytearray(zipped({"ann.ipynb": b"{}"}))
    data[data.index(b"PK\x01\x02") + 8] |= 1
    assert "encrypted" in found_in(tmp_path, bytes(data)).submissions[0].problem


def test_a_table_of_a_million_entries_is_refused_before_it_is_read(monkeypatch):
    many = zipped({str(i): b"" for i in range(300)})
    monkeypatch.setattr(trees, "DIRECTORY", 10)
    monkeypatch.setattr(zipfile, "ZipFile", lambda file: pytest.fail("it was read"))
    with pytest.raises(SubmissionError, match="too many entries; at most 100"):
        Archive(many, "x.zip", 100)


def test_more_entries_than_may_be_are_refused():
    with pytest.raises(SubmissionError, match="too many entries"):
        Archive(zipped({str(i): b"" for i in range(30)}), "x.zip", 20)


@pytest.mark.parametrize(
    "data", [b"", b"PK\x05\x06", b"PK\x03\x04" + b"x" * 100, b"x" * 70000 + b"PK\x05\x06" + b"\xff" * 18]
)
def test_what_is_no_archive_is_told(data, tmp_path):
    with pytest.raises(SubmissionError, match=r"not a ZIP archive|too many entries"):
        found_in(tmp_path, data)


def test_a_folder_around_everything_is_looked_into(tmp_path):
    assert [s.file for s in found_in(tmp_path, {"all/ann/hw/hw.ipynb": b"", "all/bob/hw.ipynb": b""}).submissions] == [
        "all/ann/hw/hw.ipynb",
        "all/bob/hw.ipynb",
    ]
    assert [s.student for s in found_in(tmp_path, {"in/ann.ipynb": b"", "in/bob_hw.py": b""}).submissions] == [
        "ann",
        "bob",
    ]
    assert [s.student for s in found_in(tmp_path, {"ann/hw/hw.ipynb": b""}).submissions] == ["ann"]
    assert [s.student for s in found_in(tmp_path, {"ann/mine.ipynb": b""}).submissions] == ["ann"]


# ---- what of several files counts ----


def test_of_a_systems_attachments_the_notebook_counts(tmp_path):
    files = {
        "li_101_201_data.csv": b"1", "li_101_202_helper.py": b"x = 1", "li_101_203_hw-2.ipynb": b"{}",
        "li_101_204_old.ipynb": b"[]", "ng_102_301_essay.docx": b"x", "ng_102_302_more.pdf": b"y",
    }  # fmt: skip
    li, ng = found_in(tmp_path, files).submissions
    assert (li.student, li.name, li.file, li.notes) == ("101", "li", "li_101_203_hw-2.ipynb", ())
    assert li.timestamp == "" and li.late is False and li.page == "li_101_203_{page}"
    assert (ng.student, ng.path) == ("102", None) and "There is no notebook, only essay.docx, more.pdf" in ng.problem


def test_what_moodle_keeps_in_two_folders_is_one_attempt(tmp_path):
    """The text beside a file is not the later one of two, and a file's name makes it nobody else's."""
    (li,) = found_in(tmp_path, {
        "Bo Li_7_assignsubmission_onlinetext/onlinetext.html": b"<html>see my file</html>",
        "Bo Li_7_assignsubmission_file/hw.ipynb": b"{}",
        "Bo Li_7_assignsubmission_file_x_8_assignsubmission_file_hw.ipynb": b"[]",
    }).submissions  # fmt: skip
    assert (li.student, li.name) == ("7", "Bo Li") and open_submission(li) in (b"{}", b"[]")
    assert li.page.startswith("Bo Li_7_assignsubmission_file")


def test_two_people_whom_a_roster_cannot_tell_apart_are_left_to_a_person(tmp_path):
    (tmp_path / "roster.csv").write_text("id,name\nbo,Bo Li\nann,Ann Ng\n")
    files = {f"{who}_assignsubmission_file_/hw.ipynb": b"{}" for who in ("Bo Li_7", "Bo Li_8", "Ann Ng_9")}
    roster = read_roster(tmp_path / "roster.csv")
    found = found_in(tmp_path, files, roster=roster)
    assert [(s.student, bool(s.path)) for s in found.submissions] == [("ann", True), ("bo", False)]
    assert [s.why for s in found.strangers] == [
        "Moodle has 2 people with this name, but the roster has only one: bo."
    ] * 2
    matches = {"Bo Li_7_assignsubmission_file_": "bo", "Bo Li_8_assignsubmission_file_": "-"}
    found = found_in(tmp_path, files, roster=roster, matches=matches)
    assert all(s.path for s in found.submissions) and not found.strangers


def test_a_folder_that_was_unpacked_into_a_folder_is_looked_into(tmp_path):
    written(tmp_path, {"out/hw 1/Bo Li_7_assignsubmission_file_/hw.ipynb": b"{}"})
    assert [s.student for s in collect(tmp_path / "out", "hw").submissions] == ["7"]


def test_two_files_of_one_time_are_not_guessed_about_unless_they_are_the_same(tmp_path):
    for name, data in {
        "ann_hw.ipynb": b"{}",
        "hw_ann.ipynb": b"[]",
        "bob_hw.ipynb": b"{}",
        "hw_bob.ipynb": b"{}",
    }.items():
        os.utime(written(tmp_path, {name: data}) / name, (1e9, 1e9))
    ann, bob = collect(tmp_path, "hw").submissions
    assert "have the same time" in ann.problem and ann.path is None
    assert bob.path and "The student has several files" in bob.notes[0]


def test_a_notebook_further_down_is_found_before_a_script_at_the_top(tmp_path):
    written(
        tmp_path,
        {"ann/setup.py": b"x", "ann/work/week/hw.ipynb": b"{}", "bob/all.zip": zipped({"a/b/hw.ipynb": b"[]"})},
    )
    ann, bob = collect(tmp_path, "hw").submissions
    assert ann.file == "ann/work/week/hw.ipynb"
    assert bob.file == "bob/all.zip/a/b/hw.ipynb" and open_submission(bob) == b"[]"
    assert "extracted from an archive" in bob.notes[0]


def test_a_folder_with_very_many_files_takes_no_time(tmp_path):
    files = {f"ann/{i}/{j}/x.csv": b"" for i in range(60) for j in range(60)} | {"bob.ipynb": b""}
    began = time.process_time()
    ann, _ = found_in(tmp_path, files).submissions
    assert "contains no notebook" in ann.problem and time.process_time() - began < 5
