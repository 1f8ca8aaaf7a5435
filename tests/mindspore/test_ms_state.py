"""Buffers, states by name, recomputing, derivatives of a wrong shape. The texts are those of MindSpore 2.10."""

import numpy as np
import pytest
from labkit.mindspore.nn.grad import Jvp, Vjp

import labkit.mindspore as ms
from labkit.mindspore import Parameter, Tensor, nn


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([1.0, 2.0]), name="w")
        self.register_buffer("b", Tensor([3.0, 4.0]))
        self.register_buffer("t", Tensor([3.0]), persistent=False)
        self.d = nn.Dense(1, 1)

    def construct(self, x):
        return x * self.w + self.b


def test_a_state_has_parameters_and_persistent_buffers():
    net, other = Net(), Net()
    assert list(net.state_dict()) == ["w", "b", "d.weight", "d.bias"]
    assert [name for name, _ in net.named_buffers()] == ["b", "t"]
    assert ms.grad(net)(Tensor([1.0, 1.0])).asnumpy().tolist() == [1.0, 2.0]
    net.w.set_data(Tensor([5.0, 6.0]))
    assert repr(other.load_state_dict(net.state_dict())) == "<All keys matched successfully>"
    assert other(Tensor([1.0, 1.0])).asnumpy().tolist() == [8.0, 10.0]


def test_a_state_that_does_not_fit_is_told_whole():
    net, given = Net(), {"w": Tensor([1.0]), "x": Tensor([2.0])}
    with pytest.raises(RuntimeError) as told:
        net.load_state_dict(given)
    assert str(told.value).split("\n\t") == [
        "Error(s) in loading state_dict for Net:",
        'Missing key(s) in state_dict: "b", "d.weight", "d.bias". ',
        'Unexpected key(s) in state_dict: "x". ',
        "size mismatch for w: copying a param with shape (1,) from checkpoint, the shape in current model is (2,).",
    ]
    answer = net.load_state_dict({"w": Tensor([9.0, 9.0]), "x": Tensor([2.0])}, strict=False)
    assert answer.unexpected_keys == ["x"] and net.w.asnumpy().tolist() == [9.0, 9.0]


def test_a_buffer_keeps_its_name():
    net = Net()
    with pytest.raises(TypeError, match="Buffer 'b' already exists in network"):
        net.b = Tensor([7.0, 7.0])
    for name, value, error in (("w", Tensor(1.0), KeyError), ("", Tensor(1.0), KeyError), ("q", 3, TypeError)):
        with pytest.raises(error):
            net.register_buffer(name, value)


def test_the_phase_follows_the_mode():
    net = Net()
    assert [net.phase, net.set_train().phase, net.d.phase, net.set_train(False).phase] == [
        "",
        "train",
        "train",
        "predict",
    ]


def test_a_cell_that_is_computed_again_has_the_same_gradients():
    def gradients(recomputed):
        layer = nn.SequentialCell(nn.Dense(2, 2, weight_init="ones", bias_init="zeros"), nn.Tanh())
        if recomputed:
            layer.recompute()
        by_input, by_weight = ms.grad(layer, 0, layer.trainable_params())(Tensor([[0.1, 0.2]]))
        return [g.asnumpy().tolist() for g in (by_input, *by_weight)]

    assert gradients(True) == gradients(False)
    with pytest.raises(TypeError, match="inherited from Cell"):
        ms.recompute(abs, Tensor(1.0))


class Wrong(nn.Cell):
    def __init__(self, gradients):
        super().__init__()
        self.gradients = gradients

    def construct(self, x, y):
        return 2 * x + y

    def bprop(self, x, y, out, dout):
        return self.gradients


def test_a_gradient_of_another_shape_is_summed_or_refused():
    x, y = Tensor([1.0, 1.0]), Tensor([1.0, 1.0])
    wide = Wrong((Tensor(np.ones((3, 2), np.float32)), Tensor([1.0, 2.0])))
    assert [g.asnumpy().tolist() for g in ms.grad(wide, (0, 1))(x, y)] == [[3.0, 3.0], [1.0, 2.0]]
    with pytest.raises(RuntimeError, match=r"broadcast to expected shape, but got \[const vector\]\{1\} vs .*\{2\}"):
        ms.grad(Wrong((Tensor([1.0]), Tensor([1.0, 2.0]))), (0, 1))(x, y)


def test_jvp_and_vjp_as_cells():
    def cube(x):
        return x**3, 2 * x

    x, v = Tensor([1.0, 2.0]), Tensor([1.0, 10.0])
    _, along = Jvp(cube)(x, v)
    _, back = Vjp(cube)(x, (v, v))
    assert [t.asnumpy().tolist() for t in (*along, back)] == [[3.0, 120.0], [2.0, 20.0], [5.0, 140.0]]


def test_products_and_quotients_keep_the_type_of_the_tensor_with_axes():
    one, two = Tensor([1.0, 1.0], ms.float32), Tensor(2.0, ms.float64)
    assert [(f(one, two)).dtype for f in (ms.ops.mul, ms.ops.div)] == [ms.float32, ms.float32]
    assert [(one + two).dtype, (one - two).dtype, (one**two).dtype] == [ms.float64] * 3
    whole = Tensor([1, 2], ms.int32)
    assert [(whole * Tensor(2, ms.int64)).dtype, (whole + Tensor(2, ms.int64)).dtype] == [ms.int32, ms.int64]
    assert [(two * whole).dtype, (Tensor(True) * whole).dtype] == [ms.float64, ms.int32]
