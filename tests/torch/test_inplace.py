"""In-place operations: memory, versions, history, and what is refused."""

import numpy as np
import pytest

import labkit.torch as torch

# program on y, where x = [1., 2., 3.] is a leaf and y = x * 2; grad_fn of y; gradient of (y**2).sum()
HISTORIES = [
    ("y += 1", "AddBackward0", [12.0, 20.0, 28.0]),
    ("y[0] += 1", "torch::autograd::CopySlices", [12.0, 16.0, 24.0]),
    ("y[0] = 5", "torch::autograd::CopySlices", [0.0, 16.0, 24.0]),
    ("y.view(-1)[0] = 5", "torch::autograd::CopySlices", [0.0, 16.0, 24.0]),
    ("y[1:].mul_(3)", "torch::autograd::CopySlices", [8.0, 144.0, 216.0]),
    ("y[0] = y[1]", "torch::autograd::CopySlices", [0.0, 32.0, 24.0]),
    ("y[y > 3] = 0", "IndexPutBackward0", [8.0, 0.0, 0.0]),
    ("y[torch.tensor([0, 2])] = x[:2] * 10", "IndexPutBackward0", [200.0, 416.0, 0.0]),
    ("y.zero_()", "ZeroBackward0", [0.0, 0.0, 0.0]),
    ("y.fill_(3)", "FillBackward2", [0.0, 0.0, 0.0]),
    ("y[...] = 1", "FillBackward3", [0.0, 0.0, 0.0]),
    ("y.copy_(x)", "torch::autograd::CopyBackwards", [2.0, 4.0, 6.0]),
    ("y.relu_()", "ReluBackward0", [8.0, 16.0, 24.0]),
    ("y.pow_(2)", "PowBackward0", [64.0, 512.0, 1728.0]),
    ("y.clamp_(1.5, 5.0)", "ClampBackward1", [8.0, 16.0, 0.0]),
]


@pytest.mark.parametrize("program, name, gradient", HISTORIES)
def test_the_history_follows_the_change(program, name, gradient):
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = x * 2
    exec(program)
    assert y.grad_fn.name() == name
    (y**2).sum().backward()
    assert x.grad.tolist() == gradient


def test_a_view_sees_the_history_of_its_base_and_the_other_way_round():
    x = torch.arange(6.0).reshape(2, 3).requires_grad_()
    y = x * 2
    row, flipped = y[0], y.t()
    row.mul_(3)
    assert (y.grad_fn.name(), row.grad_fn.name()) == ("torch::autograd::CopySlices", "AsStridedBackward0")
    flipped.sum().backward()
    assert x.grad.tolist() == [[6.0, 6.0, 6.0], [2.0, 2.0, 2.0]]


def test_the_part_of_a_constant_that_was_written_gets_a_gradient():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = torch.zeros(3)
    y[1] = x[0] * 2
    assert str(y) == "tensor([0., 2., 0.], grad_fn=<CopySlices>)"
    y.sum().backward()
    assert x.grad.tolist() == [2.0, 0.0]


SAVED = [
    (
        "y = x.exp(); y += 1",
        r"\[torch.FloatTensor \[2\]\], which is output 0 of Exp, is at version 1; expected version 0",
    ),
    ("w = x * 2; y = w * w; w.zero_()", "is at version 1; expected version 0 instead"),
    (
        "c = torch.ones(2); y = x * c; c += 1",
        r"\[torch.FloatTensor \[2\]\] is at version 1; expected version 0 instead",
    ),
    ("y = x**2; x.detach()[0] = 9", "is at version 1; expected version 0 instead"),
    ("y = x.tanh(); y[0] = 1", "which is output 0 of Tanh"),
]


@pytest.mark.parametrize("program, message", SAVED)
def test_a_saved_value_that_was_changed_is_noticed(program, message):
    space = {"torch": torch, "x": torch.tensor([1.0, 2.0], requires_grad=True)}
    exec(program, space)
    with pytest.raises(RuntimeError, match="modified by an inplace operation") as caught:
        space["y"].sum().backward()
    assert caught.match(message)


def test_what_was_not_saved_may_change():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    e = x.exp()
    y = x + 1
    z = y * 3
    y += 1
    (z.sum() + e.sum()).backward()
    assert x.grad[0].item() == pytest.approx(3 + np.e)


LEAF = "a leaf Variable that requires grad is being used in an in-place operation."
VIEW = "a view of a leaf Variable that requires grad is being used in an in-place operation."
REFUSED = [
    ("x.add_(1)", LEAF),
    ("x.zero_()", LEAF),
    ("x[torch.tensor([0])] = 1.0", LEAF),
    ("x[0] = 5", VIEW),
    ("x.view(3).mul_(2)", VIEW),
    ("(x * 1).split(1)[0].add_(1)", "Output 0 of Split is a view and is being modified inplace."),
    (
        "torch.ones(1).expand(3).add_(1)",
        "more than one element of the written-to tensor refers to a single memory location",
    ),
    ("torch.tensor(3).add_(1.5)", "result type Float can't be cast to the desired output type Long"),
]


@pytest.mark.parametrize("program, message", REFUSED)
def test_what_may_not_change_is_refused_and_left_as_it_was(program, message):
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    with pytest.raises(RuntimeError) as caught:
        exec(program)
    assert message in str(caught.value)
    assert x.tolist() == [1.0, 2.0, 3.0]


def test_a_leaf_may_change_where_nothing_is_recorded():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with torch.no_grad():
        x[0] = 5
        x -= 1
    x.data += 1
    assert str(x) == "tensor([5., 2.], requires_grad=True)"


def test_memory_and_versions_are_shared():
    x = torch.ones(3)
    part, apart = x[0:2], x.data
    part += 1
    assert x.tolist() == [2.0, 2.0, 1.0]
    assert (x._version, part._version, apart._version, x.detach()._version) == (1, 1, 0, 1)
    array = x.numpy()
    array[2] = 7
    assert x[2].item() == x.detach()[2].item() == 7.0


def test_a_shape_can_be_changed_in_place():
    x = torch.tensor([[1.0, 2.0]], requires_grad=True)
    y = x * 2
    y.t_().unsqueeze_(0)
    assert y.shape == (1, 2, 1)
    (y**2).sum().backward()
    assert x.grad.tolist() == [[8.0, 16.0]]
