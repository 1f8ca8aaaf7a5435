"""Predictions: kept without a verdict, counted at the end of a unit."""

import json
import sys

import pytest

import labkit
from labkit.classroom import check, predicting
from labkit.classroom.progress import FILE
from labkit.working_copy import progress_file as record_file

UNIT = {
    "scalar": {"right": "b", "about": "what a scalar is"}, "sum": {"right": "a", "about": "which outputs are added"},
    "aux": {"right": "c", "about": "has_aux"}, "twice": {"right": "a", "options": "ab", "about": "a second call"},
}  # fmt: skip


@pytest.fixture(autouse=True)
def reader(monkeypatch, tmp_path):
    """A reader at a prompt, in an empty folder, with a course of one unit."""
    monkeypatch.setattr(sys, "ps1", ">>> ", raising=False)
    monkeypatch.setattr(sys.modules["labkit.classroom.progress"], "_unsaved", record_file.Record())
    monkeypatch.setattr(predicting, "course", lambda: {"05": UNIT})
    monkeypatch.chdir(tmp_path)


def counted(capsys):
    capsys.readouterr()
    labkit.predictions("05")
    return " ".join(capsys.readouterr().out.split())


def test_three_dots_keep_nothing_and_say_how(tmp_path, capsys):
    labkit.predict("05-scalar", ...)
    labkit.predict("05-twice", ...)
    keep = 'Replace ... by "a"{} to keep your prediction.\n'
    assert capsys.readouterr().out == keep.format(', "b" or "c"') + keep.format(' or "b"')
    assert not list(tmp_path.iterdir())
    assert counted(capsys).startswith("No prediction of unit 05 is kept.")


def test_a_choice_is_kept_with_the_answers_and_says_nothing_about_right_or_wrong(tmp_path, capsys):
    labkit.predict("05-scalar", "a")
    labkit.predict("05-sum", "a")
    assert capsys.readouterr().out == 'Your prediction "a" is kept.\n' * 2
    check("grad-slip", 1.0)
    stored = json.loads((tmp_path / FILE).read_text())
    assert stored["predictions"] == {"05-scalar": "a", "05-sum": "a"} and list(stored["answers"]) == ["grad-slip"]


def test_a_later_choice_replaces_an_earlier_one(capsys):
    for choice in "ab":
        labkit.predict("05-scalar", choice)
    assert counted(capsys) == "You predicted 1 of 1 correctly. Not predicted yet: 05-sum, 05-aux, 05-twice."


@pytest.mark.parametrize(
    ("choices", "said"),
    [
        ("baca", "You predicted 4 of 4 correctly."),
        ("aaca", "You predicted 3 of 4 correctly. The miss was about what a scalar is."),
        (
            "acca",
            "You predicted 2 of 4 correctly. The two misses were about what a scalar is and which outputs are added.",
        ),
    ],
)
def test_a_unit_is_counted(choices, said, capsys):
    for name, choice in zip(UNIT, choices, strict=True):
        labkit.predict(f"05-{name}", choice)
    assert counted(capsys) == said


def test_a_wrong_name_option_or_unit_is_an_error_that_says_what_there_is():
    with pytest.raises(ValueError, match=r"no prediction '05-skalar'\. Did you mean '05-scalar'"):
        labkit.predict("05-skalar", "a")
    with pytest.raises(ValueError, match='expected "a", "b" or "c", but got \'d\''):
        labkit.predict("05-scalar", "d")
    with pytest.raises(ValueError, match='expected "a" or "b", but got \'c\''):
        labkit.predict("05-twice", "c")
    with pytest.raises(ValueError, match=r"Copy it from the cell in the notebook, such as predict\(\"05-scalar\""):
        labkit.predict("nonsense", "a")
    with pytest.raises(ValueError, match=r"no predictions of a unit '5'\. Did you mean '05'"):
        labkit.predictions("5")


def test_where_the_file_cannot_be_written_a_choice_counts_until_the_kernel_stops(tmp_path, capsys):
    (tmp_path / FILE).mkdir()
    labkit.predict("05-scalar", "b")
    assert "until this kernel stops" in " ".join(capsys.readouterr().out.split())
    assert counted(capsys).startswith("You predicted 1 of 1 correctly.")
