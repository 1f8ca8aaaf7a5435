"""A recorded op of a module knows in which of its modules it ran."""

import threading

import pytest

import labkit
import labkit.torch as torch
from labkit.engine import Scope, current
from labkit.torch import nn

X = torch.linspace(-1, 1, 6).reshape(2, 3)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.dense = nn.Linear(3, 3)
        self.act = nn.Tanh()

    def forward(self, x):
        return self.act(self.dense(x)) + x


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.block = Block()
        self.chain = nn.Sequential(nn.Linear(3, 2), nn.ReLU())
        self.layers = nn.ModuleList([nn.Tanh()])

    def forward(self, x):
        x = self.chain(self.block(self.block(x)))
        return torch.exp(self.layers[0](x)).sum()


def path(node):
    return ".".join(f"{s.name}#{s.call}" if s.call > 1 else s.name for s in node.scope)


def paths(graph):
    return list(dict.fromkeys(path(node) for node in graph.forward if node.op != "input"))


NESTED = [
    "block.dense", "block.act", "block", "block#2.dense", "block#2.act", "block#2", "chain.0", "chain.1", "layers.0", "",
]  # fmt: skip


def test_modules_are_scopes_named_as_in_their_parent():
    graph = labkit.trace(Net())(X)
    assert paths(graph) == NESTED
    tanh = next(node for node in graph.forward if node.op == "tanh")
    assert tanh.scope == (Scope("block", "Block", 1), Scope("act", "Tanh", 1))
    assert all(node.scope == () for node in graph.inputs)
    for step in graph.steps:
        assert {node.scope for node in step.backward} <= {step.node.scope}


def test_what_is_in_the_caller_itself_goes_by_its_name_there():
    class Shared(nn.Module):
        def __init__(self):
            super().__init__()
            self.block = Block()
            self.act = self.block.act

        def forward(self, x):
            return self.act(self.block.dense(x))

    assert paths(labkit.trace(Shared())(X)) == ["block.dense", "act"]


def test_a_module_called_by_a_function_is_a_scope_named_by_its_class():
    net = Net()
    graph = labkit.trace(lambda x: torch.exp(net(x)))(X)
    assert graph.forward[1].scope[0] == Scope("Net", "Net", 1) and graph.forward[-1].scope == ()


def test_functions_are_in_no_scope():
    assert paths(labkit.trace(lambda x: torch.tanh(x).sum())(X)) == [""]


def test_hooks_run_in_the_scope_of_their_module():
    net = nn.Sequential(nn.Tanh(), nn.Tanh())
    net[1].register_forward_hook(lambda module, args, output: torch.exp(output))
    assert [(n.op, path(n)) for n in labkit.trace(net)(X).forward[1:]] == [("tanh", "0"), ("tanh", "1"), ("exp", "1")]


def test_what_is_behind_a_gradient_function_has_its_scopes():
    graph = labkit.trace(torch.func.grad(Net()))(X)
    assert paths(graph)[: len(NESTED)] == NESTED


def test_a_backward_inside_a_trace_works():
    layer = nn.Linear(3, 1)

    def f(x):
        layer(X).sum().backward()
        return x * 2

    assert path(labkit.trace(f)(X).forward[-1]) == ""
    assert torch.allclose(layer.weight.grad, X.sum(0, keepdim=True))


def test_an_exception_leaves_no_scope():
    class Bad(nn.Module):
        def forward(self, x):
            raise ValueError("no")

    for net, error in (
        (nn.Sequential(nn.Linear(3, 2), Bad()), ValueError),
        (nn.Sequential(nn.Linear(4, 2)), RuntimeError),
    ):
        with pytest.raises(error):
            labkit.trace(net)(X)
        assert current.scopes is None
    assert paths(labkit.trace(Net())(X)) == NESTED


def test_a_thread_beside_a_trace_is_in_no_scope():
    def other():
        seen.append(current.scopes)
        seen.append(nn.Tanh()(X).shape)

    class Threading(nn.Module):
        def forward(self, x):
            thread = threading.Thread(target=other)
            thread.start()
            thread.join()
            return torch.tanh(x)

    seen = []
    assert paths(labkit.trace(nn.Sequential(Threading()))(X)) == ["0"]
    assert seen[0] is None and tuple(seen[1]) == (2, 3)
