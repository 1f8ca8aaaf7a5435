"""Parameters: names, values, errors, tuples of them."""

import copy
import pickle

import numpy as np
import pytest

import labkit.mindspore as ms
from labkit.mindspore import Parameter, ParameterTuple, Tensor, ops


@pytest.fixture
def p():
    return Parameter(Tensor([1.0, 2.0]), name="p")


def test_it_prints_its_name_and_not_its_value(p):
    assert str(p) == repr(p) == "Parameter (name=p, shape=(2,), dtype=Float32, requires_grad=True)"
    assert str(p.value()) == str(p.data) == "[1. 2.]"
    assert type(p.value()) is type(p + 1) is Tensor


def test_without_a_name_it_gets_a_number():
    first, second = Parameter(Tensor(1.0)), Parameter(Tensor(1.0))
    assert first.name.startswith("Parameter#")
    assert int(second.name[10:]) == int(first.name[10:]) + 1


@pytest.mark.parametrize(
    "data, dtype", [(5, "Int32"), (5.5, "Float32"), ([1, 2], "Int64"), ([1.0], "Float32"), (np.ones(2), "Float64")]
)
def test_it_is_made_of_numbers_lists_and_arrays(data, dtype):
    assert str(Parameter(data).dtype) == dtype


@pytest.mark.parametrize(
    "make, error, message",
    [
        (lambda: Parameter(True), ValueError, "Parameter data can not be `bool`"),
        (lambda: Parameter((1, 2)), TypeError, "The type of the argument 'default_input' must be in"),
        (lambda: Parameter("a"), TypeError, "For 'Tensor', the type of 'input_data' should be one of"),
        (lambda: Parameter(1.0, name=5), ValueError, "name should be 'string' or 'None', but got <class 'int'>"),
        (lambda: Parameter(1.0).set_data([1]), TypeError, "Parameter data must be"),
        (lambda: ParameterTuple([1]), TypeError, "input should be 'Parameter' collection, but got a <class 'list'>"),
        (lambda: ParameterTuple([Parameter(1.0, "w"), Parameter(1.0, "w")]), ValueError, "its name 'w' already exists"),
    ],
)
def test_misuse_says_what_is_wrong(make, error, message):
    with pytest.raises(error, match=message):
        make()


def test_set_data_keeps_the_type_and_returns_the_parameter(p):
    assert p.set_data(Tensor([3, 4], ms.int32)) is p
    assert (p.value().tolist(), p.dtype) == ([3.0, 4.0], ms.float32)


def test_assignment_returns_the_new_value(p):
    assert ops.assign(p, Tensor([3.0, 4.0])).tolist() == p.value().tolist() == [3.0, 4.0]
    assert ops.assign_add(p, Tensor([1.0, 1.0])).tolist() == [4.0, 5.0]
    assert ops.assign_sub(p, Tensor([4.0, 4.0])).tolist() == [0.0, 1.0]


@pytest.mark.parametrize(
    "value, message",
    [
        (
            Tensor([1.0]),
            r"'value' must have the same shape as 'variable'. But got 'value' shape: \(1\), 'variable' shape: \(2\)",
        ),
        (1.0, "'value' must have the same rank as 'variable'. But got 'value' rank: 0, 'variable' rank: 1"),
    ],
)
def test_assignment_keeps_the_shape(p, value, message):
    with pytest.raises(ValueError, match=message):
        ops.assign(p, value)


def test_elements_can_be_assigned(p):
    p[0] = 9.0
    assert p.value().tolist() == [9.0, 2.0]


def test_a_clone_has_the_name_and_its_own_value(p):
    twin, zeros = p.clone(), p.clone("zeros")
    twin[0] = 5.0
    assert (p.value().tolist(), zeros.value().tolist(), zeros.name) == ([1.0, 2.0], [0.0, 0.0], "p")


def test_a_tuple_clones_under_a_prefix(p):
    pair = ParameterTuple([p, Parameter(Tensor(1.0), name="b")])
    clones = pair.clone("acc", init="zeros")
    assert isinstance(clones, tuple) and [c.name for c in clones] == ["acc.p", "acc.b"]
    assert [c.value().tolist() for c in clones] == [[0.0, 0.0], 0.0]


def test_it_can_be_copied_and_pickled(p):
    for twin in (copy.deepcopy(p), pickle.loads(pickle.dumps(p))):
        assert (str(twin), twin.value().tolist()) == (str(p), [1.0, 2.0])
