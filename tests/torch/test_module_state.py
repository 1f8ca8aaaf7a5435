"""The state of modules, names that are taken, and replaced modules, as PyTorch has them."""

from collections import OrderedDict
from copy import deepcopy

import pytest

from labkit import torch
from labkit.torch import nn


class Counted(nn.Module):
    """A layer that is there twice, a buffer and a batch norm."""

    def __init__(self):
        super().__init__()
        self.a = nn.Linear(1, 1)
        self.b = self.a
        self.register_buffer("shift", torch.ones(1))
        self.norm = nn.BatchNorm1d(1)


KEYS = ["shift", "a.weight", "a.bias", "b.weight", "b.bias", "norm.weight", "norm.bias",
        "norm.running_mean", "norm.running_var", "norm.num_batches_tracked"]  # fmt: skip


def test_versions_are_in_the_state():
    state = Counted().state_dict()
    assert list(state) == KEYS
    assert list(state._metadata.items()) == [
        ("", {"version": 1}), ("a", {"version": 1}), ("b", {"version": 1}), ("norm", {"version": 2}),
    ]  # fmt: skip


def test_names_come_once_or_as_often_as_they_are_there():
    net = Counted()
    assert [name for name, _ in net.named_modules()] == ["", "a", "norm"]
    assert [name for name, _ in net.named_modules(remove_duplicate=False)] == ["", "a", "b", "norm"]
    once, all_ = (len(list(net.named_parameters(remove_duplicate=r))) for r in (True, False))
    assert (once, all_) == (4, 6)


def test_a_state_from_before_batches_were_counted_misses_nothing():
    norm = nn.BatchNorm1d(1)
    state = OrderedDict((k, v) for k, v in norm.state_dict().items() if k != "num_batches_tracked")
    assert norm.load_state_dict(state).missing_keys == []


def test_what_is_replaced_keeps_its_place():
    net = nn.Sequential(OrderedDict(first=nn.Linear(1, 1), second=nn.ReLU()))
    net.first = nn.Linear(1, 2)
    assert [name for name, _ in net.named_children()] == ["first", "second"]


REFUSED = [
    (lambda m: m.register_buffer("a.b", torch.ones(1)), KeyError, "buffer name can.*t contain"),
    (lambda m: m.register_buffer("weight", torch.ones(1)), KeyError, "attribute 'weight' already exists"),
    (lambda m: m.register_buffer("w", 1), TypeError, "cannot assign 'int' object to buffer 'w'"),
    (lambda m: m.register_parameter("p", torch.ones(1)), TypeError, "'torch.FloatTensor' object to parameter 'p'"),
    (lambda m: m.add_module("", nn.ReLU()), KeyError, "module name can.*t be empty string"),
    (lambda m: m.add_module("a", 1), TypeError, "int is not a Module subclass"),
    (lambda m: m.to(torch.int32), TypeError, "only accepts floating point or complex dtypes"),
]


@pytest.mark.parametrize("call, error, text", REFUSED)
def test_a_name_or_a_value_that_does_not_fit_is_refused(call, error, text):
    with pytest.raises(error, match=text):
        call(nn.Linear(1, 1))


def test_losses_take_their_arguments_by_name():
    assert nn.MSELoss()(target=torch.zeros(2), input=torch.ones(2)).item() == 1.0


def test_a_copied_parameter_leaves_its_gradient_behind():
    layer, x = nn.Linear(1, 1), torch.ones(1, requires_grad=True)
    layer(x).sum().backward()
    assert deepcopy(layer).weight.grad is None and deepcopy(x).grad is not None
