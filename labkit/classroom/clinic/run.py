"""A training run of the moons net, made of parts: it takes steps and records what the instruments measure."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from ... import data, torch
from .drawing import Admission

Gradients = dict[str, torch.Tensor]


class Run:
    """A run of the patient's program; `parts` are its functions by name (see `parts`).

    `losses`, `rates`, `rows`, `arrived`: one entry per step; `skipped` counts the steps that were left out.
    """

    def __init__(self, admission: Admission, parts: Mapping[str, Any]) -> None:
        rng = np.random.default_rng(admission.seed)
        self.plan, self.part = admission.plan, parts
        self.x, self.y = map(torch.tensor, data.moons(seed=int(rng.integers(2**31))))
        self.weights = parts["weights"](rng)
        self.keep()
        self.start = {name: w.detach().numpy().astype(np.float64) for name, w in self.weights.items()}
        self.optimizer = parts["optimizer"](self.weights, self.plan)
        self.copies = [self._copy() for _ in range(self.plan.workers)]
        self.order = rng
        self.losses: list[float] = []
        self.rates: list[float] = []
        self.rows: list[list[list[int]]] = []
        self.arrived: list[float] = []
        self.skipped = 0

    def _copy(self) -> dict[str, torch.Tensor]:
        return {name: w.detach().half().requires_grad_() for name, w in self.weights.items()}

    def batches(self) -> Iterator[np.ndarray]:
        """The batches of the whole run: in every epoch another order, and each point once."""
        while True:
            order = self.order.permutation(len(self.x))
            yield from np.split(order, len(order) // self.plan.batch)

    def train(self, steps: int) -> "Run":
        """So many steps."""
        with np.errstate(all="ignore"):
            for step, batch in zip(range(steps), self.batches(), strict=False):
                self.losses.append(self.spread(batch))
                self.rates.append(self.part["rate"](step, self.plan))
                self.apply(self.gathered())
        return self

    def pieces_of(self, batch: np.ndarray, worker: int) -> list[np.ndarray]:
        """The rows of a worker, in pieces."""
        return np.split(self.part["rows"](batch, worker, self.plan), self.plan.pieces)

    def value(self, copies: Gradients, piece: np.ndarray) -> torch.Tensor:
        """The loss of a piece."""
        x, y = self.part["gather"](self.x, self.y, piece)
        return self.part["loss"](self.part["forward"](copies, x), y)

    def spread(self, batch: np.ndarray, workers: int | None = None) -> float:
        """Each worker, or so many of them, runs its pieces forward and back: its copies get gradients. Gives the mean loss."""
        values, scale = [], self.part["scale"](self.plan)
        self.rows.append([])
        for worker, copies in enumerate(self.copies[:workers]):
            self.part["clear"](copies)
            pieces = self.pieces_of(batch, worker)
            self.rows[-1].append(np.concatenate(pieces).tolist())
            for piece in pieces:
                value = self.value(copies, piece)
                self.part["backward"](value, scale, self.plan.pieces)
                values.append(value.item())
        return float(np.mean(values))

    def gathered(self) -> Gradients:
        """The mean of the workers' gradients, scaled, in float32; none for what got none."""
        found = {name: [copies[name].grad for copies in self.copies] for name in self.weights}
        return {name: sum(g.float() for g in each) / len(each) for name, each in found.items() if each[0] is not None}

    def apply(self, gradients: Gradients) -> None:
        """A step of the optimizer, or none where a gradient is not finite; then the copies are new."""
        if not all(np.isfinite(g.numpy()).all() for g in gradients.values()):
            self.skipped += 1
            return
        finished = self.part["finish"](gradients, self.part["scale"](self.plan), self.plan.limit)
        self.arrived.append(norm_of(finished))
        for name, g in finished.items():
            self.weights[name].grad = g.to(self.weights[name].dtype)
        self.update(self.rates[-1])

    def update(self, rate: float) -> None:
        """The optimizer changes the weights, and every worker's copy of them."""
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        self.optimizer.step()
        self.keep()
        with torch.no_grad():
            for copies in self.copies:
                for name, copy in copies.items():
                    copy.copy_(self.weights[name])

    def keep(self) -> None:
        """The weights become what is kept of them."""
        with torch.no_grad():
            for w in self.weights.values():
                w.copy_(self.part["kept"](w))


def norm_of(gradients: Gradients) -> float:
    """The norm of all gradients together."""
    return float(np.sqrt(sum((g.numpy().astype(np.float64) ** 2).sum() for g in gradients.values())))
