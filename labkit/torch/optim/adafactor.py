"""Adafactor: of a matrix of squares, only the means of its rows and columns are kept."""

import numpy as np

from .optimizer import Optimizer, counted, non_negative, options

__all__ = ["Adafactor"]


class Adafactor(Optimizer):
    """p - a u / max(1, rms(u) / d), where u = g / sqrt(v), a = max(eps[1], rms(p)) * min(lr, 1 / sqrt(t)).

    v is a running mean of g^2 with weight t^beta2_decay: of a matrix (..., m, n) the product of the means over rows and
    over columns, m + n numbers in the place of m n.

    >>> from labkit import torch
    >>> p = torch.tensor([1.0], requires_grad=True)
    >>> p.grad = torch.tensor([4.0])
    >>> Adafactor([p], lr=0.1).step()
    >>> p.detach()
    tensor([0.9000])
    """

    def __init__(self, params, lr=1e-2, beta2_decay=-0.8, eps=(None, 1e-3), d=1.0, weight_decay=0.0, *, foreach=None,
                 maximize=False):  # fmt: skip
        non_negative(lr=lr, weight_decay=weight_decay)
        super().__init__(params, options("lr beta2_decay eps d weight_decay foreach maximize", locals()))

    def update(self, group, p, g) -> np.ndarray:
        t, lr, value = counted(self.state[p]), group["lr"], p._array
        least, floor = group["eps"]
        least = float(np.finfo(g.dtype).eps) if least is None else least
        size = max(floor, _rms(value)) * min(lr, 1 / t**0.5)
        if group["weight_decay"]:
            value = value * (1 - lr * group["weight_decay"])
        squares = self._squares(p, g, t ** group["beta2_decay"], least)
        step = g / np.sqrt(np.maximum(squares, least * least))
        return value - (size / max(1.0, _rms(step) / group["d"])) * step

    def _squares(self, p, g, weight, least):
        if g.ndim < 2:
            return self._mean(p, "variance", g * g, weight)
        rows = self._mean(p, "row_var", (g * g).mean(-1, keepdims=True), weight)
        columns = self._mean(p, "col_var", (g * g).mean(-2, keepdims=True), weight)
        return np.matmul(rows, columns) / np.maximum(rows.mean(-2, keepdims=True), least)

    def _mean(self, p, name, value, weight):
        known = self._state_of(p, name, np.zeros_like(value))
        return self._set_state(p, name, known + weight * (value - known))


def _rms(x):
    return float(np.sqrt((x * x).mean())) if x.size else 0.0
