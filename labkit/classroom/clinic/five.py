"""Five sick training runs, for unit 14: each has one fault, and shows its source afterwards."""

from typing import Self

import numpy as np

from ... import mindspore as ms
from ... import torch

POINTS = 64


def data() -> tuple[np.ndarray, np.ndarray]:
    """The inputs, of shape (64, 1), and the labels, of shape (64,).

    >>> x, y = data()
    >>> x.shape, y.shape, x.dtype
    ((64, 1), (64,), dtype('float32'))
    """
    x = np.linspace(-1, 1, POINTS, dtype=np.float32)
    return x[:, None], np.sin(3 * x)


def weights() -> dict[str, np.ndarray]:
    """The weights at the start, by name: two layers.

    >>> {name: array.shape for name, array in weights().items()}
    {'w1': (1, 16), 'b1': (16,), 'w2': (16, 1), 'b2': (1,)}
    """
    rng = np.random.default_rng(18)
    drawn = {"w1": rng.normal(size=(1, 16)) * 2, "b1": rng.normal(size=16), "w2": rng.normal(size=(16, 1)) / 4}
    return {name: array.astype(np.float32) for name, array in drawn.items()} | {"b2": np.zeros(1, np.float32)}


class Healthy:
    """A run without a fault, in the PyTorch dialect.

    `parameters`: by name. `losses`: one per step taken. `predict(x)` and `loss()` run the network; `step()` is one step of
    training, `train(steps)` several.

    >>> run = Healthy().train(3)
    >>> len(run.losses), run.losses[2] < run.losses[0]
    (3, True)
    """

    rate = 0.1

    def __init__(self) -> None:
        self.x, self.y = map(torch.tensor, data())
        self.parameters = {name: torch.nn.Parameter(torch.tensor(array)) for name, array in weights().items()}
        self.optimizer = torch.optim.SGD(self.parameters.values(), lr=self.rate)
        self.losses: list[float] = []

    def predict(self, x) -> torch.Tensor:
        p = self.parameters
        hidden = torch.tanh(x @ p["w1"] + p["b1"])
        return hidden @ p["w2"] + p["b2"]

    def loss(self) -> torch.Tensor:
        return ((self.predict(self.x).reshape(-1) - self.y) ** 2).mean()

    def step(self) -> float:
        self.optimizer.zero_grad()
        loss = self.loss()
        loss.backward()
        self.optimizer.step()
        return loss.item()

    def train(self, steps) -> Self:
        self.losses += [self.step() for _ in range(steps)]
        return self


class Ann(Healthy):
    """A patient."""

    def predict(self, x) -> torch.Tensor:
        p = self.parameters
        hidden = torch.tanh(x @ p["w1"] + p["b1"]).detach()
        return hidden @ p["w2"] + p["b2"]


class Ben(Healthy):
    """A patient."""

    def step(self) -> float:
        loss = self.loss()
        loss.backward()
        self.optimizer.step()
        return loss.item()


class Cleo(Healthy):
    """A patient."""

    def loss(self) -> torch.Tensor:
        return ((self.predict(self.x) - self.y) ** 2).mean()


class Scaled:
    """A run without a fault, in the MindSpore dialect, in float16 with a loss scale and clipping.

    As `Healthy`. Besides: `gradients()` gives the loss and the scaled gradients, `skipped` counts the steps left out.

    >>> run = Scaled().train(3)
    >>> run.skipped, run.losses[2] < run.losses[0]
    (0, True)
    """

    rate, limit = 0.1, 1.0
    scale = 1024.0

    def __init__(self) -> None:
        self.x, self.y = map(ms.Tensor, data())
        self.parameters = {name: ms.Parameter(ms.Tensor(array), name=name) for name, array in weights().items()}
        self.optimizer = ms.nn.SGD(list(self.parameters.values()), self.rate)
        self.scaler = ms.amp.StaticLossScaler(self.scale)
        self.losses: list[float] = []
        self.skipped = 0

    def predict(self, x) -> ms.Tensor:
        half = {name: p.astype(ms.float16) for name, p in self.parameters.items()}
        hidden = ms.ops.tanh(x.astype(ms.float16) @ half["w1"] + half["b1"])
        return (hidden @ half["w2"] + half["b2"]).astype(ms.float32)

    def loss(self) -> ms.Tensor:
        return ((self.predict(self.x).reshape(-1) - self.y) ** 2).mean()

    def gradients(self) -> tuple[ms.Tensor, tuple]:
        def scaled():
            loss = self.loss()
            return self.scaler.scale(loss), loss

        (_, loss), found = ms.value_and_grad(scaled, None, self.optimizer.parameters, has_aux=True)()
        return loss, found

    def step(self) -> float:
        loss, scaled = self.gradients()
        if ms.amp.all_finite(scaled):
            self.optimizer(self.prepare(scaled))
        else:
            self.skipped += 1
        return float(loss.asnumpy())

    def prepare(self, scaled) -> tuple:
        return ms.ops.clip_by_global_norm(self.scaler.unscale(scaled), self.limit)

    def train(self, steps) -> Self:
        self.losses += [self.step() for _ in range(steps)]
        return self


class Dan(Scaled):
    """A patient."""

    scale = 2.0**24


class Eve(Scaled):
    """A patient."""

    def prepare(self, scaled) -> tuple:
        return self.scaler.unscale(ms.ops.clip_by_global_norm(scaled, self.limit))


for _patient in (Ann, Ben, Cleo, Dan, Eve):
    _name = _patient.__name__
    _patient.__doc__ = f"""A patient: like `{_patient.__mro__[1].__name__}`, but with one fault, to be found in what it does.

    >>> run = {_name}().train(2)
    >>> len(run.losses)
    2
    """
