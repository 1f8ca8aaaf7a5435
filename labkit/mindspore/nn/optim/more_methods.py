"""Further methods: the largest gradient so far, the signs of gradients alone, and weights that are exactly 0."""

import autograd.numpy as anp
import numpy as np

from ....kinds import of_kind
from ....ops import select
from ...parameter import Parameter
from ...tensor import wrap
from .._checks import check_types
from .methods import Adam, _OfMoments
from .optimizer import Optimizer, in_dtype_of

__all__ = ["ASGD", "FTRL", "AdaMax", "AdamOffload", "LazyAdam", "ProximalAdagrad", "Rprop"]


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


class LazyAdam(Adam):
    """`Adam`. (The real one leaves the moments of rows alone that a sparse gradient does not touch; here gradients are dense.)"""

    def __init__(self, params, learning_rate=1e-3, beta1=0.9, beta2=0.999, eps=1e-8, use_locking=False,
                 use_nesterov=False, weight_decay=0.0, loss_scale=1.0):  # fmt: skip
        super().__init__(params, learning_rate, beta1, beta2, eps, use_locking, use_nesterov, weight_decay, loss_scale)


class AdamOffload(LazyAdam):
    """`Adam`, whose state the real one keeps with the host."""


class _OfL1(Optimizer):
    """What FTRL and ProximalAdagrad share: penalties `l1` and `l2`, and a running sum of squared gradients."""

    def _keep_penalties(self, start, l1, l2):
        check_types(float, self.cls_name, l1=l1, l2=l2)
        for name, value in (("l1", l1), ("l2", l2)):
            if value < 0:
                raise ValueError(f"For '{self.cls_name}', the argument '{name}' must be at least 0, but got {value}.")
        self.l1, self.l2 = np.float32(l1), np.float32(l2)
        self.slots = {"accum": ("accum", start), **self.slots}
        self.keep_slots()


class FTRL(_OfL1):
    """Follow the regularised leader: weights whose sum of gradients stays within `l1` are exactly 0 (H. McMahan, 2013).

    s' = s + g^2; z += g - (s'^-power - s^-power) / lr * p; p = (sign(z) l1 - z) / (s'^-power / lr + 2 l2) where |z| > l1, else 0.
    The real framework's CPU kernel adds `l1` whatever the sign of z; here it does what is documented.

    >>> from labkit.mindspore import Parameter, Tensor
    >>> p = Parameter(Tensor([1.0]), name="p")
    >>> _ = FTRL([p], learning_rate=0.1)((Tensor([0.5]),))
    >>> print(p.asnumpy().round(3))
    [0.381]
    """

    slots = {"linear": ("linear", "zeros")}

    def __init__(self, params, initial_accum=0.1, learning_rate=0.001, lr_power=-0.5, l1=0.0, l2=0.0, use_locking=False,
                 loss_scale=1.0, weight_decay=0.0):  # fmt: skip
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        check_types(float, self.cls_name, initial_accum=initial_accum, lr_power=lr_power)
        if lr_power > 0 or initial_accum < 0:
            raise ValueError(
                "For 'FTRL', 'lr_power' must be at most 0 and 'initial_accum' at least 0, but got "
                f"{lr_power} and {initial_accum}."
            )
        self.lr_power = np.float32(lr_power)
        self._keep_penalties(initial_accum, l1, l2)

    def step(self, p, g, lr, s, z, place) -> tuple:
        more = s + g * g
        before, after = s**-self.lr_power, more**-self.lr_power
        z = z + g - (after - before) / lr * p
        p = (anp.sign(z) * self.l1 - z) / (after / lr + 2 * self.l2)
        return select(anp.abs(z) > self.l1, p, anp.zeros_like(p)), more, z


class ProximalAdagrad(_OfL1):
    """Adagrad whose step is followed by one towards 0: with r = lr / sqrt(s), v = p - r g and
    p = sign(v) max(|v| - r l1, 0) / (1 + r l2).
    """

    slots: dict[str, tuple] = {}

    def __init__(self, params, accum=0.1, learning_rate=0.001, l1=0.0, l2=0.0, use_locking=False, loss_scale=1.0,
                 weight_decay=0.0):  # fmt: skip
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        check_types(float, self.cls_name, accum=accum)
        self._keep_penalties(accum, l1, l2)

    def step(self, p, g, lr, s, place) -> tuple:
        s = s + g * g
        rate = lr / anp.sqrt(s)
        v = p - rate * g
        return anp.sign(v) * anp.maximum(anp.abs(v) - rate * self.l1, 0) / (1 + rate * self.l2), s
