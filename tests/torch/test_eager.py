"""What an eager op costs, in calls and in memory; deep graphs; walks back inside walks back."""

import gc
import sys
import tracemalloc
import weakref

import pytest

import labkit.torch as torch

STEPS = 50


def calls(run):
    """How many Python functions `run` calls."""
    seen = []
    profiler = sys.getprofile()
    sys.setprofile(lambda frame, event, _: event == "call" and seen.append(None))
    try:
        run()
    finally:
        sys.setprofile(profiler)
    return len(seen)


def chain(x):
    for _ in range(STEPS):
        x = torch.sin(x) * 1.01
    return x


def indexed(x):
    return sum(x[i, i] * x[i, i] for i in range(STEPS))


@pytest.mark.parametrize(
    ("program", "shape", "most"), [(chain, (10,), 90), (indexed, (STEPS, STEPS), 450)], ids=["chain", "indexed"]
)
def test_a_step_forward_and_back_takes_few_calls(program, shape, most):
    x = torch.ones(*shape, requires_grad=True)
    program(x).sum().backward()
    assert calls(lambda: program(x).sum().backward()) / STEPS < most


def deep(steps):
    y = torch.ones(10, requires_grad=True).clone()
    for _ in range(steps):
        y = y + y * 0.000001
    return y


def test_a_deep_graph_is_built_walked_and_let_go():
    """PyTorch's `test_deep_graph` and `test_free_deep_graph`."""
    x = torch.ones(10, requires_grad=True)
    y = x
    for _ in range(20_000):
        y = y + y * 0.000001
    first = weakref.ref(x)
    y.sum().backward()
    assert x.grad[0].item() == pytest.approx(1.000001**20_000, rel=1e-3)
    del x, y
    gc.collect()
    assert first() is None


def test_a_deep_graph_nobody_walked_is_let_go_at_once():
    y = deep(20_000)
    last = weakref.ref(y.grad_fn)
    gc.disable()
    try:
        del y
        assert last() is None
    finally:
        gc.enable()


def test_a_node_takes_about_a_kilobyte():
    """Its edge, what it saves, and the small arrays that it keeps for their shapes included."""
    deep(10)
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        y = deep(1000)
        taken = (tracemalloc.get_traced_memory()[0] - before) / 2000
    finally:
        tracemalloc.stop()
    assert y.requires_grad and taken < 1100


# ---- a walk back inside a walk back; PyTorch's `test_deep_reentrant` ----

DEPTH = 300


def leaf():
    return torch.ones(2, requires_grad=True)


def test_hooks_may_walk_back_to_any_depth():
    gradients = []

    def hook(g):
        gradients.append(g)
        if len(gradients) < DEPTH:
            with torch.enable_grad():
                started(hook)

    def started(hook):
        x = leaf()
        y = x * 2
        y.register_hook(hook)
        y.sum().backward()
        assert x.grad.tolist() == [2, 2]

    started(hook)
    assert len(gradients) == DEPTH


def nested(back):
    """A Function whose backward makes another graph and sends its gradient back through it, `depth` times over."""

    class Nested(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, depth):
            ctx.depth = depth
            return x.clone()

        @staticmethod
        def backward(ctx, g):
            if ctx.depth:
                x = leaf()
                with torch.enable_grad():
                    y = Nested.apply(x, ctx.depth - 1) * 1.0
                return back(y, x, g), None
            return g, None

    return Nested.apply


def by_backward(y, x, g):
    torch.autograd.backward(y, g)
    return x.grad


@pytest.mark.parametrize(
    "back", [by_backward, lambda y, x, g: torch.autograd.grad(y, x, g)[0]], ids=["backward", "grad"]
)
def test_functions_may_walk_back_to_any_depth(back):
    x = leaf()
    (nested(back)(x, DEPTH) * 3).sum().backward()
    assert x.grad.tolist() == [3, 3]


def test_deep_inside_the_modes_and_types_are_those_outside():
    seen = []

    def back(y, x, g):
        seen.append((torch.is_grad_enabled(), torch.tensor(1.0).dtype))
        return by_backward(y, x, g)

    torch.set_default_dtype(torch.float64)
    try:
        x = leaf()
        nested(back)(x, DEPTH).sum().backward()
    finally:
        torch.set_default_dtype(torch.float32)
    assert set(seen) == {(False, torch.float64)} and len(seen) == DEPTH


def test_an_error_deep_inside_comes_out():
    def back(y, x, g):
        if y.grad_fn.next_functions[0][0].depth == 0:
            raise ValueError("at the bottom")
        return by_backward(y, x, g)

    with pytest.raises(ValueError, match="at the bottom"):
        nested(back)(leaf(), DEPTH).sum().backward()
    x = leaf()
    (x * 2).sum().backward()
    assert x.grad.tolist() == [2, 2]
