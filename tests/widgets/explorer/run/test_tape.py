"""The story of a tensor's tape has the gradients that `backward` computes, and leaves the tape as it was."""

import numpy as np
import pytest
from drawn import drawn
from hypothesis import given
from hypothesis import strategies as st

import labkit.torch as torch
from labkit.widgets.explorer.run.tape import Known, is_taped, of_tensor


def leaf(*data):
    return torch.tensor(list(data), requires_grad=True)


def last_totals(story):
    found = {n.index: n.seed for n in story.outputs}
    return found | {s.parent: s.total for step in story.steps for s in step.sent}


def node(story, name):
    (found,) = (n for n in story.nodes if n.name == name or n.title == name)
    return found


# each takes two tensors of two elements and gives the intermediate h and the loss
LOSSES = {
    "products": lambda x, w: (h := x * w, (h * x).sum()),
    "matrix": lambda x, w: (h := torch.outer(x, w), (h @ x).sum()),
    "shared": lambda x, w: (h := (x + w).tanh(), (h * h + h.exp() * x).mean()),
    "pieces": lambda x, w: (h := torch.cat([x, w]), (h[1:] * h[:-1]).sum()),
    "sorted": lambda x, w: (h := torch.sort(x * w)[0], (h * torch.tensor([1.0, 2.0])).sum()),
    "softmax": lambda x, w: (h := torch.softmax(x * w, 0), (h.log() * w).sum()),
    "norm": lambda x, w: (h := x - w, h.norm() * 3),
    "halves": lambda x, w: (h := x * w, torch.split(h, 1)[0].sum() + torch.unbind(h)[1] * 2),
}


@drawn(20)
@given(
    st.sampled_from(sorted(LOSSES)), st.lists(st.integers(-8, 8).map(lambda n: n / 4 + 0.05), min_size=4, max_size=4)
)
def test_gradients_are_those_of_backward(which, numbers):
    x, w = leaf(*numbers[:2]), leaf(*numbers[2:])
    h, loss = LOSSES[which](x, w)
    h.retain_grad()
    story = of_tensor(loss, Known.among({"x": x, "w": w, "h": h, "loss": loss}))
    assert x.grad is None and w.grad is None and h.grad is None
    loss.backward()
    totals = last_totals(story)
    for name, tensor in (("x", x), ("w", w), ("h", h)):
        assert totals[node(story, name).index] == pytest.approx(tensor.grad.numpy(), rel=1e-5, abs=1e-6)


@drawn(20)
@given(st.sampled_from(sorted(LOSSES)))
def test_the_tape_is_left_as_it_was_and_told_the_same_twice(which):
    x, w = leaf(0.5, -1.5), leaf(2.0, 0.25)
    _, loss = LOSSES[which](x, w)
    first, second = of_tensor(loss), of_tensor(loss)
    shown = [[(n.title, n.parents, n.keeps, n.grad_fn) for n in story.nodes] for story in (first, second)]
    assert shown[0] == shown[1] and len(first.steps) == len(second.steps) > 0
    assert not any(n.released for n in (loss.grad_fn,)) and loss.requires_grad
    loss.backward()


def test_single_numbers_have_slopes():
    x = torch.tensor(1.5, requires_grad=True)
    story = of_tensor((x * x).tanh() * 2)
    (double, tanh, square) = story.steps
    assert [s.slope for s in double.sent] == [2.0]
    assert tanh.sent[0].slope == pytest.approx(1 - np.tanh(2.25) ** 2, rel=1e-6)
    assert [s.slope for s in square.sent] == [1.5, 1.5]


def test_values_are_known_where_the_tape_or_a_variable_keeps_them():
    x, w = leaf(*[0.5] * 100), leaf(*[2.0] * 100)
    product = x * w
    loss = (product + 1).tanh().sum()
    story = of_tensor(loss)
    known = {n.title: n.value is not None for n in story.nodes if not n.leaf}
    assert known == {"×": False, "+ 1": False, "tanh": True, "sum": True}
    with_names = of_tensor(loss, Known.among({"product": product}))
    assert node(with_names, "product").value == pytest.approx(np.ones(100))


def test_what_a_node_saves_is_named():
    x, w = leaf(1.0, 2.0), leaf(3.0, 4.0)
    h = x * w
    story = of_tensor(h.exp().sum(), Known.among({"x": x, "w": w, "h": h}))
    kept = {n.grad_fn: [story.nodes[k].called for k in n.keeps] for n in story.nodes}
    assert kept == {
        "AccumulateGrad": [], "MulBackward0": ["x", "w"], "ExpBackward0": ["the result of exp"], "SumBackward0": []
    }  # fmt: skip


def test_leaves_have_the_names_of_variables_and_of_parameters():
    net, x = torch.nn.Linear(2, 1), leaf(1.0, 2.0)
    loss = net(x).sum()
    story = of_tensor(loss, Known.among({"net": net, "x": x, "loss": loss, "_y": x}))
    assert sorted(n.title for n in story.leaves) == ["net.bias", "net.weight", "x"] and story.name == "loss"
    assert sorted(n.title for n in of_tensor(loss).leaves) == ["leaf 1", "leaf 2", "leaf 3"]


def test_odd_variables_do_not_disturb():
    class Odd:
        def __getattr__(self, name):
            raise RuntimeError("not now")

    assert Known.among({"odd": Odd(), "kind": torch.nn.Linear, "module": torch}) == Known()
    assert not is_taped(Odd()) and is_taped(leaf(1.0))


def test_a_released_tape_says_so_and_has_no_steps():
    x = leaf(1.0, 2.0)
    loss = (x * x).sum()
    loss.backward()
    story = of_tensor(loss)
    assert story.released and story.steps == [] and "backward(retain_graph=True)" in story.notices[0]
    again = (x * x).sum()
    again.backward(retain_graph=True)
    assert not of_tensor(again).released and len(of_tensor(again).steps) == 2


def test_a_tape_that_saves_nothing_cannot_be_used_up():
    x = leaf(1.0, 2.0)
    loss = (x + 1).sum()
    loss.backward()
    assert not of_tensor(loss).released and len(of_tensor(loss).steps) == 2


def test_a_saved_value_that_was_changed_in_place_is_reported():
    x = leaf(1.0, 2.0)
    h = x.exp()
    loss = h.sum()
    h.add_(1.0)
    story = of_tensor(loss)
    assert story.steps == [] and "modified by an inplace operation" in story.notices[0]


def test_hooks_are_not_run_but_told():
    x, calls = leaf(1.0, 2.0), []
    h = x * 3
    h.register_hook(lambda g: calls.append(g))
    story = of_tensor(h.sum())
    assert calls == [] and any("Hooks on this tape are not run" in words for words in story.notices)


class Halved(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x)
        return x * y, x + y

    @staticmethod
    def backward(ctx, g, h):
        return g * 0.5 + h, None


def test_a_function_of_ones_own_with_two_results_and_a_gradient_that_is_none():
    x, y = leaf(1.0, 2.0), leaf(3.0, 4.0)
    first, second = Halved.apply(x, y)
    story = of_tensor((first * 2 + second).sum(), Known.among({"x": x, "y": y}))
    totals = last_totals(story)
    assert totals[node(story, "x").index] == pytest.approx([2.0, 2.0])
    assert node(story, "y").index not in totals and x.grad is None
    custom = next(n for n in story.nodes if n.grad_fn == "HalvedBackward")
    assert (custom.value, custom.keeps) == (None, ())


def test_an_op_in_place_is_part_of_the_tape():
    x = leaf(1.0, 2.0)
    q = x * 2
    q[0] = 5.0
    story = of_tensor((q * q).sum(), Known.among({"x": x}))
    assert last_totals(story)[node(story, "x").index] == pytest.approx([0.0, 16.0])


@pytest.mark.parametrize("tensor", [torch.tensor(1.0), torch.tensor(1.0, requires_grad=True), leaf(1.0).detach()])
def test_a_tensor_without_a_history_is_refused(tensor):
    with pytest.raises(ValueError, match="this tensor has no history: nothing with requires_grad=True led to it"):
        of_tensor(tensor)


def test_a_nan_is_not_blamed_on_an_op_whose_inputs_were_not_kept():
    x = leaf(-1.0, 2.0)
    h = x.log()
    loss = h.sum()
    (words,) = of_tensor(loss).notices
    assert words.startswith("The result of sum holds nan.") and "may be further back" in words
    (words,) = of_tensor(loss, Known.among({"x": x, "h": h})).notices
    assert words == "The first nan comes from log: its inputs are finite (x from −1 to 2)."


def test_data_are_leaves_without_a_node():
    x, y, w = torch.eye(2) * 2, torch.tensor([[3.0], [1.0]]), torch.tensor([[0.5], [1.0]], requires_grad=True)
    loss = ((x @ w - y) ** 2).sum()
    story = of_tensor(loss, Known.among({"x": x, "y": y, "w": w}))
    assert [(n.title, n.grad_fn) for n in story.leaves] == [("x", ""), ("y", ""), ("w", "AccumulateGrad")]
    assert node(story, "x").index in node(story, "mm").parents and node(story, "y").index in node(story, "−").parents
    assert story.notices == [] and node(story, "y").index not in last_totals(story)
    loss.backward()
    assert last_totals(story)[node(story, "w").index] == pytest.approx(w.grad.numpy())


def test_ops_are_in_the_module_whose_parameters_they_use():
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
    story = of_tensor(net(torch.ones(5, 3)).sum(), Known.among({"net": net}))
    ops = [(node.title, ".".join(scope.name for scope in node.scope)) for node in story.nodes if not node.leaf]
    assert ops == [("t", "net.0"), ("addmm", "net.0"), ("tanh", ""), ("t", "net.2"), ("addmm", "net.2"), ("sum", "")]


def test_a_module_that_is_called_twice_is_two_boxes():
    layer = torch.nn.Linear(2, 2)
    story = of_tensor(layer(torch.tanh(layer(torch.ones(1, 2)))).sum(), Known.among({"layer": layer}))
    assert {node.scope[0].call for node in story.nodes if node.scope} == {1, 2}
