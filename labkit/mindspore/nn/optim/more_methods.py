"""Further methods, less often used: averaged descent, signs alone, layer-wise rates, and sparse solutions."""

from typing import Any

import autograd.numpy as anp
import numpy as np

from ....kinds import of_kind
from ....ops import select
from ...parameter import Parameter, ParameterTuple
from ...tensor import wrap
from .._checks import check_types, floating
from .methods import Adam, _OfMoments
from .optimizer import Optimizer, fused, in_dtype_of

__all__ = ["ASGD", "FTRL", "AdaMax", "Lamb", "LazyAdam", "ProximalAdagrad", "Rprop"]


class AdaMax(_OfMoments):
    """m is a running mean of g, v = max(beta2 * v, |g|); p = p - lr / (1 - beta1^t) * m / (v + eps).

    >>> from labkit.mindspore import Parameter, Tensor
    >>> p = Parameter(Tensor([1.0]), name="p")
    >>> AdaMax([p], 0.5)((Tensor([3.0]),)), p.value()
    ((True,), Tensor(shape=[1], dtype=Float32, value= [ 5.00000000e-01]))
    """

    slots = {"moment1": ("moment1", "zeros"), "moment2": ("moment2", "zeros")}

    def __init__(self, params, learning_rate=0.001, beta1=0.9, beta2=0.999, eps=1e-8, weight_decay=0.0, loss_scale=1.0):
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self._keep_betas(beta1, beta2, eps)
        self.beta1_power = Parameter(wrap(np.ones(1, np.float32)), name="beta1_power")
        self.keep_slots()

    def before_step(self) -> None:
        self.beta1_power.set_data(self.beta1_power * self.beta1)

    def step(self, p, g, lr, m, v, place) -> tuple:
        beta1, beta2 = in_dtype_of(self.beta1, p), in_dtype_of(self.beta2, p)
        m, v = beta1 * m + (1 - beta1) * g, anp.maximum(beta2 * v, anp.abs(g))
        rate = lr / (1 - in_dtype_of(self.beta1_power, p)[0])
        return p - rate * (m / (v + in_dtype_of(self.eps, p))), m, v


class LazyAdam(Adam):
    """Adam; for sparse gradients, which labkit has not, only the rows that are there would step."""

    def __init__(self, params, learning_rate=1e-3, beta1=0.9, beta2=0.999, eps=1e-8, use_locking=False,
                 use_nesterov=False, weight_decay=0.0, loss_scale=1.0):  # fmt: skip
        super().__init__(params, learning_rate, beta1, beta2, eps, use_locking, use_nesterov, weight_decay, loss_scale)


class Lamb(_OfMoments):
    """Adam's update u, plus weight decay, with each layer's own rate: p = p - lr * |p| / |u| * u (Y. You et al., 2020)."""

    slots = {"moments1": ("lamb_m", "zeros"), "moments2": ("lamb_v", "zeros")}

    def __init__(self, params, learning_rate, beta1=0.9, beta2=0.999, eps=1e-6, weight_decay=0.0):
        super().__init__(learning_rate, params, weight_decay)
        self._keep_betas(beta1, beta2, eps)
        self.keep_slots()

    def decay_weight(self, gradients) -> tuple:
        """The gradients as they are: the decay is part of the step."""
        return gradients

    def step(self, p, g, lr, m, v, place) -> tuple:
        m, v = self._moments(g, m, v)
        t = int(self.global_step._value[0])
        beta1, beta2, eps = (in_dtype_of(number, p) for number in (self.beta1, self.beta2, self.eps))
        update = m / (1 - beta1**t) / (anp.sqrt(v / (1 - beta2**t)) + eps)
        if self.decay_flags[place]:
            decay = self.get_weight_decay()
            update = update + in_dtype_of(decay[place] if self.is_group else decay, p) * p
        size, length = (np.sqrt(np.sum(x * x)) for x in (p, update))
        return p - lr * (size / length if size > 0 and length > 0 else size.dtype.type(1)) * update, m, v


class ASGD(Optimizer):
    """Gradient descent p = p * (1 - lambd * eta) - eta * g, with the mean of the parameters in `ax` from step `t0` on.

    eta begins as lr and becomes lr / (1 + lambd * lr * t)^alpha (B. Polyak and A. Juditsky, 1992).
    """

    slots = {"ax": ("ax_", "zeros")}

    def __init__(self, params, learning_rate=0.1, lambd=1e-4, alpha=0.75, t0=1e6, weight_decay=0.0):
        super().__init__(learning_rate, params, weight_decay)
        check_types(float, self.cls_name, lambd=lambd, alpha=alpha, t0=t0)
        self.lambd, self.alpha, self.t0 = lambd, alpha, t0
        self.keep_slots()
        for name, start in (("mu", 1.0), ("eta", 0.0)):  # a number each
            kept = [Parameter(wrap(np.float32(start)), name=f"{name}_{p.name}") for p in self.parameters]
            setattr(self, name, ParameterTuple(kept))
        self.slots = {**self.slots, "mu": ("mu", "ones"), "eta": ("eta", "zeros")}

    def step(self, p, g, lr, ax, mu, eta, place) -> tuple:
        t, lambd = int(self.global_step._value[0]), in_dtype_of(self.lambd, p)
        eta = lr if t == 1 else eta
        p = p * (1 - lambd * eta) - eta * g
        ax = p if mu == 1 else ax + (p - ax) * mu
        eta = lr / (1 + lambd * lr * t) ** in_dtype_of(self.alpha, p)
        return p, ax, anp.asarray(1 / max(1.0, t - self.t0)), eta


class Rprop(Optimizer):
    """A step size of its own for every number: it grows by `etas[1]` while the gradient keeps its sign, else shrinks by
    `etas[0]`, within `step_sizes`; of the gradient only the sign counts (M. Riedmiller and H. Braun, 1993).
    """

    slots = {"prev": ("prev", "zeros"), "step_size": ("step_size", "zeros")}

    def __init__(self, params, learning_rate=0.1, etas=(0.5, 1.2), step_sizes=(1e-6, 50.0), weight_decay=0.0):
        super().__init__(learning_rate, params, weight_decay)
        for name, value in (("etas", etas), ("step_sizes", step_sizes)):
            of_kind(value, tuple, "For Rprop, {name} must be a tuple, but got {type}.", name=name)
            if len(value) != 2:
                raise ValueError(f"For Rprop, {name} must be a tuple with the size of 2, but got {len(value)}.")
        if step_sizes[0] > step_sizes[1]:
            raise ValueError(
                "For Rprop, maximal step size should not be less than minimal step size, "
                f"but got {step_sizes[0]} > {step_sizes[1]}."
            )
        if etas[1] <= 1.0:
            raise ValueError(f"For Rprop, etaplus must be greater than 1.0, but got etaplus {etas[1]}.")
        self.etas, self.step_sizes = etas, step_sizes
        self.keep_slots()

    def step(self, p, g, lr, before, size, place) -> tuple:
        size = anp.ones_like(p) * lr if self.global_step._value[0] == 1 else size
        agree = anp.sign(g * before)
        less, more = (in_dtype_of(eta, p) for eta in self.etas)
        factor = select(agree > 0, more, select(agree < 0, less, in_dtype_of(1.0, p)))
        size = anp.clip(size * factor, *(in_dtype_of(bound, p) for bound in self.step_sizes))
        g = select(agree < 0, in_dtype_of(0.0, p), g)
        return p - anp.sign(g) * size, g, size


class FTRL(Optimizer):
    """Follow the regularised leader: `l1` makes small parameters 0 (H. McMahan et al., 2013).

    The real framework's CPU kernel takes `l1` with the wrong sign where `linear` is negative; here it does what is
    documented.
    """

    slots: dict[str, tuple[str, Any]] = {}

    def __init__(self, params, initial_accum=0.1, learning_rate=0.001, lr_power=-0.5, l1=0.0, l2=0.0, use_locking=False,
                 loss_scale=1.0, weight_decay=0.0):  # fmt: skip
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        if self.dynamic_lr or self.is_group_lr:
            raise ValueError(
                "For 'FTRL', dynamic learning rate and group learning rate are currently not supported in FTRL, they "
                f"should all be false, but got dynamic learning rate {self.dynamic_lr} and group learning rate "
                f"{self.is_group_lr}."
            )
        check_types(float, self.cls_name, initial_accum=initial_accum, lr_power=lr_power, l1=l1, l2=l2)
        for name, value in (("initial_accum", initial_accum), ("l1", l1), ("l2", l2)):
            if value < 0.0:
                raise ValueError(f"For 'FTRL', the argument '{name}' must >= 0.0, but got {value}.")
        self.l1, self.l2, self.lr_power = l1, l2, lr_power
        self.slots = {"moments": ("moments", initial_accum), "linear": ("linear", "zeros")}
        self.keep_slots()

    def step(self, p, g, lr, s, z, place) -> tuple:
        power, l1, l2 = (in_dtype_of(number, p) for number in (-self.lr_power, self.l1, self.l2))
        larger = s + g * g
        z = z + (g - (larger**power - s**power) / lr * p)
        solved = (anp.sign(z) * l1 - z) / (larger**power / lr + 2 * l2)
        return select(anp.abs(z) > l1, solved, in_dtype_of(0.0, p)), larger, z


class ProximalAdagrad(Optimizer):
    """Adagrad, then a step towards 0: by `l1` of the rate, and a share that `l2` sets."""

    slots: dict[str, tuple[str, Any]] = {}

    def __init__(self, params, accum=0.1, learning_rate=0.001, l1=0.0, l2=0.0, use_locking=False, loss_scale=1.0,
                 weight_decay=0.0):  # fmt: skip
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        check_types(float, self.cls_name, accum=accum, l1=l1, l2=l2)
        floating(accum, "accum", self.cls_name, zero=True)
        self.l1, self.l2, self.slots = l1, l2, {"accum": ("accum", accum)}
        self.keep_slots()

    def step(self, p, g, lr, s, place) -> tuple:
        s = fused(g, g, s)
        rate = lr / anp.sqrt(s)
        p = fused(-g, rate, p)
        if self.l1 > 0:
            p = anp.sign(p) * anp.maximum(anp.abs(p) - rate * in_dtype_of(self.l1, p), 0)
        return p / (1 + in_dtype_of(self.l2, p) * rate), s
