"""What PyTorch refuses and was let pass, in its words."""

from collections import deque

import pytest

from labkit import torch
from labkit.torch.nn import functional as F

X, WEIGHT = torch.arange(6.0).view(3, 2), torch.ones(2, requires_grad=True)
BRANCH, ITEM = "data-dependent control flow. We don't support that yet", r"calling .item\(\) on a Tensor. We don't"


@pytest.mark.parametrize(
    "fun, text",
    [
        (lambda a: a if a.sum() > 0 else -a, BRANCH),
        (lambda a: a if (a * WEIGHT).sum() > 0 else -a, BRANCH),
        (lambda a: a.sum().item(), ITEM),
        (lambda a: float(a.sum()), ITEM),
        (lambda a: a.tolist(), "Cannot access data pointer"),
        (lambda a: torch.vmap(lambda b: b if a.sum() > 0 else -b)(a), BRANCH),
        (torch.func.grad(lambda a: a.sum() if a.sum() > 0 else -a.sum()), r"either \(1\) calling .item\(\)"),
    ],
)
def test_vmap_refuses_what_needs_the_values_of_an_entry(fun, text):
    with pytest.raises(RuntimeError, match=text):
        torch.vmap(fun)(X)


def test_vmap_lets_other_values_be_asked_for():
    earlier = torch.vmap(lambda a: a + 1)(X)
    assert torch.vmap(lambda a: a * earlier.sum().item() if X.sum() > 0 else a)(X).shape == (3, 2)
    assert torch.vmap(lambda i: X[i])(torch.arange(3)).tolist() == X.tolist()


CLASSES = [
    ((3, 5), torch.ones(3), "expected target dtype to be Long or Byte, but got Float"),
    ((3, 5), torch.ones(3, 1), "0D or 1D target tensor expected, multi-target not supported"),
    ((3, 5, 2), torch.ones(3, 3).long(), r"Expected target size \[3, 2\], got \[3, 3\]"),
    ((2, 3, 4, 4), torch.ones(2, 4).long(), "only batches of spatial targets supported"),
    ((3, 5), torch.ones(3).int(), "expected target dtype to be Long or Byte, but got Int"),
]


@pytest.mark.parametrize("shape, target, text", CLASSES)
def test_targets_that_are_no_class_numbers_are_refused(shape, target, text):
    with pytest.raises(RuntimeError, match=text):
        F.cross_entropy(torch.zeros(shape), target)


WRONG = [
    (lambda: F.one_hot(torch.tensor([3]), 2), RuntimeError, "Class values must be smaller than num_classes"),
    (lambda: X.masked_fill(torch.ones(3) > 0, 0), RuntimeError, r"The size of tensor a \(3\) must match"),
    (lambda: torch.einsum("ij,jk->ik", X, X), RuntimeError, "subscript j has size 3 for operand 1"),
    (
        lambda: F.linear(X.long(), X, torch.ones(3)),
        RuntimeError,
        "mat1 and mat2 must have the same dtype, but got Long",
    ),
]


@pytest.mark.parametrize("call, error, text", WRONG)
def test_errors_are_those_of_pytorch(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_in_place_forms_follow_from_the_functions():
    x = torch.arange(4.0)
    assert x.cumsum_(0) is x and x.tolist() == [0.0, 1.0, 3.0, 6.0]
    assert torch.ones(2, 3).transpose_(0, 1).shape == (3, 2)
    assert torch.tensor(deque([1, 2])).tolist() == [1, 2] and torch.add(1, 2).item() == 3


def test_a_sampler_draws_on_where_nothing_is_left():
    loader = torch.utils.data.DataLoader(range(12), 12, shuffle=True, generator=torch.Generator().manual_seed(1))
    list(loader)
    assert next(iter(loader)).tolist()[:4] == [10, 7, 11, 1]


def test_a_tensor_of_a_tensor_warns():
    with pytest.warns(UserWarning, match="To copy construct from a tensor, it is recommended to use"):
        torch.tensor(X)
