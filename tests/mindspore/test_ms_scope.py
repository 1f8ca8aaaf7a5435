"""A recorded op of a cell knows in which of its cells it ran."""

import threading

import numpy as np
import pytest

import labkit
import labkit.mindspore as ms
from labkit.engine import Scope, current
from labkit.mindspore import Tensor, nn, ops

X = Tensor(np.linspace(-1, 1, 6, dtype=np.float32).reshape(2, 3))


class Block(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(3, 3)
        self.act = nn.Tanh()

    def construct(self, x):
        return self.act(self.dense(x)) + x


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.block = Block()
        self.chain = nn.SequentialCell(nn.Dense(3, 2), nn.ReLU())

    def construct(self, x):
        x = self.block(self.block(x))
        return ops.exp(self.chain(x)).sum()


pytestmark = pytest.mark.usefixtures("mode")


def path(node):
    return ".".join(f"{s.name}#{s.call}" if s.call > 1 else s.name for s in node.scope)


def paths(graph):
    """The different scopes of the forward ops, in the order they ran."""
    return list(dict.fromkeys(path(node) for node in graph.forward if node.op != "input"))


NESTED = [
    "block.dense", "block.act", "block", "block#2.dense", "block#2.act", "block#2", "chain.0", "chain.1", "",
]  # fmt: skip


def test_cells_are_scopes_named_as_in_their_parent():
    graph = labkit.trace(Net())(X)
    assert paths(graph) == NESTED
    tanh = next(node for node in graph.forward if node.op == "tanh")
    assert tanh.scope == (Scope("block", "Block", 1), Scope("act", "Tanh", 1))
    assert all(node.scope == () for node in graph.inputs)


def test_a_compiled_cell_is_traced_with_the_same_scopes():
    assert paths(labkit.trace(ms.jit(Net()))(X)) == NESTED


def test_a_compiled_construct_or_cell_inside_is_traced_with_its_scopes():
    class Compiled(Block):
        @ms.jit
        def construct(self, x):
            return self.act(self.dense(x))

    net, compiled = nn.SequentialCell(Compiled()), ms.jit(Block())
    net(X)  # what has been compiled before is traced all the same
    compiled(X)
    assert paths(labkit.trace(net)(X)) == ["0.dense", "0.act"]
    assert paths(labkit.trace(lambda x: compiled(x))(X)) == ["Block.dense", "Block.act", "Block"]


def test_cells_of_a_list_are_named_with_the_list():
    class Many(nn.Cell):
        def __init__(self):
            super().__init__()
            self.layers = nn.CellList([nn.Dense(3, 3), nn.Tanh()])

        def construct(self, x):
            for layer in self.layers:
                x = layer(x)
            return x

    assert paths(labkit.trace(Many())(X)) == ["layers.0", "layers.1"]


def test_what_is_in_the_caller_itself_goes_by_its_name_there():
    class Shared(nn.Cell):
        def __init__(self):
            super().__init__()
            self.block = Block()
            self.act = self.block.act

        def construct(self, x):
            return self.act(self.block.dense(x))

    assert paths(labkit.trace(Shared())(X)) == ["block.dense", "act"]


def test_a_network_called_by_a_function_is_a_scope_named_by_its_class():
    net, loss = Net(), nn.MSELoss()
    graph = labkit.trace(lambda x: loss(net(x), Tensor(1.0)))(X)
    assert {node.scope[0] for node in graph.forward if node.op != "input"} == {
        Scope("Net", "Net", 1),
        Scope("MSELoss", "MSELoss", 1),
    }


def test_functions_and_parameters_are_in_no_scope():
    w = ms.Parameter(Tensor([1.0, 2.0]), name="w")
    graph = labkit.trace(lambda x: ops.tanh(x * w), parameters=[w])(Tensor([3.0, 4.0]))
    assert paths(graph) == [""]


def test_what_is_behind_a_gradient_function_has_its_scopes():
    net = Net()
    graph = labkit.trace(ms.grad(net))(X)
    assert paths(graph)[: len(NESTED)] == NESTED
    derived = graph.forward[[node.op for node in graph.forward].index("exp") + 1 :]
    assert {path(node) for node in derived} >= {"chain.0", "block#2.dense", "block.dense"}


def test_a_cell_with_a_derivative_of_its_own_or_in_float16_is_a_scope():
    class Own(nn.Cell):
        def construct(self, x):
            return x * 2

        def bprop(self, x, out, dout):
            return (dout * 3,)

    net = nn.SequentialCell(nn.Dense(3, 3).to_float(ms.float16), Own())
    graph = labkit.trace(net)(X)
    assert paths(graph) == ["0", "1"]
    assert {"0", "1"} == {path(node) for step in graph.steps for node in step.backward}


def test_an_exception_leaves_no_scope():
    class Bad(nn.Cell):
        def construct(self, x):
            raise ValueError("no")

    for net in (nn.SequentialCell(nn.Dense(3, 2), Bad()), nn.SequentialCell(nn.Dense(4, 2), nn.Tanh())):
        with pytest.raises(ValueError):
            labkit.trace(net)(X)
        assert current.scopes is None
    assert paths(labkit.trace(Net())(X)) == NESTED


def test_threads_that_trace_and_run_at_once_do_not_mix():
    def work(k):
        chain = nn.SequentialCell([nn.Tanh()] * k)
        start.wait()
        for _ in range(10):
            found = labkit.trace(chain)(X)
            right.append([s.call for node in found.forward[1:] for s in node.scope] == list(range(1, k + 1)))
            chain(X)
            right.append(current.scopes is None)

    right, start = [], threading.Barrier(4)
    threads = [threading.Thread(target=work, args=(k,)) for k in range(1, 5)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert len(right) == 80 and all(right)


def test_a_training_step_is_not_disturbed_inside_a_trace():
    layer = nn.Dense(3, 1)
    step = nn.TrainOneStepCell(nn.WithLossCell(layer, nn.MSELoss()), nn.SGD(layer.trainable_params(), 0.01))
    before = layer.weight.asnumpy().copy()

    def f(x):
        step(X, Tensor(np.ones((2, 1), np.float32)))
        return x * 2

    assert labkit.trace(f)(X).forward[-1].scope == ()
    assert not np.allclose(layer.weight.asnumpy(), before) and np.isfinite(layer.weight.asnumpy()).all()
