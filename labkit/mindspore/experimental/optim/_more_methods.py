"""The other methods with `param_groups`: each is its options, its state, and one formula for a parameter and its state."""

from typing import Any

import numpy as np

from ....kinds import of_kind
from ...parameter import Parameter
from ...tensor import Tensor
from .optimizer import Optimizer

__all__ = ["ASGD", "Adadelta", "Adagrad", "Adamax", "NAdam", "RAdam", "RMSprop", "Rprop"]


class _Method(Optimizer):
    """`slots`: the state that each parameter has, with what it is at first; "step_t" among them: steps are counted."""

    slots: dict[str, Any] = {}

    def __init__(self, params, **options):
        name = type(self).__name__
        for option in {"lr", "eps", "weight_decay", "lr_decay", "momentum"} & options.keys():
            if (value := options[option]) < 0 or (value == 0 and option in ("lr", "eps")):
                least = "" if option in ("lr", "eps") else " or equal to"
                raise ValueError(f"For {name}, the {option} must be greater than{least} 0.0, but got {value}.")
        for place, beta in enumerate(options.get("betas", ())):
            if not 0.0 <= beta < 1.0:
                raise ValueError(f"For {name}, the betas[{place}] must be in [0.0, 1.0), but got {beta}.")
        super().__init__(params, options)
        for slot, first in self.slots.items():
            if slot == "step_t":
                self.step_t = Parameter(Tensor(np.int32(first)), name=slot)
            elif isinstance(first, float):  # one number for each parameter
                setattr(self, slot, [Parameter(Tensor(first), name=f"{slot}_{p.name}") for p in self.parameters])
            else:
                setattr(self, slot, self.parameters.clone(slot, options.get(first, first)))

    def construct(self, gradients) -> bool:
        if "step_t" in self.slots:
            self.step_t._value = self.step_t._value + np.int32(1)
        return super().construct(gradients)

    def update(self, group, lr, places, gradients) -> None:
        t = np.float32(self.step_t._value) if "step_t" in self.slots else None
        own = [getattr(self, slot) for slot in self.slots if slot != "step_t"]
        for place, g in zip(places, gradients, strict=True):
            written = [self.parameters[place], *(state[place] for state in own)]
            p, *state = (parameter._value for parameter in written)
            if group["weight_decay"]:
                g = g + np.float32(group["weight_decay"]) * p
            for parameter, value in zip(written, self.step(group, lr, t, p, g, *state), strict=True):
                parameter._value = np.asarray(value, parameter._value.dtype)

    def step(self, group, lr, t, p, g, *state: Any) -> tuple:
        """The new value of a parameter and of its state, at the step of number t."""
        raise NotImplementedError


def _mean(mean, new, beta):
    return mean * beta + new * (1 - beta)


class Adagrad(_Method):
    """Against g over the root of the sum of all g^2 so far; the rate is lr / (1 + lr_decay * number of steps before)."""

    _shown, slots = "mindspore.experimental.optim.adagrad.Adagrad", {"accum": "initial_accumulator_value", "step_t": 0}

    def __init__(self, params, lr=1e-2, lr_decay=0.0, weight_decay=0.0, initial_accumulator_value=0.0, eps=1e-10, *,
                 maximize=False):  # fmt: skip
        super().__init__(
            params, lr=lr, lr_decay=lr_decay, eps=eps, weight_decay=weight_decay,
            initial_accumulator_value=initial_accumulator_value, maximize=maximize,
        )  # fmt: skip

    def step(self, group, lr, t, p, g, *state) -> tuple:
        total = state[0] + g * g
        return p - lr / (1 + (t - 1) * group["lr_decay"]) * (g / (np.sqrt(total) + group["eps"])), total


class Adadelta(_Method):
    """M. Zeiler (2012): against g times the root of the mean square of the steps over that of the gradients."""

    _shown = "mindspore.experimental.optim.adadelta.Adadelta"
    slots = {"accum": "zeros", "accum_update": "zeros"}

    def __init__(self, params, lr=1.0, rho=0.9, eps=1e-6, weight_decay=0.0, *, maximize=False):
        super().__init__(params, lr=lr, rho=rho, eps=eps, weight_decay=weight_decay, maximize=maximize)

    def step(self, group, lr, t, p, g, *state) -> tuple:
        rho, eps = group["rho"], group["eps"]
        square = _mean(state[0], g * g, rho)
        change = np.sqrt(state[1] + eps) / np.sqrt(square + eps) * g
        return p - lr * change, square, _mean(state[1], change * change, rho)


class Adamax(_Method):
    """Adam with the largest of the decayed gradients in place of the root of the mean square."""

    _shown, slots = "mindspore.experimental.optim.adamax.Adamax", {"step_t": 0, "exp_avg": "zeros", "exp_inf": "zeros"}

    def __init__(self, params, lr=2e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0, *, maximize=False):
        super().__init__(params, lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, maximize=maximize)

    def step(self, group, lr, t, p, g, *state) -> tuple:
        beta1, beta2 = group["betas"]
        mean, largest = _mean(state[0], g, beta1), np.maximum(state[1] * beta2, abs(g) + group["eps"])
        return p - lr / (1 - np.float32(beta1) ** t) * mean / largest, mean, largest


class NAdam(_Method):
    """Adam with Nesterov's momentum (T. Dozat, 2016)."""

    _shown = "mindspore.experimental.optim.nadam.NAdam"
    slots = {"step_t": 0, "exp_avg": "zeros", "exp_avg_sq": "zeros", "mu_product": 1.0}

    def __init__(self, params, lr=2e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0, momentum_decay=4e-3):
        super().__init__(params, lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, momentum_decay=momentum_decay)

    def step(self, group, lr, t, p, g, *state) -> tuple:
        beta1, beta2 = group["betas"]
        mu, later = (beta1 * (1 - 0.5 * np.float32(0.96) ** (n * group["momentum_decay"])) for n in (t, t + 1))
        product, mean, square = state[2] * mu, _mean(state[0], g, beta1), _mean(state[1], g * g, beta2)
        below = np.sqrt(square / (1 - np.float32(beta2) ** t)) + group["eps"]
        p = p - lr * (1 - mu) / (1 - product) * g / below
        return p - lr * later / (1 - product * later) * mean / below, mean, square, product


class RAdam(_Method):
    """Adam that divides by the root of the mean square only once enough steps make it reliable (L. Liu and others, 2019)."""

    _shown, slots = "mindspore.experimental.optim.radam.RAdam", {"step_t": 0, "exp_avg": "zeros", "exp_avg_sq": "zeros"}

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0):
        super().__init__(params, lr=lr, betas=betas, eps=eps, weight_decay=weight_decay)

    def step(self, group, lr, t, p, g, *state) -> tuple:
        beta1, beta2 = group["betas"]
        mean, square, power = _mean(state[0], g, beta1), _mean(state[1], g * g, beta2), np.float32(beta2 ** float(t))
        way = mean / (1 - np.float32(beta1) ** t) * lr
        most = 2 / (1 - beta2) - 1
        length = most - 2 * t * power / (1 - power)
        if length > 5.0:
            share = (length - 4) * (length - 2) * most / ((most - 4) * (most - 2) * length)
            way = way * (np.sqrt(1 - power) / (np.sqrt(square) + group["eps"])) * np.sqrt(share)
        return p - way, mean, square


class RMSprop(_Method):
    """Against g over the root of its mean square, less that of its mean if `centered`; `momentum`: along a sum of these."""

    _shown = "mindspore.experimental.optim.rmsprop.RMSprop"
    slots = {"mean_grad": "zeros", "mean_square": "zeros", "moment": "zeros"}

    def __init__(self, params, lr=1e-2, alpha=0.99, eps=1e-8, weight_decay=0.0, momentum=0.0, centered=False,
                 maximize=False):  # fmt: skip
        super().__init__(
            params, lr=lr, momentum=momentum, alpha=alpha, eps=eps, centered=centered, weight_decay=weight_decay,
            maximize=maximize,
        )  # fmt: skip

    def step(self, group, lr, t, p, g, *state) -> tuple:
        (mean, square, moment), alpha = state, group["alpha"]
        spread = square = square * alpha + g * g * (1 - alpha)
        if group["centered"]:
            mean = _mean(mean, g, alpha)
            spread = square - mean * mean
        below = np.sqrt(spread) + group["eps"]
        if group["momentum"] > 0:
            moment = moment * group["momentum"] + g / below
            return p - moment * lr, mean, square, moment
        return p - lr * g / below, mean, square, moment


class ASGD(_Method):
    """Against g, at a rate that falls with the steps; `ax` holds the mean of the weights from step `t0` on."""

    _shown = "mindspore.experimental.optim.asgd.ASGD"
    slots = {"mu": 1.0, "eta": 0.0, "ax": "zeros", "step_t": 0}

    def __init__(self, params, lr=1e-2, lambd=1e-4, alpha=0.75, t0=1e6, weight_decay=0.0, maximize=False):
        for name, value in (("lambd", lambd), ("t0", t0)):
            of_kind(value, float, f"For 'ASGD', the type of {name} must be float, but got {{kind}}.")
        super().__init__(params, lr=lr, lambd=lambd, alpha=alpha, t0=t0, weight_decay=weight_decay, maximize=maximize)

    def step(self, group, lr, t, p, g, *state) -> tuple:
        (mu, eta, mean), lambd = state, group["lambd"]
        eta = lr if t == 1 else eta
        p = p * (1 - lambd * eta) - eta * g
        mean = p if mu == 1 else mean + (p - mean) * mu
        return p, 1 / max(1, t - group["t0"]), lr / (1 + lambd * lr * t) ** group["alpha"], mean


class Rprop(_Method):
    """Every element has a step of its own, which grows while the sign of g stays and shrinks when it turns."""

    _shown = "mindspore.experimental.optim.rprop.Rprop"
    slots = {"prev": "zeros", "step_size": "zeros", "step_t": 0}

    def __init__(self, params, lr=1e-2, etas=(0.5, 1.2), step_sizes=(1e-6, 50), *, maximize=False):
        super().__init__(params, lr=lr, etas=etas, step_sizes=step_sizes, maximize=maximize, weight_decay=0.0)

    def step(self, group, lr, t, p, g, *state) -> tuple:
        (before, size), (less, more) = state, group["etas"]
        turned, same = g * before < 0, g * before > 0
        factor = np.where(turned, less, np.where(same, more, 1))
        size = np.clip((np.full_like(size, lr) if t == 1 else size) * factor, *group["step_sizes"])
        g = np.where(turned, 0, g)
        return p - np.sign(g) * size, g, size
