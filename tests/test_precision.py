"""Float formats: their facts, rounding against NumPy and ml_dtypes, shares of gradients that are lost."""

import warnings

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import labkit.mindspore as ms
import labkit.torch as torch
from labkit.precision import FORMATS, format_of, rounded, statistics

TYPES = {
    "float16": np.float16, "bfloat16": ml_dtypes.bfloat16, "float32": np.float32, "float64": np.float64,
    "float8_e4m3": ml_dtypes.float8_e4m3fn, "float8_e5m2": ml_dtypes.float8_e5m2,
}  # fmt: skip


@pytest.mark.parametrize("name", FORMATS)
def test_the_facts_are_those_of_the_dtype(name):
    fmt, info = FORMATS[name], ml_dtypes.finfo(TYPES[name])
    assert fmt.dtype == np.dtype(TYPES[name]) and fmt.bits == info.bits
    assert (fmt.max, fmt.eps) == (float(info.max), float(info.eps))
    assert (fmt.min_normal, fmt.min_subnormal) == (float(info.smallest_normal), float(info.smallest_subnormal))


def test_a_format_goes_by_many_names():
    assert format_of("float16") is format_of(np.float16) is format_of(np.dtype("float16")) is format_of(ms.float16)
    assert format_of(torch.bfloat16) is format_of(ml_dtypes.bfloat16) is format_of(ms.bfloat16) is FORMATS["bfloat16"]
    assert format_of(ml_dtypes.float8_e4m3fn) is FORMATS["float8_e4m3"]
    with pytest.raises(ValueError, match=r"expected one of float64, float32, .*but got 'int8'"):
        format_of("int8")


def same(found, expected):
    np.testing.assert_array_equal(found, np.asarray(expected).astype(np.float64))
    assert np.array_equal(np.signbit(found), np.signbit(np.asarray(expected).astype(np.float64)))


def plain(values, kind):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return np.asarray(values).astype(kind)


@pytest.mark.parametrize("name", ["float16", "bfloat16", "float8_e4m3", "float8_e5m2"])
def test_every_number_of_a_small_format_is_itself_and_every_middle_goes_to_the_even_one(name):
    bits = np.arange(2 ** FORMATS[name].bits, dtype=f"uint{FORMATS[name].bits}")
    numbers = np.unique(plain(bits.view(TYPES[name]), np.float64))
    numbers = numbers[np.isfinite(numbers)]
    same(np.abs(rounded(numbers, name)), np.abs(numbers))
    middles = (numbers[1:] + numbers[:-1]) / 2
    below, above = rounded(np.nextafter(middles, -np.inf), name), rounded(np.nextafter(middles, np.inf), name)
    np.testing.assert_array_equal(below, numbers[:-1])
    np.testing.assert_array_equal(above, numbers[1:])
    np.testing.assert_array_equal(np.abs(rounded(middles, name)), np.abs(plain(middles, TYPES[name]).astype(float)))


@given(st.floats(width=64), st.sampled_from(["float16", "float32"]))
def test_rounding_is_that_of_numpy(x, name):
    same(rounded(x, name), plain(x, TYPES[name]))


@given(st.floats(width=32), st.sampled_from(["bfloat16", "float8_e4m3", "float8_e5m2"]))
def test_rounding_is_that_of_ml_dtypes(x, name):
    found, expected = rounded(x, name), plain(np.float32(x), TYPES[name]).astype(np.float64)
    np.testing.assert_array_equal(found, expected)


def test_rounding_to_bfloat16_is_done_once():
    assert rounded(1 + 2.0**-8 + 2.0**-40, "bfloat16") == 1 + 2.0**-7, "not first to float32, which is the middle"


def test_without_infinity_overflow_is_nan():
    assert rounded(464.0, "float8_e4m3") == 448 and np.isnan(rounded(465.0, "float8_e4m3"))
    assert np.isinf(rounded(1e6, "float8_e5m2"))


def test_statistics_of_a_tree_of_tensors():
    tree = {"w": ms.Tensor([1.0, -3.0]), "b": (torch.tensor([0.0, np.inf]), np.float32(np.nan)), "s": 2.0**-20}
    found = statistics(tree)
    assert (found.size, found.zeros, found.infinite, found.nans) == (6, 1, 1, 1)
    assert found.exponents == {-20: 1, 0: 1, 1: 1} and (found.smallest, found.largest) == (2.0**-20, 3.0)
    assert str(found).splitlines()[0] == "6 numbers: 1 zero, 1 infinite, 1 nan"


def test_no_numbers_at_all():
    found = statistics([])
    assert found.exponents == {} and np.isnan(found.largest) and found.largest_scale("float16") == np.inf
    assert found.shares("float16").normal == 0.0


@given(st.lists(st.floats(width=64), min_size=1), st.sampled_from(list(FORMATS)), st.integers(-40, 40))
def test_shares_add_up_to_one(values, name, power):
    assert sum(vars(statistics(values).shares(name, 2.0**power)).values()) == pytest.approx(1)


@given(st.lists(st.floats(1e-30, 1e30), min_size=1), st.sampled_from(["float16", "bfloat16", "float8_e4m3"]))
def test_the_largest_scale_does_not_overflow_and_twice_that_does(values, name):
    found = statistics(values)
    scale = found.largest_scale(name)
    assert found.shares(name, scale).overflowed == 0 < found.shares(name, 2 * scale).overflowed


def test_what_is_flushed_is_what_float16_really_loses():
    values = np.random.default_rng(0).normal(size=10000) * 2.0 ** np.random.default_rng(1).integers(-40, 20, 10000)
    for scale in (1.0, 1024.0, 2.0**-10):
        shares, half = statistics(values).shares("float16", scale), plain(values * scale, np.float16)
        assert shares.flushed == np.mean(half == 0) and shares.overflowed == np.mean(np.isinf(half))


def test_a_gradient_computed_in_float16_flushes_the_share_that_the_statistics_foresee():
    x = np.random.default_rng(0).normal(size=(64, 8)).astype(np.float32) * 2.0**-15
    exact = ms.grad(lambda w: (ms.Tensor(x) * w * 2.0**-10).sum())(ms.Tensor(np.ones((64, 8), np.float32)))
    half = ms.grad(lambda w: (ms.Tensor(x, ms.float16) * w * ms.Tensor(2.0**-10, ms.float16)).sum())(
        ms.Tensor(np.ones((64, 8), np.float16))
    )
    foreseen = statistics(exact).shares("float16").flushed
    assert 0.3 < foreseen < 1.0
    assert statistics(half).zeros / half.size == pytest.approx(foreseen, abs=0.02)
