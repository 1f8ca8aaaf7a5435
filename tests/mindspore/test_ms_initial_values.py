"""Initial values by a rule of one's own."""

import numpy as np
import pytest

import labkit.mindspore as ms
from labkit.mindspore.common import initializer as I


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
