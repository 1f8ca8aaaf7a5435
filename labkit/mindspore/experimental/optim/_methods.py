"""SGD, Adam and AdamW with `param_groups`."""

import numpy as np

from ...parameter import Parameter
from ...tensor import Tensor
from .optimizer import Optimizer

__all__ = ["SGD", "Adam", "AdamW"]


def _check(condition, text):
    if not condition:
        raise ValueError(text)


class SGD(Optimizer):
    """p - lr * v, where v = momentum * v + (1 - dampening) * g, and at the first step v = g; `nesterov` along g + momentum * v.

    >>> from labkit.mindspore import Parameter, Tensor
    >>> p = Parameter(Tensor([1.0, 2.0]), name="p")
    >>> SGD([p], lr=0.5)((Tensor([1.0, 2.0]),)), p.value()
    (True, Tensor(shape=[2], dtype=Float32, value= [ 5.00000000e-01,  1.00000000e+00]))
    """

    _shown = "mindspore.experimental.optim.sgd.SGD"

    def __init__(self, params, lr, momentum=0, dampening=0, weight_decay=0.0, nesterov=False, *, maximize=False):
        _check(isinstance(lr, Tensor) or lr >= 0, f"Invalid learning rate: {lr}")
        _check(momentum >= 0, f"Invalid momentum value: {momentum}")
        super().__init__(params, {
            "lr": lr, "momentum": float(momentum), "dampening": float(dampening), "weight_decay": weight_decay,
            "nesterov": nesterov, "maximize": maximize, "grad_centralization": False,
        })  # fmt: skip
        if nesterov and (momentum <= 0.0 or dampening != 0.0):
            raise ValueError(
                "For 'SGD', if 'nesterov' is true, 'momentum' must be > 0.0 and 'dampening' must equal to 0.0, but got "
                f"'momentum' {momentum}, 'dampening' {dampening}"
            )
        self.accum = self.parameters.clone("accum", "zeros")
        self.stat = self.parameters.clone("stat", "ones")

    def update(self, group, lr, places, gradients) -> None:
        for place, g in zip(places, gradients, strict=True):
            p, v, first = self.parameters[place], self.accum[place], self.stat[place]
            g, momentum = g + group["weight_decay"] * p._value if group["weight_decay"] else g, group["momentum"]
            if momentum:
                later = momentum * v._value + (1 - group["dampening"]) * g
                v._value = np.where(first._value > 0, g, later).astype(p._value.dtype)
                first._value = np.zeros_like(first._value)
                g = g + momentum * v._value if group["nesterov"] else v._value
            p._value = p._value - lr * g


class _OfMoments(Optimizer):
    """What Adam and AdamW have in common: their options and the running means."""

    def __init__(self, params, lr, betas, eps, weight_decay, amsgrad, maximize):
        _check(isinstance(lr, Tensor) or lr >= 0, f"Invalid learning rate: {lr}")
        _check(eps >= 0, f"Invalid epsilon value: {eps}")
        for place in (0, 1):
            _check(0.0 <= betas[place] < 1.0, f"Invalid beta parameter at index {place}: {betas[place]}")
        _check(weight_decay >= 0, f"Invalid weight_decay value: {weight_decay}")
        super().__init__(params, {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "amsgrad": amsgrad, "maximize": maximize,
        })  # fmt: skip
        self.exp_avg = self.parameters.clone("exp_avg", "zeros")
        self.exp_avg_sq = self.parameters.clone("exp_avg_sq", "zeros")
        self.max_exp_avg_sq = self.parameters.clone("max_exp_avg_sq", "zeros")
        self.state_step = Parameter(Tensor(np.int32(0)), name="state_step")

    def construct(self, gradients) -> bool:
        self.state_step._value = self.state_step._value + np.int32(1)
        return super().construct(gradients)

    def _moments(self, place, g, group):
        m, v = self.exp_avg[place], self.exp_avg_sq[place]
        beta1, beta2 = group["betas"]
        m._value = beta1 * m._value + (1 - beta1) * g
        v._value = beta2 * v._value + (1 - beta2) * (g * g)
        return m._value, v._value

    def _corrections(self, group):
        count = np.float32(self.state_step._value)
        return [np.float32(1) - np.float32(beta) ** count for beta in group["betas"]]


class Adam(_OfMoments):
    """D. Kingma and J. Ba (2014): along the running mean of the gradient over the root of that of its square.

    `weight_decay` times the parameter is added to the gradient. `amsgrad` changes nothing, as in the real one.
    """

    _shown = "mindspore.experimental.optim.adam.Adam"

    def __init__(
        self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0, amsgrad=False, *, maximize=False
    ):
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, maximize)

    def update(self, group, lr, places, gradients) -> None:
        first, second = self._corrections(group)
        for place, g in zip(places, gradients, strict=True):
            p = self.parameters[place]
            g = g + group["weight_decay"] * p._value if group["weight_decay"] else g
            m, v = self._moments(place, g, group)
            p._value = p._value - lr * np.sqrt(second) / first * m / (np.sqrt(v) + group["eps"])


class AdamW(_OfMoments):
    """Adam whose weight decay goes past the running means: p times 1 - lr * weight_decay (I. Loshchilov and F. Hutter, 2017)."""

    _shown = "mindspore.experimental.optim.adamw.AdamW"

    def __init__(
        self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=1e-2, amsgrad=False, *, maximize=False
    ):
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, maximize)

    def update(self, group, lr, places, gradients) -> None:
        first, second = self._corrections(group)
        for place, g in zip(places, gradients, strict=True):
            p, most = self.parameters[place], self.max_exp_avg_sq[place]
            m, v = self._moments(place, g, group)
            if group["amsgrad"]:
                v = most._value = np.maximum(most._value, v)
            decayed = p._value * (1 - lr * group["weight_decay"])
            p._value = decayed - m / (np.sqrt(v) / np.sqrt(second) + group["eps"]) * (lr / first)
