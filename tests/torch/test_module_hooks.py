"""Hooks on modules that see and replace gradients. The figures are those of PyTorch 2.13."""

import pytest

import labkit.torch as torch
from labkit.torch import nn


@pytest.fixture
def x():
    return torch.tensor([-1.0, 2.0], requires_grad=True)


def test_a_backward_hook_sees_both_sides_and_replaces_the_inner_one(x):
    layer, seen = nn.ReLU(), []

    def hook(module, grad_input, grad_output):
        seen.append((module is layer, grad_input[0].tolist(), grad_output[0].tolist()))
        return (grad_input[0] * 10,)

    handle = layer.register_full_backward_hook(hook)
    (layer(x) * 3).sum().backward()
    handle.remove()
    layer(x).sum().backward()
    assert seen == [(True, [0.0, 3.0], [3.0, 3.0])] and x.grad.tolist() == [0.0, 31.0]


def test_a_pre_hook_changes_what_the_module_and_its_hooks_get(x):
    layer, seen = nn.Identity(), []
    layer.register_full_backward_pre_hook(lambda module, grad_output: (grad_output[0] * 5,))
    layer.register_full_backward_hook(lambda module, grad_input, grad_output: seen.append(grad_output[0].tolist()))
    layer(x).sum().backward()
    assert seen == [[5.0, 5.0]] and x.grad.tolist() == [5.0, 5.0]


def test_what_is_no_tensor_or_wants_no_gradient_is_none():
    class Pair(nn.Module):
        def forward(self, flag, tensor):
            return tensor.clone(), flag

    net, seen = Pair(), []
    net.register_full_backward_hook(lambda module, *gradients: seen.extend(gradients))
    net(True, torch.ones(2, requires_grad=True))[0].sum().backward()
    assert [[g is None for g in side] for side in seen] == [[True, False], [False, True]]


def test_without_inputs_that_want_a_gradient_a_hook_is_called_but_may_not_answer():
    layer = nn.Linear(2, 1)
    layer.register_full_backward_hook(lambda module, grad_input, grad_output: grad_output)
    with (
        pytest.warns(UserWarning, match="no inputs require"),
        pytest.raises(RuntimeError, match="should always return"),
    ):
        layer(torch.ones(1, 2)).sum().backward()


def test_wrong_numbers_are_refused(x):
    layer = nn.ReLU()
    layer.register_full_backward_hook(lambda module, grad_input, grad_output: (*grad_input, None))
    with pytest.raises(RuntimeError, match="invalid number of grad_input, got 2, but expected 1"):
        layer(x).sum().backward()


def test_an_output_under_a_hook_is_a_view_of_the_module_that_may_not_be_changed_in_place(x):
    layer = nn.Identity()
    layer.register_full_backward_hook(lambda *args: None)
    y = layer(x)
    assert y.grad_fn.name() == "BackwardHookFunctionBackward"
    with pytest.raises(RuntimeError, match="Output 0 of BackwardHookFunction is a view"):
        y.add_(1)


def test_functions_of_trees_and_an_assigned_state():
    a, b = torch.tensor(1.0), torch.tensor([1.0, 2.0])
    by_parts = torch.func.jacfwd(lambda t: {"left": t["a"] * t["b"]})({"a": a, "b": b})["left"]
    assert by_parts["a"].tolist() == [1.0, 2.0] and by_parts["b"].tolist() == [[1.0, 0.0], [0.0, 1.0]]
    layer, given = nn.Linear(1, 1), torch.ones(1, 1)
    layer.load_state_dict({"weight": given, "bias": torch.zeros(1)}, assign=True)
    given.fill_(4.0)
    assert layer.weight.item() == 4.0 and layer.weight.requires_grad


def test_a_row_may_be_changed_in_place_twice_without_recording():
    w = torch.ones(2, 1, requires_grad=True)
    (w * 2).sum().backward()
    with torch.no_grad():
        w[:] -= 0.1 * w.grad
        w[:] -= 0.1 * w.grad
    assert torch.allclose(w, torch.full((2, 1), 0.6))


def test_a_module_that_stands_twice_is_one_child_with_two_names():
    shared, seen = nn.Linear(1, 1), []
    net = nn.Sequential(shared, nn.ReLU(), shared)
    net.apply(lambda module: seen.append(type(module).__name__))
    assert seen == ["Linear", "ReLU", "Sequential"] and [name for name, _ in net.named_children()] == ["0", "1"]
    assert list(net.state_dict()) == ["0.weight", "0.bias", "2.weight", "2.bias"]
