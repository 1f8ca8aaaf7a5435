"""The front door takes plain functions and both dialects alike."""

import numpy as np
import pytest

import labkit
import labkit.mindspore as ms
import labkit.torch as torch
from labkit.mindspore import nn


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(3, 1, has_bias=False)
        self.fc.weight.set_data(ms.Tensor([[2.0, 3.0, 4.0]]))

    def construct(self, x, y):
        logits = self.fc(x).squeeze()
        return (logits - y) ** 2


def test_a_cell_is_traced_with_its_parameters_as_inputs():
    graph = labkit.trace(Net())(ms.Tensor([[1.0, 2.0, 3.0]]), ms.Tensor(19.0))
    assert [node.label for node in graph.inputs] == ["x", "y", "fc.weight"]
    assert "logits" in [node.label for node in graph.forward]
    np.testing.assert_allclose(graph.gradients["fc.weight"], [[2, 4, 6]])


def test_a_module_is_traced_with_its_parameters_as_inputs():
    linear = torch.nn.Linear(2, 1)
    graph = labkit.trace(linear)(torch.tensor([[1.0, 2.0]]))
    np.testing.assert_allclose(graph.gradients["weight"], [[1, 2]])
    assert linear.weight.grad is None


def test_parameters_from_outside_can_be_named():
    w = ms.Parameter(ms.Tensor([1.0, 2.0]), name="w")
    graph = labkit.trace(lambda x: (x * w).sum(), parameters=[w])(ms.Tensor([3.0, 4.0]))
    np.testing.assert_allclose(graph.gradients["w"], [3, 4])


def test_both_dialects_record_the_same_graph():
    def f(x, y):
        return x**2 + y

    of_ms = labkit.trace(f)(ms.Tensor(1.0), ms.Tensor(2.0))
    of_torch = labkit.trace(f)(torch.tensor(1.0), torch.tensor(2.0))
    assert [n.op for n in of_ms.forward] == [n.op for n in of_torch.forward] == ["input", "input", "power", "add"]
    assert of_ms.gradients == of_torch.gradients == {"x": 2.0, "y": 1.0}


@pytest.mark.parametrize("tensor", [ms.Tensor, torch.tensor])
def test_gradients_of_either_dialect_can_be_checked(tensor):
    assert labkit.check_gradient(lambda x: (x**3).sum(), tensor([1.0, 2.0]))


def test_an_exception_leaves_parameters_as_they_were():
    net = Net()
    before = net.fc.weight.asnumpy().copy()
    with pytest.raises(ValueError):
        labkit.trace(net)(ms.Tensor([[1.0, 2.0]]), ms.Tensor(19.0))
    np.testing.assert_array_equal(net.fc.weight.asnumpy(), before)


def test_unknown_names_are_answered_with_what_there_is():
    with pytest.raises(AttributeError, match="Did you mean 'grad'"):
        getattr(labkit, "gradd")  # noqa: B009


def test_bfloat16_is_traced():
    graph = labkit.trace(lambda x: (x * x).sum())(ms.Tensor([1.5, 2.0], ms.bfloat16))
    assert graph.gradients["x"].dtype == "bfloat16" and graph.gradients["x"].tolist() == [3.0, 4.0]
