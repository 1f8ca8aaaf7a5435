"""Convolution and pooling: values against plain loops, derivatives against differences, types, and programs."""

import tracemalloc

import autograd.numpy as anp
import numpy as np
import pytest

import labkit
from labkit import engine
from labkit.ops import convolution, pooling
from labkit.ops.convolution import NO_PADDING, conv2d
from labkit.program import compile_program

rng = np.random.default_rng(0)
GEOMETRIES = [  # stride, padding, dilation, groups
    ((1, 1), NO_PADDING, (1, 1), 1),
    ((2, 1), ((1, 2), (0, 1)), (1, 2), 2),
    ((1, 2), ((2, 0), (1, 1)), (2, 1), 1),
    ((3, 3), ((1, 1), (1, 1)), (1, 1), 4),
]
WINDOWS = [  # kernel, stride, padding
    ((2, 2), (2, 2), NO_PADDING), ((3, 2), (1, 2), ((1, 1), (0, 1))), ((3, 3), (2, 2), ((0, 1), (0, 1))),
]  # fmt: skip


def plain_conv2d(x, w, stride, padding, dilation, groups):
    """The definition, element by element."""
    x = np.pad(x, ((0, 0), (0, 0), *padding))
    n, o, per_group = len(x), len(w), len(w) // groups
    rows, cols = convolution.output_size(x.shape[2:], w.shape[2:], stride, NO_PADDING, dilation)
    out = np.zeros((n, o, rows, cols))
    for b, k, i, j in np.ndindex(*out.shape):
        group = slice(k // per_group * w.shape[1], (k // per_group + 1) * w.shape[1])
        seen = x[b, group, i * stride[0] :: dilation[0], j * stride[1] :: dilation[1]][:, : w.shape[2], : w.shape[3]]
        out[b, k, i, j] = (seen * w[k]).sum()
    return out


def images(groups=1, dtype="float64"):
    return rng.normal(size=(2, 4, 6, 7)).astype(dtype), rng.normal(size=(4, 4 // groups, 2, 3)).astype(dtype)


def differences(f, x, eps=1e-6):
    """The gradient of a scalar function by central differences."""
    found = np.zeros_like(x)
    for place in np.ndindex(x.shape):
        step = np.zeros_like(x)
        step[place] = eps
        found[place] = (f(x + step) - f(x - step)) / (2 * eps)
    return found


@pytest.mark.parametrize("geometry", GEOMETRIES)
def test_convolution_is_what_its_definition_says(geometry):
    x, w = images(geometry[-1])
    np.testing.assert_allclose(conv2d(x, w, *geometry), plain_conv2d(x, w, *geometry), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("geometry", GEOMETRIES)
def test_first_and_second_derivatives_of_convolution(geometry):
    x, w = images(geometry[-1])
    at_x, at_w = rng.normal(size=x.shape), rng.normal(size=w.shape)

    def f(x, w):
        return anp.sum(anp.sin(conv2d(x, w, *geometry)))

    def slope(x, w):
        g, h = engine.grad(f, (0, 1))(x, w)
        return anp.sum(g * at_x) + anp.sum(h * at_w)

    for fun, tolerance in ((f, 1e-7), (slope, 1e-5)):
        found = engine.grad(fun, (0, 1))(x, w)
        np.testing.assert_allclose(found[0], differences(lambda a, fun=fun: fun(a, w), x), atol=tolerance)
        np.testing.assert_allclose(found[1], differences(lambda a, fun=fun: fun(x, a), w), atol=tolerance)
    forward = engine.jvp(f, (x, w), (at_x, at_w))[1]
    assert forward == pytest.approx(slope(x, w))


@pytest.mark.parametrize("geometry", GEOMETRIES)
def test_its_three_ops_are_one_form(geometry):
    x, w = images(geometry[-1])
    g = rng.normal(size=conv2d(x, w, *geometry).shape)
    form = np.sum(conv2d(x, w, *geometry) * g)
    assert np.sum(convolution.conv2d_input(g, w, x.shape, *geometry) * x) == pytest.approx(form)
    assert np.sum(convolution.conv2d_weight(x, g, w.shape, *geometry) * w) == pytest.approx(form)


@pytest.mark.parametrize("geometry", GEOMETRIES)
def test_large_images_are_done_in_parts_with_the_same_result(geometry, monkeypatch):
    x, w = images(geometry[-1])
    differentiated = engine.value_and_grad(lambda x, w: anp.sum(anp.square(conv2d(x, w, *geometry))), (0, 1))
    whole = differentiated(x, w)
    monkeypatch.setattr(convolution, "AT_ONCE", 1000)
    parts = differentiated(x, w)
    assert parts[0] == pytest.approx(whole[0])
    for a, b in zip(parts[1], whole[1], strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12)


def test_columns_never_take_much_memory():
    x, w = np.ones((64, 8, 64, 64), "float32"), np.ones((8, 8, 5, 5), "float32")
    columns = x.nbytes * 25
    tracemalloc.start()
    conv2d(x, w)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < columns / 8


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize(
    "op",
    [
        lambda x, w: conv2d(x, w, (1, 1), ((1, 1), (1, 1))),
        lambda x, w: pooling.max_pool2d(x, (2, 2), (2, 2), NO_PADDING, (1, 1)),
        lambda x, w: pooling.avg_pool2d(x, (2, 2), (2, 2), NO_PADDING, 4),
    ],
    ids=["conv2d", "max_pool2d", "avg_pool2d"],
)
def test_values_and_gradients_keep_the_type(op, dtype):
    x, w = images(dtype=dtype)
    value, gradients = engine.value_and_grad(op, (0, 1))(x, w)
    assert value.dtype == np.dtype(dtype)
    assert [g.dtype for g in gradients] == [np.dtype(dtype)] * 2


def test_half_precision_is_added_up_in_float32():
    ones = np.ones((1, 1, 65, 65), "float16")
    assert conv2d(ones, ones)[0, 0, 0, 0] == 65 * 65 // 4 * 4  # a sum in float16 would stop at 2048
    assert pooling.avg_pool2d(ones, (65, 65), (65, 65), NO_PADDING, 65 * 65)[0, 0, 0, 0] == 1


def test_same_padding_puts_the_odd_one_at_the_end():
    assert convolution.same_padding((6, 7), (3, 2), (1, 1), (1, 1)) == ((1, 1), (0, 1))
    assert convolution.same_padding((6, 7), (2, 2), (3, 3), (1, 1)) == ((0, 0), (0, 1))
    assert convolution.same_padding((5, 5), (3, 3), (1, 1), (2, 2)) == ((2, 2), (2, 2))


# ---- pooling ----


def plain_pool(x, kernel, stride, padding, choose, fill):
    x = np.pad(x, ((0, 0), (0, 0), *padding), constant_values=fill)
    rows, cols = convolution.output_size(x.shape[2:], kernel, stride, NO_PADDING, (1, 1))
    out = np.zeros((*x.shape[:2], rows, cols))
    for b, c, i, j in np.ndindex(*out.shape):
        corner = i * stride[0], j * stride[1]
        out[b, c, i, j] = choose(x[b, c, corner[0] : corner[0] + kernel[0], corner[1] : corner[1] + kernel[1]])
    return out


def pools(window):
    kernel, stride, padding = window
    return {
        "max": (lambda x: pooling.max_pool2d(x, kernel, stride, padding, (1, 1)), (np.max, -np.inf)),
        "avg": (lambda x: pooling.avg_pool2d(x, kernel, stride, padding, kernel[0] * kernel[1]), (np.mean, 0)),
    }


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("name", ["max", "avg"])
def test_pooling_and_its_first_and_second_derivatives(name, window):
    pool, (choose, fill) = pools(window)[name]
    x, _ = images()
    np.testing.assert_allclose(pool(x), plain_pool(x, *window, choose, fill))
    direction = rng.normal(size=x.shape)

    def f(x):
        return anp.sum(anp.sin(pool(x)))

    def slope(x):
        return anp.sum(engine.grad(f)(x) * direction)

    np.testing.assert_allclose(engine.grad(f)(x), differences(f, x), atol=1e-7)
    np.testing.assert_allclose(engine.grad(slope)(x), differences(slope, x), atol=1e-5)
    assert engine.jvp(f, (x,), (direction,))[1] == pytest.approx(slope(x))


def test_what_max_pooling_picks_is_differentiated_too():
    x, h = (rng.normal(size=(1, 2, 4, 4)) for _ in range(2))
    how = (3, 3), (1, 1), NO_PADDING, (1, 1)
    best = pooling.max_pool2d(x, *how)
    assert labkit.check_gradient(lambda h: pooling.max_pool2d_pick(h, x, best, *how) ** 2, h)


def test_of_equal_elements_the_first_alone_gets_the_gradient():
    def gradient(stride):
        pool = engine.grad(lambda x: pooling.max_pool2d(x, (2, 2), stride, NO_PADDING, (1, 1)))
        return pool(np.ones((1, 1, 3, 3)))[0, 0].tolist()

    assert gradient((2, 2)) == [[1, 0, 0], [0, 0, 0], [0, 0, 0]]
    assert gradient((1, 1)) == [[1, 1, 0], [1, 1, 0], [0, 0, 0]]


@pytest.mark.parametrize("g", [np.inf, -np.inf, np.nan, -1.0])
def test_what_was_not_chosen_gets_zero_whatever_comes_back(g):
    x = np.array([[[[1.0, 2.0], [3.0, 0.0]]]])
    _, pull = engine.vjp(lambda x: pooling.max_pool2d(x, (2, 2), (2, 2), NO_PADDING, (1, 1)), x)
    found = pull([np.full((1, 1, 1, 1), g)])[0]
    np.testing.assert_array_equal(found[0, 0], [[0, 0], [g, 0]])
    assert not np.signbit(found[0, 0, 0]).any()


def test_nan_is_the_largest_and_gets_the_gradient():
    x = np.array([[[[1.0, np.nan], [3.0, 0.0]]]])
    made, pull = engine.vjp(lambda x: pooling.max_pool2d(x, (2, 2), (2, 2), NO_PADDING, (1, 1)), x)
    assert np.isnan(made).all() and np.sum(pull()[0]) == 1


def test_the_mean_may_leave_the_padding_out():
    around = ((1, 1), (1, 1))
    inside = pooling.divisors((3, 3), (3, 3), (1, 1), around, NO_PADDING)
    assert inside.tolist() == [[4, 6, 4], [6, 9, 6], [4, 6, 4]]
    assert pooling.divisors((3, 3), (3, 3), (1, 1), around, around) == 9
    assert pooling.avg_pool2d(np.ones((1, 1, 3, 3)), (3, 3), (1, 1), around, inside).tolist() == [[[[1.0] * 3] * 3]]


def test_rounding_up_adds_a_last_window_only_if_it_begins_inside():
    assert pooling.rounded_up((6, 6), (3, 3), (2, 2), ((1, 1), (1, 1)), (1, 1)) == ((1, 2), (1, 2))
    assert pooling.rounded_up((4, 4), (2, 2), (3, 3), ((1, 1), (1, 1)), (1, 1)) == ((1, 1), (1, 1))


# ---- programs and graphs ----


def loss(x, w):
    h = pooling.max_pool2d(conv2d(x, w), (2, 2), (2, 2), NO_PADDING, (1, 1))
    return anp.sum(anp.square(pooling.avg_pool2d(h, (2, 2), (1, 1), NO_PADDING, 4)))


def test_programs_compute_the_same_bit_for_bit():
    x, w = images()
    gradient = engine.value_and_grad(loss, (0, 1))
    program = compile_program(gradient, x, w, in_place=True)
    other, _ = images()
    for given in (x, other):
        value, (by_x, by_w) = gradient(given, w)
        again, (of_x, of_w) = program(given, w)
        assert value == again and np.array_equal(by_x, of_x) and np.array_equal(by_w, of_w)
    assert "conv2d_weight(" in program.source and "max_pool2d_input(" in program.source


def test_second_derivatives_as_programs():
    x, w = images()

    def of_the_square_of_the_gradient(x, w):
        return engine.grad(lambda x, w: anp.sum(anp.square(engine.grad(loss, 1)(x, w))), (0, 1))(x, w)

    program = compile_program(of_the_square_of_the_gradient, x, w)
    for a, b in zip(program(x, w), of_the_square_of_the_gradient(x, w), strict=True):
        np.testing.assert_array_equal(a, b)


def test_the_first_layer_does_no_work_for_its_images():
    x, w = images()
    program = compile_program(engine.grad(lambda w: loss(x, w)), w)
    assert "conv2d_weight(" in program.source and "conv2d_input(" not in program.source


def test_a_graph_shows_one_node_per_convolution():
    x, w = images()
    ops = [node.op for node in labkit.trace(loss)(x, w).forward]
    assert [o for o in ops if o != "input"] == ["conv2d", "max_pool2d", "avg_pool2d", "square", "sum"]
