"""Making tensors, types that meet, elements, and tensors as Python objects."""

import copy
import pickle
from pathlib import Path

import numpy as np
import pytest

import labkit.mindspore as ms
from labkit.mindspore import Tensor, ops

MADE = [
    (1, ms.int64), (1.0, ms.float32), (True, ms.bool_), ([1, 2], ms.int64), ([1.0, 2], ms.float32), ((1, 2), ms.int64),
    (np.float64(1), ms.float64), (np.zeros(2), ms.float64), (np.float16(1), ms.float16), (np.int8(1), ms.int8),
    ([True, 2], ms.int64), ([], ms.float32), ([np.float64(1)], ms.float32),
]  # fmt: skip


@pytest.mark.parametrize("data, dtype", MADE)
def test_python_floats_become_float32_and_arrays_keep_their_type(data, dtype):
    assert Tensor(data).dtype is dtype


def test_a_list_reaches_float64_without_passing_float32():
    assert Tensor([1 / 3], ms.float64).item() == 1 / 3


@pytest.mark.parametrize("data", ["abc", None, {1: 2}, range(3)])
def test_data_of_another_type_are_refused(data):
    with pytest.raises(TypeError, match=f"For 'Tensor', the type of 'input_data' .* got type '{type(data).__name__}'"):
        Tensor(data)


@pytest.mark.parametrize("data", [[1, "a"], [[1, 2], [3]]])
def test_ragged_or_mixed_lists_are_refused(data):
    with pytest.raises(TypeError, match="contain unsupported element"):
        Tensor(data)


def test_the_type_must_be_one_of_the_dialect():
    with pytest.raises(TypeError, match="For 'Tensor', the 'dtype' should be one of"):
        Tensor([1, 2], "float32")


MEET = [
    ("bool_", "uint8", "UInt8"), ("int8", "int16", "Int16"), ("int8", "uint8", "Int16"), ("int64", "uint8", "Int64"),
    ("int64", "float16", "Float16"), ("int32", "bfloat16", "BFloat16"), ("float16", "float32", "Float32"),
    ("float16", "bfloat16", "Float32"), ("float32", "float64", "Float64"), ("bfloat16", "float64", "Float64"),
]  # fmt: skip


@pytest.mark.parametrize("a, b, dtype", MEET)
def test_two_tensors_meet_in_one_type(a, b, dtype):
    x, y = Tensor([1, 2], getattr(ms, a)), Tensor([1, 2], getattr(ms, b))
    assert str((x + y).dtype) == str((y + x).dtype) == dtype


def test_wide_unsigned_integers_meet_nothing():
    with pytest.raises(TypeError, match="Type implicit conversion between UInt16 and Int8 is not supported"):
        Tensor([1], ms.int8) + Tensor([1], ms.uint16)


NUMBERS = [
    ("bool_", 2, "Int64"), ("bool_", 2.5, "Float32"), ("bool_", True, "Bool"), ("int8", 2, "Int8"),
    ("int32", 2.5, "Float32"), ("int64", 2.5, "Float32"), ("float16", 2.5, "Float16"), ("float32", 2, "Float32"),
    ("float64", 2.5, "Float64"), ("bfloat16", 2.5, "BFloat16"), ("uint8", True, "UInt8"),
]  # fmt: skip


@pytest.mark.parametrize("dtype, number, result", NUMBERS)
def test_a_number_takes_the_type_of_the_tensor(dtype, number, result):
    assert str((Tensor([3, 2], getattr(ms, dtype)) + number).dtype) == result
    assert str((number * Tensor([3, 2], getattr(ms, dtype))).dtype) == result


RESULTS = [
    ("Tensor([1, 2]) / 2", [0.5, 1.0], "Float32"),
    ("Tensor([1, 2]) / 0", [np.inf, np.inf], "Float32"),
    ("Tensor(3) // 2", 1, "Int64"),
    ("Tensor(-5) // 2", -3, "Int64"),
    ("Tensor(-5) % 3", 1, "Int64"),
    ("Tensor([1, 2]) ** -1", [1, 0], "Int64"),
    ("Tensor([4, 9]) ** 0.5", [2.0, 3.0], "Float32"),
    ("2 ** Tensor([1, 2])", [2, 4], "Int64"),
    ("2.0 ** Tensor([1, 2])", [2.0, 4.0], "Float32"),
    ("1 - Tensor(3.0)", -2.0, "Float32"),
    ("5.0 // Tensor([2, 3])", [2.0, 1.0], "Float32"),
    ("-Tensor([1.0])", [-1.0], "Float32"),
    ("abs(Tensor([-1]))", [1], "Int64"),
    ("~Tensor([True, False])", [False, True], "Bool"),
    ("Tensor([1, 2]) & Tensor([3, 2])", [1, 2], "Int64"),
    ("Tensor([1.0, 2.0]) > 1", [False, True], "Bool"),
    ("Tensor([1.0, 2.0]) == 2", [False, True], "Bool"),
    ("Tensor([1.0, 2.0]) + [1, 2]", [2.0, 4.0], "Float32"),
    ("Tensor([[1.0, 2.0]]) @ Tensor([3.0, 4.0])", [11.0], "Float32"),
    ("Tensor([1, 2], ms.int32).mean()", 1, "Int32"),
    ("Tensor([1, 2], ms.uint8).sum()", 3, "Int64"),
    ("Tensor([True, True]).sum()", 2, "Int64"),
    ("Tensor([1, 2]).std()", 0.5, "Float32"),
    ("Tensor([3.0, 1.0]).max(0)[1]", 0, "Int64"),
    ("Tensor([3.0, 1.0]).argmin()", 1, "Int32"),
]


@pytest.mark.parametrize("expression, value, dtype", RESULTS)
def test_operators_and_methods(expression, value, dtype):
    result = eval(expression)
    assert result.tolist() == value
    assert str(result.dtype) == dtype


def test_too_few_elements_for_a_variance_give_nan():
    assert np.isnan(Tensor([1.0]).std(ddof=1).item())
    assert np.isnan(Tensor([]).mean().item())


def test_no_warning_comes_from_overflow_or_division():
    assert (Tensor([60000.0], ms.float16) * 2).tolist() == [np.inf]
    assert np.isnan((Tensor(0.0) / 0).item())
    assert np.isnan(ops.log(Tensor(-1.0)).item())


def test_what_does_not_broadcast_is_named():
    with pytest.raises(ValueError) as error:
        Tensor([1.0, 2.0]) + Tensor([1.0, 2.0, 3.0])
    assert str(error.value) == (
        "For 'AddExt', input.shape and other.shape need to broadcast. The value of input.shape[1] or other.shape[1] "
        "must be 1 or -1 when they are not the same, but got input.shape = [2] and other.shape = [3]\n"
    )


def test_matrices_whose_inner_lengths_differ_are_named():
    with pytest.raises(ValueError, match="must be equal, but got 'x1_col': 2 and 'x2_row': 3"):
        Tensor([[1.0, 2.0]]) @ Tensor([1.0, 2.0, 3.0])


@pytest.mark.parametrize("other", ["a", None, {}])
def test_arithmetic_with_what_is_no_number_is_refused(other):
    with pytest.raises(TypeError, match="Failed calling Add"):
        Tensor(1.0) + other


def test_a_tensor_equals_nothing_that_is_not_a_number():
    assert (Tensor(1.0) == None) is False  # noqa: E711
    assert (Tensor(1.0) != "a") is True


MATRIX = [[1.0, 2.0], [3.0, 4.0]]
READ = [
    (0, [1.0, 2.0]),
    ((0, 1), 2.0),
    ((..., 0), [1.0, 3.0]),
    (-1, [3.0, 4.0]),
    (slice(None, None, -1), [[3.0, 4.0], [1.0, 2.0]]),
    ([1, 0], [[3.0, 4.0], [1.0, 2.0]]),
    (Tensor([1, 0]), [[3.0, 4.0], [1.0, 2.0]]),
    (Tensor(1), [3.0, 4.0]),
    (([0, 1], [1, 0]), [2.0, 3.0]),
    (Tensor([[True, False], [True, True]]), [1.0, 3.0, 4.0]),
    (None, [MATRIX]),
]


@pytest.mark.parametrize("index, value", READ)
def test_reading_elements(index, value):
    assert Tensor(MATRIX)[index].tolist() == value


REFUSED = [
    (5, "index 5 is out of bounds for dimension with size 2"),
    ((0, 0, 0), "too many indices for tensor of dimension2"),
    (1.5, "Only support integers"),
    ("a", "Unsupported Python object type received: <class 'str'>"),
]


@pytest.mark.parametrize("index, message", REFUSED)
def test_an_index_out_of_range_or_of_another_type(index, message):
    with pytest.raises(IndexError, match=message):
        Tensor(MATRIX)[index]


def test_writing_elements_keeps_the_type():
    y = Tensor([1, 2, 3])
    y[0] = 5.7
    y[y > 2] = 0
    assert y.tolist() == [0, 2, 0]
    with pytest.raises(IndexError, match="Index 5 is out of bounds for axis 0 with size 3"):
        y[5] = 1


def test_adding_in_place_makes_a_new_tensor():
    y = z = Tensor([1.0])
    y += 1
    assert (y.tolist(), z.tolist()) == ([2.0], [1.0])


def test_numpy_on_the_left_takes_over_and_its_result_is_a_constant():
    assert isinstance(np.ones(2) + Tensor([1.0, 2.0]), np.ndarray)
    assert ms.grad(lambda x: np.float32(2) * x)(Tensor(3.0)).item() == 0.0
    assert ms.grad(lambda x: x * np.float32(2))(Tensor(3.0)).item() == 2.0
    with pytest.raises(TypeError, match="Failed calling Add"):
        Tensor([1.0, 2.0]) + np.ones(2)


def test_an_array_taken_out_can_be_written():
    g = ms.grad(lambda x: x.sum())(Tensor([1.0, 2.0])).asnumpy()
    g[0] = 5
    assert g.tolist() == [5.0, 1.0]


def test_as_python_objects():
    x, v = Tensor(2.5), Tensor([1.0, 2.0])
    assert (float(x), int(x), bool(x), x.item(), len(v)) == (2.5, 2, True, 2.5, 2)
    assert [e.item() for e in v] == v.tolist() == list(map(float, v)) == [1.0, 2.0]
    assert {x: 1}[x] == 1
    assert sum(v).item() == 3.0
    assert max(v).item() == 2.0
    assert copy.deepcopy(v).tolist() == pickle.loads(pickle.dumps(v)).tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    "use, error, message",
    [
        (lambda: len(Tensor(1.0)), TypeError, "Not support len of a 0-D tensor"),
        (lambda: list(Tensor(1.0)), TypeError, "iteration over a 0-d tensor"),
        (lambda: bool(Tensor([1, 2])), ValueError, "The tensor should have only one element, but got 2"),
        (lambda: float(Tensor([1, 2])), ValueError, "Only one element tensors can be converted"),
        (lambda: Tensor(1.0).grad, AttributeError, "'Tensor' object has no attribute 'grad'"),
        (lambda: Tensor(1.0).backward(), AttributeError, "'Tensor' object has no attribute 'backward'"),
        (lambda: Tensor([1.0]).reshape(3), ValueError, "is invalid for input of size 1"),
        (lambda: Tensor([1.0]).reshape(-1, -1), ValueError, "only one dimension can be inferred"),
        (lambda: Tensor([1.0]).expand_dims(5), ValueError, r"The 'axis' must be in range of \[-2, 2\), but got 5"),
        (lambda: Tensor([1.0]).sum(5), ValueError, r"the axis value must be in \[-1,1\), but got 5"),
        (lambda: Tensor([1.0]).astype("foo"), TypeError, "the string input type must be one of"),
    ],
)
def test_misuse_says_what_is_wrong(use, error, message):
    with pytest.raises(error, match=message):
        use()


def test_what_a_tensor_says_of_itself():
    x = Tensor([[1, 2, 3]], ms.float32)
    assert (x.shape, x.ndim, x.size, x.itemsize, x.nbytes, x.strides) == ((1, 3), 2, 3, 4, 12, (12, 4))
    assert x.T.shape == (3, 1)
    assert x.dtype is ms.float32 and x.dtype == ms.float32 and x.dtype != ms.float64


def test_bfloat16_is_loaded_only_when_used():
    texts = {p.name: p.read_text() for p in Path(ms.__file__).parent.parent.rglob("*.py")}
    assert {name for name, text in texts.items() if "    import ml_dtypes" in text} == {"precision.py", "dtype.py"}
    assert not any(line.startswith("import ml_dtypes") for text in texts.values() for line in text.splitlines())
