"""Schedules that come back to where they were: triangles, cosines that begin anew, several of them in each step."""

import math
import types

from ...kinds import of_kind
from ._planned import ReduceLROnPlateau, of_group, set_momentum
from ._schedule import LRScheduler, Several
from .optimizer import Optimizer

_SCALES = {  # the height of a triangle: by the number of its cycle, or of the step
    "triangular": ("cycle", lambda gamma, x: 1.0),
    "triangular2": ("cycle", lambda gamma, x: 1 / (2.0 ** (x - 1))),
    "exp_range": ("iterations", lambda gamma, x: gamma**x),
}


class CyclicLR(LRScheduler):
    """From `base_lr` up to `max_lr` in `step_size_up` steps and down again in `step_size_down`, over and over.

    `mode`: "triangular", always as high; "triangular2", half as high each time; "exp_range", times `gamma` at each step; or
    `scale_fn` of the number of the cycle or, by `scale_mode`, of the step. With `cycle_momentum` the momentum, or the first of
    `betas`, goes the other way.

    >>> import labkit.torch as torch
    >>> optimizer = torch.optim.SGD([torch.nn.Parameter(torch.tensor([1.0]))], lr=1.0, momentum=0.9)
    >>> schedule, seen = torch.optim.lr_scheduler.CyclicLR(optimizer, 1.0, 5.0, step_size_up=2), []
    >>> for _ in range(5):
    ...     seen += schedule.get_last_lr()
    ...     optimizer.step()
    ...     schedule.step()
    >>> seen
    [1.0, 3.0, 5.0, 3.0, 1.0]
    """

    def __init__(self, optimizer, base_lr, max_lr, step_size_up=2000, step_size_down=None, mode="triangular", gamma=1.0,
                 scale_fn=None, scale_mode="cycle", cycle_momentum=True, base_momentum=0.8, max_momentum=0.9,
                 last_epoch=-1):  # fmt: skip
        of_kind(optimizer, Optimizer, "{kind} is not an Optimizer")
        groups = optimizer.param_groups
        base_lrs, self.max_lrs = _per_group("base_lr", base_lr, groups), _per_group("max_lr", max_lr, groups)
        up = float(step_size_up)
        self.total_size = up + (up if step_size_down is None else float(step_size_down))
        self.step_ratio = up / self.total_size
        if mode not in _SCALES and scale_fn is None:
            raise ValueError("mode is invalid and scale_fn is None")
        self.mode, self.gamma, self._scale_fn_custom = mode, gamma, scale_fn
        self.scale_mode = scale_mode if scale_fn is not None else _SCALES[mode][0]
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            if not {"momentum", "betas"} & {*optimizer.defaults}:
                raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")
            self.use_beta1 = "betas" in optimizer.defaults
            self.base_momentums = _per_group("base_momentum", base_momentum, groups)
            self.max_momentums = _per_group("max_momentum", max_momentum, groups)
        for number, group in enumerate(groups) if last_epoch == -1 else ():
            group["lr"] = base_lrs[number]
            if cycle_momentum:
                most, least = self.max_momentums[number], self.base_momentums[number]
                set_momentum(group, most)
                group.update(max_momentum=most, base_momentum=least)
        super().__init__(optimizer, last_epoch)
        self.base_lrs = base_lrs

    def scale_fn(self, x) -> float:
        """The height of a triangle, of 1, at cycle or step `x`."""
        return self._scale_fn_custom(x) if self._scale_fn_custom is not None else _SCALES[self.mode][1](self.gamma, x)

    def get_lr(self) -> list[float]:
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        x = 1.0 + self.last_epoch / self.total_size - cycle
        part = x / self.step_ratio if x <= self.step_ratio else (x - 1) / (self.step_ratio - 1)
        scale = self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)
        if self.cycle_momentum:
            for group, least, most in zip(
                self.optimizer.param_groups, self.base_momentums, self.max_momentums, strict=True
            ):
                set_momentum(group, most - (most - least) * part * scale)
        return [low + (high - low) * part * scale for low, high in zip(self.base_lrs, self.max_lrs, strict=True)]

    def state_dict(self) -> dict:
        """All but the optimizer; of `scale_fn`, what an object holds, and None for a function."""
        custom = self._scale_fn_custom
        held = None if custom is None or isinstance(custom, types.FunctionType) else vars(custom).copy()
        state = super().state_dict()
        state.pop("_scale_fn_custom")
        return state | {"_scale_fn_custom": held}

    def load_state_dict(self, state_dict) -> None:
        """Take over what `state_dict()` gave."""
        custom, held = self._scale_fn_custom, state_dict["_scale_fn_custom"]
        super().load_state_dict(state_dict | {"_scale_fn_custom": custom})
        if held is not None:
            vars(custom).update(held)


def _per_group(name, value, groups):
    if isinstance(value, (list, tuple)) and len(value) != len(groups):
        raise ValueError(f"{name} must have the same length as optimizer.param_groups. {name} has {len(value)} values, "
                         f"param_groups has {len(groups)}.")  # fmt: skip
    return [of_group(value, number) for number in range(len(groups))]


class CosineAnnealingWarmRestarts(LRScheduler):
    """Half a cosine from the initial learning rate down to `eta_min` in `T_0` steps, then anew in `T_mult` times as many.

    `step(epoch)` goes to that epoch, which may be a fraction.

    >>> import labkit.torch as torch
    >>> optimizer = torch.optim.SGD([torch.nn.Parameter(torch.tensor([1.0]))], lr=1.0)
    >>> schedule, seen = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, 2), []
    >>> for _ in range(4):
    ...     seen += [round(rate, 4) for rate in schedule.get_last_lr()]
    ...     optimizer.step()
    ...     schedule.step()
    >>> seen
    [1.0, 0.5, 1.0, 0.5]
    """

    def __init__(self, optimizer, T_0, T_mult=1, eta_min=0.0, last_epoch=-1):
        if T_0 <= 0 or not isinstance(T_0, int):
            raise ValueError(f"Expected positive integer T_0, but got {T_0}")
        if T_mult < 1 or not isinstance(T_mult, int):
            raise ValueError(f"Expected integer T_mult >= 1, but got {T_mult}")
        of_kind(eta_min, (float, int), f"Expected float or int eta_min, but got {eta_min} of type {{type}}", ValueError)
        self.T_0, self.T_i, self.T_mult, self.eta_min, self.T_cur = T_0, T_0, T_mult, eta_min, last_epoch
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        return [
            self.eta_min + (base - self.eta_min) * (1 + math.cos(math.pi * self.T_cur / self.T_i)) / 2
            for base in self.base_lrs
        ]

    def step(self, epoch=None) -> None:
        """Go on to the next learning rate, or to that of `epoch`."""
        if epoch is None and self.last_epoch >= 0:
            epoch, self.T_cur = self.last_epoch + 1, self.T_cur + 1
            if self.T_cur >= self.T_i:
                self.T_cur, self.T_i = self.T_cur % self.T_i, self.T_i * self.T_mult
        else:
            epoch = 0 if epoch is None else epoch
            self.T_cur, self.T_i = self._place(epoch)
        self.last_epoch = math.floor(epoch) - 1
        self._advance()

    def _place(self, epoch):
        """How far into its cosine an epoch is, and how long that is."""
        if epoch < 0:
            raise ValueError(f"Expected non-negative epoch, but got {epoch}")
        if epoch < self.T_0:
            return epoch, self.T_0
        if self.T_mult == 1:
            return epoch % self.T_0, self.T_i
        n = int(math.log(epoch / self.T_0 * (self.T_mult - 1) + 1, self.T_mult))
        return epoch - self.T_0 * (self.T_mult**n - 1) / (self.T_mult - 1), self.T_0 * self.T_mult**n

    def _advance(self):
        if self.last_epoch < 0 and self.T_cur < 0:
            self.T_cur = 0
        super()._advance()


class ChainedScheduler(Several):
    """Several schedules of one optimizer that all go on at each step.

    Raises ValueError for none, for `ReduceLROnPlateau`, and for schedules of several optimizers.
    """

    def __init__(self, schedulers, optimizer=None):
        kind = type(self).__name__
        if not schedulers:
            raise ValueError(f"{kind} expects at least one scheduler to be chained, but got no scheduler.")
        optimizer = optimizer or schedulers[0].optimizer
        for place, schedule in enumerate(schedulers):
            if isinstance(schedule, ReduceLROnPlateau):
                raise ValueError(
                    f"{kind} does not support `ReduceLROnPlateau` scheduler as it requires additional kwargs to be specified "
                    f"when calling `step`, but got one at index {place} in the given schedulers sequence."
                )
            if schedule.optimizer is not optimizer:
                raise ValueError(
                    f"{kind} expects all schedulers to belong to the same optimizer, but got scheduler "
                    f"{type(schedule).__name__} at index {place} has {schedule.optimizer}, which is different from "
                    f"{type(optimizer).__name__}."
                )
        self._schedulers, self.optimizer = schedulers, optimizer
        self._last_lr = self._rates()

    def step(self) -> None:  # type: ignore[override]
        """Go on to the next learning rate; call it after `optimizer.step()`."""
        for schedule in self._schedulers:
            schedule.step()
        self._last_lr = self._rates()
