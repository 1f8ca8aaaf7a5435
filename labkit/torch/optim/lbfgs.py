"""L-BFGS: steps along a direction that the last gradients and steps tell."""

from typing import Any

import numpy as np

from ...aliases import attributes
from .._dispatch import overwrite
from .._modes import enable_grad, no_grad
from .._tensor import Tensor
from ._line_search import Point, strong_wolfe
from .optimizer import Optimizer, options

__all__ = ["LBFGS"]


class LBFGS(Optimizer):
    """Steps of a method that guesses the curvature from the last `history_size` gradients and steps.

    `step(closure)` needs a function that computes the loss anew, with gradients: it asks for it up to `max_eval` times, in up
    to `max_iter` steps of `lr`, or with `line_search_fn="strong_wolfe"` of lengths that are looked for. It ends where no
    gradient is above `tolerance_grad`, or no change above `tolerance_change`. All parameters are one group, else ValueError.

    >>> import labkit.torch as torch
    >>> p = torch.nn.Parameter(torch.tensor([3.0, -4.0]))
    >>> optimizer = torch.optim.LBFGS([p], line_search_fn="strong_wolfe")
    >>> def closure():
    ...     optimizer.zero_grad()
    ...     loss = ((p - 1) ** 2).sum()
    ...     loss.backward()
    ...     return loss
    >>> optimizer.step(closure).item()
    29.0
    >>> p.detach().round(decimals=3)
    tensor([1., 1.])
    """

    def __init__(self, params, lr=1, max_iter=20, max_eval=None, tolerance_grad=1e-7, tolerance_change=1e-9, history_size=100,
                 line_search_fn=None):  # fmt: skip
        if not lr >= 0.0:
            raise ValueError(f"Invalid learning rate: {lr}")
        max_eval = max_iter * 5 // 4 if max_eval is None else max_eval
        names = "lr max_iter max_eval tolerance_grad tolerance_change history_size line_search_fn"
        super().__init__(params, options(names, locals()))
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")

    @no_grad()
    def step(self, closure) -> Any:
        """Up to `max_iter` steps; `closure` computes the loss, with gradients, and the first one is returned."""
        group, (first, *_) = self.param_groups[0], self.param_groups[0]["params"]
        if group["line_search_fn"] not in (None, "strong_wolfe"):
            raise RuntimeError("only 'strong_wolfe' is supported")
        self._stepped, asked = True, enable_grad()(closure)
        result = asked()
        loss, g, state = float(result), self._gradient(), self.state[first]
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)
        state["func_evals"] += 1
        evals, steps = 1, 0
        while steps < group["max_iter"] and not self._done(g):
            steps += 1
            state["n_iter"] += 1
            d = self._direction(state, g)
            state["d"], state["prev_flat_grad"], state["prev_loss"] = Tensor._of(d), Tensor._of(g), loss
            t = min(1.0, 1.0 / float(np.abs(g).sum())) * group["lr"] if state["n_iter"] == 1 else group["lr"]
            slope, before = float(g @ d), loss
            if slope > -group["tolerance_change"]:
                state["t"] = t
                break
            last = steps == group["max_iter"]
            t, loss, g, more = self._go(asked, Point(0.0, loss, g, slope), t, d, last)
            state["t"], evals = t, evals + more
            state["func_evals"] += more
            still = np.abs(d * t).max() <= group["tolerance_change"] or abs(loss - before) < group["tolerance_change"]
            if evals >= group["max_eval"] or still:
                break
        return result

    def _done(self, g):
        return np.abs(g).max() <= self.param_groups[0]["tolerance_grad"]

    def _direction(self, state, g):
        """The way down that the remembered changes of the gradient and of the parameters tell."""
        if state["n_iter"] == 1:
            state.update(old_dirs=[], old_stps=[], ro=[], H_diag=1)
            return -g
        y, s = g - state["prev_flat_grad"]._array, state["d"]._array * g.dtype.type(state["t"])
        curved = float(y @ s)
        if curved > 1e-10:
            for name, new in (("old_dirs", Tensor._of(y)), ("old_stps", Tensor._of(s)), ("ro", 1.0 / curved)):
                state[name] = [*state[name], new][-self.param_groups[0]["history_size"] :]
            state["H_diag"] = curved / float(y @ y)
        pairs = [(y._array, s._array, ro) for y, s, ro in zip(state["old_dirs"], state["old_stps"], state["ro"])]
        d, shares = -g, []
        for y, s, ro in reversed(pairs):
            shares.append(float(s @ d) * ro)
            d = d - shares[-1] * y
        d = d * state["H_diag"]
        for (y, s, ro), share in zip(pairs, reversed(shares), strict=True):
            d = d + s * (share - float(y @ d) * ro)
        return d

    def _go(self, asked, start, t, d, last):
        """`(step, loss, gradient, how often the loss was asked for)` after a step along `d`."""
        if self.param_groups[0]["line_search_fn"] is None:
            self._add(d, t)
            return (t, start.loss, start.gradient, 0) if last else (t, float(asked()), self._gradient(), 1)
        params = self.param_groups[0]["params"]
        kept = [p._array.copy() for p in params]

        def back():
            for p, array in zip(params, kept, strict=True):
                overwrite(p, Tensor._of(array.copy()))

        def at(t):
            self._add(d, t)
            loss, g = float(asked()), self._gradient()
            back()
            return Point(t, loss, g, float(g @ d))

        found, evals = strong_wolfe(at, start, t, float(np.abs(d).max()))
        self._add(d, found.t)
        return found.t, found.loss, found.gradient, evals

    def _gradient(self):
        """The gradients of all parameters, one after the other."""
        params = self.param_groups[0]["params"]
        return np.concatenate([(np.zeros_like(p._array) if p.grad is None else p.grad._array).ravel() for p in params])

    def _add(self, d, t):
        at = 0
        for p in self.param_groups[0]["params"]:
            part = d[at : at + p.numel()].reshape(p._array.shape)
            overwrite(p, Tensor._of(p._array + p._array.dtype.type(t) * part))
            at += p.numel()


__getattr__ = attributes(__name__)
