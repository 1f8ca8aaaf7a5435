"""The methods: each is its options and one formula, from the old parameter and its gradient `g` to the new one.

`foreach`, `fused`, `capturable` and `differentiable` choose between implementations in the real framework; here there is one,
and they are only kept among the options.
"""

import numpy as np

from ...ops import in_float32, kept, operand, two_bytes
from .. import _rules
from .._tensor.tensor import Tensor
from .optimizer import Optimizer, counted, non_negative, options

# ---- the arithmetic of a step, by the kernels of the real methods: two-byte floats are rounded after each of them ----

added = _rules.add_scaled.fun  # x + c y
times, over = _rules.by_number.fun, _rules.over_number.fun  # x c, x / c
addcmul = in_float32(kept(lambda x, a, b, c: x + c * a * b))
addcdiv = in_float32(kept(lambda x, a, b, c: x + c * a / b))
towards = in_float32(kept(lambda x, y, c: x + c * (y - x)))


def mean_square(s, g, rho) -> np.ndarray:
    """rho s + (1 - rho) g^2.

    >>> mean_square(np.ones(2), np.array([1.0, 3.0]), 0.5)
    array([1., 5.])
    """
    if two_bytes(s.dtype):
        return addcmul(times(s, rho), g, g, 1 - rho)
    return rho * s + (1 - rho) * (g * g)


def root(s, eps, by=None) -> np.ndarray:
    """sqrt(s) / by + eps."""
    return raised(np.sqrt(s) if by is None else over(np.sqrt(s), by), eps)


def raised(x, eps) -> np.ndarray:
    """x + eps."""
    return x + (operand(eps, x) if two_bytes(x.dtype) else eps)


def stepped(x, size, a, b) -> np.ndarray:
    """x - size (a / b)."""
    return addcdiv(x, a, b, -size) if two_bytes(x.dtype) else x - size * (a / b)


# ---- the methods ----


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
                self.state[p] = {"step": Tensor._of(np.array(0, np.float32)),
                    "sum": Tensor._of(np.full_like(p._array, initial_accumulator_value))}  # fmt: skip

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
