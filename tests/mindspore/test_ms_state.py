"""The phase of a cell, recomputing, derivatives of a wrong shape. The texts are those of MindSpore 2.10."""

import numpy as np
import pytest

import labkit.mindspore as ms
from labkit.mindspore import Tensor, nn


def test_the_phase_follows_the_mode():
    net = nn.SequentialCell(nn.Dense(1, 1))
    assert [net.phase, net.set_train().phase, net[0].phase, net.set_train(False).phase] == [
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


def test_products_and_quotients_keep_the_type_of_the_tensor_with_axes():
    one, two = Tensor([1.0, 1.0], ms.float32), Tensor(2.0, ms.float64)
    assert [(f(one, two)).dtype for f in (ms.ops.mul, ms.ops.div)] == [ms.float32, ms.float32]
    assert [(one + two).dtype, (one - two).dtype, (one**two).dtype] == [ms.float64] * 3
    whole = Tensor([1, 2], ms.int32)
    assert [(whole * Tensor(2, ms.int64)).dtype, (whole + Tensor(2, ms.int64)).dtype] == [ms.int32, ms.int64]
    assert [(two * whole).dtype, (Tensor(True) * whole).dtype] == [ms.float64, ms.int32]
