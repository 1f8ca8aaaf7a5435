"""`labkit.show` on the installed PyTorch. `test_installed.py` runs this file in a Python that has it."""

import gc
import random
import warnings
import weakref
from contextlib import contextmanager

import models
import numpy as np
import pytest
import torch
from torch import nn
from torch.autograd.graph import saved_tensors_hooks
from torch.utils.checkpoint import checkpoint

import labkit
from labkit.realtape import FREED, KEPT, PACKED, Spread

warnings.filterwarnings("error", category=UserWarning)
NAMES = sorted(models.MODELS)


# ---- what must not change ----


def everything(modules, tensors=()):
    """All that is said not to change, as bytes, with which objects and versions they are."""
    state = [torch.get_rng_state().numpy().tobytes(), random.getstate(), repr(np.random.get_state())]
    for module in modules:
        for name, inside in module.named_modules():
            state.append((name, inside.training, sorted(vars(inside)), list(inside._buffers), list(inside._parameters)))
        tensors = [*tensors, *module.parameters(), *module.buffers()]
    for t in tensors:
        grad = None if not t.is_leaf or t.grad is None else (id(t.grad), t.grad._version, as_bytes(t.grad))
        state.append((id(t), t.data_ptr(), t._version, t.requires_grad, as_bytes(t), grad))
    return state


def as_bytes(tensor):
    return tensor.detach().contiguous().view(-1).view(torch.uint8).numpy().tobytes()


@contextmanager
def nothing_changes(modules, *tensors):
    before = everything(modules, tensors)
    yield
    assert everything(modules, tensors) == before


def gradients(losses, modules, **more):
    sum(losses).backward(**more)
    return {
        n: None if p.grad is None else as_bytes(p.grad) for k, m in modules.items() for n, p in m.named_parameters(k)
    }


@pytest.mark.parametrize("name", NAMES)
def test_reading_changes_nothing(name):
    losses, modules, x = models.build(name)
    with nothing_changes(modules.values(), x):
        picture = labkit.show(*losses, model=modules)
        picture.html()
    assert gradients(losses, modules) == gradients(*models.build(name)[:2])
    assert labkit.show(*losses).tape.saved[0].state == FREED
    if name not in ("bug", "mlp"):
        assert not picture.tape.unreached


@pytest.mark.parametrize("name", NAMES)
def test_an_extra_backward_changes_nothing_and_shows_what_backward_gives(name):
    losses, modules, x = models.build(name)
    for module in modules.values():
        for k, p in enumerate(module.parameters()):
            p.grad = torch.full_like(p, 0.5) if k % 2 and p.requires_grad else None
    with nothing_changes(modules.values(), x):
        tape = labkit.show(*losses, model=modules, backward=True).tape
    assert tape.backward and not tape.failed
    for module in modules.values():
        module.zero_grad()
    given = gradients(losses, modules)
    assert given == gradients(*models.build(name)[:2])
    named = {f"{k}.{n}": p for k, m in modules.items() for n, p in m.named_parameters()}
    for i, value in tape.gradients.items():
        grad = named[tape.nodes[i].label].grad
        assert value.shape == tuple(grad.shape)
        shown = value.numbers if isinstance(value.numbers, np.ndarray) else value.numbers.norm
        expected = grad.numpy() if isinstance(shown, np.ndarray) else grad.double().norm().item()
        np.testing.assert_allclose(shown, expected, rtol=1e-6)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("train", [True, False])
def test_running_a_module_changes_nothing(name, train):
    _, modules, x = models.build(name)
    module = next(iter(modules.values())).train(train)
    next(module.modules()).training = train
    with nothing_changes([module], x):
        picture = labkit.show(module, x, backward=True)
        picture.html()
    assert picture.tape.ran and not picture.tape.failed
    outer = {node.scope[0][0] for node in picture.tape.nodes if node.scope}
    assert outer <= {n for n, _ in module.named_modules()}
    assert outer or name == "custom"


# ---- nothing is kept alive ----


@pytest.mark.parametrize("backward", [False, True])
def test_nothing_is_kept_alive(backward):
    gc.collect()
    gc.disable()
    try:
        net, x = models.Checkpointed(), torch.randn(5, 4, requires_grad=True)
        h = torch.tanh(x)
        loss = net(h).sum()
        picture = labkit.show(loss, model=net, backward=backward)
        watched = [weakref.ref(t) for t in (net, x, h, loss, *net.parameters())]
        del net, x, h, loss
        if any(
            ref() is not None for ref in watched
        ):  # only what is in circles of the user's own may need the collector
            gc.collect()
        assert [ref() for ref in watched if ref() is not None] == []
        assert picture.tape
    finally:
        gc.enable()


def test_without_checkpoint_nothing_waits_for_the_collector():
    gc.collect()
    gc.disable()
    try:
        w = torch.randn(3, requires_grad=True)
        h = w.exp()
        loss = (h * h).sum()
        picture = labkit.show(loss, backward=True)
        watched = [weakref.ref(t) for t in (w, h, loss)]
        del w, h, loss
        assert [ref() for ref in watched] == [None] * 3
        assert picture.tape.name == "loss"
    finally:
        gc.enable()


def test_a_run_leaves_no_tensor_behind():
    net, x = models.Checkpointed(), torch.randn(5, 4)
    labkit.show(net, x, backward=True)
    gc.collect()
    before = sum(issubclass(type(o), torch.Tensor) for o in gc.get_objects())
    pictures = [labkit.show(net, x, backward=True) for _ in range(3)]
    gc.collect()
    assert sum(issubclass(type(o), torch.Tensor) for o in gc.get_objects()) == before
    assert len(pictures) == 3


def test_nothing_is_freed():
    w = torch.randn(3, requires_grad=True)
    loss = w.exp().sum()
    for _ in range(3):
        assert not labkit.show(loss, backward=True).tape.failed
    loss.backward()
    np.testing.assert_array_equal(w.grad, w.detach().exp())


# ---- hooks, packed tensors and checkpoints ----


def packed_by(pack=lambda t: t.numpy().copy(), count=None):
    count = [0] if count is None else count

    def unpack(array):
        count[0] += 1
        return torch.from_numpy(array)

    return saved_tensors_hooks(pack, unpack), count


def test_what_a_hook_packed_is_named_and_never_unpacked():
    hooks, count = packed_by(lambda t: t.detach().numpy().copy())
    w = torch.randn(3, requires_grad=True)
    with hooks:
        packed = w.exp() * w
    loss = (packed * packed).sum()
    picture = labkit.show(loss)
    picture.html()
    assert count == [0]
    states = {node.name: [s.state for s in node.saved] for node in picture.tape.nodes if node.saved}
    assert states == {"ExpBackward0": [PACKED], "MulBackward0": [KEPT, KEPT]} or PACKED in states["MulBackward0"]
    assert "unpack" in next(s for s in picture.tape.saved if s.state == PACKED).why
    assert "packed by a hook" in str(picture.tape) and "Packed by a hook" in picture.describe()
    assert labkit.show(loss, backward=True).tape.gradients and count == [3]


class Mixed(torch.autograd.Function):
    """Saves two tensors, of which a hook packs both or none."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x, x * 2)
        return x * x

    @staticmethod
    def backward(ctx, g):
        return g * ctx.saved_tensors[1]


def test_the_saved_tensors_of_a_function_of_ones_own_are_not_unpacked():
    hooks, count = packed_by(lambda t: t.detach().numpy().copy())
    x = torch.randn(2, requires_grad=True)
    with hooks:
        y = Mixed.apply(x)
    tape = labkit.show(y.sum()).tape
    assert count == [0] and [s.state for s in tape.saved if s.name.startswith("tensors")] == [PACKED, PACKED]
    plain = labkit.show(Mixed.apply(x).sum()).tape
    assert [s.state for s in plain.saved] == [KEPT, KEPT] and plain.saved[1].value is not None


def test_a_checkpoint_is_not_computed_again_by_reading():
    runs, lin = [0], nn.Linear(3, 3)

    def block(t):
        runs[0] += 1
        return lin(t).tanh()

    loss = checkpoint(block, torch.randn(2, 3), use_reentrant=False).sum()
    picture = labkit.show(loss)
    assert runs == [1] and "checkpoint" in picture.describe()
    labkit.show(loss, backward=True)
    assert runs == [2]
    loss.backward()
    assert runs == [3]


def test_a_reentrant_checkpoint_is_walked_by_a_backward_that_leaves_no_gradient():
    lin, x, other = nn.Linear(3, 3), torch.randn(2, 3, requires_grad=True), torch.ones(2, requires_grad=True)
    x.grad, held = torch.full_like(x, 0.5), torch.ones(2)
    other.grad = held
    loss = checkpoint(lambda t: lin(t).tanh(), x.exp(), use_reentrant=True).sum()
    with nothing_changes([lin], x, other):
        picture = labkit.show(loss, model=lin, backward=True)
    assert not picture.tape.failed and other.grad is held
    assert picture.tape.hidden == {"weight": "CheckpointFunction", "bias": "CheckpointFunction"}
    assert not picture.tape.unreached and "inside CheckpointFunction" in in_one_line(picture)
    shown, x.grad = picture.tape.gradients[0].numbers, None
    loss.backward()
    np.testing.assert_array_equal(shown, x.grad.numpy())


def test_a_hook_on_several_gradients_runs_in_the_extra_backward():
    net, seen = nn.Linear(3, 2), []
    torch.autograd.graph.register_multi_grad_hook(list(net.parameters()), lambda grads: seen.append(len(grads)))
    loss = net(torch.randn(4, 3)).tanh().sum()
    with nothing_changes([net]):
        tape = labkit.show(loss, model=net, backward=True).tape
    assert not tape.failed and seen == [2]
    loss.backward()
    assert tape.gradients[1].numbers.tolist() == net.bias.grad.tolist() or tape.gradients[0].numbers.size == 2


def test_a_selective_checkpoint_can_still_be_walked():
    utils = pytest.importorskip("torch.utils.checkpoint")
    if not hasattr(utils, "create_selective_checkpoint_contexts"):
        pytest.skip("an older PyTorch")
    net, x = nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.Linear(8, 4)), torch.randn(3, 4)

    def contexts():
        keep = utils.CheckpointPolicy
        return utils.create_selective_checkpoint_contexts(
            lambda ctx, op, *args, **kwargs: keep.MUST_SAVE if "addmm" in str(op) else keep.PREFER_RECOMPUTE
        )

    loss = checkpoint(net, x, use_reentrant=False, context_fn=contexts).square().sum()
    for _ in range(2):
        assert not labkit.show(loss, model=net, backward=True).tape.failed
    loss.backward()


def test_the_kept_gradient_of_a_result_is_as_before():
    w = torch.randn(3, requires_grad=True)
    h, g = w.exp(), w * 2
    h.retain_grad()
    g.retain_grad()
    (h.sum() * 3).backward(retain_graph=True)
    before, loss = h.grad, (h * g).sum()
    numbers = before.clone()
    labkit.show(loss, backward=True)
    assert h.grad is before and torch.equal(h.grad, numbers) and g.grad is None


def test_hooks_of_the_user_run_and_are_said_to_and_ours_are_gone():
    seen, w = [], torch.randn(3, requires_grad=True)
    h = w.exp()
    h.register_hook(lambda g: seen.append("h") or g * 10)
    w.register_hook(lambda g: seen.append("w") or g * 2)
    w.register_post_accumulate_grad_hook(lambda p: seen.append("after"))
    loss = h.sum()
    picture = labkit.show(loss, backward=True)
    assert seen == ["h", "w"] and "hooks" in picture.describe()
    assert picture.tape.gradients[0].numbers == pytest.approx((20 * w.detach().exp()).numpy())
    steps = len(picture.tape.steps)
    loss.backward()
    assert seen == ["h", "w"] * 2 + ["after"] and len(picture.tape.steps) == steps


def test_an_error_in_a_hook_is_shown_and_all_is_put_back():
    net, x = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2)), torch.randn(3, 2)
    h = net(x)
    h.register_hook(lambda g: 1 / 0)
    loss = h.exp().sum()
    with nothing_changes([net], x):
        picture = labkit.show(loss, backward=True)
    assert "ZeroDivisionError" in picture.describe() and picture.tape.steps


def test_a_hook_that_steps_the_optimizer_does_not_get_away_with_it():
    net = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    net.weight.grad = torch.ones_like(net.weight)

    def step(g):
        optimizer.step()
        optimizer.zero_grad()

    net.bias.register_hook(step)
    loss = net(torch.randn(3, 2)).sum()
    with nothing_changes([net]):
        labkit.show(loss, model=net, backward=True)


# ---- values ----


def test_values_are_those_of_the_tensors():
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    h = w * 3
    loss = h.exp().sum()
    tape = labkit.show(loss).tape
    by_name = {node.name: node for node in tape.nodes}
    np.testing.assert_array_equal(by_name["MulBackward0"].values[0].numbers, h.detach().numpy())
    np.testing.assert_array_equal(by_name["ExpBackward0"].values[0].numbers, h.detach().exp().numpy())
    assert by_name["MulBackward0"].label == "h" and tape.name == "loss"
    assert by_name["ExpBackward0"].saved[0].bytes == 8 and tape.kept_bytes() == 8 + 8  # the result, and the number 3


def test_what_no_node_saved_is_not_kept():
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    picture = labkit.show((w + 1).sum() + 2)
    assert "not kept by the tape" in picture.describe()
    page = picture.html()
    assert "not kept" in page


def test_changed_in_place_is_said_and_no_value_is_shown():
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    h = w.exp()
    loss = (h * h).sum()
    h.add_(1)
    picture = labkit.show(loss, backward=True)
    assert "What exp and mul saved was changed in place afterwards: backward() raises" in in_one_line(picture)
    changed = [s for s in picture.tape.saved if s.state == "changed"]
    assert changed and all(s.value is None for s in changed)


def test_half_types_complex_numbers_and_empty_tensors():
    w = torch.tensor([1.0, 2.0], dtype=torch.bfloat16, requires_grad=True)
    assert labkit.show(w.exp().sum(), backward=True).tape.gradients[0].dtype == "bfloat16"
    z = torch.tensor([1 + 1j], requires_grad=True)
    tape = labkit.show((z * z.conj()).real.sum(), backward=True).tape
    assert tape.gradients[0].numbers == pytest.approx([2 + 2j])
    empty = torch.zeros(0, 3, requires_grad=True)
    assert labkit.show(empty.exp().sum(), backward=True).tape.gradients[0].shape == (0, 3)


def test_a_subclass_of_the_users_is_not_asked():
    asked = []

    class Mine(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            asked.append(func)
            return super().__torch_function__(func, types, args, kwargs or {})

    w = torch.randn(3).as_subclass(Mine).requires_grad_()
    loss = w.exp().sum()
    asked.clear()
    picture = labkit.show(loss)
    assert asked == [] and picture.tape.nodes[0].values


def test_what_has_no_numbers_has_a_shape():
    net = nn.Linear(3, 2, device="meta")
    picture = labkit.show(net(torch.randn(4, 3, device="meta")).sum())
    assert picture.tape.nodes[-2].outputs[0][0] == (4, 2) and not picture.tape.nodes[-2].values


def test_a_partly_freed_tape():
    w = torch.randn(2, requires_grad=True)
    h = w.exp()
    first, second = h.sum(), (h * h).sum()
    first.backward()
    picture = labkit.show(second, backward=True)
    states = {node.name: {s.state for s in node.saved} for node in picture.tape.nodes if node.saved}
    assert states == {"ExpBackward0": {FREED}, "MulBackward0": {KEPT}}
    assert "freed" in picture.describe()


# ---- what is found ----


def dense(*layers, last=1):
    torch.manual_seed(0)
    return nn.Sequential(*[made for layer in layers for made in (nn.Linear(6, 6), layer())], nn.Linear(6, last))


def inputs():
    torch.manual_seed(1)
    return torch.randn(16, 6), torch.randn(16, 1), torch.randint(0, 3, (16,))


def mse(net, x, y):
    return ((net(x) - y) ** 2).mean()


def detached():
    net, (x, y, _) = dense(nn.ReLU, nn.ReLU), inputs()
    return mse(net[2:], net[:2](x).detach(), y), net, "0.weight and 0.bias get no gradient: no path leads there."


def frozen():
    net, (x, y, _) = dense(nn.ReLU), inputs()
    net[0].requires_grad_(False)
    return mse(net, x, y), net, "Frozen (requires_grad=False): 0.weight and 0.bias."


def dead():
    net, (x, y, _) = dense(nn.ReLU), inputs()
    net[0].bias.data.fill_(-50.0)
    return mse(net, x, y), net, "No gradient passes relu after 0: all its 96 numbers are 0, where its slope is 0."


def not_zeroed():
    net, (x, y, _) = dense(nn.Tanh), inputs()
    mse(net, x, y).backward()
    return mse(net, x, y), net, "2.bias.grad, 0.bias.grad, 0.weight.grad and 1 more hold something already"


def changed():
    net, (x, y, _) = dense(nn.Sigmoid), inputs()
    h = net[:2](x)
    loss = mse(net[2:], h, y)
    h.mul_(2)
    return loss, net, "What sigmoid after 0 and addmm in 2 saved was changed in place afterwards"


def spread():
    net, (x, y, _) = dense(nn.ReLU), inputs()
    return mse(net, x, y.squeeze(1)), net, "sub after 2 broadcasts 16 numbers against 16 others"


def vanishing():
    net, (x, y, _) = dense(*[nn.Sigmoid] * 8), inputs()
    return mse(net, x, y), net, "The gradient shrinks during the backward pass: its norm goes from"


BUGS = [detached, frozen, dead, not_zeroed, changed, spread, vanishing]


def in_one_line(picture):
    return picture.describe().replace("\n", " ")


@pytest.mark.parametrize("bug", BUGS)
def test_a_planted_bug_is_what_is_seen_first(bug):
    loss, net, words = bug()
    for backward in (False, True):
        if backward or bug is not vanishing:
            picture = labkit.show(loss, model=net, backward=backward)
            assert words in picture.notice, bug
            assert picture.notice.count(". ") < 2


@pytest.mark.filterwarnings("ignore:Using a target size")
@pytest.mark.parametrize("op", [
    nn.functional.mse_loss, nn.functional.l1_loss, nn.functional.smooth_l1_loss, nn.functional.huber_loss,
    lambda p, y: ((p - y) ** 2).mean(), lambda p, y: (y - p).abs().sum(), lambda p, y: (p + y).square().mean().sqrt(),
])  # fmt: skip
def test_a_column_that_meets_a_row_is_noticed(op):
    net, (x, y, _) = dense(nn.ReLU), inputs()
    x.requires_grad_()
    loss = op(net(x), y[:, 0])
    with nothing_changes([net], x):
        picture = labkit.show(loss, model=net)
    (found,) = [Spread(*node.spread) for node in picture.tape.nodes if node.spread is not None]
    assert found.sure and found.side == 16


def test_pairs_are_not_told_of_where_the_other_side_may_be_a_square_itself():
    net, (x, *_) = dense(nn.ReLU), inputs()
    for loss in ((torch.randn(16, 16) * net(x)).mean(), ((torch.randn(16, 16) - net(x)) ** 2).mean()):
        assert not any(Spread(*n.spread).sure for n in labkit.show(loss).tape.nodes if n.spread is not None)


def test_data_is_told_to_be_detached_where_a_variable_holds_the_same_memory():
    net, (x, y, _) = dense(nn.ReLU, nn.ReLU), inputs()
    h = net[:2](x)
    for cut in (h.detach(), h.data):
        story = labkit.show(mse(net[2:], cut, y), model=net).story
        assert [story.nodes[i].title for i in story.marked] == ["cut, detached"]
        assert "0.weight and 0.bias get no gradient: no path leads there." in story.notices


def test_attention_is_seen_by_its_parts_and_an_input_that_was_copied_is_drawn():
    x, parts = torch.randn(2, 5, 8), {"Q", "K", "V", "scores: Q·Kᵀ", "softmax", "output: softmax·V"}

    def seen(picture):
        return {card["title"] for card in picture.data["ways"][picture.opened]["cards"]}

    assert parts < seen(labkit.show(nn.MultiheadAttention(8, 2, batch_first=True), x, x, x))
    layer = labkit.show(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), x)
    assert "src, a copy" in seen(layer) and "mask" in seen(layer)
    layer.unfold("self_attn")
    assert parts < seen(layer)


def test_a_tape_is_named_after_what_was_shown():
    net, (x, y, _) = dense(nn.ReLU), inputs()
    loss = mse(net, x, y)
    picture = labkit.show(loss, net(x).sum())
    assert picture.tape.name == "loss, sum"


def test_a_run_as_it_should_be_has_no_finding():
    net, (x, y, _) = dense(nn.ReLU, nn.Tanh), inputs()
    for backward in (False, True):
        picture = labkit.show(mse(net, x, y), model=net, backward=backward)
        assert picture.notice == "" and not picture.story.marked


def test_of_variables_the_parts_of_modules_in_use_are_told():
    (x, y, _), net, other = inputs(), dense(nn.ReLU, nn.ReLU), dense(nn.ReLU)
    loss = mse(net[2:], net[:2](x).detach(), y)
    assert labkit.show(loss).notice.startswith("net.0.weight and net.0.bias get no gradient")
    assert "other" not in labkit.show(loss).notice and other


# ---- names ----


def test_frozen_detached_and_unused_parts():
    net = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 3), nn.Linear(3, 2))
    net[1].weight.requires_grad_(False)
    x = torch.randn(2, 3)
    h = net[1](net[0](x))
    loss = (h * h.detach()).sum()
    picture = labkit.show(loss, model=net)
    assert picture.tape.frozen == ("1.weight",) and picture.tape.unreached == ("2.weight", "2.bias")
    titles = [node.title for node in picture.story.leaves]
    assert "1.weight, frozen" in titles and "h, detached" in titles and "0.weight" in titles
    assert "1.weight" in picture.describe() and "2.weight" in picture.describe()
    with pytest.raises(TypeError, match="expected a torch"):
        labkit.show(loss, model=3)


def test_names_of_variables_and_of_several_models():
    encoder, scale = nn.Linear(2, 2), torch.tensor(2.0, requires_grad=True)
    loss = (encoder(torch.ones(1, 2)) * scale).sum()
    labels = {node.label for node in labkit.show(loss).tape.nodes if node.leaf}
    assert labels == {"encoder.weight", "encoder.bias", "scale"}
    labels = {node.label for node in labkit.show(loss, model={"e": encoder}).tape.nodes if node.leaf}
    assert labels == {"e.weight", "e.bias", "scale"}


def test_several_losses_are_one_picture():
    w = torch.randn(2, requires_grad=True)
    a, b = w.sum(), w.exp().sum()
    tape = labkit.show(a, b, backward=True).tape
    assert tape.name == "a, b" and len(tape.roots) == 2
    np.testing.assert_allclose(tape.gradients[0].numbers, 1 + w.detach().exp().numpy(), rtol=1e-6)


# ---- running ----


def test_modules_are_layers():
    _, modules, x = models.build("transformer")
    picture = labkit.show(modules["net"], x)
    titles = [part.title for part in picture.parts if not isinstance(part, int)]
    assert titles == ["layers.0: TransformerEncoderLayer", "layers.1: TransformerEncoderLayer"]
    picture.unfold("layers.0")
    assert "self_attn" in picture.html()


def test_a_function_of_tensors_is_run():
    net = nn.Linear(2, 2)
    picture = labkit.show(lambda x: net(x).exp().sum(), torch.ones(1, 2), backward=True)
    assert {node.label for node in picture.tape.nodes if node.leaf} == {"net.weight", "net.bias"}
    assert any(scope[1] == "Linear" for node in picture.tape.nodes for scope in node.scope)


class Careless(nn.Module):
    """Keeps what it computed, counts its calls, turns to eval, writes into its input, a buffer and its parameter."""

    def __init__(self):
        super().__init__()
        self.fc, self.calls = nn.Linear(2, 2), 0
        self.register_buffer("mean", torch.zeros(2))

    def forward(self, x):
        self.last = self.fc(x)
        self.calls += 1
        self.eval()
        x.add_(1)
        self.mean.mul_(0.9).add_(x.mean(0))
        self.fresh = nn.Parameter(torch.rand(2) + float(np.random.rand()) + random.random())
        with torch.no_grad():
            self.fc.weight.clamp_(-0.01, 0.01)
        if self.fails:
            raise KeyError("missing")
        return self.last.detach() * self.fc.bias

    fails = False


@pytest.mark.parametrize("fails", [False, True])
def test_a_careless_module_is_put_back(fails):
    net, x = Careless(), torch.randn(3, 2)
    net.fails = fails
    with nothing_changes([net], x):
        if fails:
            with pytest.raises(KeyError, match="missing") as raised:
                labkit.show(net, x)
            assert "labkit.show" in raised.value.__notes__[0]
        else:
            labkit.show(net, x, backward=True)
    assert net.calls == 0 and net.training
    hooks = torch.nn.modules.module
    assert not hooks._global_forward_hooks and not hooks._global_forward_pre_hooks


class Cache:
    def __init__(self):
        self.keys, self.length = [], 0


class Remembering(nn.Module):
    """Writes to a list, a dict, an object and a tensor that is not a buffer, and draws from generators of its own."""

    def __init__(self):
        super().__init__()
        self.fc, self.cache, self.log, self.seen = nn.Linear(2, 2), Cache(), [], {"calls": {"all": 0}}
        self.scale = torch.ones(2)
        self.own = [torch.Generator().manual_seed(1), np.random.default_rng(1), random.Random(1)]

    def forward(self, x):
        first, second, third = self.own
        self.cache.keys.append(x)
        self.cache.length += 1
        self.log.append(1)
        self.seen["calls"]["all"] += 1
        self.scale.mul_(0.5)
        return self.fc(x + torch.rand(2, generator=first) + float(second.random()) + third.random())


def test_what_a_module_keeps_in_objects_and_generators_is_put_back():
    net, x = Remembering(), torch.randn(3, 2)
    states = lambda: [net.own[0].get_state().tolist(), net.own[1].bit_generator.state, net.own[2].getstate()]
    before = states()
    with nothing_changes([net], x, net.scale):
        labkit.show(net, x, backward=True)
    assert (net.cache.keys, net.cache.length, net.log, net.seen) == ([], 0, [], {"calls": {"all": 0}})
    assert states() == before


def test_a_training_step_in_a_function_does_not_train():
    torch.manual_seed(0)
    net, x = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2)), torch.randn(5, 2)
    optimizer, history = torch.optim.Adam(net.parameters()), []

    def step():
        loss = net(x).square().sum()
        history.append(loss.item())
        optimizer.zero_grad()
        loss.backward(retain_graph=True)
        optimizer.step()
        return net(x).sum()

    with nothing_changes([net], x):
        picture = labkit.show(step)
        labkit.why(step, net[0].weight)
    assert not history and {node.scope[0][0] for node in picture.tape.nodes if node.scope} == {"net"}
    assert not optimizer.state and {"net.0.weight", "net.1.bias"} <= {n.label for n in picture.tape.nodes if n.leaf}


def test_a_scripted_module_is_folded_by_its_parameters():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        net = torch.jit.script(nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1)))
    tape = labkit.show(net, torch.randn(4, 2)).tape
    assert {node.scope[0][0] for node in tape.nodes if node.scope} == {"0", "2"}


def test_nested_tensors_have_no_shape():
    w = torch.randn(4, 4, requires_grad=True)
    for layout in (torch.jagged, torch.strided):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            nested = torch.nested.nested_tensor([torch.randn(2, 4), torch.randn(3, 4)], layout=layout)
        loss = (
            (nested @ w).values().sum()
            if layout is torch.jagged
            else torch.nested.to_padded_tensor(nn.functional.linear(nested, w), 0.0).sum()
        )
        picture = labkit.show(loss, backward=True)
        assert "float32, nested" in str(picture.tape) and picture.tape.nodes
        assert list(picture.tape.gradients[0].shape) == [4, 4]


def test_a_buffer_that_the_users_tape_needs_is_not_changed_for_it():
    net, x = nn.BatchNorm1d(3), torch.randn(4, 3, requires_grad=True)
    loss = (net.running_mean * x).sum()  # saves the buffer
    labkit.show(net, torch.randn(4, 3), backward=True)
    loss.backward()
    np.testing.assert_array_equal(x.grad, torch.zeros(4, 3))


def test_what_cannot_be_shown_says_why():
    with pytest.raises(ValueError, match="no history"):
        labkit.show(torch.ones(2))
    with pytest.raises(ValueError, match="is a leaf"):
        labkit.show(torch.ones(2, requires_grad=True))
    with pytest.raises(ValueError, match="created by the first run"):
        labkit.show(nn.LazyLinear(2), torch.ones(1, 2))
    with pytest.raises(ValueError, match="no history"):
        labkit.show(lambda x: x.argmax(), torch.ones(2, requires_grad=True))
    with pytest.raises(TypeError, match="show\\(loss\\)"):
        labkit.show([torch.ones(2)])


def test_under_no_grad_and_autocast():
    net, x = nn.Linear(2, 2), torch.randn(3, 2)
    with torch.no_grad():
        assert labkit.show(net, x).tape.nodes
    with torch.inference_mode():
        assert labkit.show(net, x, backward=True).tape.gradients
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert "ToCopyBackward0" in {node.name for node in labkit.show(net, x).tape.nodes}


def test_twelve_blocks_fold_and_open():
    net = nn.TransformerEncoder(nn.TransformerEncoderLayer(16, 2, 32, batch_first=True), 12, enable_nested_tensor=False)
    picture = labkit.show(net, torch.randn(2, 4, 16), backward=True)
    assert len(picture.parts) == 12 and len(picture.tape.nodes) > 700
    assert picture.data["ways"][picture.opened]["norms"]
    picture.unfold("layers.3/self_attn")
    assert "layers.3/linear1" not in picture.unfolded


def test_what_else_is_in_reach_is_only_looked_at():
    lazy, meta, sparse = nn.LazyLinear(2), torch.empty(3, device="meta"), torch.eye(2).to_sparse()
    held = locals()
    w = torch.ones(2, requires_grad=True)
    loss = torch.sparse.mm(sparse, w[:, None]).sum()
    tape = labkit.show(loss, backward=True).tape
    assert tape.name == "loss" and tape.gradients[0].numbers.tolist() == [1, 1]
    assert "lazy" in held  # `locals()` gives the same dictionary again, and it is the user's


def test_sparse_gradients_are_written_out():
    table = nn.Embedding(5, 2, sparse=True)
    loss = table(torch.tensor([1, 3, 3])).sum()
    with nothing_changes([table]):
        picture = labkit.show(loss, model=table, backward=True)
    assert not picture.tape.failed and picture.tape.steps
    assert picture.tape.gradients[0].numbers.sum(1).tolist() == [0, 2, 0, 4, 0]


def test_a_second_derivative_is_a_tape_as_well():
    x = torch.tensor(2.0, requires_grad=True)
    (slope,) = torch.autograd.grad(x**3, x, create_graph=True)
    tape = labkit.show(slope, backward=True).tape
    assert tape.gradients[0].numbers == 12 and tape.name == "slope"


def test_cases_of_views_and_several_results():
    x = torch.arange(6.0, requires_grad=True)
    a, b = x.view(2, 3).unbind()
    y = a.clone()
    y[0] = b[1]
    loss = (y * b).sum()
    tape = labkit.show(loss, backward=True).tape
    assert [s.state for n in tape.nodes if n.name == "CopySlices" for s in n.saved] == ["unknown"]
    expected = torch.autograd.grad(loss, x)[0]
    np.testing.assert_array_equal(tape.gradients[0].numbers, expected.numpy())


def test_a_finished_tape_is_folded_by_the_modules_that_its_parameters_tell():
    """As a run of the same model is folded, but for what has no parameters."""

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.blocks = torch.nn.ModuleList(
                torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Tanh()) for _ in range(2)
            )
            self.embed, self.head = torch.nn.Embedding(5, 4), torch.nn.Linear(4, 5, bias=False)
            self.head.weight = self.embed.weight

        def forward(self, x):
            x = self.embed(x)
            for block in self.blocks:
                x = block(x)
            return self.head(x)

    net, x = Net(), torch.tensor([1, 3])
    read, run = labkit.show(net(x).sum(), model=net).tape, labkit.show(net, x).tape
    named = [{n.scope[-1][:2] for n in tape.nodes if n.scope and n.scope[-1][1] != "Tanh"} for tape in (read, run)]
    assert named[0] == named[1] == {("embed", "Embedding"), ("0", "Linear"), ("head", "Linear")}
    assert [n.scope[0][0] for n in read.nodes if n.op == "addmm"] == ["blocks.0", "blocks.1"]
