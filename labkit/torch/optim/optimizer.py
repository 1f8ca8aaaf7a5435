"""`Optimizer`: groups of parameters with their options, state per parameter, saving and loading of both."""

import warnings
from collections import defaultdict
from copy import deepcopy
from itertools import chain
from typing import Any

import numpy as np

from ...dialects.argument_types import of_kind
from ...dialects.class_paths import Placed
from ...dialects.unsupported import attributes
from ...ops import two_bytes
from .._error_texts import error, said
from .._ops import creation as _creation
from .._ops.dispatch import overwrite
from .._tape.grad_mode import enable_grad, no_grad
from .._tensor.grad_attribute import forget_gradients
from .._tensor.tensor import Tensor

_NO_UPDATE = "{kind}: expected a subclass that defines update(group, p, g)"


class Optimizer(metaclass=Placed):
    """The base of optimizers: `param_groups`, a list of dicts of options, and `state`, a dict per parameter.

    `params`: tensors, pairs of name and tensor, or dicts such as `{"params": [...], "lr": 0.01}` whose options go before
    the `defaults`. A subclass defines `update`.
    """

    def __init__(self, params, defaults):
        if isinstance(params, Tensor):
            raise error("params_type", type=params.type())
        self.defaults, self.param_groups = defaults, []
        self.state: dict[Tensor, dict] = defaultdict(dict)
        self._stepped = False
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        for group in groups if isinstance(groups[0], dict) else [{"params": groups}]:
            self.add_param_group(group)

    def add_param_group(self, param_group) -> None:
        """Add a dict with `params` and options. Raises TypeError or ValueError for what cannot be optimized."""
        of_kind(param_group, dict, "param_group must be a dict, but got {type}")
        params = param_group["params"]
        params = [params] if isinstance(params, Tensor) else list(params)
        if params and all(isinstance(p, tuple) for p in params):
            names, params = map(list, zip(*params, strict=True))
            param_group = {"params": params, "param_names": names} | {
                k: v for k, v in param_group.items() if k != "params"
            }
        for p in params:
            of_kind(p, Tensor, "optimizer can only optimize Tensors, but one of the params is {kind}")
            if not p.is_leaf:
                raise ValueError("can't optimize a non-leaf Tensor")
        if len({id(p) for p in params}) < len(params):
            warnings.warn(said("duplicate_parameters"), stacklevel=3)
        known = {id(p) for group in self.param_groups for p in group["params"]}
        if any(id(p) in known for p in params):
            raise ValueError("some parameters appear in more than one parameter group")
        self.param_groups.append({**param_group, "params": params} | {
            name: value for name, value in self.defaults.items() if name not in param_group
        })  # fmt: skip

    # ---- stepping ----

    @no_grad()
    def step(self, closure=None) -> Any:
        """Step every parameter that has a gradient. `closure`, if given, computes the loss again first; it is returned."""
        self._stepped = True
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        with np.errstate(all="ignore"):
            for group in self.param_groups:
                for p in group["params"]:
                    if p.grad is not None:
                        gradient = p.grad._array
                        if two_bytes(gradient.dtype):  # which lies in memory as the parameter does
                            gradient = np.ascontiguousarray(gradient)
                        self._write(p, self.update(group, p, -gradient if group["maximize"] else gradient))
        return loss

    def _write(self, p, value):
        overwrite(p, Tensor._of(np.asarray(value)))

    def update(self, group, p, g) -> np.ndarray:
        """The new value of `p`, an array, from its gradient `g`, an array; changes the state `self.state[p]`."""
        raise NotImplementedError(_NO_UPDATE.format(kind=type(self).__name__))

    def _state_of(self, p, name, initial=None):
        """The array of one tensor of a parameter's state; at first that of zeros, or of `initial`."""
        state = self.state[p]
        if name not in state:
            state[name] = Tensor._of(np.zeros_like(p._array) if initial is None else initial)
        return state[name]._array

    def _set_state(self, p, name, value):
        self._write(self.state[p][name], value)
        return value

    def zero_grad(self, set_to_none=True) -> None:
        """Forget the gradients; with `set_to_none=False` fill them with zeros."""
        forget_gradients(chain.from_iterable(group["params"] for group in self.param_groups), set_to_none)

    # ---- saving ----

    def state_dict(self) -> dict:
        """`{"state": {number of parameter: its state}, "param_groups": [options, and numbers for parameters]}`."""
        numbers = {id(p): i for i, p in enumerate(chain.from_iterable(g["params"] for g in self.param_groups))}
        groups = [
            {k: v for k, v in g.items() if k != "params"} | {"params": [numbers[id(p)] for p in g["params"]]}
            for g in self.param_groups
        ]
        return {"state": {numbers[id(p)]: s for p, s in self.state.items()}, "param_groups": groups}

    def load_state_dict(self, state_dict) -> None:
        """Take over a copy of what `state_dict()` gave. Raises ValueError where the groups are not as large."""
        saved = deepcopy(state_dict)
        if len(saved["param_groups"]) != len(self.param_groups):
            raise ValueError("loaded state dict has a different number of parameter groups")
        pairs = list(zip(self.param_groups, saved["param_groups"], strict=True))
        if any(len(mine["params"]) != len(given["params"]) for mine, given in pairs):
            raise error("group_size")
        of = {n: p for mine, given in pairs for n, p in zip(given["params"], mine["params"], strict=True)}
        self.param_groups = [{**given, "params": mine["params"]} for mine, given in pairs]
        self.state = defaultdict(dict)
        for number, state in saved["state"].items():
            self.state[of[number]] = {k: _in_dtype_of(of[number], k, v) for k, v in state.items()}

    def __repr__(self):
        lines = [f"{type(self).__name__} ("]
        for number, group in enumerate(self.param_groups):
            lines += [*([""] if number else []), f"Parameter Group {number}"]
            lines += [f"    {key}: {group[key]}" for key in sorted(group) if key != "params"]
        return "\n".join([*lines, ")"])


def _in_dtype_of(p, name, value):
    """A value of a loaded state in the parameter's dtype; the number of steps stays as it is."""
    return value.to(p.dtype) if isinstance(value, Tensor) and name != "step" else value


def counted(state) -> float:
    """Count a step in a parameter's state; the number of steps as a float."""
    state.setdefault("step", _creation.tensor(0.0))
    state["step"] = state["step"] + 1
    return state["step"].item()


def non_negative(**given) -> None:
    """Raise ValueError for a negative number; the names are those of the arguments."""
    titles = {"lr": "learning rate", "eps": "epsilon value"}
    for name, value in given.items():
        if value < 0.0:
            raise ValueError(f"Invalid {titles.get(name, name + ' value')}: {value}")


def options(names, given) -> dict:
    """The options called `names`, in this order, out of the arguments `given` of a method."""
    return {name: given[name] for name in names.split()}


__getattr__ = attributes(__name__)
