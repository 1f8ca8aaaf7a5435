"""Tensors print as the real framework prints them, to the character."""

import numpy as np
import pytest

import labkit.mindspore as ms
from labkit.mindspore import Tensor

SCALARS = [
    (Tensor(1.0), "1.0", "1"),
    (Tensor(1), "1", "1"),
    (Tensor(True), "True", "True"),
    (Tensor(1 / 3, ms.float32), "0.33333334", "0.333333"),
    (Tensor(1 / 3, ms.float64), "0.3333333333333333", "0.333333"),
    (Tensor(1 / 3, ms.float16), "0.3333", "0.333252"),
    (Tensor(1e10, ms.float32), "10000000000.0", "1e+10"),
    (Tensor(1234567.0, ms.float32), "1234567.0", "1.23457e+06"),
    (Tensor(0.0001, ms.float32), "1e-04", "0.0001"),
    (Tensor(float("nan")), "nan", "nan"),
    (Tensor(-float("inf")), "-inf", "-inf"),
    (Tensor(-0.0), "-0.0", "-0"),
    (Tensor(2**40, ms.int64), "1099511627776", "1099511627776"),
    (Tensor(65504, ms.float16), "65500.0", "65504"),
]


@pytest.mark.parametrize("tensor, printed, value", SCALARS)
def test_a_number_prints_in_full_and_shows_six_digits(tensor, printed, value):
    assert str(tensor) == printed
    assert repr(tensor) == f"Tensor(shape=[], dtype={tensor.dtype}, value= {value})"


ARRAYS = [
    (Tensor([1.5, 2.25]), "[1.5  2.25]", "value= [ 1.50000000e+00,  2.25000000e+00])"),
    (Tensor([-1.0, 2.0]), "[-1.  2.]", "value= [-1.00000000e+00,  2.00000000e+00])"),
    (Tensor([0.1, 1 / 3], ms.float16), "[0.1    0.3333]", "value= [ 9.9976e-02,  3.3325e-01])"),
    (Tensor([0.1, 1 / 3], ms.float64), "[0.1        0.33333333]", "value= [ 1.00000000e-01,  3.33333333e-01])"),
    (Tensor([1, 200], ms.uint8), "[  1 200]", "value= [  1, 200])"),
    (Tensor([True, False]), "[ True False]", "value= [ True, False])"),
    (Tensor([]), "[]", "value= )"),
    (Tensor([1.5, -2.5], ms.bfloat16), "[1.500000 -2.500000]", "value= [ 1.5, -2.5])"),
    (
        Tensor([float("nan"), float("inf"), 1.0]),
        "[nan inf  1.]",
        "value= [            nan,             inf,  1.00000000e+00])",
    ),
    (Tensor([[1, -2], [30, 4]], ms.int32), "[[ 1 -2]\n [30  4]]", "value=\n[[ 1, -2],\n [30,  4]])"),
    (
        Tensor([[-1e-100, 1e200]], ms.float64),
        "[[-1.e-100  1.e+200]]",
        "value=\n[[-1.00000000e-100, 1.00000000e+200]])",
    ),
    (Tensor(np.zeros((0, 3), np.float32)), "[]", "value=\n)"),
    (
        Tensor(np.arange(8).reshape(2, 2, 2)),
        "[[[0 1]\n  [2 3]]\n\n [[4 5]\n  [6 7]]]",
        "value=\n[[[0, 1],\n  [2, 3]],\n [[4, 5],\n  [6, 7]]])",
    ),
]


@pytest.mark.parametrize("tensor, printed, ending", ARRAYS)
def test_arrays_print_in_columns(tensor, printed, ending):
    assert str(tensor) == printed
    assert repr(tensor) == f"Tensor(shape={list(tensor.shape)}, dtype={tensor.dtype}, {ending}"


@pytest.mark.parametrize(
    "n, lengths",
    [(11, [229]), (12, [244, 3]), (13, [246, 18]), (23, [246, 188]), (24, [246, 203, 3]), (25, [246, 205, 18])],
)
def test_a_line_of_floats_breaks_after_twelve(n, lengths):
    assert [len(line) for line in repr(Tensor(np.arange(n, dtype=np.float32))).splitlines()] == lengths


def test_beyond_a_thousand_elements_a_line_is_summarised():
    assert repr(Tensor(np.arange(2000))).endswith("value= [   0,    1,    2 ... 1997, 1998, 1999])")
    assert repr(Tensor(np.arange(1000))).count("\n") == 41


def test_beyond_six_rows_or_columns_a_table_is_summarised():
    assert repr(Tensor(np.arange(14).reshape(2, 7))).endswith(
        "\n[[ 0,  1,  2 ...  4,  5,  6],\n [ 7,  8,  9 ... 11, 12, 13]])"
    )
    assert repr(Tensor(np.arange(7).reshape(7, 1))).endswith("\n[[0],\n [1],\n [2],\n ...\n [4],\n [5],\n [6]])")
    assert "..." not in repr(Tensor(np.zeros((6, 6))))


def test_containers_show_the_representation_and_formats_the_text():
    v = Tensor([1.0, 2.0])
    assert str((v,)) == f"({v!r},)"
    assert f"{v}" == str(v) == "[1. 2.]"
    with pytest.raises(TypeError, match=r"unsupported format string passed to Tensor\.__format__"):
        f"{Tensor(1.0):.2f}"


def test_types_print_their_name():
    assert str(ms.float32) == "Float32"
    assert repr(ms.float32) == "mindspore.float32"
    assert repr(ms.bool_) == "mindspore.bool"


def test_a_tensor_prints_its_value_while_it_is_differentiated(capsys):
    ms.grad(lambda x: print(x, (x,)) or x)(Tensor(3.0))
    assert capsys.readouterr().out == "3.0 (Tensor(shape=[], dtype=Float32, value= 3),)\n"
