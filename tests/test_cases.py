"""The ledger: every documented case gives what it should, and a case that does not is reported."""

import dataclasses
import json
from functools import cache

import numpy as np
import pytest

from labkit import cli
from labkit.cases import CASES, ledger, run
from labkit.cases.ledger import BY_MODE, DOCUMENTS, MATCH, MISMATCH, SLIP, Case, Slip, agrees

RUNS = [(case, dialect, mode) for case in CASES for dialect in case.programs for mode in ledger.MODES[dialect]]


@cache
def outcomes(name):
    """What a case of the ledger gave, in every dialect and mode; run once for all tests."""
    return tuple(run(next(case for case in CASES if case.name == name)))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_documented_case(case):
    assert [(o.dialect, o.mode) for o in outcomes(case.name)] == [(d, m) for c, d, m in RUNS if c is case]
    for outcome in outcomes(case.name):
        assert outcome.error is None, outcome
        assert outcome.verdict in (MATCH, SLIP, BY_MODE), outcome
    assert {label for o in outcomes(case.name) for label in o.obtained} == case.figures.keys()


def test_names_are_unique_and_documents_known():
    assert len({case.name for case in CASES}) == len(CASES)
    assert {key for case in CASES for key in case.documents} <= DOCUMENTS.keys()


def test_slips_are_not_what_the_document_says():
    slips = [(c, label, s) for c in CASES for label, s in c.corrections.items() if isinstance(s, Slip)]
    assert len(slips) >= 4
    assert not any(agrees(s.right, c.figures[label]) for c, label, s in slips)


def one(figures, program):
    return Case("made-up", ("r2.1",), "none", "nothing", figures, {"torch": program})


def test_a_wrong_figure_and_an_escaped_exception_are_mismatches():
    (wrong,) = run(one({"a": 1.0}, lambda torch: {"a": torch.tensor(2.0)}))
    (raised,) = run(one({"a": 1.0}, lambda torch: {"a": torch.tensor([1.0]) @ torch.ones(2)}))
    assert wrong.verdict == raised.verdict == MISMATCH
    assert "size" in raised.error


@pytest.mark.parametrize(
    ("obtained", "expected", "verdict"),
    [
        (np.float32(0.1), 0.1, True),
        (0.1002, 0.1, False),
        (0.1000001, 0.1, True),
        (0.1000005, 0.1, False),
        ((1.0,), 1.0, False),
        (np.ones((1, 3)), np.ones(3), False),
        ("tensor(1.)", "tensor(1)", False),
        (True, 1.0, False),
        (None, 0.0, False),
        ({"a": 1.0}, {"b": 1.0}, False),
        (float("nan"), float("nan"), True),
    ],
)
def test_comparison_minds_structure_kind_and_value(obtained, expected, verdict):
    assert agrees(obtained, expected) is verdict


def test_a_case_may_be_as_far_off_as_it_says():
    (narrow,) = run(case := one({"a": 1.0}, lambda torch: {"a": 1.00001}))
    (wide,) = run(dataclasses.replace(case, rtol=2e-5))
    assert (narrow.verdict, wide.verdict) == (MISMATCH, MATCH)


def test_the_mode_is_put_back():
    import labkit.mindspore as ms

    before = ms.get_context("mode")
    ledger.run_in(CASES[0], "mindspore", "graph")
    assert ms.get_context("mode") == before


@pytest.fixture
def seen(monkeypatch):
    """The command reports what the cases gave before."""
    from labkit.cases import report

    monkeypatch.setattr(report, "run_case", lambda case: outcomes(case.name))


def test_table_and_summary(seen, capsys):
    assert cli.main(["cases"]) == 0
    printed = capsys.readouterr().out
    assert all(case.name in printed for case in CASES)
    assert f"{len(CASES)} cases, {len(RUNS)} runs" in printed


def test_one_case_shows_code_documented_and_obtained(capsys):
    assert cli.main(["cases", "two-outputs"]) == 0
    printed = capsys.readouterr().out
    assert "def two_outputs(ms)" in printed and "prints `out` twice" in printed


def test_json_is_complete(seen, capsys):
    assert cli.main(["cases", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert len(data) == len(RUNS) and {d["verdict"] for d in data} == {MATCH, SLIP, BY_MODE}


def test_an_unknown_case_is_answered_with_near_ones(capsys):
    assert cli.main(["cases", "two-output"]) == 2
    assert "two-outputs" in capsys.readouterr().err


def test_a_mismatch_makes_the_command_fail(monkeypatch, capsys):
    from labkit.cases import report

    broken = dataclasses.replace(CASES[0], figures={**CASES[0].figures, "loss": 2.0})
    monkeypatch.setattr(report, "CASES", [broken])
    assert cli.main(["cases"]) == 1
    assert MISMATCH in capsys.readouterr().out
