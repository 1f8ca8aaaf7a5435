"""The state of modules, names that are taken, and replaced modules, as PyTorch has them."""

from collections import OrderedDict
from copy import deepcopy

import pytest

from labkit import torch
from labkit.torch import nn


class Counted(nn.Module):
    """A layer that is there twice, a buffer, a batch norm, and extra state."""

    def __init__(self):
        super().__init__()
        self.a = nn.Linear(1, 1)
        self.b = self.a
        self.register_buffer("shift", torch.ones(1))
        self.norm = nn.BatchNorm1d(1)
        self.steps = 3

    def get_extra_state(self):
        return {"steps": self.steps}

    def set_extra_state(self, state):
        self.steps = state["steps"]


KEYS = ["shift", "_extra_state", "a.weight", "a.bias", "b.weight", "b.bias", "norm.weight", "norm.bias",
        "norm.running_mean", "norm.running_var", "norm.num_batches_tracked"]  # fmt: skip


def test_extra_state_and_versions_are_in_the_state():
    state = Counted().state_dict()
    assert list(state) == KEYS
    assert list(state._metadata.items()) == [
        ("", {"version": 1}), ("a", {"version": 1}), ("b", {"version": 1}), ("norm", {"version": 2}),
    ]  # fmt: skip
    net = Counted()
    net.steps = 7
    net.load_state_dict(state)
    assert net.steps == 3


def test_names_come_once_or_as_often_as_they_are_there():
    net = Counted()
    assert [name for name, _ in net.named_modules()] == ["", "a", "norm"]
    assert [name for name, _ in net.named_modules(remove_duplicate=False)] == ["", "a", "b", "norm"]
    once, all_ = (len(list(net.named_parameters(remove_duplicate=r))) for r in (True, False))
    assert (once, all_) == (4, 6)


def test_hooks_see_the_state_as_it_is_made_and_loaded():
    net, seen = nn.Sequential(nn.Linear(1, 1)), []
    net[0].register_state_dict_pre_hook(lambda module, prefix, keep: seen.append(("before", prefix)))
    net.register_state_dict_post_hook(lambda module, state, prefix, about: state.update(more=torch.ones(1)))
    net.register_load_state_dict_pre_hook(lambda module, state, prefix, *rest: state.pop("more"))
    net.register_load_state_dict_post_hook(lambda module, keys: seen.append(keys.missing_keys))
    state = net.state_dict()
    assert list(state) == ["0.weight", "0.bias", "more"]
    assert str(net.load_state_dict(state)) == "<All keys matched successfully>"
    assert seen == [("before", "0."), []] and "more" in state


def test_a_state_from_before_batches_were_counted_misses_nothing():
    norm = nn.BatchNorm1d(1)
    state = OrderedDict((k, v) for k, v in norm.state_dict().items() if k != "num_batches_tracked")
    assert norm.load_state_dict(state).missing_keys == []


def test_what_is_replaced_keeps_its_place():
    net = nn.Sequential(OrderedDict(first=nn.Linear(1, 1), second=nn.ReLU()))
    net.first = nn.Linear(1, 2)
    assert [name for name, _ in net.named_children()] == ["first", "second"]
    net.set_submodule("second", nn.Tanh())
    assert "(second): Tanh()" in str(net)


REFUSED = [
    (lambda m: m.register_buffer("a.b", torch.ones(1)), KeyError, "buffer name can.*t contain"),
    (lambda m: m.register_buffer("weight", torch.ones(1)), KeyError, "attribute 'weight' already exists"),
    (lambda m: m.register_buffer("w", 1), TypeError, "cannot assign 'int' object to buffer 'w'"),
    (lambda m: m.register_parameter("p", torch.ones(1)), TypeError, "'torch.FloatTensor' object to parameter 'p'"),
    (lambda m: m.add_module("", nn.ReLU()), KeyError, "module name can.*t be empty string"),
    (lambda m: m.add_module("a", 1), TypeError, "int is not a Module subclass"),
    (lambda m: m.get_buffer("weight"), AttributeError, "`weight` is not a buffer"),
    (lambda m: m.get_parameter("x.y"), AttributeError, "Linear has no attribute `x`"),
    (lambda m: m.to(torch.int32), TypeError, "only accepts floating point or complex dtypes"),
]


@pytest.mark.parametrize("call, error, text", REFUSED)
def test_a_name_or_a_value_that_does_not_fit_is_refused(call, error, text):
    with pytest.raises(error, match=text):
        call(nn.Linear(1, 1))


def test_losses_take_their_arguments_by_name():
    assert nn.MSELoss()(target=torch.zeros(2), input=torch.ones(2)).item() == 1.0
    pair = torch.ones(2, 3)
    assert nn.CosineEmbeddingLoss()(pair, input2=pair, target=torch.ones(2)).item() == pytest.approx(0, abs=1e-6)


def test_a_copied_parameter_leaves_its_gradient_behind():
    layer, x = nn.Linear(1, 1), torch.ones(1, requires_grad=True)
    layer(x).sum().backward()
    assert deepcopy(layer).weight.grad is None and deepcopy(x).grad is not None


def test_hooks_around_steps_and_an_epoch_for_a_schedule():
    optimizer, seen = torch.optim.SGD(nn.Linear(1, 1).parameters(), lr=1.0), []
    optimizer.register_step_pre_hook(lambda o, args, kwargs: seen.append("before"))
    handle = optimizer.register_step_post_hook(lambda o, args, kwargs: seen.append("after"))
    optimizer.step()
    handle.remove()
    optimizer.step()
    assert seen == ["before", "after", "before"]
    schedule = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.5)
    with pytest.warns(UserWarning, match="The epoch parameter in `scheduler.step"):
        schedule.step(3)
    assert (schedule.get_last_lr(), schedule.last_epoch) == ([0.125], 3)


def test_probabilities_are_between_0_and_1():
    with pytest.raises(RuntimeError, match="all elements of input should be between 0 and 1"):
        nn.BCELoss()(torch.tensor([1.5]), torch.tensor([1.0]))
