"""A checkpointed function gives the same derivatives as the function itself, and keeps less in memory."""

import gc
import threading
import tracemalloc

import autograd
import autograd.numpy as anp
import numpy as np
import pytest

from labkit.engine import custom_vjp, grad, hvp, jacfwd, jacrev, jvp, leaves, record, vjp
from labkit.memory.checkpoints import as_one_op

X = np.array([0.5, 1.5, -2.0])
SIZE = 2**18  # bytes of an array


def wave(x, y):
    return anp.sin(x) * y


def several(x, y):
    return anp.sin(x) * y, [anp.exp(y)[:2], {"total": anp.sum(x)}]


def same(a, b):
    for one, other in zip(leaves(a), leaves(b), strict=True):
        np.testing.assert_array_equal(one, other)
        assert np.shape(one) == np.shape(other) and np.asarray(one).dtype == np.asarray(other).dtype


@pytest.mark.parametrize("fun", [wave, several])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int64])
def test_values_and_gradients_are_the_same(fun, dtype):
    y = np.arange(1.0, 4.0).astype(dtype)
    output, pull = vjp(as_one_op(fun), X.astype(dtype), y)
    expected, pull_expected = vjp(fun, X.astype(dtype), y)
    assert type(output) is type(expected)
    same(output, expected)
    same(pull(), pull_expected())
    same(pull(), pull_expected())


def test_outputs_and_arguments_of_several_dtypes_keep_theirs():
    x, y = X.astype(np.float32), X.astype(np.float64)
    fun = lambda x, y: (x * 2, y * y, x * anp.sum(x))
    same(vjp(as_one_op(fun), x, y)[0], fun(x, y))
    same(vjp(as_one_op(fun), x, y)[1](), vjp(fun, x, y)[1]())


def test_each_output_has_its_own_cotangent():
    seeds = [np.array([1.0, 2.0, 3.0]), np.zeros(2), 5.0]
    same(vjp(as_one_op(several), X, X)[1](seeds), vjp(several, X, X)[1](seeds))


@pytest.mark.parametrize("fun", [wave, several])
def test_forward_mode(fun):
    same(jvp(as_one_op(fun), (X, X), (X, 2 * X)), jvp(fun, (X, X), (X, 2 * X)))


def test_higher_orders_by_nesting():
    fun = lambda x: anp.sum(wave(x, x) ** 2)
    checked = lambda x: anp.sum(as_one_op(wave)(x, x) ** 2)
    same(hvp(checked, X, X), hvp(fun, X, X))
    np.testing.assert_allclose(jacfwd(grad(checked))(X), jacrev(grad(fun))(X), rtol=1e-12)
    third = lambda f: grad(grad(grad(f)))(0.5)
    np.testing.assert_allclose(third(as_one_op(lambda x: x**5)), 60 * 0.25)


def test_checkpoints_nest():
    inner = as_one_op(anp.sin)
    outer = as_one_op(lambda x: anp.exp(inner(x)) * x)
    same(grad(outer)(X), grad(lambda x: anp.exp(anp.sin(x)) * x)(X))


def test_a_number_and_constants_as_arguments():
    fun = as_one_op(lambda x, k, scale=1.0: scale * x**k)
    assert fun(3.0, 2, scale=2.0) == 18.0
    assert grad(fun)(3.0, 2, scale=2.0) == 12.0


def test_it_is_one_op_of_the_graph_and_the_backward_graph_shows_the_second_run():
    graph = record(lambda x: as_one_op(lambda x: anp.exp(anp.sin(x)))(x), X)
    assert [node.op for node in graph.forward] == ["input", "checkpoint"]
    assert [node.op for node in graph.backward if node.op in ("sin", "exp")] == ["sin", "exp"]
    np.testing.assert_array_equal(graph.gradients["x"], np.cos(X) * np.exp(np.sin(X)))


def test_autograd_differentiates_it_too():
    same(autograd.grad(lambda x: anp.sum(as_one_op(wave)(x, x)))(X), grad(lambda x: wave(x, x))(X))


def test_the_function_runs_twice_with_a_gradient_and_once_without():
    runs = []
    fun = as_one_op(lambda x: (runs.append(1), x * x)[1])
    fun(X)
    assert len(runs) == 1
    grad(fun)(X)
    assert len(runs) == 3


def test_a_value_of_an_outer_derivative_may_be_read():
    checked = lambda w: anp.sum(grad(as_one_op(lambda x: x**2 * w))(X))
    assert grad(checked)(3.0) == grad(lambda w: anp.sum(grad(lambda x: x**2 * w)(X)))(3.0)


@pytest.mark.parametrize("nested", [False, True])
def test_a_value_whose_gradient_would_be_lost_is_an_error(nested):
    def loss(w):
        x = w * 2
        one = as_one_op(lambda x: x * w)
        return grad(lambda x: anp.sum(one(x)))(x) if nested else anp.sum(one(x))

    with pytest.raises(ValueError, match="not one of its arguments"):
        grad(loss)(X)


@pytest.mark.parametrize("output", [None, "text", ()])
def test_an_output_that_is_no_array_is_an_error(output):
    with pytest.raises(TypeError, match="expected arrays or numbers as outputs"):
        grad(as_one_op(lambda x: output))(X)


def test_an_exception_leaves_everything_usable():
    faults = iter([True, False, True])

    def fun(x):
        if next(faults, False):
            raise RuntimeError("in the function")
        return x * x

    for _ in range(2):  # in the forward run, then in the second run
        with pytest.raises(RuntimeError, match="in the function"):
            grad(as_one_op(fun))(X)
    same(grad(as_one_op(fun))(X), 2 * X)


def test_a_rule_of_the_users_own_is_used():
    straight = custom_vjp(np.round, lambda ans, g, x: (g,))
    same(grad(as_one_op(lambda x: straight(x) * x))(X), grad(lambda x: straight(x) * x)(X))


def test_threads():
    found = {}

    def work(k):
        found[k] = [grad(as_one_op(lambda x: x**k * x))(2.0) for _ in range(50)]

    threads = [threading.Thread(target=work, args=(k,)) for k in range(1, 5)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert all(v == (k + 1) * 2.0**k for k, values in found.items() for v in values)


# ---- memory ----


def chain(n, segments=None, wrap=as_one_op):
    """The sum of n layers, plain or in segments."""

    def run(x, layers):
        for _ in range(layers):
            x = anp.sin(x)
        return x

    piece = wrap(lambda x: run(x, n // segments)) if segments else None

    def plain(x):
        for _ in range(segments or 1):
            x = piece(x) if segments else run(x, n)
        return anp.sum(x)

    return plain


def peak(differentiate, fun):
    """Peak bytes of the gradient at an array of `SIZE`, in arrays of that size."""
    x = np.ones(SIZE // 8)
    differentiate(fun)(x[:8])
    gc.collect()
    tracemalloc.start()
    try:
        differentiate(fun)(x)
        return tracemalloc.get_traced_memory()[1] / SIZE
    finally:
        tracemalloc.stop()


def test_square_root_of_n_segments_keep_about_two_square_roots_of_n_values():
    plain, checked = peak(grad, chain(64)), peak(grad, chain(64, 8))
    assert 64 <= plain < 69
    assert 16 <= checked < 21
    assert all(checked < peak(grad, chain(64, segments)) for segments in (1, 64))
    same(grad(chain(64, 8))(X), grad(chain(64))(X))


def test_the_checkpoint_of_autograd_saves_nothing():
    """It makes the derivative's closures during the forward run, so all is computed twice and kept: hence our own."""
    plain, checked = peak(autograd.grad, chain(64)), peak(autograd.grad, chain(64, 8, autograd.checkpoint))
    assert checked > 0.95 * plain
    assert peak(autograd.grad, chain(64, 8)) < plain / 2


def test_nothing_is_left_behind():
    fun = chain(16, 4)
    x = np.ones(SIZE // 8)
    grad(fun)(x)
    gc.collect()
    tracemalloc.start()
    try:
        for _ in range(5):
            grad(fun)(x)
        assert tracemalloc.get_traced_memory()[0] < 0.4 * SIZE
    finally:
        tracemalloc.stop()
