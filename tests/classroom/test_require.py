"""`require` raises with what `check` says, and is silent where the answer is right."""

import json
import sys

import pytest

from labkit.classroom import NotRight, check, require
from labkit.classroom.checking import Report
from labkit.classroom.progress import FILE


def test_a_right_answer_passes_in_silence(capsys):
    assert require("grad-slip", 1.0)
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("answer", [..., None, 2.0, "three", lambda: 1.0])
def test_any_other_answer_is_an_assertion_error_with_the_report(answer):
    with pytest.raises(AssertionError) as caught:
        require("grad-slip", answer)
    assert isinstance(caught.value, NotRight) and str(caught.value) == check("grad-slip", answer).text


def test_an_unknown_exercise_never_passes():
    with pytest.raises(NotRight, match="Did you mean"):
        require("grad-slop", 1.0)


@pytest.mark.parametrize("kind", ["empty", "value", "label-believed"])
def test_a_report_of_any_other_kind_than_right_raises(kind, monkeypatch):
    home = sys.modules["labkit.classroom.require"]
    monkeypatch.setattr(home, "assess", lambda name, answer: Report(name, kind, "Not yet."))
    with pytest.raises(NotRight, match=r"^Not yet\.$"):
        require("grad-slip", 1.0)


def test_after_check_nothing_is_remembered_a_second_time(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.ps1", ">>> ", raising=False)  # somebody is there
    check("grad-slip", 1.0)
    before = (tmp_path / FILE).read_bytes()
    require("grad-slip", 1.0)
    assert (tmp_path / FILE).read_bytes() == before and list(json.loads(before)["answers"]) == ["grad-slip"]
