"""`Optimizer`, the base class: it prepares gradients and learning rates; a subclass defines the step."""

from typing import Any

import numpy as np

from ...dialects.argument_types import of_kind
from ...dialects.unsupported import attributes
from ...engine import cast
from ..argument_checks import check_type, floating
from ..common.dtype import at_least_four_bytes, float32, in_dtype
from ..common.parameter import Parameter, ParameterTuple
from ..common.printing import shape_text
from ..common.tensor import Tensor, wrap
from ..ops import HyperMap, Map, assign_add
from .cell import Cell
from .container import CellList
from .learning_rate import read_rate
from .parameter_groups import _ELEMENTS, parameter_list, read_settings

__all__ = ["Optimizer"]
_NO_STEP = "{cls_name}: expected a subclass that defines step or construct"


class Optimizer(Cell):
    """The base of optimizers. Call one with a tuple of gradients, one per parameter: it changes the parameters in place.

    `learning_rate`: a number, a list of them (one per step) or a schedule. `parameters`: parameters, or groups such as
    `{"params": [...], "lr": 0.01, "weight_decay": 0.1}`. `weight_decay` adds that much of a parameter to its gradient;
    without groups not for those named `beta` or `gamma`. Gradients are divided by `loss_scale`. All state is in
    parameters: `global_step`, `learning_rate`, and what the method itself needs.

    A subclass names its state per parameter in `slots` (a prefix and an initial value each) and defines `_step`; or it
    defines `construct(gradients)` itself, with `get_lr`, `decay_weight`, `scale_grad`, `assignadd`, `hyper_map` and `map_`.
    """

    slots: dict[str, tuple] = {}  # attribute -> (prefix of the names, initial value)
    operator = ""  # the real framework's name of the update, for its error

    def __init__(self, learning_rate, parameters, weight_decay=0.0, loss_scale=1.0):
        super().__init__(auto_prefix=False)
        parameters, owner = parameter_list(parameters), self.cls_name
        self.is_group = isinstance(parameters[0], dict)
        if not all(isinstance(p, dict if self.is_group else Parameter) for p in parameters):
            raise TypeError(_ELEMENTS)
        loss_scale = float(loss_scale) if isinstance(loss_scale, int) else loss_scale
        self.loss_scale = floating(check_type(loss_scale, "loss_scale", float, owner), "loss_scale", owner)
        self.need_scale = loss_scale != 1.0
        self.reciprocal_scale = Tensor(1.0 / loss_scale, float32)
        self.assignadd, self.hyper_map, self.map_ = assign_add, HyperMap(), Map()
        self.global_step = Parameter(wrap(np.array([0], np.int32)), name="global_step")
        self.global_step_increase_tensor = wrap(np.array([1], np.int32))
        rate = read_rate(learning_rate, owner)
        found = read_settings(parameters, rate, weight_decay, loss_scale, owner)
        settings, self.is_group_lr, self.dynamic_lr = found
        self._register(settings)

    def _register(self, settings):
        """Register what the settings hold."""
        rates = [s.rate for s in settings]
        if not self.is_group_lr:
            self.learning_rate = rates[0]
        elif self.dynamic_lr:
            self.learning_rate = CellList()
            self.learning_rate._cells.update((str(i), rate) for i, rate in enumerate(rates))
        else:
            self.learning_rate = ParameterTuple(rates)
        decays = [s.decay if isinstance(s.decay, Cell) else wrap(np.float32(s.decay)) for s in settings]
        self.weight_decay = tuple(decays) if self.is_group else decays[0]
        self.decay_flags = tuple(s.decays for s in settings)
        self.exec_weight_decay = any(self.decay_flags)
        self.grad_centralization_flags = tuple(s.centralized for s in settings)
        self.parameters = ParameterTuple(s.parameter for s in settings)
        self._rates = tuple(rates)

    def keep_slots(self) -> None:
        """Make the state per parameter that `slots` names; the last thing that a method's `__init__` does."""
        for attribute, (prefix, init) in self.slots.items():
            setattr(self, attribute, self.parameters.clone(prefix=prefix, init=init))

    # ---- what a step needs ----

    def get_lr(self) -> Tensor | tuple[Tensor, ...]:
        """The learning rate of this step, a 0-d tensor; with a learning rate per group a tuple, one per parameter."""
        if not self.dynamic_lr:
            return self.learning_rate
        if self.is_group_lr:
            return tuple(rate(self.global_step).reshape(()) for rate in self._rates)
        return self.learning_rate(self.global_step).reshape(())

    def get_weight_decay(self) -> Tensor | tuple[Tensor, ...]:
        """The weight decay of this step, times the loss scale: a tensor, a tuple of them with groups."""

        def now(decay):
            return decay(self.global_step) if isinstance(decay, Cell) else decay

        return tuple(map(now, self.weight_decay)) if self.is_group else now(self.weight_decay)

    def decay_weight(self, gradients) -> tuple[Tensor, ...]:
        """The gradients plus weight decay times the parameters, where that is wanted."""
        if not self.exec_weight_decay:
            return gradients
        decay = self.get_weight_decay()
        decays = decay if self.is_group else (decay,) * len(self.parameters)
        return tuple(
            p * d.astype(p.dtype) + g if flag else g
            for p, g, d, flag in zip(self.parameters, gradients, decays, self.decay_flags, strict=True)
        )

    def gradients_centralization(self, gradients) -> tuple[Tensor, ...]:
        """The gradients less their mean over all axes but the first, where a group asks for it.

        Only those whose second axis is a multiple of 16, as the real one has it.
        """
        if not any(self.grad_centralization_flags):
            return gradients
        return tuple(
            g - g.mean(tuple(range(1, g.ndim)), True) if flag and g.ndim > 1 and g.shape[1] % 16 == 0 else g
            for g, flag in zip(gradients, self.grad_centralization_flags, strict=True)
        )

    def scale_grad(self, gradients) -> tuple[Tensor, ...]:
        """The gradients divided by the loss scale."""
        if not self.need_scale:
            return gradients
        return tuple(g * self.reciprocal_scale.astype(g.dtype) for g in gradients)

    # ---- the step ----

    def construct(self, gradients) -> tuple[bool, ...]:
        self._check(gradients)
        gradients = self.scale_grad(self.gradients_centralization(self.decay_weight(gradients)))
        found = self.get_lr()
        rates = found if self.is_group_lr else (found,) * len(self.parameters)
        self.assignadd(self.global_step, self.global_step_increase_tensor)
        self.before_step()
        with np.errstate(all="ignore"):
            for place, (gradient, rate) in enumerate(zip(gradients, rates, strict=True)):
                self._step_one(place, gradient._value, rate._value)
        return (True,) * len(gradients)

    def _step_one(self, place, gradient, rate):
        """Step one parameter and its state, two-byte floats in Float32, and write them."""
        written = [self.parameters[place], *[getattr(self, slot)[place] for slot in self.slots]]
        dtype = at_least_four_bytes(written[0]._value.dtype)
        values = [in_dtype(p._value, dtype) for p in written]
        p, *state = values
        new = self._step(p, in_dtype(gradient, dtype), in_dtype(rate, dtype), *state, place=place)
        for parameter, value in zip(written, new, strict=True):
            parameter._value = in_dtype(value, parameter._value.dtype)

    def before_step(self) -> None:
        """What happens once per step, before any parameter's; nothing unless a method has state of its own."""

    def _step(self, p, g, lr, *state: Any, **place: Any) -> tuple:
        """The new value of a parameter and of each of its `state`, from its gradient `g`: arrays, all of one dtype."""
        raise NotImplementedError(_NO_STEP.format(cls_name=self.cls_name))

    def _check(self, gradients):
        text = "For '{owner}', expected a tuple of gradients, one per parameter, but got {kind}"
        of_kind(gradients, (tuple, list), text, owner=self.cls_name)
        if isinstance(gradients, list):
            raise RuntimeError(
                "In a nonleaf situation, the types of arguments in HyperMap must be consistent, but the types of "
                f"arguments are inconsistent.\n{self.cls_name}: expected the gradients as a tuple, but got a list."
            )
        if len(gradients) != len(self.parameters):
            raise RuntimeError(
                "The tuples in HyperMap should have the same length. \nThe length of the first element in HyperMap is "
                f"{len(self.parameters)}, but the length of the second element in HyperMap is {len(gradients)}.\n"
            )
        for p, g in zip(self.parameters, gradients, strict=True):
            if g.shape != p.shape:
                shown = [shape_text(t.shape) for t in (p, g)]
                raise ValueError(
                    f"For primitive[{self.operator or self.cls_name}], the gradient_shape must be equal to "
                    f"variable_shape which is {shown[0]} , but got {shown[1]}.\n"
                )


def fused(a, b, c):
    """a * b + c rounded once, as the CPU's fused multiply-add does for four-byte floats; the result has c's dtype."""
    wide = np.float64
    return cast(cast(a, wide) * cast(b, wide) + cast(c, wide), c.dtype) if c.dtype == np.float32 else a * b + c


__getattr__ = attributes(__name__)
