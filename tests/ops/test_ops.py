"""The table of ops: values, precision, and the points where a derivative needs a decision.

That every rule is right forward, backward and twice over is tested with all other rules, in `engine/test_rules.py`.
"""

from contextlib import nullcontext

import autograd.numpy as np
import numpy as onp
import pytest

from labkit import check_gradient
from labkit import ops as p
from labkit.engine import grad, jacrev, jvp, record, vjp

X = onp.array([[0.5, -1.0, 2.0], [1.5, 0.3, -0.7]])
INDEX = onp.array([[0, 2, 1], [1, 1, 1]])
INF = onp.inf


def softmax(x, axis):
    return onp.exp(x) / onp.exp(x).sum(axis, keepdims=True)


# name: (op, arguments, the same in plain NumPy)
TABLE = {
    "add_scaled": (lambda x, y: p.add_scaled(x, y, 3), [X, X[0]], lambda x, y: x + 3 * y),
    "clamp": (lambda x: p.clamp(x, -0.6, 1.0), [X], lambda x: onp.minimum(onp.maximum(x, -0.6), 1.0)),
    "copy": (p.copy, [X], lambda x: x),
    "divide_by": (lambda x: p.divide_by(x, 4), [X], lambda x: x / 4),
    "expand": (lambda x: p.expand(x, (2, 2, 3)), [X], lambda x: onp.stack([x, x])),
    "gather": (lambda x: p.gather(x, INDEX, 1), [X], lambda x: onp.stack([row[i] for row, i in zip(x, INDEX)])),
    "index_max": (lambda x: p.index_max(x, 0)[0], [X], lambda x: x.max(0)),
    "index_min": (lambda x: p.index_min(x, 1, keepdims=True)[0], [X], lambda x: x.min(1, keepdims=True)),
    "log_softmax": (lambda x: p.log_softmax(x, 1), [X], lambda x: onp.log(softmax(x, 1))),
    "logsumexp": (lambda x: p.logsumexp(x, axis=0), [X], lambda x: onp.log(onp.exp(x).sum(0))),
    "mean": (lambda x: p.mean(x, axis=(0, 1), keepdims=True), [X], lambda x: onp.mean(x, keepdims=True)),
    "norm": (lambda x: p.norm(x, axis=1), [X], lambda x: onp.linalg.norm(x, axis=1)),
    "power": (lambda x: p.power(x, 3), [X], lambda x: x * x * x),
    "prod": (lambda x: p.prod(x, axis=1), [X], lambda x: x[:, 0] * x[:, 1] * x[:, 2]),
    "rsub": (lambda x: p.rsub(x, 3), [X], lambda x: 3 - x),
    "scale": (lambda x: p.scale(x, 3), [X], lambda x: 3 * x),
    "scatter_add": (lambda x: p.scatter_add(x, INDEX, 1, (2, 4)), [X], lambda x: onp.stack(
        [onp.bincount(i, row, 4) for row, i in zip(x, INDEX)])),
    "select": (lambda x, y: p.select(x > 0, x, y), [X, X[:1] * 2], lambda x, y: onp.where(x > 0, x, y)),
    "set_item": (lambda x, v: p.set_item(x, 0, v), [X, X[1]], lambda x, v: onp.stack([v, x[1]])),
    "softmax": (lambda x: p.softmax(x, 0), [X], lambda x: softmax(x, 0)),
    "sort": (lambda x: p.sort(x, axis=0)[0], [X], lambda x: onp.sort(x, 0)),
    "subtract_scaled": (lambda x, y: p.subtract_scaled(x, y, 3), [X, X[0]], lambda x, y: x - 3 * y),
    "sum_": (lambda x: p.sum_(x, axis=-1), [X], lambda x: x.sum(-1)),
    "var": (lambda x: p.var(x, axis=1, ddof=1), [X], lambda x: x.var(1, ddof=1)),
}  # fmt: skip
# of one and of two numbers: the docstring's example, and what the derivative says, are tried in `test_elementwise.py`
ROWS = {**{name: (row.fun, [onp.full((2, 3), row.at[0])], None) for name, row in p.FUNCTIONS.items()},
        **{name: (row.fun, [X, abs(X[::-1])], None) for name, row in p.PAIRS.items()}}  # fmt: skip
every_op = pytest.mark.parametrize("op, args, plain", (TABLE | ROWS).values(), ids=(TABLE | ROWS).keys())


def test_every_op_of_the_table_is_tested():
    offered = {*p.arithmetic.__all__, *p.moving.__all__, *p.reductions.__all__}
    assert sorted(TABLE) == sorted(offered - {"MOVERS", "PAIRS", "REDUCTIONS", "Pair", "operand", "others", "zero"})


@pytest.mark.parametrize("op, args, plain", TABLE.values(), ids=TABLE.keys())
def test_values_are_those_of_numpy(op, args, plain):
    value = op(*args)
    onp.testing.assert_allclose(value, plain(*args), rtol=1e-12)
    assert onp.shape(value) == onp.shape(plain(*args))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@every_op
def test_precision_is_kept_forward_and_backward_and_twice(op, args, plain, dtype):
    low = [a.astype(dtype) for a in args]
    tolerance = {"float16": 2e-2, "float32": 1e-5, "float64": 1e-12}[dtype]
    places = tuple(range(len(args)))
    square = lambda *xs: np.sum(op(*xs) ** 2)
    twice = lambda *xs: sum(np.sum(g) for g in grad(square, places)(*xs))
    for fun in (op, square, twice):
        value, pull = vjp(fun, *low)
        assert value.dtype == (
            dtype if fun is op or p.NUMBERS_ARE_WEAK else fun(*low).dtype
        )  # NumPy 1 widens 0-d arrays
        for got, want, a in zip(pull(), grad(fun, places)(*args), args, strict=True):
            assert got.dtype == dtype and got.shape == a.shape
            onp.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance * 5)
    _, tangent = jvp(op, low, low)
    assert tangent.dtype == dtype
    for step in record(op, *low).steps:
        assert all(c.value.dtype == dtype for c in step.contributions)


@every_op
def test_no_op_changes_its_arguments(op, args, plain):
    given = [a.copy() for a in args]
    _, pull = vjp(op, *given)
    pull()
    for a, before in zip(given, args, strict=True):
        onp.testing.assert_array_equal(a, before)


# ---- where a derivative needs a decision ----


@pytest.mark.parametrize(
    "fun, x, slope",
    [
        (p.absolute, 0.0, 0),
        (p.relu, 0.0, 0),
        (lambda x: p.clamp(x, 0, 1), 0.0, 1),
        (lambda x: p.clamp(x, 0, 1), 1.0, 1),
        (lambda x: p.clamp(x, 0, 1), 1.5, 0),
        (lambda x: p.clamp(x, None, 1), -9.0, 1),
        (lambda x: p.power(x, 0), 0.0, 0),
        (lambda x: p.power(x, 1), 0.0, 1),
        (lambda x: p.power(x, 2), 0.0, 0),
        (lambda x: p.power(x, 0.5), onp.float64(0), INF),
        (lambda x: p.power(x, 3), -2.0, 12),
        (p.norm, 0.0, 0),
        (p.norm, -3.0, -1),
        (p.sigmoid, 0.0, 0.25),
        (p.sigmoid, 1000.0, 0),
        (p.sigmoid, -1000.0, 0),
        (p.softplus, 1000.0, 1),
        (p.softplus, -1000.0, 0),
        (p.tanh, 1000.0, 0),
    ],
)
def test_slopes_at_special_points(fun, x, slope):
    with onp.errstate(divide="ignore"):
        assert grad(fun)(x) == slope
        assert jvp(fun, (x,), (1.0,))[1] == slope


def test_what_relu_cut_off_stays_zero_also_where_the_gradient_overflowed():
    assert vjp(p.relu, onp.array([-1.0, 1.0]))[1](onp.array([INF, INF]))[0].tolist() == [0, INF]


@pytest.mark.parametrize("axis", [(0, 2), (2, 0), (1,), -1, None])
def test_products_over_several_axes(axis):
    x = onp.linspace(-1, 1, 24).reshape(2, 3, 4) * (onp.arange(24).reshape(2, 3, 4) != 5)  # one zero
    assert check_gradient(lambda x: p.prod(x, axis), x)


def test_the_error_function_of_integers_is_no_integer():
    onp.testing.assert_allclose(p.erf(onp.array([0, 1])), [0, 0.8427007929], rtol=1e-9)


def test_functions_of_one_number_keep_bfloat16():
    import ml_dtypes

    for row in p.FUNCTIONS.values():
        assert row.fun(onp.array([row.at[0]], ml_dtypes.bfloat16)).dtype == ml_dtypes.bfloat16


def test_extreme_inputs_give_finite_values():
    big = onp.array([-1000.0, 0.0, 1000.0])
    with onp.errstate(over="raise", invalid="raise"):
        assert p.sigmoid(big).tolist() == [0, 0.5, 1]
        assert p.softmax(big, 0).tolist() == [0, 0, 1] and p.log_softmax(big, 0).tolist() == [-2000, -1000, 0]
        assert p.logsumexp(big) == 1000 and p.softplus(big).tolist() == [0, onp.log(2), 1000]
        for fun in (lambda x: p.softmax(x, 0), lambda x: p.log_softmax(x, 0), p.logsumexp, p.softplus, p.sigmoid):
            assert onp.isfinite(grad(fun)(big)).all()


def test_the_logsumexp_of_minus_infinity():
    with onp.errstate(divide="ignore", invalid="ignore"):
        assert p.logsumexp(onp.array([-INF, -INF])) == -INF
        assert p.logsumexp(onp.array([-INF, 2.0])) == 2 and grad(p.logsumexp)(onp.array([-INF, 2.0])).tolist() == [0, 1]


@pytest.mark.parametrize("zeros", [0, 1, 2, 3])
def test_the_product_has_its_gradient_also_where_factors_are_zero(zeros):
    x = onp.array([2.0, 3.0, 5.0])
    x[:zeros] = 0
    expected = [onp.prod(onp.delete(x, i)) for i in range(3)]
    assert grad(p.prod)(x).tolist() == expected
    assert grad(lambda x: p.prod(x, axis=0))(x[:, None]).ravel().tolist() == expected
    hessian = jacrev(grad(p.prod))(x)
    for i in range(3):
        for j in range(3):
            assert hessian[i, j] == (0 if i == j else onp.prod(onp.delete(x, [i, j])))


def test_the_first_of_equal_elements_gets_the_gradient():
    x = onp.array([[1.0, 7.0, 7.0], [4.0, 4.0, 4.0]])
    value, index = p.index_max(x, 1)
    assert value.tolist() == [7, 4] and index.tolist() == [1, 0]
    assert grad(lambda x: p.index_max(x, 1)[0])(x).tolist() == [[0, 1, 0], [1, 0, 0]]
    assert grad(lambda x: p.index_min(x, 1)[0])(x).tolist() == [[1, 0, 0], [1, 0, 0]]
    value, index = p.index_max(x, -1, keepdims=True)
    assert value.shape == index.shape == (2, 1)


def test_sorting_keeps_the_order_of_equal_elements_both_ways():
    x = onp.array([2.0, 1.0, 2.0, 1.0])
    assert p.sort(x)[1].tolist() == [1, 3, 0, 2] and p.sort(x, descending=True)[1].tolist() == [0, 2, 1, 3]
    assert grad(lambda x: p.sort(x)[0] * onp.arange(4.0))(x).tolist() == [2, 0, 3, 1]


@pytest.mark.parametrize("dtype", ["uint8", "int8", "bool", "int64"])
def test_integers_and_booleans_sort_both_ways(dtype):
    x = onp.array([1, 0, 1]).astype(dtype)
    assert p.sort(x)[0].tolist() == sorted(x.tolist())
    assert p.sort(x, descending=True)[0].tolist() == sorted(x.tolist(), reverse=True)


def test_an_element_gathered_twice_gets_both_gradients():
    index = onp.array([[0, 0, 1]])
    assert grad(lambda x: p.gather(x, index, 1) * onp.array([1.0, 10.0, 100.0]))(X[:1]).tolist() == [[11, 100, 0]]


def test_what_was_overwritten_gets_no_gradient():
    weights = onp.arange(1.0, 7).reshape(2, 3)
    to_x, to_v = grad(lambda x, v: p.set_item(x, (slice(None), 1), v) * weights, (0, 1))(X, 9.0)
    assert to_x.tolist() == [[1, 0, 3], [4, 0, 6]] and to_v == 7
    to_row = grad(lambda v: p.set_item(X, X > 1, v) * weights)(9.0)
    assert to_row == weights[X > 1].sum()


def test_an_unused_branch_of_select_gets_zero_even_where_its_value_is_infinite():
    safe = lambda x: p.select(x > 0, np.log(p.select(x > 0, x, 1.0)), 0.0)
    assert grad(safe)(onp.array([2.0, 0.0, -1.0])).tolist() == [0.5, 0, 0]


# ---- shapes ----

REDUCING = {"sum_": p.sum_, "mean": p.mean, "var": p.var, "prod": p.prod, "norm": p.norm, "logsumexp": p.logsumexp}
T = onp.random.default_rng(0).normal(size=(2, 3, 4))


AXES = [None, 0, 1, -1, -3, (0, 2), (-1, 0), (0, 1, 2), ()]


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("name, axis", [(n, a) for n in REDUCING for a in (AXES if n != "prod" else AXES[:5])])
def test_reductions_over_any_axes(name, axis, keepdims):
    op = REDUCING[name]
    value = op(T, axis=axis, keepdims=keepdims)
    assert np.shape(value) == np.sum(T, axis=axis, keepdims=keepdims).shape
    weights = onp.random.default_rng(1).normal(size=np.shape(value))
    one_by_one = onp.zeros_like(T)
    for i in onp.ndindex(T.shape):
        for sign in (1, -1):
            moved = T.copy()
            moved[i] += sign * 1e-6
            one_by_one[i] += sign * onp.sum(weights * op(moved, axis=axis, keepdims=keepdims)) / 2e-6
    got = vjp(lambda x: op(x, axis=axis, keepdims=keepdims), T)[1]([weights])[0]
    onp.testing.assert_allclose(got, one_by_one, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("name", REDUCING)
def test_reductions_of_a_scalar(name):
    slopes = {"sum_": 1, "mean": 1, "var": 0, "prod": 1, "norm": 1, "logsumexp": 1}
    gradient = grad(REDUCING[name])(onp.float32(3.0))
    assert gradient == slopes[name] and gradient.dtype == onp.float32 and np.shape(gradient) == ()


@pytest.mark.parametrize("name", ["sum_", "mean", "var", "prod", "norm"])
def test_reductions_of_nothing_have_an_empty_gradient(name):
    with pytest.warns(RuntimeWarning) if name in ("mean", "var") else nullcontext():
        assert grad(REDUCING[name])(onp.zeros((0, 3))).shape == (0, 3)
        assert grad(lambda x: REDUCING[name](x, axis=1))(onp.zeros((0, 3))).shape == (0, 3)


def test_reducing_an_empty_axis_away():
    x = onp.zeros((3, 0), "float32")
    assert p.sum_(x, axis=1).tolist() == [0, 0, 0] and p.prod(x, axis=1).tolist() == [1, 1, 1]
    assert p.norm(x, axis=1).tolist() == [0, 0, 0]
    for op in (p.sum_, p.prod, p.norm):
        assert grad(lambda x, op=op: op(x, axis=1))(x).shape == (3, 0)


@pytest.mark.parametrize("op", [p.sigmoid, p.tanh, p.relu, p.softplus, p.absolute, p.copy, lambda x: p.power(x, 2)])
@pytest.mark.parametrize("shape", [(), (0,), (2, 0, 3), (1, 1)])
def test_elementwise_ops_take_any_shape(op, shape):
    x = onp.full(shape, 0.5, "float32")
    value, gradient = op(x), grad(op)(x)
    assert onp.shape(value) == onp.shape(gradient) == shape and value.dtype == gradient.dtype == onp.float32


def test_softmax_of_one_and_of_equal_scores():
    assert p.softmax(onp.array([[3.0]]), -1).tolist() == [[1]] and grad(lambda x: p.softmax(x, 0))(onp.ones(1)) == 0
    assert p.softmax(onp.zeros((2, 4)), -1).tolist() == [[0.25] * 4] * 2


def test_expanding_adds_up_over_the_new_axes():
    assert grad(lambda x: p.expand(x, (5, 2, 3)))(onp.ones((2, 1))).tolist() == [[15], [15]]
    assert grad(lambda x: p.expand(x, (4, 0)))(onp.ones(1)).tolist() == [0]
    assert grad(lambda x: p.expand(x, (4,)))(2.0) == 4


def test_integers_keep_their_sum():
    assert p.sum_(onp.array([100, 100, 100], "int8")) == 300
    assert p.sum_(onp.array([True, True])) == 2
