"""The numerical check: it accepts right rules and rejects wrong ones, at the precision of the dtype in hand."""

import autograd.numpy as np
import numpy as onp
import pytest

from labkit.engine import custom_vjp
from labkit.gradcheck import check_gradient

X = onp.array([[0.5, -1.0, 2.0], [1.5, 0.3, -0.7]])
PRECISIONS = ["float16", "float32", "float64"]

RIGHT = {
    "linear": lambda x: 3 * x + 1,
    "constant": lambda x: onp.float16(1) + 0 * x,
    "square": lambda x: x**2,
    "cube": lambda x: x**3,
    "exp": np.exp,
    "sin": np.sin,
    "tanh": np.tanh,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "log": lambda x: np.log(x * x + 1),
    "sqrt": lambda x: np.sqrt(x * x + 1),
    "mean": np.mean,
    "var": np.var,
    "sum of an axis": lambda x: np.sum(x, axis=0),
    "matmul": lambda x: np.matmul(x, x.T),
    "softmax": lambda x: np.exp(x) / np.sum(np.exp(x), axis=1, keepdims=True),
    "indexing": lambda x: x[0] * x[1],
    "several outputs": lambda x: (x**2, [np.sin(x), np.sum(x)]),
    "concatenate": lambda x: np.concatenate([x, x * x]),
    "reciprocal": lambda x: 1 / (x * x + 0.5),
    "net": lambda x: np.mean(np.tanh(np.matmul(np.tanh(x), X.T.astype(x.dtype)))),
}


@pytest.mark.parametrize("dtype", PRECISIONS)
@pytest.mark.parametrize("fun", RIGHT.values(), ids=RIGHT.keys())
def test_right_gradients_are_accepted_at_every_precision(fun, dtype):
    for seed in range(10):
        x = onp.random.default_rng(seed).normal(size=(2, 3)).astype(dtype)
        check = check_gradient(fun, x)
        assert check, check


@pytest.mark.parametrize("dtype", PRECISIONS)
@pytest.mark.parametrize("factor", [1.1, 0.9, -1.0, 0.0, 2.0])
def test_a_rule_wrong_by_a_tenth_is_rejected(dtype, factor):
    for op, slope in ((onp.exp, onp.exp), (onp.sin, onp.cos), (lambda x: 2 * x, lambda x: 0 * x + 2)):
        wrong = custom_vjp(op, lambda ans, g, x, slope=slope: (factor * g * slope(x),))
        assert not check_gradient(wrong, onp.array([0.3, 0.8, 0.5], dtype))


@pytest.mark.parametrize("dtype", PRECISIONS)
def test_one_wrong_entry_is_found_and_named(dtype):
    where = onp.zeros((3, 4), dtype)
    where[1, 2] = 0.5
    wrong = custom_vjp(onp.exp, lambda ans, g, x: (g * ans * (1 + where),))
    check = check_gradient(lambda a, b: a * wrong(b), onp.ones((), dtype), onp.ones((3, 4), dtype))
    assert not check.ok and (check.worst_argument, check.worst_index) == (1, (1, 2))
    assert check.error == pytest.approx(abs(check.analytic - check.numerical)) and check.error > check.tolerance
    assert check.analytic == pytest.approx(1.5 * check.numerical, rel=0.1)


def test_a_missing_sum_over_a_broadcast_axis_is_rejected():
    wrong = custom_vjp(lambda x, b: x + b, lambda ans, g, x, b: (g, g[0]))
    assert not check_gradient(wrong, X, onp.ones(3))


def test_the_verdict_prints_the_worst_entry():
    wrong = custom_vjp(lambda x: x**2, lambda ans, g, x: (g * x,))
    text = str(check_gradient(wrong, onp.array([1.0, 4.0])))
    assert text.startswith("gradient differs: worst at argument 0, index (1,): analytic")
    assert str(check_gradient(np.sin, 1.0)).startswith("gradient agrees: worst at argument 0, index ():")


def test_a_gradient_of_nan_is_rejected():
    assert not check_gradient(custom_vjp(onp.sin, lambda ans, g, x: (g * onp.nan,)), 1.0)


def test_strongly_bent_functions_are_accepted():
    assert check_gradient(lambda x: 1 / x, 0.02) and check_gradient(lambda x: np.sin(1 / x), 0.1)
    assert check_gradient(np.tan, 1.5) and check_gradient(lambda x: np.exp(20 * x), 0.5)


def test_an_own_tolerance_is_relative():
    wrong = custom_vjp(lambda x: 1000 * x, lambda ans, g, x: (g * 1001,))
    assert not check_gradient(wrong, 1.0) and check_gradient(wrong, 1.0, tolerance=0.01)


def test_the_step_follows_the_coarsest_dtype_of_arguments_and_outputs():
    assert check_gradient(lambda x: x.astype("float16") ** 2, onp.array([1.0, 0.3]))
    assert check_gradient(lambda x, y: x * y, onp.float16(0.5), onp.float64(2.0))


def test_integers_are_passed_and_not_checked():
    assert check_gradient(lambda x, n: x**2 * n, 3.0, 5)


def test_without_a_floating_argument_there_is_nothing_to_check():
    with pytest.raises(TypeError, match=r"check_gradient: expected a floating argument, but got dtypes \['int64'\]"):
        check_gradient(lambda x: x * x, onp.arange(3))
    with pytest.raises(TypeError, match="expected a floating argument"):
        check_gradient(lambda: 1.0)


def test_an_argument_of_size_zero_agrees():
    assert check_gradient(lambda x: x * 2, onp.zeros((0, 3)))
    assert check_gradient(lambda x, y: np.sum(x) + y**2, onp.zeros(0), 2.0)


def test_an_output_of_size_zero_or_none_agrees():
    assert check_gradient(lambda x: x[:0], X) and check_gradient(lambda x: [], X)


def test_the_arguments_are_left_as_they_were():
    x = X.copy()
    check_gradient(lambda a: a**2, x)
    onp.testing.assert_array_equal(x, X)


def test_an_exception_of_the_function_passes_through():
    with pytest.raises(ZeroDivisionError):
        check_gradient(lambda x: x * (1 // 0), 1.0)


def test_labels_may_index():
    labels = onp.array([2, 0])
    assert check_gradient(lambda logits, labels: -logits[onp.arange(2), labels], X, labels)


def test_only_of_several_outputs_it_says_that_they_were_summed():
    said = "outputs summed with random weights"
    assert said in " ".join(str(check_gradient(lambda x: (x, x * x), 2.0)).split())
    assert said not in " ".join(str(check_gradient(lambda x: x * x, 2.0)).split())
