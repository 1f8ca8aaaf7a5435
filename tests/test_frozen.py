"""The tool that compares two commits sees the same in the same, and every kind of difference."""

import frozen
import frozen_answers
import frozen_calls
import pytest

import labkit.torch as torch


def asked(fun, dialect="torch"):
    frozen_answers.words()  # read once, not in every child
    return {"name": frozen.alone(frozen_calls.Calls(frozen_answers.DIALECTS[dialect], fun).all)}


@pytest.fixture(scope="module")
def tanh():
    return asked(torch.tanh)


def test_the_same_op_answers_the_same(tanh):
    assert not list(frozen.differences(tanh, asked(torch.tanh)))
    assert any("value" in fields for fields in tanh["name"].values())
    assert any("error" in fields for fields in tanh["name"].values())


def test_another_op_differs_in_every_field(tanh):
    fields = {field for _, _, field, _, _ in frozen.differences(tanh, asked(torch.exp))}
    assert fields >= {"value", "printed", "node", "saved", "gradient", "graph", "keeps", "program", "error"}


def test_a_name_that_is_gone_and_one_that_is_another_name(tanh):
    assert [d[3:] for d in frozen.differences(tanh, {})] == [("a name", None)]
    alias = tanh | {"other": {"face": {"is": "name"}}}
    own = tanh | {"other": tanh["name"] | {"face": {"is": "name"}}}
    assert not list(frozen.differences(alias, own))
