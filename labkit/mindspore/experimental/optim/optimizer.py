"""The base of the optimizers with `param_groups`."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import numpy as np

from ....aliases import attributes
from ....kinds import of_kind
from ...dtype import float32
from ...nn import Cell
from ...parameter import Parameter, ParameterTuple
from ...tensor import Tensor

__all__ = ["Optimizer"]


class Optimizer(Cell):
    """Keeps parameters in `param_groups`: dicts with "params", "lr" and the other options, `defaults` where one has none.

    Called with the tuple of gradients, in the order of `parameters`, it updates these. Subclasses define
    `update(group, lr, places, gradients)`. Raises ValueError or TypeError for parameters or rates that make no sense.
    """

    _shown = "mindspore.experimental.optim.optimizer.Optimizer"

    def __init__(self, params, defaults):
        super().__init__(auto_prefix=False)
        if params is None:
            raise ValueError("For 'Optimizer', the argument params can not be None.")
        of_kind(params, Iterable, "For 'Optimizer', the argument params must be Iterable type, but got {type}")
        given = list(params)
        if not given:
            raise ValueError("For 'Optimizer', the argument params must not be empty.")
        self.defaults, self.param_groups, self.lrs, self.group_start_id = defaults, [], [], [0]
        self.parameters: Any = ()
        self.state: dict[Parameter, dict] = defaultdict(dict)
        for group in given if isinstance(given[0], dict) else [{"params": given}]:
            self.add_param_group(group)
        self.parameters = ParameterTuple(self.parameters)  # now as a part, which a checkpoint has

    def add_param_group(self, param_group) -> None:
        """Take in another group of parameters. Raises TypeError or ValueError for one that is no dict, or has known ones."""
        of_kind(param_group, dict, "Param group must be a dict.")
        params = param_group["params"]
        if isinstance(params, set):
            raise TypeError(
                "Optimizer parameters need to be organized in ordered collections, but the ordering of tensors in sets "
                "will change between runs. Please use a list instead."
            )
        params = [params] if isinstance(params, Parameter) else list(params)
        if {*map(id, params)} & {*map(id, self.parameters)}:
            raise ValueError("some parameters appear in more than one parameter group.")
        param_group.update(params=params, **{k: v for k, v in self.defaults.items() if k not in param_group})
        param_group["lr"] = self._rate(param_group["lr"], f"learning_rate_group_{len(self.param_groups)}")
        param_group["weight_decay"] = float(param_group.get("weight_decay", 0.0))
        self.lrs.append(param_group["lr"])
        self.param_groups.append(param_group)
        self.group_start_id.append(self.group_start_id[-1] + len(params))
        object.__setattr__(self, "parameters", ParameterTuple([*self.parameters, *params]))

    def _rate(self, lr, name):
        of_kind(
            lr,
            (int, float, Tensor),
            "For 'Optimizer', the argument 'learning_rate' must be int, float or Tensor, but got {type}.",
        )
        if isinstance(lr, Tensor) and lr.ndim:
            raise ValueError("For 'Optimizer', if 'learning_rate' is a Tensor, then it should be scalar Tensor")
        return Parameter(Tensor(lr.asnumpy() if isinstance(lr, Tensor) else float(lr), float32), name=name)

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


__getattr__ = attributes(__name__)
