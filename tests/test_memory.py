"""What the report says is kept is kept; checkpoints of the dialects' functions give the same gradients with less."""

import gc
import tracemalloc

import autograd.numpy as anp
import numpy as np
import pytest

import labkit.mindspore as ms
import labkit.torch as torch
from labkit import ops as primitives
from labkit.engine import grad
from labkit.memory import checkpoint, memory_report

N = 2**14
X = np.linspace(0.5, 1.5, N)
BYTES = X.nbytes


def kept(fun, *args):
    """`{label: what its rule keeps}` of every op."""
    return {row.label: row.keeps for row in memory_report(fun, *args).rows if row.op != "input"}


def chain(layers, segments=None):
    def run(x, k):
        for _ in range(k):
            x = anp.sin(x)
        return x

    def fun(x):
        for _ in range(segments or 0):
            x = checkpoint(lambda x: run(x, layers // segments))(x)
        return anp.sum(x if segments else run(x, layers))

    return fun


# ---- the report ----


def test_a_sum_keeps_nothing_a_product_both_factors_and_exp_its_result():
    def fun(x, y):
        s = x + y
        p = x * y
        e = anp.exp(x)
        d = x / y
        return s, p, e, d

    rows = kept(fun, X, X + 1)
    assert (rows["s"], rows["p"], rows["e"], rows["d"]) == ((), ("x", "y"), ("e",), ("x", "y"))


def test_a_constant_factor_is_kept_and_the_other_is_not():
    constant = X + 2

    def fun(x):
        p = x * constant
        return p

    (row,) = [row for row in memory_report(fun, X).rows if row.label == "p"]
    assert (row.keeps, row.kept) == (("constant",), BYTES)


def test_a_view_counts_as_the_array_it_looks_at():
    def fun(x):
        y = x * 2.0
        h = y[: N // 2] * y[N // 2 :]
        return h

    report = memory_report(fun, X)
    assert kept(fun, X)["h"] == ("y",)
    assert report.kept == BYTES


def test_an_array_kept_by_several_rules_counts_once():
    def fun(x):
        e = anp.exp(x)
        return e * e + anp.sin(e)

    report = memory_report(fun, X)
    assert report.kept == BYTES and report.inputs == BYTES
    assert sum(row.kept for row in report.rows) > BYTES


def test_rules_are_released_last_op_first_and_what_does_not_count_never():
    def fun(x):
        a = anp.sin(x)
        anp.exp(a)
        b = a * a
        return b

    rows = {row.op: row.released for row in memory_report(fun, X).rows}
    assert rows == {"input": 0, "sin": 2, "exp": 0, "multiply": 1}
    assert memory_report(fun, X).kept == BYTES


def test_a_chain_of_n_keeps_n_and_n_segments_keep_their_inputs():
    assert memory_report(chain(16), X).kept == 15 * BYTES
    assert [memory_report(chain(16, s), X).kept for s in (1, 2, 4, 8)] == [0, BYTES, 3 * BYTES, 7 * BYTES]


def test_the_peak_of_the_timeline_is_what_tracemalloc_measures():
    for fun in (chain(16), chain(16, 4)):
        report = memory_report(fun, X)
        assert abs(report.peak - BYTES - report.peak_both) < 0.1 * report.peak  # the input is not allocated inside
    assert memory_report(chain(16, 4), X).peak < 0.7 * memory_report(chain(16), X).peak


def test_the_timeline_rises_forward_and_ends_with_inputs_and_gradients():
    moments = memory_report(chain(8), X).timeline()
    forward = [m.bytes for m in moments if m.phase == "forward"]
    assert forward[:9] == [BYTES * k for k in range(1, 10)] and forward == sorted(forward)
    assert moments[-1].phase == "backward" and moments[-1].bytes == 2 * BYTES


def test_the_timeline_shows_what_is_computed_again():
    ops = [(m.phase, m.op) for m in memory_report(chain(8, 2), X).timeline()]
    assert ops.count(("forward", "sin")) == 0 and ops.count(("forward", "checkpoint")) == 2
    assert ops.count(("backward", "sin")) == 8


def test_bookkeeping_is_some_hundred_bytes_to_some_thousand_per_node():
    assert 200 < memory_report(chain(50), X).bookkeeping < 5000


def test_tracemalloc_goes_on_if_it_was_on():
    tracemalloc.start()
    try:
        memory_report(chain(4), X)
        assert tracemalloc.is_tracing()
    finally:
        tracemalloc.stop()
    memory_report(chain(4), X)
    assert not tracemalloc.is_tracing()


def test_it_prints_as_a_table():
    def fun(x, y):
        p = x * y
        return p

    lines = str(memory_report(fun, np.ones(4), np.ones(4))).splitlines()
    assert lines[0] == "memory of fun"
    assert lines[4].split() == ["p", "multiply", "32", "x,", "y", "64", "step", "1", "back"]
    assert lines[5] == "  the tape saves 0 bytes, besides 64 bytes of inputs"


def test_an_exception_leaves_everything_usable():
    def fun(x):
        raise RuntimeError("in the function")

    with pytest.raises(RuntimeError):
        memory_report(fun, X)
    assert gc.isenabled() and not tracemalloc.is_tracing()
    assert memory_report(chain(4), X).kept == 3 * BYTES


def test_cells_and_modules_with_their_parameters():
    module = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh())
    rows = memory_report(module, torch.ones(16, 4)).rows
    assert {"0.weight", "0.bias"} <= {row.label for row in rows}
    cell = ms.nn.SequentialCell(ms.nn.Dense(4, 8), ms.nn.Tanh())
    report = memory_report(cell, ms.Tensor(np.ones((16, 4), np.float32)))
    assert report.kept == 16 * 8 * 4 and report.rows[-1].op == "tanh"


def test_a_function_that_uses_parameters_from_outside():
    w = ms.Parameter(ms.Tensor(np.ones(3, np.float32)), name="w")
    report = memory_report(lambda x: x * w, ms.Tensor(np.ones(3, np.float32)), parameters=[w])
    assert report.rows[-1].keeps == ("w", "x")


# ---- checkpoints in the dialects ----


class Block(ms.nn.Cell):
    def __init__(self, n):
        super().__init__()
        self.fc = ms.nn.Dense(n, n)

    def construct(self, x):
        return ms.ops.tanh(self.fc(x)) * x


class Net(ms.nn.Cell):
    def __init__(self, wrap):
        super().__init__()
        self.blocks, self.wrap = ms.nn.CellList([Block(4), Block(4)]), wrap

    def construct(self, x):
        for block in self.blocks:
            x = self.wrap(block)(x)
        return x.sum()


@pytest.mark.parametrize("mode", ["PYNATIVE_MODE", "GRAPH_MODE"])
def test_a_cell_under_mindspores_grad(mode):
    checked, plain = Net(checkpoint), Net(lambda block: block)
    for ours, theirs in zip(checked.get_parameters(), plain.get_parameters(), strict=True):
        ours.set_data(theirs.value())
    x = ms.Tensor(np.linspace(-1, 1, 8, dtype=np.float32).reshape(2, 4))
    ms.set_context(mode=getattr(ms, mode))
    try:
        found = ms.value_and_grad(checked, 0, checked.trainable_params())(x)
        expected = ms.value_and_grad(plain, 0, plain.trainable_params())(x)
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    np.testing.assert_allclose(found[0].asnumpy(), expected[0].asnumpy(), rtol=1e-6)
    np.testing.assert_allclose(found[1][0].asnumpy(), expected[1][0].asnumpy(), rtol=1e-5)
    for ours, theirs in zip(found[1][1], expected[1][1], strict=True):
        np.testing.assert_allclose(ours.asnumpy(), theirs.asnumpy(), rtol=1e-5)


def test_a_mindspore_function_that_uses_parameters_has_to_name_them():
    w = ms.Parameter(ms.Tensor(3.0), name="w")
    x = ms.Tensor(2.0)
    product = lambda x: x * w
    with pytest.raises(ValueError, match="parameters"):
        ms.grad(lambda x: checkpoint(product)(x), 0, [w])(x)
    gradients = ms.grad(lambda x: checkpoint(product, parameters=[w])(x), 0, [w])(x)
    assert [float(g) for g in (gradients[0], gradients[1][0])] == [3.0, 2.0]


def test_a_module_on_torchs_tape():
    torch.manual_seed(0)
    block = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Tanh())
    x = torch.ones(2, 4, requires_grad=True)
    found = []
    for wrapped in (block, checkpoint(block)):
        x.grad = None
        block.zero_grad()
        wrapped(x).sum().backward()
        found.append([t.grad.numpy() for t in (x, *block.parameters())])
    for plain, checked in zip(*found, strict=True):
        np.testing.assert_allclose(checked, plain, rtol=1e-6)


def test_a_tensor_on_torchs_tape_that_is_no_argument_is_an_error():
    x, w = (torch.tensor(2.0, requires_grad=True) for _ in range(2))
    with pytest.raises(ValueError, match="not one of its arguments"):
        checkpoint(lambda x: x * w)(x)
    checkpoint(lambda x: x * w)(x.detach()).backward()
    assert w.grad.item() == 2.0


def test_several_outputs_a_freed_tape_and_create_graph():
    fun = checkpoint(lambda x: (x**3, x * 2))
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    cube, double = fun(x)
    (cube.sum() + double.sum()).backward()
    assert x.grad.tolist() == [5.0, 14.0]
    with pytest.raises(RuntimeError, match="a second time"):
        cube.sum().backward()
    (first,) = torch.autograd.grad(fun(x)[0].sum(), x, create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), x)
    assert second.tolist() == [6.0, 12.0]


def test_torch_transforms():
    assert torch.func.grad(checkpoint(lambda x: x**3))(torch.tensor(2.0)).item() == 12.0


def test_nothing_is_recorded_where_torch_does_not_record():
    linear = torch.nn.Linear(2, 2)
    x = torch.ones(2, requires_grad=True)
    with torch.no_grad():
        assert not checkpoint(linear)(x).requires_grad
        assert not checkpoint(linear)(x.detach()).requires_grad
    assert checkpoint(linear)(x.detach()).requires_grad


def test_parameters_are_as_before_whatever_happens():
    linear = torch.nn.Linear(2, 2)

    def forward(x):
        linear(x)
        raise RuntimeError("in the function")

    with pytest.raises(RuntimeError, match="in the function"):
        checkpoint(forward, parameters=list(linear.parameters()))(torch.ones(2))
    assert all(p.requires_grad and p.is_leaf for p in linear.parameters())


def test_the_tape_keeps_less_under_a_checkpoint():
    def held(wrap):
        run = lambda h: h.sin().sin().sin().sin()
        x = torch.ones(N, requires_grad=True)
        gc.collect()
        tracemalloc.start()
        try:
            output = wrap(run)(wrap(run)(x)).sum()
            held = tracemalloc.get_traced_memory()[0]
            output.backward()
            return held / (4 * N), tracemalloc.get_traced_memory()[0] / (4 * N)
        finally:
            tracemalloc.stop()

    (plain, after), (checked, after_checked) = held(lambda f: f), held(checkpoint)
    assert 7 <= plain < 8  # the inputs of eight ops, besides the leaf itself
    assert 2 <= checked < 3  # input and output of the second segment
    assert after < 1.5 and after_checked < 1.5  # the gradient alone


def test_plain_functions():
    assert grad(checkpoint(lambda x: x**3))(2.0) == 12.0
    assert checkpoint(lambda x: x + 1)(2.0) == 3.0
    np.testing.assert_array_equal(grad(checkpoint(primitives.tanh))(X), grad(primitives.tanh)(X))
