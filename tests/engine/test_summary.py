"""Large arrays are kept as summaries, and long runs are printed in part; small ones are what they were."""

import tracemalloc

import autograd.numpy as np
import numpy as onp
import pytest

import labkit
from labkit.engine import LARGE, Summary, grad, record, summarised

X = onp.random.default_rng(0).standard_normal(LARGE + 1)


def five_ops(x):
    h = np.tanh(x * 2.0)
    error = h - x
    return np.sum(error * error)


def peak(run):
    """The most bytes that were allocated at once during `run()`."""
    tracemalloc.start()
    try:
        run()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("scale", [1.0, 1e200, 1e-200])
@pytest.mark.parametrize("dtype", [onp.float64, onp.float32, onp.float16, onp.int32, bool])
def test_a_summary_says_what_numpy_says(dtype, scale):
    with onp.errstate(all="ignore"):
        array = (onp.random.default_rng(1).standard_normal((70, 1000)) * 9 * (scale if dtype is float else 1)).astype(
            dtype
        )
    found, wide = Summary(array.T), array.T.astype(float)
    assert (found.shape, found.dtype, found.size) == ((1000, 70), array.dtype, 70_000)
    assert (found.low, found.high) == (wide.min(), wide.max()) and found.nans == found.infs == 0
    largest = onp.abs(wide).max()
    told = [found.mean, found.norm / largest]
    onp.testing.assert_allclose(told, [wide.mean(), onp.linalg.norm(wide / largest)], rtol=1e-9, atol=1e-12)
    assert (found.corner == wide[:6, :16]).all() and found.last == wide[-1, -1]


def test_a_summary_counts_what_is_not_finite():
    found = Summary(onp.array([3.0, onp.nan, -onp.inf, 4.0, onp.inf]))
    assert (found.nans, found.infs, found.low, found.high, found.mean) == (1, 2, 3, 4, 3.5)
    assert "1 nan; 2 inf" in str(found)
    assert Summary(onp.full(3, onp.nan)).nans == 3


def test_small_arrays_are_kept():
    small = onp.zeros(LARGE)
    assert summarised(small) is small and summarised(None) is None
    graph = record(five_ops, X[:9])
    assert all(isinstance(node.value, (onp.ndarray, onp.generic)) for node in graph.joint)


def test_a_run_keeps_its_values_and_the_gradient_and_summaries_of_the_rest():
    graph = record(five_ops, X)
    assert all(not isinstance(node.value, Summary) for node in graph.forward)
    assert (graph.gradients["x"] == grad(five_ops)(X)).all()
    last = graph.steps[-1].contributions[0]
    assert isinstance(last.value, Summary) and last.total.norm == pytest.approx(onp.linalg.norm(graph.gradients["x"]))
    assert any(isinstance(arg, Summary) for node in graph.backward for arg in node.args)
    with pytest.raises(TypeError, match=r"this one had 1,000,001"):
        onp.asarray(last.value)


def test_a_run_with_large_arrays_costs_little_more_memory_than_its_gradient():
    gradient = peak(lambda: grad(five_ops)(X))
    assert peak(lambda: str(record(five_ops, X))) < 2 * gradient
    assert peak(lambda: labkit.show(five_ops, X).html()) < 2 * gradient


def test_what_is_summarised_says_so():
    assert str(record(five_ops, X)).endswith("(arrays of more than 1,000,000 numbers are summarised by their |norm|)")
    picture = labkit.show(five_ops, X)
    assert "Arrays of up to 1,000,001 numbers: they are summarised" in picture.describe()
    assert "labkit.compile_program writes it" in picture.story.no_program
    assert "summarised" not in str(record(five_ops, X[:9])) + labkit.show(five_ops, X[:9]).describe()


def test_of_a_long_run_the_first_and_the_last_ops_are_printed():
    def long(x):
        for _ in range(1000):
            x = x * 1.5
        return x

    graph = record(long, 1.0, names=["x"])
    lines, every = str(graph).splitlines(), graph.table(most=None).splitlines()
    assert len(every) == 2 + 1001 + 2 * 1000 and len(lines) == 2 + 401 + 801
    assert [line for line in lines if "left out" not in line] == every[:201] + every[802:1403] + every[-400:]
    assert lines[201] == "  ... ops left out here: 601; print(graph.table(most=None)) shows all"


def test_the_norm_is_that_of_the_finite_numbers_however_small():
    assert Summary(onp.array([1e-200, onp.nan])).norm == 1e-200 and Summary(onp.array([3.0, onp.inf, 4.0])).norm == 5
