"""Methods whose step sizes are part of their state: one for each element, or one that gets smaller."""

import numpy as np

from ._kernels import addcmul, added, times, towards
from .optimizer import Optimizer, counted, non_negative, options

__all__ = ["ASGD", "Rprop"]


class ASGD(Optimizer):
    """p * (1 - lambd * eta) - eta * g, where eta = lr / (1 + lambd * lr * t)^alpha; `ax` of the state is the mean from t0 on.

    >>> from labkit import torch
    >>> p = torch.tensor([1.0], requires_grad=True)
    >>> p.grad = torch.tensor([4.0])
    >>> ASGD([p], lr=0.1, lambd=0.0).step()
    >>> p.detach()
    tensor([0.6000])
    """

    def __init__(self, params, lr=1e-2, lambd=1e-4, alpha=0.75, t0=1e6, weight_decay=0, foreach=None, maximize=False,
                 differentiable=False, capturable=False):  # fmt: skip
        non_negative(lr=lr, weight_decay=weight_decay)
        names = "lr lambd alpha t0 weight_decay foreach maximize differentiable capturable"
        super().__init__(params, options(names, locals()))

    def update(self, group, p, g) -> np.ndarray:
        t, lr, lambd = counted(self.state[p]), group["lr"], group["lambd"]
        eta = self._state_of(p, "eta", np.array(lr, np.float32))
        mu, mean = self._state_of(p, "mu", np.array(1, np.float32)), self._state_of(p, "ax")
        g = added(g, p._array, group["weight_decay"]) if group["weight_decay"] else g
        value = added(times(p._array, 1 - lambd * float(eta)), g, -float(eta))
        self._set_state(p, "ax", value if mu == 1 else towards(mean, value, float(mu)))
        self._set_state(p, "eta", np.array(lr / (1 + lambd * lr * t) ** group["alpha"], np.float32))
        self._set_state(p, "mu", np.array(1 / max(1, t - group["t0"]), np.float32))
        return value


class Rprop(Optimizer):
    """p - s * sign(g), with a step size s for each element: longer (times `etas[1]`) where g keeps its sign, shorter where not.

    >>> from labkit import torch
    >>> p = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> p.grad = torch.tensor([4.0, -0.1])
    >>> Rprop([p], lr=0.1).step()
    >>> p.detach()
    tensor([0.9000, 2.1000])
    """

    def __init__(self, params, lr=1e-2, etas=(0.5, 1.2), step_sizes=(1e-6, 50), *, capturable=False, foreach=None,
                 maximize=False, differentiable=False):  # fmt: skip
        non_negative(lr=lr)
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise ValueError(f"Invalid eta values: {etas[0]}, {etas[1]}")
        super().__init__(params, options("lr etas step_sizes foreach maximize differentiable capturable", locals()))

    def update(self, group, p, g) -> np.ndarray:
        counted(self.state[p])
        before, (down, up) = self._state_of(p, "prev"), group["etas"]
        sizes, turned = self._state_of(p, "step_size", np.full_like(g, group["lr"])), g * before
        factor = np.where(turned > 0, up, np.where(turned < 0, down, 1)).astype(g.dtype)
        low, high = (np.asarray(end).astype(g.dtype) for end in group["step_sizes"])
        sizes = self._set_state(p, "step_size", np.clip(sizes * factor, low, high))
        g = self._set_state(p, "prev", np.where(turned < 0, np.zeros((), g.dtype), g))
        return addcmul(p._array, np.sign(g), sizes, -1)
