"""The methods: each is its options and one formula, from the old parameter and its gradient `g` to the new one.

`foreach`, `fused`, `capturable` and `differentiable` choose between implementations in the real framework; here there is one,
and they are only kept among the options.
"""

import numpy as np

from ...ops import two_bytes
from .._tensor import Tensor
from ._kernels import addcdiv, addcmul, added, mean_square, over, raised, root, stepped, times, towards
from .optimizer import Optimizer, counted, non_negative, options


class SGD(Optimizer):
    """p - lr * v, where v = momentum * v + (1 - dampening) * g, and at the first step v = g; `nesterov` steps along
    g + momentum * v. `weight_decay` times p is added to g.

    >>> import labkit.torch as torch
    >>> p = torch.nn.Parameter(torch.tensor([1.0, 2.0]))
    >>> optimizer = torch.optim.SGD([p], lr=0.5)
    >>> (p**2).sum().backward()
    >>> optimizer.step()
    >>> p
    Parameter containing:
    tensor([0., 0.], requires_grad=True)
    """

    def __init__(self, params, lr=1e-3, momentum=0, dampening=0, weight_decay=0, nesterov=False, *, maximize=False,
                 foreach=None, differentiable=False, fused=None):  # fmt: skip
        non_negative(lr=lr, momentum=momentum, weight_decay=weight_decay)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        names = "lr momentum dampening weight_decay nesterov maximize foreach differentiable fused"
        super().__init__(params, options(names, locals()))

    def update(self, group, p, g) -> np.ndarray:
        g, momentum = _decayed(group, p, g), group["momentum"]
        if momentum:
            first = "momentum_buffer" not in self.state[p]
            v = self._state_of(p, "momentum_buffer", np.array(g))
            if not first:
                v = self._set_state(p, "momentum_buffer", added(times(v, momentum), g, 1 - group["dampening"]))
            g = added(g, v, momentum) if group["nesterov"] else v
        return added(p._array, g, -group["lr"])


def _decayed(group, p, g):
    return added(g, p._array, group["weight_decay"]) if group["weight_decay"] else g


class Adam(Optimizer):
    """m and v are running means of g and g^2: p - lr * (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + eps).

    `amsgrad` takes the largest v so far; `weight_decay` goes into g (see `AdamW`).

    >>> from labkit import torch
    >>> p = torch.tensor([1.0], requires_grad=True)
    >>> p.grad = torch.tensor([4.0])
    >>> Adam([p], lr=0.1).step()
    >>> p.detach()
    tensor([0.9000])
    """

    decoupled = False

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, amsgrad=False, *, foreach=None,
                 maximize=False, capturable=False, differentiable=False, fused=None):  # fmt: skip
        non_negative(lr=lr, eps=eps)
        for index, beta in enumerate(betas):
            if not 0.0 <= beta < 1.0:
                raise ValueError(f"Invalid beta parameter at index {index}: {beta}")
        non_negative(weight_decay=weight_decay)
        names = "lr betas eps weight_decay amsgrad maximize foreach capturable differentiable fused"
        super().__init__(params, {**options(names, locals()), "decoupled_weight_decay": self.decoupled})

    def update(self, group, p, g) -> np.ndarray:
        (beta1, beta2), value, state = group["betas"], p._array, self.state[p]
        t = counted(state)
        if self.decoupled:
            value = times(value, 1 - group["lr"] * group["weight_decay"])
        else:
            g = _decayed(group, p, g)
        m, v = self._state_of(p, "exp_avg"), self._state_of(p, "exp_avg_sq")
        m = self._set_state(p, "exp_avg", towards(m, g, 1 - beta1))
        v = self._set_state(p, "exp_avg_sq", mean_square(v, g, beta2))
        if group["amsgrad"]:
            v = self._set_state(p, "max_exp_avg_sq", np.maximum(self._state_of(p, "max_exp_avg_sq"), v))
        return stepped(value, group["lr"] / (1 - beta1**t), m, root(v, group["eps"], (1 - beta2**t) ** 0.5))


class AdamW(Adam):
    """Adam with decoupled weight decay: p is first multiplied by 1 - lr * weight_decay.

    >>> from labkit import torch
    >>> p = torch.tensor([1.0], requires_grad=True)
    >>> p.grad = torch.tensor([4.0])
    >>> AdamW([p], lr=0.1, weight_decay=0.5).step()
    >>> p.detach()
    tensor([0.8500])
    """

    decoupled = True

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=1e-2, amsgrad=False, *, maximize=False,
                 foreach=None, capturable=False, differentiable=False, fused=None):  # fmt: skip
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, maximize=maximize, foreach=foreach,
                         capturable=capturable, differentiable=differentiable, fused=fused)  # fmt: skip


class RMSprop(Optimizer):
    """s is a running mean of g^2: p - lr * g / (sqrt(s) + eps); with `momentum`, p - lr * v, v = momentum * v + that ratio.

    `centered` takes s less the square of the running mean of g.
    """

    def __init__(self, params, lr=1e-2, alpha=0.99, eps=1e-8, weight_decay=0, momentum=0, centered=False,
                 capturable=False, foreach=None, maximize=False, differentiable=False):  # fmt: skip
        non_negative(lr=lr, eps=eps, momentum=momentum, weight_decay=weight_decay, alpha=alpha)
        names = "lr momentum alpha eps centered weight_decay capturable foreach maximize differentiable"
        super().__init__(params, options(names, locals()))

    def update(self, group, p, g) -> np.ndarray:
        counted(self.state[p])
        g, alpha = _decayed(group, p, g), group["alpha"]
        s = self._set_state(p, "square_avg", mean_square(self._state_of(p, "square_avg"), g, alpha))
        v = self._state_of(p, "momentum_buffer") if group["momentum"] > 0 else None
        if group["centered"]:
            mean = self._state_of(p, "grad_avg")
            mean = self._set_state(p, "grad_avg", towards(mean, g, 1 - alpha))
            s = addcmul(s, mean, mean, -1)
        below = root(s, group["eps"])
        if v is None:
            return stepped(p._array, group["lr"], g, below)
        v = self._set_state(p, "momentum_buffer", stepped(times(v, group["momentum"]), -1, g, below))
        return added(p._array, v, -group["lr"])


class Adagrad(Optimizer):
    """s = s + g^2, from `initial_accumulator_value` on: p - lr / (1 + (t - 1) * lr_decay) * g / (sqrt(s) + eps)."""

    def __init__(self, params, lr=1e-2, lr_decay=0, weight_decay=0, initial_accumulator_value=0, eps=1e-10, foreach=None,
                 *, maximize=False, differentiable=False, fused=None):  # fmt: skip
        non_negative(lr=lr, lr_decay=lr_decay, weight_decay=weight_decay)
        non_negative(initial_accumulator_value=initial_accumulator_value, eps=eps)
        names = "lr lr_decay eps weight_decay initial_accumulator_value foreach maximize differentiable fused"
        super().__init__(params, options(names, locals()))
        for group in self.param_groups:
            for p in group["params"]:
                self.state[p] = {
                    "step": Tensor._of(np.array(0, np.float32)),
                    "sum": Tensor._of(np.full_like(p._array, initial_accumulator_value)),
                }

    def update(self, group, p, g) -> np.ndarray:
        t, g = counted(self.state[p]), _decayed(group, p, g)
        s = self._set_state(p, "sum", addcmul(self._state_of(p, "sum"), g, g, 1))
        rate = group["lr"] / (1 + (t - 1) * group["lr_decay"])
        return stepped(p._array, rate, g, root(s, group["eps"]))


class Adadelta(Optimizer):
    """s and u are running means of g^2 and of the squared steps: p - lr * d, where d = sqrt(u + eps) / sqrt(s + eps) * g."""

    def __init__(self, params, lr=1.0, rho=0.9, eps=1e-6, weight_decay=0, foreach=None, *, capturable=False, maximize=False,
                 differentiable=False):  # fmt: skip
        non_negative(lr=lr, rho=rho, eps=eps, weight_decay=weight_decay)
        super().__init__(
            params, options("lr rho eps weight_decay maximize capturable foreach differentiable", locals())
        )

    def update(self, group, p, g) -> np.ndarray:
        counted(self.state[p])
        g, rho, eps = _decayed(group, p, g), group["rho"], group["eps"]
        s = self._set_state(p, "square_avg", mean_square(self._state_of(p, "square_avg"), g, rho))
        u = self._state_of(p, "acc_delta")
        d = np.sqrt(raised(u, eps)) / np.sqrt(raised(s, eps)) * g
        self._set_state(p, "acc_delta", mean_square(u, d, rho))
        return added(p._array, d, -group["lr"])


class Adamax(Optimizer):
    """m is a running mean of g, u = max(beta2 * u, abs(g) + eps): p - lr / (1 - beta1^t) * m / u."""

    def __init__(self, params, lr=2e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, foreach=None, *, maximize=False,
                 differentiable=False, capturable=False):  # fmt: skip
        non_negative(lr=lr, eps=eps, weight_decay=weight_decay)
        names = "lr betas eps weight_decay foreach maximize differentiable capturable"
        super().__init__(params, options(names, locals()))

    def update(self, group, p, g) -> np.ndarray:
        (beta1, beta2), t, g = group["betas"], counted(self.state[p]), _decayed(group, p, g)
        m = self._state_of(p, "exp_avg")
        m = self._set_state(p, "exp_avg", towards(m, g, 1 - beta1))
        u = np.maximum(times(self._state_of(p, "exp_inf"), beta2), raised(np.abs(g), group["eps"]))
        u = self._set_state(p, "exp_inf", u)
        return addcdiv(p._array, m, u, -group["lr"] / (1 - beta1**t))


class NAdam(Optimizer):
    """Adam with Nesterov momentum: of m and g each a part, by mu = beta1 * (1 - 0.96^(t * momentum_decay) / 2)."""

    def __init__(self, params, lr=2e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, momentum_decay=4e-3,
                 decoupled_weight_decay=False, *, foreach=None, maximize=False, capturable=False,
                 differentiable=False):  # fmt: skip
        non_negative(lr=lr, eps=eps, weight_decay=weight_decay, momentum_decay=momentum_decay)
        names = (
            "lr betas eps weight_decay momentum_decay decoupled_weight_decay maximize foreach capturable differentiable"
        )
        super().__init__(params, options(f"{names} differentiable", locals()))

    def update(self, group, p, g) -> np.ndarray:
        (beta1, beta2), value, t = group["betas"], p._array, counted(self.state[p])
        if group["decoupled_weight_decay"]:
            value = times(value, 1 - group["lr"] * group["weight_decay"])
        else:
            g = _decayed(group, p, g)
        mu, ahead = (beta1 * (1.0 - 0.5 * 0.96 ** (n * group["momentum_decay"])) for n in (t, t + 1))
        one = np.ones((), np.float32 if two_bytes(value.dtype) else value.dtype)
        product = self._set_state(p, "mu_product", self._state_of(p, "mu_product", one) * mu).item()
        m, v = self._state_of(p, "exp_avg"), self._state_of(p, "exp_avg_sq")
        m = self._set_state(p, "exp_avg", towards(m, g, 1 - beta1))
        v = self._set_state(p, "exp_avg_sq", mean_square(v, g, beta2))
        below = raised(np.sqrt(over(v, 1 - beta2**t)), group["eps"])
        value = stepped(value, group["lr"] * (1.0 - mu) / (1.0 - product), g, below)
        return stepped(value, group["lr"] * ahead / (1.0 - product * ahead), m, below)


class RAdam(Optimizer):
    """Adam without its root while too few steps are known, and then times r, which grows to 1: p - lr * m / (1 - beta1^t),
    where from about the fifth step on m is divided by (sqrt(v) + eps) / sqrt(1 - beta2^t) / r."""

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, decoupled_weight_decay=False, *,
                 foreach=None, maximize=False, capturable=False, differentiable=False):  # fmt: skip
        non_negative(lr=lr, eps=eps)
        names = "lr betas eps weight_decay maximize foreach capturable decoupled_weight_decay differentiable"
        super().__init__(params, options(names, locals()))

    def update(self, group, p, g) -> np.ndarray:
        (beta1, beta2), value, t = group["betas"], p._array, counted(self.state[p])
        if group["decoupled_weight_decay"]:
            value = value * (1 - group["lr"] * group["weight_decay"])
        else:
            g = _decayed(group, p, g)
        m, v = self._state_of(p, "exp_avg"), self._state_of(p, "exp_avg_sq")
        m = self._set_state(p, "exp_avg", m + (1 - beta1) * (g - m))
        v = self._set_state(p, "exp_avg_sq", beta2 * v + (1 - beta2) * (g * g))
        left = 1 - beta2**t
        longest = 2 / (1 - beta2) - 1
        length = longest - 2 * t * beta2**t / left
        step = m / (1 - beta1**t) * group["lr"]
        if length > 5.0:
            known = (length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length)
            step = step * (left**0.5 / (np.sqrt(v) + group["eps"])) * known**0.5
        return value - step
