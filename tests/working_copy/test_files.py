"""Files of which nothing is lost: written whole or not at all."""

import os

import pytest

from labkit.working_copy import write_whole


def test_a_file_that_cannot_be_finished_leaves_the_old_one_and_no_litter(tmp_path, monkeypatch):
    path = write_whole(tmp_path / "new" / "grades.csv", b"old")
    monkeypatch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        write_whole(path, b"new")
    assert path.read_text() == "old" and os.listdir(path.parent) == ["grades.csv"]


def test_a_long_file_name_can_be_written(tmp_path):
    assert write_whole(tmp_path / f"{'x' * 250}.csv", b"text").read_text() == "text"
