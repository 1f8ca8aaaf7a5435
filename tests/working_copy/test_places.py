"""Where things are: the course as it came, the working copy, the record of right answers."""

import site
import sys
from pathlib import Path

import pytest

import labkit
from labkit.working_copy import places
from labkit.working_copy.places import MANIFEST, RECORD, find_folder, originals, working_copy


@pytest.fixture
def outside(tmp_path, monkeypatch):
    """In an empty folder, with no working copy anywhere."""
    monkeypatch.delenv(places.HOME)
    monkeypatch.setattr(places, "DEFAULT", str(tmp_path / "home" / "labkit-notebooks"))
    monkeypatch.chdir(tmp_path)
    return tmp_path.resolve()


def make(*files):
    for file in files:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()


@pytest.mark.parametrize("base", ["package", "prefix", "user"])
def test_the_course_lies_where_the_installer_puts_shared_data(tmp_path, monkeypatch, base):
    monkeypatch.setattr(places, "__file__", str(tmp_path / "package" / "labkit" / "working_copy" / "places.py"))
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "prefix"))
    monkeypatch.setattr(site, "getuserbase", lambda: str(tmp_path / "user"))
    assert originals() is None
    folder = tmp_path / base / "share" / "labkit" / "notebooks"
    make(folder / "01_first_gradient.ipynb")
    assert originals() == folder
    clone = tmp_path / "package" / "notebooks"
    make(clone / "01_first_gradient.ipynb")
    assert originals() == clone


def test_the_working_copy_is_the_one_named_else_the_one_we_are_in_else_the_usual_one(outside, monkeypatch):
    assert working_copy() == outside / "home" / "labkit-notebooks"
    mine = outside / "mine"
    make(mine / MANIFEST, mine / "figures" / "graph.png")
    monkeypatch.chdir(mine / "figures")
    assert working_copy() == mine
    monkeypatch.setenv(places.HOME, "~/elsewhere")
    assert working_copy() == Path("~/elsewhere").expanduser()


def test_the_usual_working_copy_is_not_where_a_clone_is_likely_to_lie():
    assert Path(places.DEFAULT).name != labkit.__name__


def test_the_record_is_in_the_folder_of_the_notebooks_from_wherever_one_is(outside):
    notebooks = outside / "clone" / "notebooks"
    (notebooks / "figures").mkdir(parents=True)
    assert find_folder(notebooks) is None
    make(notebooks / "05_grad_and_value_and_grad.ipynb")
    for start in (notebooks, notebooks / "figures", outside / "clone"):
        assert find_folder(start) == notebooks
    assert find_folder(outside) is None


def test_outside_of_all_notebooks_it_is_in_the_working_copy(outside):
    copy = outside / "home" / "labkit-notebooks"
    make(copy / "01_first_gradient.ipynb")
    assert find_folder() is None
    make(copy / MANIFEST)
    assert find_folder() == copy


def test_the_nearest_record_wins(outside):
    inner = outside / "inner"
    inner.mkdir()
    make(outside / RECORD)
    assert find_folder(inner) == outside
    make(inner / RECORD)
    assert find_folder(inner) == inner


def test_notebooks_of_another_course_are_no_reason(outside):
    make(outside / "01_introduction.ipynb")
    assert find_folder() is None
