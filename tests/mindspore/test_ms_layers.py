"""Dense, activations and losses."""

import pytest

import labkit.mindspore as ms
from labkit.mindspore import Tensor, nn

X = Tensor([[1.0, 2.0, 3.0]])


def test_dense_is_x_times_the_transposed_weight_plus_bias():
    assert nn.Dense(3, 2, "ones", "ones")(X).tolist() == [[7.0, 7.0]]
    assert nn.Dense(3, 1, Tensor([[1.0, 0.0, 2.0]]), has_bias=False)(X).tolist() == [[7.0]]
    assert nn.Dense(3, 2)(Tensor([[[1.0, 2.0, 3.0]] * 4])).shape == (1, 4, 2)
    assert nn.Dense(3, 1, Tensor([[-1.0, 0.0, 0.0]]), "zeros", activation="relu")(X).tolist() == [[0.0]]


@pytest.mark.parametrize(
    "make, error, message",
    [
        (lambda: nn.Dense(0, 2), ValueError, "the 'in_channels' must be int and must > 0, but got '0' with type 'int'"),
        (lambda: nn.Dense(2.0, 2), TypeError, "For 'Dense', the 'in_channels' must be int, but got 'float'"),
        (lambda: nn.Dense(2, 2, has_bias=1), TypeError, "the 'has_bias' must be a bool, but got int"),
        (lambda: nn.Dense(3, 2, activation=5), TypeError, "the 'activation' must be str or Cell or Primitive"),
        (lambda: nn.Dense(3, 2, activation="none"), KeyError, "The 'name' must be in"),
        (lambda: nn.Dense(3, 2)(Tensor([[1.0, 2.0]])), ValueError, "but got 'x1_col': 2 and 'x2_row': 3"),
        (lambda: nn.MSELoss("avg"), ValueError, r"must be in \['mean', 'sum', 'none'\], but got avg"),
        (lambda: nn.MSELoss()(Tensor([1.0, 2.0]), X), ValueError, "For 'SubExt', input.shape and other.shape"),
    ],
)
def test_misuse_says_what_is_wrong(make, error, message):
    with pytest.raises(error, match=message):
        make()


LOSSES = [  # at distances 0, 1, 2
    (nn.MSELoss, "mean", 5 / 3), (nn.MSELoss, "sum", 5.0), (nn.MSELoss, "none", [0.0, 1.0, 4.0]),
    (nn.MAELoss, "mean", 1.0), (nn.L1Loss, "mean", 1.0), (nn.L1Loss, "sum", 3.0), (nn.L1Loss, "none", [0.0, 1.0, 2.0]),
]  # fmt: skip


@pytest.mark.parametrize("loss, reduction, value", LOSSES)
def test_losses(loss, reduction, value):
    found = loss(reduction=reduction)(Tensor([1.0, 2.0, 3.0]), Tensor([1.0, 1.0, 1.0])).tolist()
    assert found == pytest.approx(value, rel=1e-6)


def test_gradients_of_losses():
    a, b = Tensor([1.0, 2.0]), Tensor([3.0, 6.0])
    assert [g.tolist() for g in ms.grad(nn.MSELoss(), (0, 1))(a, b)] == [[-2.0, -4.0], [2.0, 4.0]]
    assert ms.grad(nn.L1Loss())(a, b).tolist() == [-0.5, -0.5]


def test_activations_are_the_ops_as_cells():
    v = Tensor([-1.0, 2.0])
    assert nn.ReLU()(v).tolist() == [0.0, 2.0]
    assert nn.Softmax(axis=0)(v).sum().item() == pytest.approx(1)
    assert nn.Identity()(v) is v
    assert nn.Flatten()(Tensor([[[1.0], [2.0]]])).shape == (1, 2)
    assert str(nn.get_activation("tanh")) == "Tanh()"
    for layer, op in ((nn.Sigmoid(), ms.ops.sigmoid), (nn.Tanh(), ms.ops.tanh)):
        assert layer(v).tolist() == op(v).tolist()
    for words, approximate in (({}, "tanh"), ({"approximate": False}, "none")):
        assert nn.GELU(**words)(v).tolist() == ms.ops.gelu(v, approximate).tolist()


@pytest.mark.parametrize("given", [ms.float16, ms.bfloat16, ms.int32])
def test_dense_takes_the_type_of_its_weight(given):
    wrong = f"For 'MatMul', the type of 'x2' should be same as 'x1', but got 'x1' with type Tensor.{given}"
    with pytest.raises(TypeError, match=wrong):
        ms.nn.Dense(3, 4)(ms.ops.ones((2, 3), given))
