"""The parts of a healthy training run: two workers, float16 copies of float32 weights, a loss scale, a clip, AdamW.

Each fault of the ward is a change in the text of one of these functions (see `faults`), so each says in its docstring what
is asked of it. `p` maps the names W1, b1, W2, b2 to tensors; `plan` holds the settings of the run (`drawing.Plan`).
"""

import numpy as np

from ... import torch


def weights(rng: np.random.Generator) -> dict:
    """The float32 weights at the start, which the optimizer is going to change."""
    drawn = {
        "W1": rng.normal(size=(2, 8)),
        "b1": np.zeros(8),
        "W2": rng.normal(size=(8, 1)) / 8**0.5,
        "b2": np.zeros(1),
    }
    return {name: torch.nn.Parameter(torch.tensor(array, dtype=torch.float32)) for name, array in drawn.items()}


def optimizer(p, plan) -> torch.optim.Optimizer:
    """What changes the weights: AdamW, with all of them."""
    return torch.optim.AdamW(p.values(), lr=plan.rate, weight_decay=plan.decay)


def rate(step: int, plan) -> float:
    """The learning rate of a step, from 0 on: it grows for `plan.warmup` steps and stays."""
    return plan.rate * min(1.0, (step + 1) / plan.warmup)


def rows(batch: np.ndarray, worker: int, plan) -> np.ndarray:
    """The rows of a batch that a worker computes: no two workers have one in common."""
    return batch[worker :: plan.workers]


def gather(x, y, rows: np.ndarray) -> tuple:
    """The points and the labels of these rows."""
    return x[rows], y[rows]


def forward(p, x) -> torch.Tensor:
    """The logits, float32 of shape (n, 1), computed in float16."""
    hidden = torch.tanh(x.half() @ p["W1"] + p["b1"])
    return (hidden @ p["W2"] + p["b2"]).float()


def loss(z, y) -> torch.Tensor:
    """The mean cross-entropy of the logits z, of shape (n, 1), for the labels y, of shape (n,)."""
    z = z[:, 0]
    return (torch.nn.functional.softplus(z) - y * z).mean()


def scale(plan) -> float:
    """The loss scale."""
    return plan.scale


def clear(p) -> None:
    """Before a worker begins a step: no gradient is left of the step before."""
    for one in p.values():
        one.grad = None


def backward(value, scale: float, pieces: int) -> None:
    """Add a piece's share to the gradients: of so many pieces, the mean is wanted, times the loss scale."""
    (value * scale / pieces).backward()


def kept(w) -> torch.Tensor:
    """A weight as it is kept between the steps: float32, so that no small change of it is lost."""
    return w


def finish(gradients: dict, scale: float, limit: float) -> dict:
    """Scaled gradients by name, as the optimizer is to get them: without the scale, of a global norm of at most `limit`."""
    gradients = {name: g / scale for name, g in gradients.items()}
    norm = torch.sqrt(sum((g**2).sum() for g in gradients.values()))
    return {name: g * min(1.0, limit / float(norm)) for name, g in gradients.items()}
