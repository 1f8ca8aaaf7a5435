"""Dtypes: promotion, defaults, limits."""

import operator

import numpy as np
import pytest

import labkit.torch as torch
import labkit.torch.nn.functional as F

NAMES = ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64"]

# of two tensors with dimensions
PROMOTED = [
    ("uint8", "int8", "int16"),
    ("int32", "int64", "int64"),
    ("bool", "uint8", "uint8"),
    ("int64", "float16", "float16"),
    ("float16", "bfloat16", "float32"),
    ("bfloat16", "float32", "float32"),
    ("float32", "float64", "float64"),
]


@pytest.mark.parametrize("a, b, together", PROMOTED)
def test_tensors_meet_in_a_common_dtype(a, b, together):
    a, b = (torch.ones(2, dtype=getattr(torch, n)) for n in (a, b))
    assert (a * b).dtype is (b + a).dtype is getattr(torch, together)


@pytest.mark.parametrize("name", NAMES[6:])
def test_numbers_and_0d_tensors_do_not_widen_floats(name):
    x = torch.ones(2, dtype=getattr(torch, name))
    assert (x * 2.5).dtype is (x * torch.tensor(2.5, dtype=torch.float64)).dtype is x.dtype


@pytest.mark.parametrize("name", NAMES[:6])
def test_integers_become_floating_where_they_must(name):
    x = torch.ones(2, dtype=getattr(torch, name))
    assert (x * 2.5).dtype is (x / 2).dtype is x.exp().dtype is torch.float32
    assert x.sum().dtype is torch.int64


def test_the_default_dtype_is_that_of_python_floats():
    torch.set_default_dtype(torch.float64)
    try:
        assert str(torch.tensor(1.5)) == "tensor(1.5000)" and torch.ones(1).dtype is torch.float64
    finally:
        torch.set_default_dtype(torch.float32)
    assert torch.tensor(1.5).dtype is torch.float32 and torch.tensor(1).dtype is torch.int64


def test_half_precision_sums_in_float32_and_overflows_like_half():
    assert torch.full((3000,), 1.0, dtype=torch.float16).sum().item() == 3000.0
    x = torch.tensor([300.0], dtype=torch.float16, requires_grad=True)
    y = x * x
    y.backward(torch.ones(1, dtype=torch.float16))
    assert y.item() == float("inf") and x.grad.item() == 600.0


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize(
    "call",
    [
        lambda x, y: 0.3 - x,
        lambda x, y: torch.add(x, y, alpha=0.3),
        lambda x, y: torch.sub(x, y, alpha=0.3),
        lambda x, y: F.cross_entropy(x, torch.tensor([0, 1]), label_smoothing=0.1),
        lambda x, y: torch.einsum("ij,jk->ik", x, y),
    ],
)
def test_neither_a_number_nor_a_sum_in_float32_widens_a_tensor(call, dtype):
    x = torch.tensor([[0.5, -1.5], [2.0, 0.25]], dtype=dtype, requires_grad=True)
    found = call(x, torch.tensor([[1.0, 2.0], [0.5, 4.0]], dtype=dtype))
    found.sum().backward()
    assert found.dtype == x.grad.dtype == dtype


@pytest.mark.parametrize("number", [np.float64(0.5), np.float32(0.5), np.int64(2)], ids=repr)
@pytest.mark.parametrize("call", [operator.mul, operator.sub, operator.truediv, operator.pow])
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_a_number_of_numpy_on_the_left_leaves_a_tensor_on_its_tape(number, call, dtype):
    x = torch.tensor([1.0, 4.0], dtype=dtype, requires_grad=True)
    found = call(number, x)
    assert found.dtype == dtype and found.grad_fn is not None
    assert found.tolist() == call(number.item(), x).tolist()


@pytest.mark.parametrize("count, each", [(2049, 0.00048804283142089844), (70000, 1.430511474609375e-05)])
@pytest.mark.parametrize("loss", [torch.mean, lambda x: (x - torch.zeros_like(x)).abs().mean()])
def test_a_mean_divides_its_gradient_by_a_count_that_float16_cannot_hold(count, each, loss):
    x = torch.ones(count, dtype=torch.float16, requires_grad=True)
    loss(x).backward()
    assert x.grad.unique().tolist() == [each]


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_a_loss_of_ignored_targets_alone_is_nan_and_its_gradient_zero(smoothing):
    x = torch.ones(2, 3, requires_grad=True)
    loss = F.cross_entropy(x, torch.tensor([-100, -100]), label_smoothing=smoothing)
    loss.backward()
    assert loss.isnan() and x.grad.abs().sum() == 0
