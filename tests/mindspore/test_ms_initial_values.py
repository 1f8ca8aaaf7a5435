"""Initial values: what the real framework draws after `ms.set_seed(3)`, one after the other; rules of one's own."""

import numpy as np
import pytest

import labkit.mindspore as ms
from labkit.mindspore import _seed as seeds
from labkit.mindspore.common import initializer as I

DRAWN = [
    (I.Orthogonal(2.0), [2, 3], [[-1.7790425, 0.5769792, 0.7085922], [-0.90717894, -0.9290049, -1.521176]]),
    (I.Sparse(0.5), [4, 2], [[0.007098409, 0.0], [0.0, -0.010775658], [0.0, 0.0], [0.018168604, 0.0011867285]]),
    (
        I.Dirac(2),
        [4, 2, 3],
        [
            [[0.0, 1.0, 0.0], [0.0, 0.0, 0.0]],
            [[0.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
            [[0.0, 1.0, 0.0], [0.0, 0.0, 0.0]],
            [[0.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
        ],
    ),
    (I.Identity(), [2, 3], [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]),
    (I.VarianceScaling(), [2, 3], [[-0.6057289, -0.95893615, -0.23968802], [-0.28938562, -0.03915781, -0.040374126]]),
    (
        I.VarianceScaling(2.0, "fan_avg", "untruncated_normal"),
        [2, 3],
        [[-0.015732009, 1.0258429, -0.872427], [-0.9301758, 0.28125945, 0.56718487]],
    ),
    ("orthogonal", [3, 2], [[0.98368675, 0.16303068], [0.17738219, -0.8087352], [-0.029932952, 0.5651269]]),
]


@pytest.fixture(autouse=True)
def seeds_restored():
    state, before = np.random.get_state(), dict(vars(seeds._seeds))
    yield
    vars(seeds._seeds).update(before)
    np.random.set_state(state)


def test_they_are_drawn_as_there():
    ms.set_seed(3)
    for rule, shape, expected in DRAWN:
        assert I.initializer(rule, shape).init_data().asnumpy().tolist() == np.float32(expected).tolist()


@pytest.mark.parametrize(
    "make, message",
    [
        (
            lambda: I.initializer(I.Identity(), [2]),
            "For Identity initializer, the dimension of the initialized tensor should be",
        ),
        (
            lambda: I.initializer(I.Dirac(), [2]),
            "only support to initialize tensor with dimension of 3, 4 or 5, but got 1",
        ),
        (lambda: I.initializer(I.Dirac(3), [4, 2, 3]), "must be divisible by groups"),
        (lambda: I.initializer(I.Orthogonal(), [2]), "should be no less than 2, but got 1"),
        (lambda: I.VarianceScaling(0.0), "the argument 'scale' must be greater than 0, but got 0.0"),
        (lambda: I.VarianceScaling(mode="x"), "the argument 'mode' must be fan_in, fan_out or fan_avg, but got x"),
    ],
)
def test_misuse_says_what_is_wrong(make, message):
    with pytest.raises(ValueError, match=message):
        make()


class Ramp(I.Initializer):
    def __init__(self, step):
        super().__init__(step=step)
        self.step = step

    def _initialize(self, arr):
        arr[:] = np.arange(arr.size).reshape(arr.shape) * self.step


def test_a_rule_of_ones_own_fills_an_array():
    assert ms.nn.Dense(2, 2, weight_init=Ramp(0.5)).weight.asnumpy().tolist() == [[0.0, 0.5], [1.0, 1.5]]
    with pytest.raises(NotImplementedError, match="Must be overridden"):
        I.initializer(I.Initializer(), [2])
