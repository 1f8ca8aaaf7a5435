"""Hooks on tensors and nodes."""

import pytest

import labkit.torch as torch


@pytest.fixture
def x():
    return torch.tensor([1.0, 2.0], requires_grad=True)


def test_a_hook_replaces_the_gradient_until_it_is_removed(x):
    handle = x.register_hook(lambda g: g * 10)
    (x**2).sum().backward()
    handle.remove()
    (x**2).sum().backward()
    assert x.grad.tolist() == [22.0, 44.0]


def test_hooks_on_results_run_in_turn_before_the_gradient_is_kept(x):
    y, seen = x * 2, []
    y.retain_grad()
    y.register_hook(lambda g: g * 3)
    y.register_hook(lambda g: seen.append(g.tolist()))
    y.sum().backward()
    assert seen == [[3.0, 3.0]] and y.grad.tolist() == [3.0, 3.0] and x.grad.tolist() == [6.0, 6.0]


def test_hooks_also_see_what_autograd_grad_returns(x):
    x.register_hook(lambda g: g * 100)
    assert torch.autograd.grad((x * 2).sum(), x)[0].tolist() == [200.0, 200.0]


def test_post_accumulate_hooks_see_the_sum(x):
    seen = []
    x.register_post_accumulate_grad_hook(lambda t: seen.append(t.grad.tolist()))
    x.sum().backward()
    x.sum().backward()
    assert seen == [[1.0, 1.0], [2.0, 2.0]]
    with pytest.raises(RuntimeError, match="cannot be registered on non-leaf tensors"):
        (x * 2).register_post_accumulate_grad_hook(print)


def test_node_hooks_see_and_change_what_goes_through(x):
    y, seen = x * 2, []
    y.grad_fn.register_prehook(lambda arriving: (arriving[0] * 5,))
    y.grad_fn.register_hook(lambda leaving, arriving: seen.append((str(leaving), str(arriving))))
    y.sum().backward()
    assert seen == [("(tensor([10., 10.]), None)", "(tensor([5., 5.]),)")]
    assert x.grad.tolist() == [10.0, 10.0]


def test_a_node_can_be_called(x):
    node = (x * 3).grad_fn
    with torch.no_grad():
        assert str(node(torch.ones(2))) == "(tensor([3., 3.]), None)"
    assert str((x**2).grad_fn(torch.ones(2))) == "tensor([2., 4.], grad_fn=<MulBackward0>)"
