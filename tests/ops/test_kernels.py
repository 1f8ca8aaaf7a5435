"""Two-byte floats: widened, computed in float32, rounded once; no graph shows it, and moving elements copies nothing."""

import numpy as np
import pytest

import labkit
from labkit.engine import grad
from labkit.ops import in_float32, rounding, rule, stored, whole
from labkit.torch import bfloat16, float16, tensor

X = np.random.default_rng(0).normal(size=50).astype(np.float16)


def cubes(x, c):
    return (x * x * x + c) / 3


def test_a_kernel_rounds_once():
    once = cubes(X.astype(np.float32), 0.3).astype(np.float16)
    np.testing.assert_array_equal(in_float32(cubes)(X, 0.3), once)
    assert (cubes(X, 0.3) != once).any()


def test_an_operand_is_rounded_first():
    rounded = cubes(X.astype(np.float32), np.float32(np.float16(0.3))).astype(np.float16)
    np.testing.assert_array_equal(in_float32(cubes, operands=True)(X, 0.3), rounded)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int16])
def test_other_dtypes_are_left_alone(dtype):
    x = X.astype(dtype)
    assert in_float32(lambda x: x)(x) is x


def test_what_a_kernel_stores_is_rounded_and_only_there():
    np.testing.assert_array_equal(in_float32(lambda x: stored(x / 3) * 3)(X), (X / np.float16(3)) * np.float16(3))
    assert rounding() is None


def test_a_kernel_that_raises_leaves_no_dtype_behind():
    with pytest.raises(ZeroDivisionError):
        in_float32(lambda x: 1 / 0)(X)
    assert rounding() is None


def test_a_derivative_that_is_one_kernel_rounds_once_and_can_be_differentiated():
    slope = lambda x: x * x * x + x / 3

    @rule(lambda ans, x: lambda g: g * slope(x), fused_backward=True)
    def made(x):
        return x**4 / 4 + x * x / 6

    np.testing.assert_array_equal(grad(made)(X), slope(X.astype(np.float32)).astype(np.float16))
    second = (3 * X.astype(np.float32) ** 2 + np.float32(1 / 3)).astype(np.float16)
    np.testing.assert_allclose(grad(grad(made))(X).astype(float), second.astype(float), rtol=2e-3)
    wide = X.astype(np.float64)
    np.testing.assert_array_equal(grad(made)(wide), slope(wide))


def test_a_composition_as_one_op_rounds_once_both_ways():
    op = whole(lambda x: (x * x + 1) / 7)
    wide = X.astype(np.float32)
    np.testing.assert_array_equal(op(X), ((wide * wide + 1) / 7).astype(np.float16))
    np.testing.assert_array_equal(grad(op)(X), (wide / 7 * 2).astype(np.float16))


@pytest.mark.parametrize("dtype", [float16, bfloat16])
def test_no_cast_is_on_the_graph(dtype):
    def f(x):
        return (labkit.torch.nn.functional.gelu(x * 0.3) / 0.7).sum()

    graph = labkit.trace(f)(tensor([0.3, 1.7]).to(dtype))
    assert [node.op for node in graph.forward] == ["input", "multiply", "gelu", "divide", "sum"]
    assert not any("cast" in node.op for node in graph.backward)


@pytest.mark.parametrize(
    "move", [lambda x: x.reshape(2, 2), lambda x: x[1:], lambda x: x.t(), lambda x: x.expand(3, 4)]
)
def test_what_moves_elements_is_a_view(move):
    x = tensor([1.0, 2.0, 3.0, 4.0]).to(bfloat16)
    assert move(x)._base is x
