"""Numbers and shapes are written so that they can be read back, whatever comes."""

import warnings

import ml_dtypes
import numpy as np
import pytest
from drawn import drawn
from hypothesis import given
from hypothesis import strategies as st

from labkit.widgets.kit.words import brief, clipped, faulty, in_full, listed, number, times


def read(words):
    return float(words.strip("()").replace("−", "-"))


@drawn(30)
@given(st.floats(-1e300, 1e300, allow_subnormal=False))
def test_a_number_read_back_is_right_to_three_digits(value):
    assert read(number(value)) == pytest.approx(value, rel=5e-3, abs=0)


@drawn(30)
@given(st.floats(-1e6, 1e6).map(np.float64), st.floats(-1e6, 1e6))
def test_factors_of_a_product_can_be_read_back(gradient, slope):
    first, second = times(gradient, slope).split(" × ")
    assert second.startswith("(") == second.startswith("(−")
    assert read(first) == pytest.approx(gradient, rel=5e-3) and read(second) == pytest.approx(slope, rel=5e-3)


@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e200])
def test_a_tensor_is_told_by_shape_and_norm_which_does_not_overflow(scale):
    value = scale * np.array([[3.0, 0.0, 0.0], [0.0, 4.0, 0.0]])
    words, norm = brief(value).split(" ‖")
    assert words == "2×3" and read(norm.rstrip("‖")) == pytest.approx(5 * scale)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, ml_dtypes.bfloat16, ml_dtypes.float8_e5m2])
def test_what_is_not_finite_is_said_in_every_float(dtype):
    value = np.array([1.0, np.inf, np.nan, np.nan]).astype(dtype)
    assert (brief(value), faulty(value)) == ("4, 2 nan", "nan")
    assert (brief(value[:2]), faulty(value[:2])) == ("2, 1 inf", "inf")
    assert (brief(value[:1]), faulty(value[:1])) == ("[1]", "")


def test_integers_are_told_by_their_range_and_truth_values_by_their_count():
    assert brief(np.array([[7, -2], [0, 3]])) == "2×2: −2 to 7"
    assert brief(np.array([True, False, True])) == "3: 2 true"
    assert number(np.int8(-3)) == "−3" and number(np.True_) == "True"


@pytest.mark.parametrize(
    "value",
    [np.zeros((0, 3)), np.zeros((3, 0)), np.zeros(0), np.array(1 + 2j), np.ones(3) * 1j, np.ones((1, 1, 1)), True],
)
def test_odd_values_are_written_without_a_warning(value):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert brief(value) and in_full(value)


def test_short_values_are_written_in_full():
    assert in_full(np.array([[1.0, -2.0], [0.5, 0.0]])) == "[[1, −2], [0.5, 0]]"
    assert in_full(np.arange(7.0)) == brief(np.arange(7.0))


@drawn(30)
@given(st.text(min_size=0, max_size=80), st.integers(8, 40))
def test_a_clipped_name_keeps_both_ends(words, most):
    short = clipped(words, most)
    assert len(short) <= most
    assert (short == words) if len(words) <= most else (short[:3] == words[:3] and short[-3:] == words[-3:])


@drawn(30)
@given(st.lists(st.sampled_from("abc"), max_size=9), st.integers(1, 6))
def test_a_list_says_how_many_it_leaves_out(words, most):
    shown = listed(words, most)
    left = max(len(words) - most, 0)
    assert shown.endswith(f"{left} more") == (left > 0)
    assert sum(shown.replace("and", "").replace("more", "").count(w) for w in "abc") == len(words) - left
