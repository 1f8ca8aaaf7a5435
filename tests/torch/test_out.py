"""`out=`: what a function finds is written into a tensor that is there."""

import numpy as np
import pytest

import labkit.torch as torch


def test_a_result_is_written_into_the_memory_of_a_tensor():
    made = torch.zeros(4)
    part = made[:2]
    assert torch.add(torch.ones(2), 1, out=part) is part
    assert made.tolist() == [2.0, 2.0, 0.0, 0.0] and part._version == 1


def test_a_draw_and_a_range_take_the_dtype_of_the_tensor():
    wide = torch.empty(2, dtype=torch.float64)
    torch.manual_seed(0)
    want = torch.rand(2, dtype=torch.float64)
    torch.manual_seed(0)
    assert torch.rand(2, out=wide) is wide and torch.equal(wide, want)
    with pytest.raises(RuntimeError, match=r"dtype Float does not match dtype of out parameter \(Double\)"):
        torch.zeros(2, out=wide, dtype=torch.float32)


def test_two_results_are_written_into_two_tensors():
    values, places = torch.empty(2), torch.empty(2, dtype=torch.int64)
    found = torch.max(torch.tensor([[1.0, 3.0], [4.0, 2.0]]), 1, out=(values, places))
    assert found[0] is values and found[1] is places and places.tolist() == [1, 0]
    with pytest.raises(RuntimeError, match="Expected out tensor to have dtype long int, but got float instead"):
        torch.max(torch.ones(2, 2), 1, out=(values, torch.empty(2)))


def test_an_empty_tensor_takes_any_shape_and_another_one_with_a_warning():
    empty, small = torch.empty(0), torch.zeros(3)
    assert torch.exp(torch.zeros(2), out=empty).shape == (2,)
    with pytest.warns(UserWarning, match=r"it had shape \[3\], which does not match the required output shape \[2\]"):
        assert torch.exp(torch.zeros(2), out=small).tolist() == [1.0, 1.0]


def test_what_takes_part_in_differentiation_is_refused_while_it_is_recorded():
    x, out = torch.ones(2, requires_grad=True), torch.zeros(2)
    for given in ((x, 1, out), (torch.ones(2), 1, x)):
        with pytest.raises(
            RuntimeError, match=r"add\(\): functions with out=... arguments don't support automatic diff"
        ):
            torch.add(*given[:2], out=given[2])
    with torch.no_grad():
        assert torch.add(x, 1, out=out).tolist() == [2.0, 2.0]


def test_a_result_of_a_wider_kind_is_refused():
    with pytest.raises(RuntimeError, match="result type Float can't be cast to the desired output type Long"):
        torch.exp(torch.ones(2), out=torch.zeros(2, dtype=torch.int64))
    assert torch.eq(torch.ones(2), 1, out=torch.zeros(2)).tolist() == [1.0, 1.0]


def test_resizing_keeps_the_first_elements():
    x = torch.arange(1.0, 7.0)
    assert x.resize_(2, 3)[1].tolist() == [4.0, 5.0, 6.0]
    assert np.array_equal(x.resize_as_(torch.zeros(2)).numpy(), [1.0, 2.0])
    with pytest.raises(RuntimeError, match="cannot resize variables that require grad"):
        torch.ones(2, requires_grad=True).resize_(1)


# ---- beside NumPy's arrays ----


def test_a_function_of_numpy_makes_a_tensor_of_a_tensor():
    made = np.sin(torch.tensor([0.0, 1.0]))
    assert isinstance(made, torch.Tensor) and made.dtype is torch.float32
    assert np.isnan(torch.ones(1)).dtype is torch.uint8
    with pytest.raises(RuntimeError, match=r"Can't call numpy\(\) on Tensor that requires grad"):
        np.sin(torch.ones(1, requires_grad=True))


def test_an_array_stands_on_the_right_of_a_tensor_and_not_on_its_left():
    x, array = torch.tensor([1.0, 2.0]), np.array([1.0, 4.0])
    assert (x * array).dtype is torch.float64 and (array / x).tolist() == [1.0, 2.0]
    assert (array == x).tolist() == [True, False]
    x += array
    assert x.tolist() == [2.0, 6.0] and x.dtype is torch.float64
    for operate in (lambda: array * x, lambda: array @ x):
        with pytest.raises(TypeError, match="unsupported operand type"):
            operate()
