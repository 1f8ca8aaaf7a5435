"""Schedules that follow something else than the number of steps alone: a metric, a plan of phases, other schedules."""

import math
from bisect import bisect_right

from ...kinds import of_kind
from ._schedule import LRScheduler, Several
from .optimizer import Optimizer


class ReduceLROnPlateau(LRScheduler):
    """Times `factor` where the number given to `step` has not become better for more than `patience` steps.

    Better is lower, or higher for `mode` "max", by `threshold`, of the best ("rel") or as it is ("abs"). After a fall,
    `cooldown` steps do not count; no rate falls below `min_lr`, or by less than `eps`.

    >>> import labkit.torch as torch
    >>> optimizer = torch.optim.SGD([torch.nn.Parameter(torch.tensor([1.0]))], lr=1.0)
    >>> schedule = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=1)
    >>> for loss in (2.0, 2.0, 2.0):
    ...     schedule.step(loss)
    >>> schedule.get_last_lr()
    [0.1]
    """

    def __init__(self, optimizer, mode="min", factor=0.1, patience=10, threshold=1e-4, threshold_mode="rel", cooldown=0,
                 min_lr=0, eps=1e-8):  # fmt: skip
        if factor >= 1.0:
            raise ValueError("Factor should be < 1.0.")
        of_kind(optimizer, Optimizer, "{kind} is not an Optimizer")
        groups = len(optimizer.param_groups)
        if isinstance(min_lr, (list, tuple)) and len(min_lr) != groups:
            raise ValueError(f"expected {groups} min_lrs, got {len(min_lr)}")
        if mode not in ("min", "max"):
            raise ValueError(f"mode {mode} is unknown!")
        if threshold_mode not in ("rel", "abs"):
            raise ValueError(f"threshold mode {threshold_mode} is unknown!")
        several = isinstance(min_lr, (list, tuple))
        self.optimizer, self.factor, self.default_min_lr = optimizer, factor, None if several else min_lr
        self.min_lrs = list(min_lr) if several else [min_lr] * groups
        self.patience, self.cooldown, self.eps = patience, cooldown, eps
        self.last_epoch, self._last_lr = 0, self._rates()
        self.mode_worse = math.inf if mode == "min" else -math.inf
        self.mode, self.threshold, self.threshold_mode = mode, threshold, threshold_mode
        self.best, self.cooldown_counter, self.num_bad_epochs = self.mode_worse, 0, 0

    def step(self, metrics) -> None:  # type: ignore[override]
        """Take notice of the next value of the metric."""
        current = float(metrics)
        self.last_epoch += 1
        better = self._better(current)
        self.best = current if better else self.best
        self.num_bad_epochs = 0 if better else self.num_bad_epochs + 1
        if self.cooldown_counter > 0:
            self.cooldown_counter, self.num_bad_epochs = self.cooldown_counter - 1, 0
        if self.num_bad_epochs > self.patience:
            for group, least in zip(self.optimizer.param_groups, self.min_lrs, strict=True):
                rate = max(group["lr"] * self.factor, least)
                group["lr"] = rate if group["lr"] - rate > self.eps else group["lr"]
            self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0
        self._last_lr = self._rates()

    def _better(self, a):
        sign = 1 if self.mode == "max" else -1
        if self.threshold_mode == "rel":
            return sign * a > sign * self.best * (1.0 + sign * self.threshold)
        return sign * a > sign * self.best + self.threshold


class SequentialLR(Several):
    """One schedule after the other: the next one begins at each of the steps `milestones`."""

    def __init__(self, optimizer, schedulers, milestones, last_epoch=-1):
        if len(milestones) != len(schedulers) - 1:
            raise ValueError(
                "Sequential Schedulers expects number of schedulers provided to be one more than the number of milestone "
                f"points, but got number of schedulers {len(schedulers)} and the number of milestones to be equal to "
                f"{len(milestones)}"
            )
        self.optimizer, self._milestones, self._schedulers = optimizer, milestones, schedulers
        self.last_epoch = last_epoch + 1
        for group in optimizer.param_groups:
            group["lr"] = group["initial_lr"]
        for schedule in schedulers:
            schedule.last_epoch -= 1
        schedulers[0]._step_count = 0
        schedulers[0]._advance()
        self._last_lr = schedulers[0].get_last_lr()

    def step(self) -> None:  # type: ignore[override]
        """Go on to the next learning rate; call it after `optimizer.step()`."""
        self.last_epoch += 1
        place = bisect_right(self._milestones, self.last_epoch)
        schedule = self._schedulers[place]
        if place > 0 and self._milestones[place - 1] == self.last_epoch:
            schedule.last_epoch = -1
            for group, rate in zip(self.optimizer.param_groups, schedule.base_lrs, strict=True):
                group["lr"] = rate
            schedule._advance()
        else:
            schedule.step()
        self._last_lr = schedule.get_last_lr()


_PHASE = ("end_step", "start_lr", "end_lr", "start_momentum", "end_momentum")


class OneCycleLR(LRScheduler):
    """Up from `max_lr / div_factor` to `max_lr` in `pct_start` of the steps, then down far below where it began.

    `total_steps`, or `epochs` and `steps_per_epoch`, say how many there are; `three_phase` comes back to the first rate
    before it goes below. With `cycle_momentum` the momentum, or the first of `betas`, goes the other way.
    """

    def __init__(self, optimizer, max_lr, total_steps=None, epochs=None, steps_per_epoch=None, pct_start=0.3,
                 anneal_strategy="cos", cycle_momentum=True, base_momentum=0.85, max_momentum=0.95, div_factor=25.0,
                 final_div_factor=1e4, three_phase=False, last_epoch=-1):  # fmt: skip
        of_kind(optimizer, Optimizer, "{kind} is not an Optimizer")
        if total_steps is None and (epochs is None or steps_per_epoch is None):
            raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        self.total_steps = total_steps or epochs * steps_per_epoch
        if cycle_momentum and not {"momentum", "betas"} & {*optimizer.defaults}:
            raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")
        end, last = float(pct_start * self.total_steps) - 1, self.total_steps - 1
        up, down = ("initial_lr", "max_lr", "max_momentum", "base_momentum"), ("base_momentum", "max_momentum")
        phases = [(end, *up), (last, "max_lr", "min_lr", *down)]
        if three_phase:
            back = float(2 * pct_start * self.total_steps) - 2
            rest = (last, "initial_lr", "min_lr", "max_momentum", "max_momentum")
            phases = [(end, *up), (back, "max_lr", "initial_lr", *down), rest]
        self._schedule_phases = [dict(zip(_PHASE, phase, strict=True)) for phase in phases]
        self._anneal_func_type, self.cycle_momentum = anneal_strategy, cycle_momentum
        if cycle_momentum:
            self.use_beta1 = "betas" in optimizer.defaults
        for number, group in enumerate(optimizer.param_groups):
            high, most, least = (of_group(v, number) for v in (max_lr, max_momentum, base_momentum))
            group.update(initial_lr=high / div_factor, max_lr=high, min_lr=high / div_factor / final_div_factor)
            group.update({"max_momentum": most, "base_momentum": least} if cycle_momentum else {})
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        if self.last_epoch > self.total_steps:
            raise ValueError(
                f"Tried to step {self.last_epoch} times. The specified number of total steps is {self.total_steps}"
            )
        phases = [tuple(phase.values()) for phase in self._schedule_phases]
        place = next((i for i, phase in enumerate(phases) if self.last_epoch <= phase[0]), len(phases) - 1)
        begin = phases[place - 1][0] if place else 0.0
        end, low, high, first, second = phases[place]
        part = (self.last_epoch - begin) / (end - begin)
        for group in self.optimizer.param_groups if self.cycle_momentum else ():
            momentum = self._between(group[first], group[second], part)
            set_momentum(group, momentum)
        return [self._between(group[low], group[high], part) for group in self.optimizer.param_groups]

    def _between(self, start, end, part):
        if self._anneal_func_type == "linear":
            return (end - start) * part + start
        return end + (start - end) / 2.0 * (math.cos(math.pi * part) + 1)


def of_group(value, number):
    """The option of the group of this number: one for all, or one for each."""
    return value[number] if isinstance(value, (list, tuple)) else value


def set_momentum(group, momentum) -> None:
    """Give a group of parameters this momentum, or this first one of its `betas`."""
    group.update({"betas": (momentum, *group["betas"][1:])} if "betas" in group else {"momentum": momentum})
