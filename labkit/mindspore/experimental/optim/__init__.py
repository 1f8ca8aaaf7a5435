"""Adam with `param_groups`, and a schedule that changes its learning rates."""

from collections import defaultdict
from typing import Any

import numpy as np

from ....dialects.unsupported import attributes
from ...common.dtype import float32
from ...common.parameter import Parameter, ParameterTuple
from ...common.tensor import Tensor
from ...nn import Cell
from . import lr_scheduler

__all__ = ["Adam", "Optimizer", "lr_scheduler"]


class Optimizer(Cell):
    """Keeps parameters in `param_groups`: dicts with "params", "lr" and the other options, `defaults` where one has none.

    Called with the tuple of gradients, in the order of `parameters`, it updates these. Subclasses define
    `update(group, lr, places, gradients)`. Raises ValueError or TypeError for parameters or rates that make no sense.
    """

    _shown = "mindspore.experimental.optim.optimizer.Optimizer"

    def __init__(self, params, defaults):
        super().__init__(auto_prefix=False)
        given = list(params)
        self.defaults, self.param_groups, self.lrs, self.group_start_id = defaults, [], [], [0]
        self.parameters: Any = ()
        self.state: dict[Parameter, dict] = defaultdict(dict)
        for group in given if isinstance(given[0], dict) else [{"params": given}]:
            self.add_param_group(group)
        self.parameters = ParameterTuple(self.parameters)  # now as a part, which a checkpoint has

    def add_param_group(self, param_group) -> None:
        """Take in another group of parameters. Raises TypeError or ValueError for one that is not a dict, or has known ones."""
        params = param_group["params"]
        params = [params] if isinstance(params, Parameter) else list(params)
        param_group.update(params=params, **{k: v for k, v in self.defaults.items() if k not in param_group})
        lr, name = param_group["lr"], f"learning_rate_group_{len(self.param_groups)}"
        param_group["lr"] = Parameter(Tensor(lr.asnumpy() if isinstance(lr, Tensor) else float(lr), float32), name=name)
        param_group["weight_decay"] = float(param_group.get("weight_decay", 0.0))
        self.lrs.append(param_group["lr"])
        self.param_groups.append(param_group)
        self.group_start_id.append(self.group_start_id[-1] + len(params))
        object.__setattr__(self, "parameters", ParameterTuple([*self.parameters, *params]))

    def construct(self, gradients) -> bool:
        for group, start, end, own in zip(
            self.param_groups, self.group_start_id, self.group_start_id[1:], self.lrs, strict=False
        ):
            lr = np.float32(group["lr"]) if isinstance(group["lr"], float) else own._value
            sign = -1 if group.get("maximize") else 1
            with np.errstate(all="ignore"):
                self.update(group, lr, range(start, end), [sign * g._value for g in gradients[start:end]])
        return True

    def update(self, group, lr, places, gradients) -> None:
        """Update the parameters at `places`; to be defined by the subclass."""
        raise NotImplementedError

    def __repr__(self):
        text = f"{type(self).__name__} ("
        for number, group in enumerate(self.param_groups):
            shown = {k: v.value() if isinstance(v, Parameter) else v for k, v in group.items() if k != "params"}
            text += f"\nParameter Group {number}\n" + "".join(f"    {key}: {shown[key]}\n" for key in sorted(shown))
        return text + ")"

    __str__ = __repr__


class Adam(Optimizer):
    """D. Kingma and J. Ba (2014): along the running mean of the gradient over the root of that of its square.

    `weight_decay` times the parameter is added to the gradient. `amsgrad` changes nothing, as in the real one.

    >>> from labkit.mindspore import Parameter, Tensor
    >>> p = Parameter(Tensor([1.0]), name="p")
    >>> Adam([p], lr=0.5)((Tensor([3.0]),)), round(p.item(), 4)
    (True, 0.5)
    """

    _shown = "mindspore.experimental.optim.adam.Adam"

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0, amsgrad=False, *,
                 maximize=False):  # fmt: skip
        if not isinstance(lr, Tensor) and lr < 0:
            raise ValueError(f"Invalid learning rate: {lr}")
        for place, beta in enumerate(betas):
            if not 0.0 <= beta < 1.0:
                raise ValueError(f"Invalid beta parameter at index {place}: {beta}")
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

    def update(self, group, lr, places, gradients) -> None:
        beta1, beta2 = group["betas"]
        count = np.float32(self.state_step._value)
        first, second = (np.float32(1) - np.float32(beta) ** count for beta in (beta1, beta2))
        for place, g in zip(places, gradients, strict=True):
            p, m, v = self.parameters[place], self.exp_avg[place], self.exp_avg_sq[place]
            g = g + group["weight_decay"] * p._value if group["weight_decay"] else g
            m._value = beta1 * m._value + (1 - beta1) * g
            v._value = beta2 * v._value + (1 - beta2) * (g * g)
            p._value = p._value - lr * np.sqrt(second) / first * m._value / (np.sqrt(v._value) + group["eps"])


__getattr__ = attributes(__name__)
