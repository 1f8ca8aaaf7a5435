"""Ops: one table gives function, method and class; gradients agree with central differences; ties and edges."""

import numpy as np
import pytest

import labkit
import labkit.mindspore as ms
from labkit.mindspore import Tensor, ops
from labkit.mindspore import numpy as mnp  # noqa: F401
from labkit.ops import FUNCTIONS

POINTS = Tensor([0.3, 0.5, 0.9], ms.float64)
MATRIX = Tensor([[1.0, 2.5], [3.0, 4.0]], ms.float64)

NOT_AT_POINTS = ("acosh", "relu6")  # not defined there, and not for Float64
SMOOTH = [name for name, row in FUNCTIONS.items() if row.kind != "steps" and name not in NOT_AT_POINTS]
SMOOTH += ["gelu", "softmax", "log_softmax"]


@pytest.mark.parametrize("name", SMOOTH)
def test_elementwise_gradients_agree_with_differences(name):
    assert labkit.check_gradient(getattr(ops, name), POINTS)


ON_A_MATRIX = {  # what is more here than the rule of `labkit.ops` or of NumPy, which are tried with all rules
    "max": lambda v: v.max(axis=0),
    "min": lambda v: ops.min(v, 1)[0],
    "std": lambda v: v.std(),
    "var": lambda v: v.var(ddof=1),
    "norm": ops.norm,
    "norm 1": lambda v: ops.norm(v, 1, dim=0),
    "spectral norm": lambda v: ops.norm(v, 2),
    "mean": lambda v: v.mean(0) * v.mean(1),
    "index": lambda v: v[0] * v[1],
    "matmul": lambda v: v.T @ v,
    "split": lambda v: ops.split(v, 1)[0] ** 2,
    "broadcast": lambda v: v.broadcast_to((3, 2, 2)) * v,
    "where": lambda v: ops.where(v > 2, v, v * v),
    "masked_fill": lambda v: ops.masked_fill(v * v, v > 2, 0.0),
    "gather": lambda v: ops.gather(v, Tensor([0, 0]), 0) ** 2,
    "gather_elements": lambda v: ops.gather_elements(v, 1, Tensor([[0, 0], [1, 1]])) ** 2,
    "topk": lambda v: ops.topk(v, 1)[0] ** 2,
    "clip_by_norm": lambda v: ops.clip_by_norm(v, 1.0),
    "ReduceMean": lambda v: ops.ReduceMean(keep_dims=True)(v, 1) * v,
    "MatMul": lambda v: ops.MatMul(transpose_b=True)(v, v),
    "dense": lambda v: ops.dense(v, v * 2, v[0]),
}


@pytest.mark.parametrize("name", ON_A_MATRIX)
def test_gradients_on_a_matrix_agree_with_differences(name):
    assert labkit.check_gradient(ON_A_MATRIX[name], MATRIX)


def test_function_method_and_class_are_one_op():
    assert ops.sin is Tensor.sin
    assert ops.Sin()(POINTS).tolist() == ops.sin(POINTS).tolist() == POINTS.sin().tolist()
    assert [name for name in ops.__all__ if not callable(getattr(ops, name))] == []


EDGES = [  # what the real framework answers at kinks and ties
    (ops.abs, 0.0, 0.0), (ops.relu, 0.0, 0.0), (ops.sqrt, 0.0, np.inf), (ops.floor, 0.5, 0.0), (ops.sign, 0.0, 0.0),
    (lambda x: ops.maximum(x, Tensor(0.0)), 0.0, 0.5), (lambda x: ops.minimum(x, Tensor(0.0)), 0.0, 0.5),
    (lambda x: ops.clip_by_value(x, Tensor(0.0), Tensor(1.0)), 0.0, 0.5), (lambda x: x**0.5, 0.0, np.inf),
    (lambda x: x**0, 0.0, np.nan), (lambda x: ops.clamp(x, 0, 1), 1.0, 1.0),
    (ops.abs, np.nan, 0.0), (ops.softplus, np.nan, 0.0),
]  # fmt: skip


@pytest.mark.parametrize("fn, at, gradient", EDGES)
def test_gradients_at_kinks(fn, at, gradient):
    assert ms.grad(fn)(Tensor(at)).item() == pytest.approx(gradient, nan_ok=True)


NAN = float("nan")
WITH_NAN = [  # what the real framework answers: a comparison with nan is false
    (ops.relu, [NAN, 1.0], [0, 1]), (ops.relu6, [NAN, 7.0], [0, 6]),
    (lambda x: ops.clamp(x, None, 2), [NAN, 3.0], [2, 2]), (lambda x: ops.clamp(x, Tensor([1.0])), [NAN, 3.0], [1, 3]),
    (ops.sign, [NAN], [0]), (ops.softplus, [NAN], [np.inf]), (ops.softmax, [NAN, 2.0], [NAN, 0]),
    (ops.log_softmax, [NAN, 2.0], [NAN, -np.inf]), (ops.amax, [2.0, NAN], 2), (ops.amin, [NAN, 2.0], NAN),
    (ops.argmax, [1.0, NAN, 2.0], 2),
]  # fmt: skip


@pytest.mark.parametrize("fn, given, expected", WITH_NAN)
def test_nan_in_kernels_that_compare(fn, given, expected):
    np.testing.assert_array_equal(fn(Tensor(given)).asnumpy(), expected)


def test_the_norm_has_no_gradient_at_zero():
    assert np.isnan(ms.grad(ops.norm)(Tensor([0.0])).item())


def test_equal_maxima_share_the_gradient():
    assert ms.grad(lambda v: v.max())(Tensor([1.0, 1.0])).tolist() == [0.5, 0.5]


def test_along_an_axis_the_first_of_equal_maxima_gets_it_all():
    assert ms.grad(lambda v: v.max(axis=0))(Tensor([[1.0, 5.0], [5.0, 5.0]])).tolist() == [[0.0, 1.0], [1.0, 0.0]]


def test_maximum_lets_a_nan_on_the_left_lose():
    nan, one = Tensor([np.nan, 1.0], ms.float32), Tensor([1.0, np.nan], ms.float32)
    assert str(ops.maximum(nan, one)) == "[ 1. nan]"


VALUES = [
    ("ops.arange(5)", [0, 1, 2, 3, 4], "Int64"),
    ("ops.arange(0, 1, 0.25)", [0.0, 0.25, 0.5, 0.75], "Float32"),
    ("ops.eye(2)", [[1.0, 0.0], [0.0, 1.0]], "Float32"),
    ("ops.zeros((2,), ms.int32)", [0, 0], "Int32"),
    ("ops.full((2,), 3)", [3, 3], "Int64"),
    ("ops.ones_like(Tensor([1, 2]))", [1, 1], "Int64"),
    ("ops.cast(2.5, ms.int32)", 2, "Int32"),
    ("ops.add(1, 2)", 3, "Int64"),
    ("ops.logical_xor(Tensor([True, False]), True)", [False, True], "Bool"),
    ("ops.isfinite(Tensor([1.0, float('nan')]))", [True, False], "Bool"),
    ("ops.where(Tensor([True, False]), 1, 0)", [1, 0], "Int64"),
    ("ops.split(Tensor([1, 2, 3]), 2)[1]", [3], "Int64"),
    ("ops.flatten(Tensor([[[1], [2]]]))", [[1, 2]], "Int64"),
    ("ops.topk(Tensor([3.0, 1.0, 2.0]), 2)[1]", [0, 2], "Int32"),
    ("ops.ReduceSum()(Tensor([1, 2], ms.int32))", 3, "Int32"),
    ("ops.depend(Tensor(1), Tensor(2))", 1, "Int64"),
]


@pytest.mark.parametrize("expression, value, dtype", VALUES)
def test_values_and_types(expression, value, dtype):
    result = eval(expression)
    assert (result.tolist(), str(result.dtype)) == (value, dtype)


def test_what_ops_say_of_a_tensor():
    x = Tensor([[1.0, 2.0]])
    assert (ops.shape(x), ops.Shape()(x), ops.DType()(x)) == ((1, 2), (1, 2), ms.float32)


def test_stop_gradient_makes_a_constant_of_what_it_is_given():
    assert ms.grad(lambda x: ops.stop_gradient(x) * x)(Tensor(3.0)).item() == 3.0
    assert ops.stop_gradient(3) == 3
    assert [t.item() for t in ops.stop_gradient((Tensor(1.0), Tensor(2.0)))] == [1.0, 2.0]


@pytest.mark.parametrize("use", [lambda: ops.sin(2.0), lambda: ops.sin("a"), lambda: ops.concat(Tensor([1.0]))])
def test_ops_take_tensors(use):
    with pytest.raises(TypeError, match="Failed calling"):
        use()


def test_other_names_of_an_option_are_known_and_unknown_ones_refused():
    x = Tensor([[1.0, 2.0]])
    assert x.sum(dim=1, keepdim=True).shape == x.mean(axis=1, keep_dims=True).shape == (1, 1)
    with pytest.raises(TypeError, match="incorrect keyword name: axes"):
        x.sum(axes=1)


def test_a_name_that_is_not_there_is_an_attribute_error():
    for module in (ms, ops, ms.nn):
        with pytest.raises(AttributeError, match="has no attribute 'not_there'"):
            module.not_there  # noqa: B018


def test_the_older_names_of_the_package():
    from labkit.mindspore.ops import composite, functional, operations

    assert composite.GradOperation is ops.GradOperation and functional.relu is ops.relu
    assert operations.MatMul is ops.MatMul


def test_a_hook_may_answer_with_any_shape_as_in_mindspore():
    op = ops.InsertGradientOf(lambda g: g.sum())
    gradient = ms.grad(lambda x: (op(x) * 2).sum())(ops.ones((3, 3), ms.float32))
    assert gradient.shape == () and gradient.item() == 18


def test_sums_by_segments():
    x, ids = Tensor([2.0, 2.0, 0.0, 2.0]), Tensor([0, 0, 2, 2], ms.int32)
    total = lambda x: ops.unsorted_segment_sum(x, ids, 4)
    assert (
        total(x).tolist() == ms.jit(total)(x).tolist() == ops.UnsortedSegmentSum()(x, ids, 4).tolist() == [4, 0, 2, 0]
    )
    assert ms.grad(lambda x: (total(x) ** 2).sum())(x).tolist() == [8, 8, 4, 4]


@pytest.mark.parametrize("return_indices", [False, True])
def test_the_largest_of_as_many_windows_as_are_asked_for(return_indices):
    x = Tensor(np.arange(12.0).reshape(1, 1, 3, 4), ms.float32)
    found = ops.adaptive_max_pool2d(x, (2, None), return_indices)
    values, places = found if return_indices else (found, None)
    assert values.tolist() == [[[[4, 5, 6, 7], [8, 9, 10, 11]]]]
    assert places is None or (places == values).all()
    assert ms.grad(lambda x: ops.adaptive_max_pool2d(x, 1).sum())(x).sum() == 1


NUMPY = [
    ("mnp.array([1, 2])", [1, 2], "Int32"),
    ("mnp.array([1.5], ndmin=2)", [[1.5]], "Float32"),
    ("mnp.arange(3)", [0, 1, 2], "Int32"),
    ("mnp.arange(0, 1, 0.5)", [0, 0.5], "Float32"),
    ("mnp.dot(mnp.arange(3), mnp.arange(3))", 5, "Int32"),
    ("mnp.stack([mnp.arange(2), mnp.arange(2)], axis=1)", [[0, 0], [1, 1]], "Int32"),
    ("mnp.sum(mnp.array([[1, 2], [3, 4]]), axis=1)", [3, 7], "Int64"),
    ("mnp.tanh(mnp.array(0))", 0, "Float32"),
    ("mnp.randint(1, shape=(2,))", [0, 0], "Int32"),
]


@pytest.mark.parametrize("expression, value, dtype", NUMPY)
def test_numpy_of_tensors(expression, value, dtype):
    result = eval(expression)
    assert (result.tolist(), str(result.dtype)) == (value, dtype)
