"""What the lab shows by itself: gradients made small, and a training."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from ....data import digits
from ....mindspore import Tensor, amp, nn
from .outcome import Sweep
from .run import Network
from .training import Learner, Start, Training

WEIGHT = 2.0**-17  # of the loss: as in a mean over 131,072 pixels
WIDTHS = (64, 24, 24, 10)
BATCH, STEPS, LEARNING_RATE = 32, 48, 0.02
FIRST_POWER, WINDOW = 24, 3  # 2**24 is where MindSpore starts; its window is 2000 steps
STARTS = tuple(Start(power, window) for window in (WINDOW, 8) for power in (0, 8, 16, FIRST_POWER, 32, 40))


class _Layers(nn.Cell):
    def __init__(self):
        super().__init__()
        self.hidden1, self.hidden2, self.out = (_dense(i) for i in range(3))
        self.tanh = nn.Tanh()

    def construct(self, x):
        return self.out(self.tanh(self.hidden2(self.tanh(self.hidden1(x)))))


class _Weighted(nn.Cell):
    def __init__(self, network):
        super().__init__()
        self.network, self.loss = network, nn.CrossEntropyLoss()

    def construct(self, x, label):
        return self.loss(self.network(x), label) * WEIGHT


def _dense(i):
    inputs, outputs = WIDTHS[i : i + 2]
    drawn, bound = np.random.RandomState(i), inputs**-0.5
    weight, bias = (drawn.uniform(-bound, bound, shape) for shape in ((outputs, inputs), outputs))
    first = [Tensor(v.astype(np.float32)) for v in (weight, bias)]
    return nn.Dense(inputs, outputs, weight_init=first[0], bias_init=first[1])


def digits_network() -> nn.Cell:
    """A Cell of images and labels: three dense layers in mixed precision, and their cross entropy times `WEIGHT`."""
    return _Weighted(amp.auto_mixed_precision(_Layers(), "O2"))


def digits_batches(count: int) -> list[tuple[Tensor, Tensor]]:
    """`count` batches of images as rows (32, 64) from 0 to 1, and labels (32,)."""
    train = digits().train
    images, labels = train.images.reshape(-1, 64).astype(np.float32) / 16, train.labels.astype(np.int32)
    parts = [np.arange(i * BATCH, (i + 1) * BATCH) % len(labels) for i in range(count)]
    return [(Tensor(images[part]), Tensor(labels[part])) for part in parts]


@lru_cache(maxsize=4)
def presets(formats: Sequence[str]) -> tuple[Sweep, Training]:
    """The two cases that the lab shows by itself."""
    network, batches = Network(digits_network()), digits_batches(STEPS)
    scaler = amp.DynamicLossScaler(2**FIRST_POWER, 2, WINDOW)
    tiny = "Its loss is divided by 131,072 to make the gradients tiny, as a mean over so many pixels would."
    divided = " of a loss divided by 131,072"
    learning = f"The same network learns to read digits, with DynamicLossScaler(2**{FIRST_POWER}, 2, {WINDOW})."
    return (
        Sweep("a small loss", f"A network reads digits. {tiny}", network.run(batches[0]), formats, remark=divided),
        Training("in training", learning, Learner(network, batches, LEARNING_RATE), formats, scaler, divided, STARTS),
    )
