"""Comparing answers: kinds, structures, shapes, values, of arrays and of the tensors of both dialects."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import labkit.mindspore as ms
import labkit.torch as torch
from labkit.classroom import compare
from labkit.classroom.compare import brief, describe, difference, plain_data, same

ONE = np.ones(3, np.float32)


@pytest.mark.parametrize(
    "expected, got",
    [
        (1.0, 1), (1, 1.0), (2.0, np.float32(2)), (2.0, np.array(2)), (2.0, ms.Tensor(2.0)), (2.0, torch.tensor(2.0)),
        (True, np.True_), (float("nan"), float("nan")), (float("inf"), float("inf")), (1 / 3, 0.33333),
        ([1, 2], (1, 2)), ((1, (2,)), (1, (2,))), ("fine", " fine "), (ValueError, "ValueError"),
        (ValueError, ValueError),
        (ONE, ONE + np.float32(1e-6)), (ms.Tensor(ONE), ms.Tensor(ONE)), (torch.tensor(ONE), torch.tensor(ONE)),
        (np.float16([1000]), np.float16([1001])), ((1, 2), [1, 2]), ((1, 2), np.array([1.0, 2.0])), ([(1, 2)], [[1, 2]]),
        (ONE, [1, 1, 1]), (ms.Tensor(ONE), ONE), (ONE, torch.tensor(ONE)), (ONE, ONE.astype(float)),
        ((ONE, ONE), np.ones((2, 3))), (1.5, Fraction(3, 2)), (0.5, Decimal("0.5")), ("fine", "Fine"),
    ],
)  # fmt: skip
def test_same(expected, got):
    assert same(expected, got), difference(expected, got)


@pytest.mark.parametrize(
    "stage, expected, got",
    [
        ("kind", 1.0, "1"), ("kind", True, 1), ("kind", 1, True), ("kind", 1.0, np.ones(1)), ("kind", (1, 2), {1: 2}),
        ("kind", ONE, [[1], [1, 1]]), ("kind", ONE, "111"), ("kind", ms.Tensor(ONE), torch.tensor(ONE)),
        ("kind", ValueError, 5), ("kind", "fine", None),
        ("structure", (1, 2), (1,)), ("structure", ((1,), 2), (1, 2)), ("structure", [(1, 2)], [1]),
        ("shape", ONE, ONE[None]), ("shape", ms.Tensor(ONE), ms.Tensor(ONE[:2])),
        ("value", 1.0, 1.01), ("value", ONE, 2 * ONE), ("value", ValueError, TypeError), ("value", ONE, ONE * np.nan),
        ("value", np.float64([1.0]), np.float64([1.0 + 1e-7])), ("value", True, False),
    ],
)  # fmt: skip
def test_differences_by_stage(stage, expected, got):
    assert difference(expected, got).stage == stage


def test_structure_is_told_before_values_and_with_its_path():
    found = difference((1, (2, 3)), (9, (2,)))
    assert (found.stage, found.path) == ("structure", "[1]")


def test_plain_takes_the_array_out_of_any_tensor_and_copies():
    tensor = ms.Tensor(ONE)
    (array, number), text = plain_data([(tensor, 3), "text"])
    assert isinstance(array, np.ndarray) and array.dtype == np.float32 and (number, text) == (3, "text")
    source = np.ones(2)
    plain_data((source,))[0][0] = 5
    assert source.tolist() == [1, 1]


@pytest.mark.parametrize(
    "value, words",
    [
        (None, "None"), (True, "True or False"), (1.5, "a number"), ("a", "a text"), ((1, 2), "a tuple of 2"),
        (ValueError, "the error type ValueError"), (len, "a function"), (ONE, "a NumPy array of shape (3,), float32"),
        (ms.Tensor(ONE), "a MindSpore Tensor of shape (3,), float32"),
        (torch.tensor(ONE), "a PyTorch Tensor of shape (3,), float32"),
    ],
)  # fmt: skip
def test_describe(value, words):
    assert describe(value) == words


def test_brief():
    assert brief((ONE, 1.0, "a")) == "([1., 1., 1.], 1, 'a')"
    assert brief(np.arange(100)) == "[ 0,  1, ..., 98, 99]"


@given(st.floats(), st.floats() | st.floats(-1e-4, 1e-4))
def test_two_floats_are_compared_as_their_arrays_are(expected, change):
    for got in (change, expected + change, expected * (1 + change)):
        same_as_array = compare._close(np.asarray(expected), got, compare.LOOSE)
        assert (difference(expected, got) is None) == same_as_array


def test_a_count_is_not_one_more_or_less_however_large_and_may_be_a_float():
    for count in (3, 18_750, 4_000_000):
        assert same(count, count) and same(count, float(count)) and same([count], (count,))
        assert not same(count, count + 1) and not same(count, count - 1.0)
    assert same(18_750.0, 18_751.0), "a number that is measured has a tolerance"


def test_the_tolerance_is_that_of_what_is_expected():
    for got in (np.float16(6.05), np.array(6.05, np.float16), torch.tensor(6.05, dtype=torch.float16)):
        assert not same(6, got) and not same(6.0, got) and not same(np.float32(6), got)
    assert same(np.float16(6), np.float16(6.05)) and same(6, np.float16(6)) and same(6.0, np.float32(6.0001))


def test_the_order_of_bytes_does_not_count():
    right = np.array([1.0, 2.0])
    assert difference(right, right.astype(">f8")) is None
