"""Modules, parameters, clipping."""

import copy

import pytest

import labkit.torch as torch
from labkit.torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 1, bias=False)
        self.loss = nn.MSELoss()

    def forward(self, x, y):
        logits = self.fc(x).squeeze()
        return self.loss(logits, y), logits


@pytest.fixture
def net():
    net = Net()
    net.fc.weight.data = torch.tensor([[2.0, 3.0, 4.0]])
    return net


def test_the_documented_net(net):
    x = torch.tensor([[1.0, 2.0, 3.0]], requires_grad=True)
    y = torch.tensor(19.0, requires_grad=True)
    loss, logits = net(x, y)
    assert str((loss, logits)) == ("(tensor(1., grad_fn=<MseLossBackward0>), tensor(20., grad_fn=<SqueezeBackward0>))")
    found = torch.autograd.grad((loss, logits), (x, y, net.fc.weight))
    assert str(found) == "(tensor([[ 6.,  9., 12.]]), tensor(-2.), tensor([[3., 6., 9.]]))"


def test_a_module_prints_its_tree(net):
    text = "Net(\n  (fc): Linear(in_features=3, out_features=1, bias=False)\n  (loss): MSELoss()\n)"
    assert repr(net) == text


def test_parameters_are_found_by_name(net):
    assert [name for name, _ in net.named_parameters()] == ["fc.weight"] == list(net.state_dict())
    assert net.__engine_parameters__()[0][1] is net.fc.weight
    assert str(net.fc.weight) == "Parameter containing:\ntensor([[2., 3., 4.]], requires_grad=True)"


def test_state_is_copied_in(net):
    other = Net()
    assert str(other.load_state_dict(net.state_dict())) == "<All keys matched successfully>"
    assert torch.equal(other.fc.weight, net.fc.weight) and other.fc.weight is not net.fc.weight
    with pytest.raises(RuntimeError, match=r"Error\(s\) in loading state_dict for Net"):
        other.load_state_dict({"fc.bias": torch.ones(1)})


def test_modes_and_gradients_of_all_below(net):
    assert not net.eval().fc.training and net.train().fc.training
    net.fc.weight.sum().backward()
    net.zero_grad()
    assert net.fc.weight.grad is None
    assert copy.deepcopy(net).fc.weight is not net.fc.weight


def test_an_engine_box_stands_in_for_a_parameter_and_is_taken_back(net):
    weight = net.fc.weight
    with pytest.raises(ValueError), weight.__engine_bind__(torch.zeros(1, 3).numpy()):
        assert net.fc(torch.ones(1, 3)).item() == 0.0
        raise ValueError
    assert weight.tolist() == [[2.0, 3.0, 4.0]] and weight.requires_grad


def test_modules_and_parameters_are_kept_apart_from_other_attributes(net):
    with pytest.raises(TypeError, match=r"cannot assign 'torch.FloatTensor' as parameter 'weight'"):
        net.fc.weight = torch.ones(1, 3)
    with pytest.raises(AttributeError, match="'Net' object has no attribute 'other'"):
        _ = net.other


# gradients, keywords of clip_grad_norm_, the norm it returns, the gradients after
NORMS = [
    ([2.0, 4.0, 6.0], {}, "tensor(7.4833)", "tensor([0.2673, 0.5345, 0.8018])"),
    ([0.1, 0.2, 0.3], {}, "tensor(0.3742)", "tensor([0.1000, 0.2000, 0.3000])"),
    ([2.0, 4.0, 6.0], {"norm_type": float("inf")}, "tensor(6.)", "tensor([0.3333, 0.6667, 1.0000])"),
    ([2.0, 4.0, 6.0], {"norm_type": 1}, "tensor(12.)", "tensor([0.1667, 0.3333, 0.5000])"),
    ([float("nan"), 4.0, 6.0], {}, "tensor(nan)", "tensor([nan, nan, nan])"),
    ([0.0, 0.0, 0.0], {}, "tensor(0.)", "tensor([0., 0., 0.])"),
]


@pytest.mark.parametrize("gradient, options, norm, clipped", NORMS)
def test_clipping_by_norm(gradient, options, norm, clipped):
    p = nn.Parameter(torch.zeros(3))
    p.grad = torch.tensor(gradient)
    assert str(nn.utils.clip_grad_norm_([p], 1.0, **options)) == norm
    assert str(p.grad) == clipped


def test_the_norm_is_that_of_all_gradients_together():
    p, q = nn.Parameter(torch.zeros(1, 3)), nn.Parameter(torch.zeros(2))
    p.grad, q.grad = torch.tensor([[2.0, 4.0, 6.0]]), torch.tensor([3.0, 4.0])
    assert nn.utils.clip_grad_norm_([p, q], 1.0).item() == 9.0
    assert str(q.grad) == "tensor([0.3333, 0.4444])"


def test_clipping_by_value_and_refusing_infinities():
    p = nn.Parameter(torch.zeros(3))
    p.grad = torch.tensor([-2.0, 0.5, 6.0])
    assert nn.utils.clip_grad_value_([p], 1.0) is None and p.grad.tolist() == [-1.0, 0.5, 1.0]
    p.grad = torch.tensor([float("inf"), 0.0, 0.0])
    with pytest.raises(
        RuntimeError, match=r"The total norm of order 2.0 for gradients from `parameters` is non-finite"
    ):
        nn.utils.clip_grad_norm_([p], 1.0, error_if_nonfinite=True)
