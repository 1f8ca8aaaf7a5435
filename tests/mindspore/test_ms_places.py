"""Elements by their places: what is written there, its gradient, and the same compiled."""

import numpy as np
import pytest

import labkit.mindspore as ms
from labkit.mindspore import Parameter, Tensor, nn, ops

X, AT, NEW = Tensor([1.0, 2.0, 3.0]), Tensor([[0], [2]]), Tensor([5.0, 3.0])
WRITTEN = {  # the result, and the gradients of the sum of its squares in x and in the updates
    "add": ([6, 2, 6], [12, 4, 12], [12, 12]), "sub": ([-4, 2, 0], [-8, 4, 0], [8, 0]),
    "mul": ([5, 2, 9], [50, 4, 54], [10, 54]), "update": ([5, 2, 3], [0, 4, 0], [10, 6]),
    "max": ([5, 2, 3], [0, 4, 3], [10, 3]), "min": ([1, 2, 3], [2, 4, 3], [0, 3]),
    "div": ([0.2, 2, 1], [0.08, 4, 2 / 3], [-0.016, -2 / 3]),
}  # fmt: skip


@pytest.mark.parametrize("how", WRITTEN)
def test_what_is_written_and_what_it_sends_back(how):
    write = getattr(ops, f"tensor_scatter_{how}")
    found, of_x, of_new = WRITTEN[how]

    def squares(x, new):
        return (write(x, AT, new) ** 2).sum()

    for function in (squares, ms.jit(squares)):
        grads = ms.grad(function, (0, 1))(X, NEW)
        assert np.allclose(grads[0].asnumpy(), of_x)
        assert np.allclose(grads[1].asnumpy(), of_new)
    assert np.allclose(write(X, AT, NEW).asnumpy(), found)
    for name, places in ((f"scatter_nd_{how}", AT), (f"scatter_{how}", AT.reshape(-1))):
        p = Parameter(X.copy(), name="p")
        assert np.allclose(getattr(ops, name)(p, places, NEW).asnumpy(), found)
        assert np.allclose(p.asnumpy(), found)


def test_only_a_parameter_is_written_into():
    with pytest.raises(TypeError, match="must be 'Parameter'"):
        ops.scatter_update(X, Tensor([0]), Tensor([1.0]))


def test_an_image_at_another_size():
    x = Tensor(np.arange(4.0).reshape(1, 1, 2, 2), ms.float32)
    assert ops.interpolate(x, size=(2, 4)).asnumpy()[0, 0, 0].tolist() == [0, 0, 1, 1]
    up = nn.Upsample(size=(3, 3), mode="bilinear", align_corners=True)
    assert up(x).asnumpy()[0, 0].tolist() == [[0, 0.5, 1], [1, 1.5, 2], [2, 2.5, 3]]
    assert ms.grad(lambda a: up(a).sum())(x).asnumpy().tolist() == [[[[2.25, 2.25], [2.25, 2.25]]]]
    with pytest.raises(ValueError, match="expected one of them"):
        ops.interpolate(x)


def test_gradients_are_centred_where_the_second_axis_is_a_multiple_of_16():
    for width, left in ((16, 0.0), (4, 1.0)):
        p = Parameter(Tensor(np.zeros((1, width)), ms.float32), name="p")
        nn.SGD([{"params": [p], "grad_centralization": True}], 1.0)((ops.ones((1, width)),))
        assert np.allclose(p.asnumpy(), -left)


def test_methods_that_set_weights_to_zero():
    g = Tensor([0.01, -2.0])
    for make in (nn.FTRL, nn.ProximalAdagrad):
        p = Parameter(Tensor([0.001, 1.0]), name="p")
        make([p], learning_rate=0.1, l1=0.5)((g,))
        assert p.asnumpy()[0] == 0
        assert p.asnumpy()[1] > 0
