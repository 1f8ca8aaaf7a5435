"""The lab's own example: a network that reads digits in mixed precision, with a small loss, and its training."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ....data import digits
from ....mindspore import Tensor, amp, nn, value_and_grad

WEIGHT = 2.0**-17  # of the loss, so that the gradients are too small for float16
WIDTHS = (64, 24, 24, 10)
BATCH, STEPS, LEARNING_RATE = 32, 48, 0.02
ABOUT = (
    "of a network that reads digits. Its loss is divided by 131,072, so that many of its gradients underflow in float16"
)


@dataclass(frozen=True)
class Step:
    """One training step. `power`, `after`: log2 of its scale and of that of the next step. `good`: steps without overflow in a
    row, with this one. `loss`: the cross entropy, without `WEIGHT`. `overflowed`: the share of the gradients that are not finite;
    the step is skipped where there are."""

    power: float
    after: float
    loss: float
    good: int
    overflowed: float

    @property
    def event(self) -> str:
        """ "skipped", "grown", or "" where the scale stays."""
        return "skipped" if self.overflowed else "grown" if self.after > self.power else ""


class _Weighted(nn.Cell):
    def __init__(self, network):
        super().__init__()
        self.network, self.loss = network, nn.CrossEntropyLoss()

    def construct(self, x, label):
        return self.loss(self.network(x), label) * WEIGHT


def _dense(i):
    inputs, outputs = WIDTHS[i : i + 2]
    random, bound = np.random.RandomState(i), inputs**-0.5
    weight, bias = (random.uniform(-bound, bound, shape) for shape in ((outputs, inputs), outputs))
    first = [Tensor(v.astype(np.float32)) for v in (weight, bias)]
    return nn.Dense(inputs, outputs, weight_init=first[0], bias_init=first[1])


def digits_network() -> nn.Cell:
    """A Cell of images and labels: three dense layers in mixed precision, and their cross entropy times `WEIGHT`."""
    layers = nn.SequentialCell(_dense(0), nn.Tanh(), _dense(1), nn.Tanh(), _dense(2))
    return _Weighted(amp.auto_mixed_precision(layers, "O2"))


def digits_batches(count: int) -> list[tuple[Tensor, Tensor]]:
    """`count` batches of images as rows (32, 64) from 0 to 1, and labels (32,)."""
    train = digits().train
    images, labels = train.images.reshape(-1, 64).astype(np.float32) / 16, train.labels.astype(np.int32)
    parts = [np.arange(i * BATCH, (i + 1) * BATCH) % len(labels) for i in range(count)]
    return [(Tensor(images[part]), Tensor(labels[part])) for part in parts]


def training(scaler: Any) -> list[Step]:
    """The steps of a training of the network with Adam (D. P. Kingma and J. Ba, 2015) and a loss scaler."""
    cell = digits_network()
    steps: list[Step] = []
    optimizer = nn.Adam(cell.trainable_params(), LEARNING_RATE)
    scaled = value_and_grad(lambda *batch: scaler.scale(cell(*batch)), None, cell.trainable_params())
    for batch in digits_batches(STEPS):
        scale = float(scaler.scale_value.asnumpy())
        loss, gradients = scaled(*batch)
        lost = np.mean(np.concatenate([~np.isfinite(g.asnumpy().ravel()) for g in gradients]))
        if not lost:
            optimizer(scaler.unscale(gradients))
        scaler.adjust(Tensor(not lost))
        after = float(np.log2(scaler.scale_value.asnumpy()))
        good = 0 if lost else steps[-1].good + 1 if steps and steps[-1].event != "grown" else 1
        steps.append(Step(float(np.log2(scale)), after, float(loss.asnumpy()) / scale / WEIGHT, good, float(lost)))
    return steps
