"""Derivatives by walking back and by pushing forward, and what is built from the two."""

import math
import re

import autograd
import autograd.numpy as np
import numpy as onp
import pytest

import labkit.torch as torch
from labkit.engine import (
    custom_vjp,
    getval,
    grad,
    hvp,
    isbox,
    jacfwd,
    jacrev,
    jvp,
    leaves,
    map_leaves,
    record,
    stop_gradient,
    value_and_grad,
    vjp,
)  # fmt: skip
from labkit.gradcheck import check_gradient

X = onp.array([[0.5, -1.0, 2.0], [1.5, 0.3, -0.7]])


def same(a, b, **tolerance):
    onp.testing.assert_allclose(a, b, **({"rtol": 1e-10, "atol": 1e-12} | tolerance))


# ---- the reverse pass ----


def test_one_run_gives_the_gradients_of_all_arguments():
    output, pull = vjp(lambda x, y, z: x * y + z, 2.0, 3.0, 4.0)
    assert output == 10 and pull() == [3, 2, 1]


def test_the_gradient_of_an_array_is_the_gradient_of_the_sum_of_its_elements():
    same(grad(lambda x: np.exp(x) * x)(X), grad(lambda x: np.sum(np.exp(x) * x))(X))


def test_summing_two_outputs_equals_differentiating_their_sum():
    def two(x, y):
        return x * y, np.exp(x)

    together = grad(two, (0, 1))(X, X + 1)
    for g, expected in zip(together, grad(lambda x, y: x * y + np.exp(x), (0, 1))(X, X + 1), strict=True):
        same(g, expected)


def test_outputs_may_be_nested_and_keep_their_structure():
    def f(x):
        return {"a": x * 2, "b": [x**2, (np.sin(x), 5)]}

    value, gradient = value_and_grad(f)(3.0)
    assert value == {"a": 6, "b": [9, (np.sin(3.0), 5)]} and type(value["b"][1]) is tuple
    same(gradient, 2 + 2 * 3.0 + np.cos(3.0))


def test_each_output_has_its_own_cotangent():
    _, pull = vjp(lambda x: (x**2, [np.exp(x)]), 2.0)
    assert pull([1.0, 0.0]) == [4]
    same(pull([0.0, 3.0]), [3 * np.exp(2.0)])
    same(pull([10.0, 1.0]), [40 + np.exp(2.0)])


def test_a_scalar_cotangent_serves_every_element():
    _, pull = vjp(lambda x: x**2, X)
    same(pull(3.0)[0], 6 * X)
    same(pull([3.0])[0], pull([onp.full(X.shape, 3.0)])[0])


def test_pulling_twice_gives_the_same_result_twice():
    _, pull = vjp(lambda x: np.tanh(x) * x[0], X)
    first, second = pull()[0], pull()[0]
    onp.testing.assert_array_equal(first, second)
    first += 1
    onp.testing.assert_array_equal(pull()[0], second)


def test_a_cotangent_of_another_shape_is_refused():
    _, pull = vjp(lambda x: x**2, X)
    message = "vjp: expected a cotangent of the output's shape (2, 3), but got (3,)"
    with pytest.raises(ValueError, match=re.escape(message)):
        pull([onp.ones(3)])
    with pytest.raises(ValueError, match="expected 1 cotangents, one per output, but got 2"):
        pull([1.0, 1.0])


def test_unused_arguments_get_zeros_of_their_shape_and_dtype():
    gradients = grad(lambda x, y, z: x * 2, (0, 1, 2))(1.0, onp.ones((2, 3), "float16"), onp.arange(3))
    assert gradients[0] == 2
    assert gradients[1].dtype == onp.float16 and not gradients[1].any() and gradients[1].shape == (2, 3)
    assert gradients[2].dtype == onp.int64 and not gradients[2].any()


def test_a_function_that_ignores_everything_has_zero_gradient():
    assert grad(lambda x: 5.0)(2.0) == 0
    assert grad(lambda x: [])(2.0) == 0


def test_returning_an_argument_or_one_value_twice():
    assert grad(lambda x: x)(3.0) == 1
    assert grad(lambda x: (x, x, x * 2))(3.0) == 4


def test_the_slope_at_an_integer_is_not_cut_to_one():
    gradient = grad(lambda x: x * x)(onp.array([3, -2]))
    assert gradient.dtype == onp.int64 and gradient.tolist() == [6, -4]
    assert grad(lambda x: x**2)(3) == 6 and grad(np.sqrt)(4) == jacrev(np.sqrt)(4) == 0.25
    assert grad(lambda x: np.sum(np.sqrt(x)))(onp.array([1, 4])).tolist() == [0.5, 0.25]
    assert jvp(np.sqrt, (4,), (1,))[1] == jacfwd(np.sqrt)(4) == 0.25
    mixed = grad(lambda n, x: n * x, (0, 1))(onp.int32(3), onp.float32(0.5))
    assert mixed[1] == 3 and mixed[0] == 0.5
    recorded = record(np.sqrt, 4, names=["x"])
    assert recorded.gradients["x"] == 0.25 and "0.25" in str(recorded)


def test_a_comparison_is_a_constant():
    assert grad(lambda x: np.sum((x > 0) * x))(onp.array([1.0, -1.0])).tolist() == [1, 0]


# ---- every incoming gradient keeps its parent's dtype ----

KEEPING = {
    "mean": np.mean,
    "var": np.var,
    "std": np.std,
    "max": np.max,
    "min": np.min,
    "sum": np.sum,
    "prod": np.prod,
    "mean of an axis": lambda x: np.mean(x, axis=0),
    "var of an axis": lambda x: np.var(x, axis=1, keepdims=True),
    "where": lambda x: np.where(x > 0, x, 0.0),
    "where both": lambda x: np.where(x > 0, x, x * 2),
    "maximum": lambda x: np.maximum(x, 0.5),
    "minimum": lambda x: np.minimum(x, x * x),
    "clip": lambda x: np.clip(x, -1, 1),
    "indexing": lambda x: x[0] * x[1],
    "indexing by mask": lambda x: x[x > 0],
    "indexing by list": lambda x: x[[0, 0, 1]],
    "power": lambda x: x**3,
    "power of itself": lambda x: np.abs(x) ** np.abs(x),
    "exp2": lambda x: 2**x,
    "matmul": lambda x: np.matmul(x, x.T),
    "dot": lambda x: np.dot(x, x.T),
    "einsum": lambda x: np.einsum("ij,kj->ik", x, x),
    "outer": lambda x: np.outer(x[0], x[1]),
    "tensordot": lambda x: np.tensordot(x, x, axes=2),
    "kron": lambda x: np.kron(x, x),
    "concatenate": lambda x: np.concatenate([x, x * 2]),
    "stack": lambda x: np.stack([x, x]),
    "tile": lambda x: np.tile(x, (2, 1)),
    "cumsum": np.cumsum,
    "sort": lambda x: np.sort(x[0]),
    "abs": np.abs,
    "sqrt": lambda x: np.sqrt(np.abs(x)),
    "log1p": lambda x: np.log1p(x * x),
    "tanh": np.tanh,
    "divide": lambda x: x / 3,
    "reciprocal": lambda x: 1 / x,
    "arctan2": lambda x: np.arctan2(x, x + 1),
    "norm": lambda x: np.linalg.norm(x),
    "logaddexp": lambda x: np.logaddexp(x, 0.5),
    "pad": lambda x: np.pad(x, 1, "constant"),
    "transpose": lambda x: np.transpose(x) * 2,
    "roll": lambda x: np.roll(x, 1) * x,
    "repeat": lambda x: np.repeat(x, 2),
    "float constant array": lambda x: x * onp.array(2.0, "float16"),
    "int constant": lambda x: x * 3 + 1,
}


@pytest.mark.parametrize("dtype", ["float16", "float32"])
@pytest.mark.parametrize("fun", KEEPING.values(), ids=KEEPING.keys())
def test_every_gradient_on_the_way_back_keeps_the_dtype_of_its_value(fun, dtype):
    x = X.astype(dtype)
    assert grad(fun)(x).dtype == dtype
    same(
        grad(fun)(x), grad(fun)(X), rtol=2e-2 if dtype == "float16" else 1e-4, atol=1e-2 if dtype == "float16" else 1e-5
    )
    for step in record(fun, x).steps:
        assert step.gradient.dtype == step.node.dtype
        assert all(c.value.dtype == c.total.dtype == c.parent.dtype for c in step.contributions)


def test_a_gradient_too_small_for_float16_underflows_to_zero():
    x = onp.full(4, 1e-3, "float16")
    assert not grad(lambda x: np.mean(x) * onp.float16(1e-7))(x).any()
    assert grad(lambda x: np.mean(x) * onp.float16(1e-7) * onp.float16(1024))(x).any()


def test_a_cotangent_takes_the_dtype_of_its_output():
    _, pull = vjp(lambda x: x * 2, X.astype("float16"))
    assert not pull([onp.full(X.shape, 1e-9)])[0].any()
    _, pull = vjp(lambda x: (x, x), X.astype("float16"))
    assert pull([X, X])[0].dtype == onp.float16


# ---- indexing ----


INDICES = {
    "int": 1,
    "negative": -1,
    "pair": (0, 2),
    "slice": slice(1, None),
    "step": (slice(None), slice(None, None, 2)),
    "reversed": (slice(None, None, -1),),
    "new axis": (None, 0),
    "ellipsis": (..., 1),
    "list": [0, 1, 0],
    "arrays": (onp.array([0, 0, 1]), onp.array([2, 2, 0])),
    "mask": X > 0,
    "empty": slice(5, None),
    "nothing": (),
}


@pytest.mark.parametrize("index", INDICES.values(), ids=INDICES.keys())
def test_what_was_read_gets_the_gradient_as_often_as_it_was_read(index):
    weights = onp.random.default_rng(0).normal(size=X[index].shape)
    expected = onp.zeros_like(X)
    onp.add.at(expected, index, weights)
    same(grad(lambda x: x[index] * weights)(X), expected)
    same(grad(lambda x: grad(lambda y: np.sum(y[index] ** 2 * weights))(x) * 1.0)(X), 2 * expected)
    same(jvp(lambda x: x[index], (X,), (X + 1,))[1], (X + 1)[index])


def test_a_scalar_may_be_indexed():
    assert grad(lambda x: (x[None] + x) * 2 + np.sin(0 * x))(onp.float32(3.0)) == 4
    assert grad(lambda x: x[()] * x[..., None])(onp.array(3.0)) == 6


def test_one_array_indexed_twice_adds_up():
    same(grad(lambda x: x[0] * 2 + x[0] + x[1])(X), [[3] * 3, [1] * 3])
    same(grad(lambda x: x[0] * 2 + x[0] + np.sum(x))(X), [[6] * 3, [3] * 3])


# ---- higher order ----

CLOSED = {
    "cube": (lambda x: x**3, [lambda x: x**3, lambda x: 3 * x**2, lambda x: 6 * x, lambda x: 6.0, lambda x: 0.0]),
    "exp": (np.exp, [onp.exp] * 5),
    "sin": (np.sin, [onp.sin, onp.cos, lambda x: -onp.sin(x), lambda x: -onp.cos(x), onp.sin]),
    "reciprocal": (
        lambda x: 1 / x,
        [lambda x: 1 / x, lambda x: -(x**-2), lambda x: 2 * x**-3, lambda x: -6 * x**-4, lambda x: 24 * x**-5],
    ),
    "log": (np.log, [onp.log, lambda x: 1 / x, lambda x: -(x**-2), lambda x: 2 * x**-3, lambda x: -6 * x**-4]),
    "index": (
        lambda x: np.array([x, x**2])[1] * x,
        [lambda x: x**3, lambda x: 3 * x**2, lambda x: 6 * x, lambda x: 6.0, lambda x: 0.0],
    ),
}


@pytest.mark.parametrize("order", range(5))
@pytest.mark.parametrize("fun, closed", CLOSED.values(), ids=CLOSED.keys())
def test_nested_gradients_equal_the_closed_forms(fun, closed, order):
    derivative = forward = fun
    for _ in range(order):
        derivative, forward = grad(derivative), lambda x, f=forward: jvp(f, (x,), (1.0,))[1]
    same(derivative(1.3), closed[order](1.3))
    same(forward(1.3), closed[order](1.3))


def test_mixed_partial_derivatives_commute():
    def f(x, y):
        return np.sin(x * y) * x**2

    same(grad(grad(f, 0), 1)(0.7, 1.1), grad(grad(f, 1), 0)(0.7, 1.1))


GRADS = {"engine": grad, "autograd": autograd.grad}


@pytest.mark.filterwarnings("ignore:Output seems independent")
@pytest.mark.parametrize("inner", GRADS.values(), ids=GRADS.keys())
@pytest.mark.parametrize("outer", GRADS.values(), ids=GRADS.keys())
def test_an_inner_derivative_does_not_see_the_outer_variable(outer, inner):
    """The cases that confuse perturbations: d/dx [x * d/dy (x + y)] is 1, and not 2."""
    assert outer(lambda x: x * inner(lambda y: x + y)(1.0))(1.0) == 1
    assert outer(lambda x: x * inner(lambda y: x * y)(2.0))(3.0) == 6
    assert outer(lambda x: inner(lambda y: x)(2.0) + x * 0)(3.0) == 0
    assert outer(lambda x: inner(lambda y: y * y * x)(x))(3.0) == 12
    assert outer(lambda x: inner(lambda x: x**3)(x) * x)(2.0) == 36
    assert outer(lambda x: x * inner(lambda y: outer(lambda z: x * y * z)(5.0))(7.0))(3.0) == 6


def test_pushing_forward_is_not_confused_either():
    def push(f):
        return lambda x: jvp(f, (x,), (1.0,))[1]

    assert push(lambda x: x * push(lambda y: x + y)(1.0))(1.0) == 1
    assert push(lambda x: x * grad(lambda y: x * y)(2.0))(3.0) == 6
    assert grad(lambda x: x * push(lambda y: x * y)(2.0))(3.0) == 6


def test_autograd_tools_work_on_functions_of_the_engine_and_the_other_way_round():
    f = lambda x: np.sum(x**3)
    same(autograd.grad(lambda x: np.sum(grad(f)(x)))(X), 6 * X)
    same(grad(lambda x: np.sum(autograd.grad(f)(x)))(X), 6 * X)
    same(autograd.jacobian(grad(f))(X[0]), np.diag(6 * X[0]))
    same(jacfwd(autograd.grad(f))(X[0]), np.diag(6 * X[0]))


def test_differentiating_a_cotangent_gives_the_tangent():
    """vjp is linear in the cotangent u: d/du <vjp(u), v> is the jvp."""
    f = lambda x: np.tanh(np.matmul(x, x.T))
    v = X + 0.5
    by_reverse = grad(lambda u: np.sum(vjp(f, X)[1]([u])[0] * v))(onp.ones((2, 2)))
    same(by_reverse, jvp(f, (X,), (v,))[1])


# ---- forward mode, jacobians, hessian products ----


def test_jvp_carries_structure_and_constants():
    value, tangent = jvp(lambda x: {"a": x**2, "b": (5.0, [x])}, (3.0,), (1.0,))
    assert value == {"a": 9, "b": (5, [3])} and tangent == {"a": 6, "b": (0, [1])}


def test_a_tangent_of_another_shape_is_refused():
    with pytest.raises(ValueError, match=re.escape("expected a tangent of its argument's shape (2, 3), but got (2,)")):
        jvp(np.sin, (X,), (onp.ones(2),))


def test_a_tangent_keeps_the_dtype_of_its_value():
    x = X.astype("float16")
    for fun in KEEPING.values():
        value, tangent = jvp(fun, (x,), (x,))
        assert tangent.dtype == value.dtype == onp.float16


@pytest.mark.parametrize(
    "fun",
    [np.sin, lambda x: np.outer(x, x), lambda x: x[::-1] * x, np.sum, lambda x: np.exp(x)[:1], lambda x: 2.0 * x[:0]],
)
def test_the_jacobian_is_the_same_forward_and_in_reverse(fun):
    x = onp.array([0.3, -1.2, 2.0])
    reverse, forward = jacrev(fun)(x), jacfwd(fun)(x)
    assert reverse.shape == forward.shape == np.shape(fun(x)) + x.shape
    same(reverse, forward)


def test_jacobians_of_several_arguments():
    f = lambda x, y: np.matmul(x, y)
    a, b = X, X.T + 1
    for reverse, forward, v in zip(jacrev(f, (0, 1))(a, b), jacfwd(f, (0, 1))(a, b), (a, b), strict=True):
        assert reverse.shape == (2, 2, *v.shape)
        same(reverse, forward)


def test_all_ways_to_the_hessian_agree():
    f = lambda x: np.sum(np.exp(x) * x[::-1] ** 2)
    x = onp.array([0.3, -1.2, 2.0])
    hessian = jacrev(grad(f))(x)
    for way in (jacfwd(grad(f)), jacrev(jacfwd(f)), jacfwd(jacfwd(f))):
        same(way(x), hessian)
    same(hessian, hessian.T)
    v = onp.array([1.0, -2.0, 0.5])
    same(hvp(f, x, v), hessian @ v)


def test_argnums_out_of_range_are_refused():
    with pytest.raises(IndexError, match="argnums 2: expected positions below 1"):
        grad(lambda x: x, 2)(1.0)
    with pytest.raises(IndexError):
        grad(lambda x: x, -1)(1.0)


def test_arguments_outside_argnums_and_keywords_are_passed_as_they_are():
    def f(x, mode, *, factor):
        return x * factor if mode == "times" else x

    assert grad(f)(2.0, "times", factor=7) == 7
    assert value_and_grad(f, (0,))(2.0, "plain", factor=7) == (2, (1,))


def test_a_gradient_function_keeps_its_name_and_docstring():
    def loss(x):
        """The loss."""
        return x

    assert grad(loss).__name__ == "loss" and grad(loss).__doc__ == "The loss."


# ---- own rules ----


def test_a_custom_rule_replaces_the_derivative():
    wrong = custom_vjp(lambda x: np.exp(x), lambda ans, g, x: (100 * g,))
    assert grad(wrong)(1.0) == 100 and wrong(0.0) == 1


def test_a_custom_rule_can_be_differentiated_again():
    cube = custom_vjp(lambda x: x**3, lambda ans, g, x: (g * 3 * x**2,))
    assert cube(2.0) == 8 and grad(cube)(2.0) == 12 and grad(grad(cube))(2.0) == 12
    assert grad(grad(grad(cube)))(2.0) == 6
    assert jvp(cube, (2.0,), (1.0,))[1] == 12
    by_answer = custom_vjp(onp.exp, lambda ans, g, x: (g * ans,))
    same(grad(grad(grad(by_answer)))(0.5), onp.exp(0.5))


def test_a_custom_rule_for_several_arguments_may_say_none():
    f = custom_vjp(lambda x, y, k: x * y * k, lambda ans, g, x, y, k: (g * y * k, g * x * k, None))
    assert grad(f, (0, 1, 2))(2.0, 3.0, 5.0) == (15, 10, 0)
    assert grad(f, 1)(2.0, 3.0, 5.0) == 10 and grad(grad(f, 0), 1)(2.0, 3.0, 5.0) == 5


def test_a_custom_rule_of_the_wrong_length_is_reported():
    broken = custom_vjp(lambda x, y: x * y, lambda ans, g, x, y: (g * y,))
    with pytest.raises(ValueError, match="custom_vjp: expected 2 gradients, one per argument, but got 1"):
        grad(broken)(2.0, 3.0)


@pytest.mark.parametrize("answer", [lambda g, x: onp.ones(5), lambda g, x: 1.0, lambda g, x: np.ones((2, 3)) * g])
def test_a_custom_rule_gives_a_gradient_of_its_arguments_shape(answer):
    broken = custom_vjp(lambda x: x * 2, lambda ans, g, x: (answer(g, x),))
    with pytest.raises(ValueError, match=r"the rule's gradient 0 to have shape \(3,\), like its argument, but got"):
        grad(broken)(onp.ones(3))


def test_each_position_is_named_once():
    with pytest.raises(ValueError, match=r"argnums: expected each position once, but got \(0, 0\)"):
        grad(lambda x, y: x * y, (0, 0))(2.0, 3.0)


def test_jacobians_of_nothing_are_empty():
    for jacobian in (jacfwd, jacrev):
        assert jacobian(lambda x: x * 2)(onp.zeros((2, 0))).shape == (2, 0, 2, 0)
        assert jacobian(lambda x: np.sum(x) * onp.ones(2))(onp.zeros(0)).shape == (2, 0)


def test_the_slope_of_a_quotient_is_that_of_the_frameworks_to_the_bit():
    """PyTorch and MindSpore both compute -g ((x / y) / y)."""
    x, y, g = onp.random.default_rng(0).uniform(0.1, 3, (3, 50)).astype("float32")
    for divide in (np.divide, np.true_divide):
        assert (vjp(divide, x, y)[1](g)[1] == -g * ((x / y) / y)).all()


def test_a_custom_op_is_one_node_of_the_graph():
    def my_op(x):
        return np.exp(np.sin(x))

    graph = record(custom_vjp(my_op, lambda ans, g, x: (g * 7,)), 1.0)
    assert [node.op for node in graph.forward] == ["input", "my_op"] and list(graph.gradients.values()) == [7]


def test_stopping_the_gradient_keeps_the_value():
    f = lambda x: x * stop_gradient(x**2)
    assert f(3.0) == 27 and grad(f)(3.0) == 9
    assert jvp(f, (3.0,), (1.0,)) == (27, 9)
    assert grad(lambda x: stop_gradient(x))(3.0) == 0


def test_a_stopped_gradient_is_stopped_at_every_order():
    f = lambda x: x * stop_gradient(x**2)
    assert grad(grad(f))(3.0) == 0  # f'(x) = stop(x^2)
    assert grad(lambda x: stop_gradient(grad(lambda y: y**3)(x)) * x)(2.0) == 12
    assert grad(lambda x: grad(lambda y: stop_gradient(y) * x * y)(2.0))(3.0) == 2
    assert autograd.grad(lambda x: x * grad(lambda y: stop_gradient(x) * y)(1.0))(3.0) == 3


def test_a_stopped_gradient_ends_the_recorded_graph():
    graph = record(lambda x: x * stop_gradient(x**2), 3.0)
    assert graph.gradients["x"] == 9
    assert graph.forward[-1].parents == (graph.forward[0],)


def test_leaves_and_map_leaves_go_through_tuples_lists_dicts_and_named_tuples():
    from collections import namedtuple

    pair = namedtuple("pair", "a b")
    tree = {"x": [1, (2,)], "y": pair(3, {"z": 4})}
    assert leaves(tree) == [1, 2, 3, 4]
    doubled = map_leaves(lambda v: 2 * v, tree)
    assert doubled == {"x": [2, (4,)], "y": pair(6, {"z": 8})} and type(doubled["y"]) is pair


def test_the_check_agrees_with_every_rule_above():
    for name, fun in KEEPING.items():
        assert check_gradient(fun, X + 0.013), name


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: grad(lambda x: x)([1.0, 2.0]), "expected a number or a NumPy array, but got list"),
        (lambda: grad(lambda x: x)("a"), "expected a number or a NumPy array, but got str"),
        (lambda: grad(lambda x: None)(3.0), "expected numbers as the result, but got None"),
        (lambda: value_and_grad(lambda x, y: x, "x")(1.0, 2.0), "argnums: expected a position"),
        (lambda: grad(lambda x: float(x))(1.0), "its gradient would be lost"),
        (lambda: record(lambda x: "text", 1.0), "expected numbers as the result, but got 'text'"),
    ],
)
def test_a_mistake_is_answered_with_what_was_expected_and_what_came(wrong, message):
    import labkit.program.nodes  # noqa: F401  (which teaches boxes to refuse)

    with pytest.raises(TypeError, match=message):
        wrong()


def test_a_result_that_plain_numpy_made_of_boxes_is_refused():
    stacked = lambda x: onp.stack([x, x * x])
    with pytest.raises(TypeError, match=r"autograd\.numpy"):
        grad(stacked)(3.0)
    assert grad(lambda x: np.stack([x, x * x]))(3.0) == 7.0


def test_a_rule_of_ones_own_for_a_numpy_function_changes_no_other_use_of_it():
    own = custom_vjp(onp.sin, lambda ans, g, x: (g * 7.0,))
    assert grad(own)(0.0) == 7.0
    assert grad(onp.sin)(0.0) == grad(np.sin)(0.0) == 1.0


def test_gradients_of_two_arguments_are_arrays_of_their_own():
    """x + y sends one and the same to both; scaling the one in place, as clipping does, leaves the other."""
    x = onp.ones(3)
    for first, second in (vjp(lambda x, y: x + y, x, x)[1](), grad(lambda x, y: np.sum(x + y), (0, 1))(x, x)):
        first *= 2
        assert second.tolist() == [1, 1, 1]


def test_an_error_class_of_the_users_own_is_passed_on():
    class Bad(ValueError):
        pass

    def fun(x):
        raise Bad(f"bad {x!r}")

    with pytest.raises(Bad):
        grad(fun)(1.0)


def test_a_mistake_in_a_rule_is_told_in_words():
    op = custom_vjp(lambda x: x * 2, lambda ans, g, x: (math.sin(g),))
    with pytest.raises(TypeError, match="Use the functions of autograd"):
        record(lambda x: op(x), 1.0)


def test_a_structure_that_cannot_be_made_of_its_items_comes_back_as_a_plain_one():
    class Pair(tuple):
        def __new__(cls, a, b):
            return super().__new__(cls, (a, b))

    value, pull = vjp(lambda x: Pair(x, x * 2), 3.0)
    assert value == (3.0, 6.0) and type(value) is tuple and pull() == [3.0]


def test_autograds_own_derivative_sees_a_value_of_the_tape():
    w = torch.tensor(3.0, requires_grad=True)
    inner = autograd.grad(lambda x: x * x * w._value)(2.0)
    assert isbox(inner) and getval(inner) == 12.0


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (10**400, "expected a number, but got an integer larger than any float"),
        (np.array("a"), "but got an array of <U1"),
        (onp.timedelta64(3), "but got timedelta64"),
        (onp.ma.masked_array([1.0]), r"but got MaskedArray \(convert it to a plain array with np.asarray\)"),
    ],
)
def test_what_is_no_number_is_refused_in_words(value, message):
    with pytest.raises(TypeError, match=message):
        grad(lambda x: x)(value)
