"""Further methods: the largest gradient so far, and the signs of gradients alone."""

import autograd.numpy as anp
import numpy as np

from ....kinds import of_kind
from ....ops import select
from ...parameter import Parameter
from ...tensor import wrap
from .._checks import check_types
from .methods import _OfMoments
from .optimizer import Optimizer, in_dtype_of

__all__ = ["ASGD", "AdaMax", "Rprop"]


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


class ASGD(Optimizer):
    """Gradient descent that also keeps the mean `ax` of its parameters from step `t0` on (B. Polyak and A. Juditsky, 1992).

    p = p (1 - lambd * eta) - eta * g; then eta = lr / (1 + lambd * lr * t)^alpha.
    """

    slots = {"ax": ("ax", "zeros"), "eta": ("eta", "zeros"), "mu": ("mu", "ones")}

    def __init__(self, params, learning_rate=0.1, lambd=1e-4, alpha=0.75, t0=1e6, weight_decay=0.0):
        super().__init__(learning_rate, params, weight_decay)
        check_types(float, self.cls_name, lambd=lambd, alpha=alpha, t0=t0)
        self.lambd, self.alpha, self.t0 = lambd, alpha, t0
        self.keep_slots()

    def step(self, p, g, lr, mean, eta, mu, place) -> tuple:
        t = np.float32(self.global_step._value[0])
        eta = anp.ones_like(p) * lr if t == 1 else eta
        p = p * (1 - self.lambd * eta) - eta * g
        mean = mean + (p - mean) * mu
        eta = anp.ones_like(p) * (lr / (1 + self.lambd * lr * t) ** np.float32(self.alpha))
        return p, mean, eta, anp.ones_like(p) / np.maximum(np.float32(1), t - np.float32(self.t0))
