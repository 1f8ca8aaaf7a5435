"""The engine sees through tensors: a function of tensors is recorded as a graph of its ops."""

import numpy as np

import labkit.torch as torch
from labkit.engine import record


def lifted(fun):
    """`fun` of tensors as a function of values, by the protocol of the dialects."""
    sample = torch.ones(1)
    return lambda *values: fun(*(sample.__engine_wrap__(v) for v in values)).__engine_value__()


def test_each_torch_op_is_one_node():
    graph = record(lifted(lambda x, w: torch.tanh(x @ w).sum()), np.ones((1, 2)), np.ones((2, 1)), names=["x", "w"])
    assert [node.op for node in graph.forward] == ["input", "input", "mm", "tanh", "sum"]
    assert graph.gradients["x"].shape == (1, 2)


def test_in_place_changes_are_recorded_as_new_values():
    def f(x):
        y = x * 2
        y[0] += 1
        y[1:] *= 3
        return (y * y).sum()

    assert record(lifted(f), np.ones(3, np.float32), names=["x"]).gradients["x"].tolist() == [12.0, 72.0, 72.0]


def test_no_warning_escapes(recwarn):
    x = torch.tensor([0.0, -1.0], requires_grad=True)
    (torch.log(x) + x / 0 + x.sqrt()).sum().backward()
    assert not recwarn.list


def test_the_engine_sees_a_leaf_as_its_array():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    assert type(x.__engine_value__()) is np.ndarray
