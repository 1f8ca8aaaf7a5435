"""What the lab shows by itself: gradients made small, a training, the documents' example, gradients small by nature."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from ....data import digits, moons
from ....mindspore import Tensor, amp, float32, nn
from .outcome import Sweep
from .run import Network
from .training import Learner, Start, Training

WEIGHT = 2.0**-17  # of the loss: as in a mean over 131,072 pixels
WIDTHS = (64, 24, 24, 10)
DEEP = (2, *[8] * 8, 1)  # widths of the network whose gradients are small by nature
BATCH, STEPS, LEARNING_RATE = 32, 48, 0.02
FIRST_POWER, WINDOW = 24, 3  # 2**24 is where MindSpore starts; its window is 2000 steps
STARTS = tuple(Start(power, window) for window in (WINDOW, 8) for power in (0, 8, 16, FIRST_POWER, 32, 40))
DOCUMENTED = 10  # log2 of the scale in the documents, 1024


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


def _dense(i, widths=WIDTHS):
    inputs, outputs = widths[i : i + 2]
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


def documented_network() -> tuple[nn.Cell, tuple[Tensor, Tensor]]:
    """The documents' dense layer 3 -> 1 with weights 2 3 4 and its squared error, its input 1 2 3 and target 19."""
    layer = nn.Dense(3, 1, has_bias=False)
    layer.weight.set_data(Tensor([[2, 3, 4]], float32))
    inputs = Tensor([[1, 2, 3]], float32), Tensor([[19]], float32)
    return nn.WithLossCell(layer, nn.MSELoss()), inputs


def deep_network() -> tuple[nn.Cell, tuple[Tensor, Tensor]]:
    """Eight layers of sigmoids in mixed precision and their cross entropy, with the two moons: points, classes."""
    hidden = [layer for i in range(len(DEEP) - 2) for layer in (_dense(i, DEEP), nn.Sigmoid())]
    network = nn.SequentialCell(*hidden, _dense(len(DEEP) - 2, DEEP))
    points, classes = moons()
    with_loss = nn.WithLossCell(amp.auto_mixed_precision(network, "O2"), nn.BCEWithLogitsLoss())
    return with_loss, (Tensor(points), Tensor(classes[:, None]))


@lru_cache(maxsize=4)
def presets(formats: Sequence[str]) -> tuple[Sweep, Training, Sweep, Sweep]:
    """The four cases that the lab shows by itself."""
    network, batches = Network(digits_network()), digits_batches(STEPS)
    line, inputs = documented_network()
    scaler = amp.DynamicLossScaler(2**FIRST_POWER, 2, WINDOW)
    deep, moon_inputs = deep_network()
    tiny = "Its loss is divided by 131,072 to make the gradients tiny, as a mean over so many pixels would."
    divided = " of a loss divided by 131,072"
    learning = f"The same network learns to read digits, with DynamicLossScaler(2**{FIRST_POWER}, 2, {WINDOW})."
    return (
        Sweep("a small loss", f"A network reads digits. {tiny}", network.run(batches[0]), formats, remark=divided),
        Training("in training", learning, Learner(network, batches, LEARNING_RATE), formats, scaler, divided, STARTS),
        Sweep(
            "three weights",
            "Weights (2, 3, 4), input (1, 2, 3), target 19.",
            Network(line).run(inputs),
            formats,
            DOCUMENTED,
        ),
        Sweep(
            "a deep network",
            "Eight layers of sigmoids tell two moons apart. Each layer takes a factor away on the way back.",
            Network(deep).run(moon_inputs),
            formats,
            remark=" after eight layers of sigmoids",
        ),
    )
