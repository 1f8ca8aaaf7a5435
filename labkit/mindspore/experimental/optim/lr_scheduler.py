"""Schedules of learning rates: `scheduler.step()` sets the rate of each group of an optimizer."""

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable

import numpy as np

from ....aliases import attributes
from ....kinds import of_kind
from ....layout import Placed
from ...parameter import assigned
from ...tensor import Tensor
from .optimizer import Optimizer

__all__ = [
    "ConstantLR", "CosineAnnealingLR", "CosineAnnealingWarmRestarts", "CyclicLR", "ExponentialLR", "LRScheduler", "LambdaLR",
    "LinearLR", "MultiStepLR", "MultiplicativeLR", "PolynomialLR", "ReduceLROnPlateau", "SequentialLR", "StepLR",
]  # fmt: skip


class LRScheduler:
    """The base of schedules: `get_lr()` gives the rates, a list, from `last_epoch` and the last rates `_last_lr`.

    >>> from labkit.mindspore import Parameter, Tensor
    >>> from labkit.mindspore.experimental.optim import SGD
    >>> schedule = StepLR(SGD([Parameter(Tensor([1.0]), name="p")], lr=0.5), step_size=1, gamma=0.5)
    >>> schedule.step(), schedule.get_last_lr()
    (True, [Tensor(shape=[], dtype=Float32, value= 0.25)])
    """

    def __init__(self, optimizer, last_epoch=-1):
        of_kind(optimizer, Optimizer, "{kind} is not an Optimizer")
        for group in optimizer.param_groups:
            group.setdefault("initial_lr", group["lr"].value())
        self.optimizer, self.last_epoch = optimizer, last_epoch
        self.base_lrs = [group["initial_lr"] for group in optimizer.param_groups]
        self._last_lr = list(optimizer.lrs)
        self.step()

    def get_lr(self) -> list[Tensor]:
        """The rates, one for each group; to be defined by the subclass."""
        raise NotImplementedError

    def get_last_lr(self) -> list[Tensor]:
        """The rates that were set last."""
        return [lr.value() for lr in self._last_lr]

    def step(self, epoch=None) -> bool:
        """Go on by one epoch, or to `epoch`, and set the rates."""
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        at = None if epoch is None else self._share()
        for rate, new in zip(self._last_lr, self.get_lr() if at is None else self._of_first(at), strict=True):
            assigned(rate, new, "Assign")
        return True

    def _share(self) -> float | None:
        """What the first rates are multiplied by at this epoch; None where that is not known without those before."""
        return None

    def _of_first(self, share):
        return [lr * share for lr in self.base_lrs]

    def _times(self, factor):
        return [lr * factor for lr in self._last_lr]


class StepLR(LRScheduler):
    """The rate times `gamma` every `step_size` epochs."""

    def __init__(self, optimizer, step_size, gamma=0.1, last_epoch=-1):
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Tensor]:
        return self._times(self.gamma if self.last_epoch and self.last_epoch % self.step_size == 0 else 1.0)

    def _share(self):
        return self.gamma ** (self.last_epoch // self.step_size)


class MultiStepLR(LRScheduler):
    """The rate times `gamma` at each of the epochs `milestones`."""

    def __init__(self, optimizer, milestones, gamma=0.1, last_epoch=-1):
        self.milestones, self.gamma = Counter(milestones), gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Tensor]:
        return self._times(self.gamma ** self.milestones[self.last_epoch])


class ExponentialLR(LRScheduler):
    """The rate times `gamma` at every epoch."""

    def __init__(self, optimizer, gamma, last_epoch=-1):
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Tensor]:
        return self._times(self.gamma if self.last_epoch else 1.0)

    def _share(self):
        return self.gamma**self.last_epoch


class ConstantLR(LRScheduler):
    """The rate times `factor` for the first `total_iters` epochs."""

    def __init__(self, optimizer, factor=1.0 / 3, total_iters=5, last_epoch=-1):
        self.factor, self.total_iters = factor, total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Tensor]:
        if self.last_epoch == 0:
            return self._times(self.factor)
        return [lr / self.factor for lr in self._last_lr] if self.last_epoch == self.total_iters else self._times(1.0)

    def _share(self):
        return 1 if self.last_epoch >= self.total_iters else self.factor


class LinearLR(LRScheduler):
    """The first rate times a factor that goes from `start_factor` to `end_factor` in `total_iters` epochs."""

    def __init__(self, optimizer, start_factor=1.0 / 3, end_factor=1.0, total_iters=5, last_epoch=-1):
        if not 0 < start_factor <= 1:
            raise ValueError(
                "Starting multiplicative factor expected to be greater than 0 and less than or equal to 1."
            )
        if not 0 <= end_factor <= 1:
            raise ValueError("Ending multiplicative factor expected to be between 0 and 1.")
        self.start_factor, self.end_factor, self.total_iters = start_factor, end_factor, total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Tensor]:
        if self.last_epoch == 0 or self.last_epoch > self.total_iters:
            return self._times(1.0 if self.last_epoch else self.start_factor)
        rise = self.end_factor - self.start_factor
        return self._times(1.0 + rise / (self.total_iters * self.start_factor + np.float32(self.last_epoch - 1) * rise))

    def _share(self):
        rise = self.end_factor - self.start_factor
        return self.start_factor + rise * min(self.total_iters, self.last_epoch) / self.total_iters


class PolynomialLR(LRScheduler):
    """The first rate times (1 - epoch / total_iters) ** power; 0 from there on."""

    def __init__(self, optimizer, total_iters=5, power=1.0, last_epoch=-1):
        of_kind(power, float, "For 'PolynomialLR', the 'power' must be float, but got {type}.")
        self.total_iters, self.power = total_iters, power
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Tensor]:
        if not 0 < self.last_epoch <= self.total_iters:
            return self._times(1.0)
        left, before = (1.0 - np.float32(epoch) / self.total_iters for epoch in (self.last_epoch, self.last_epoch - 1))
        return self._times((left / before) ** self.power)

    def _share(self):
        return (1.0 - min(self.total_iters, self.last_epoch) / self.total_iters) ** self.power


class LambdaLR(LRScheduler):
    """The first rate times `lr_lambda(epoch)`, a function or a list of one for each group."""

    def __init__(self, optimizer, lr_lambda, last_epoch=-1):
        several = isinstance(lr_lambda, (list, tuple))
        self.lr_lambdas = list(lr_lambda) if several else [lr_lambda] * len(optimizer.param_groups)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Tensor]:
        return [lr * fn(self.last_epoch) for lr, fn in zip(self.base_lrs, self.lr_lambdas, strict=True)]


class MultiplicativeLR(LambdaLR):
    """The rate times `lr_lambda(epoch)` at every epoch, a function or a list of one for each group."""

    def get_lr(self) -> list[Tensor]:
        if not self.last_epoch:
            return self._times(1.0)
        return [lr * fn(self.last_epoch) for lr, fn in zip(self._last_lr, self.lr_lambdas, strict=True)]


class CosineAnnealingLR(LRScheduler):
    """From the first rate down to `eta_min` and back along a cosine, `T_max` epochs each way."""

    def __init__(self, optimizer, T_max, eta_min=0.0, last_epoch=-1):
        self.T_max, self.eta_min = T_max, eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Tensor]:
        if self.last_epoch == 0:
            return self._times(1.0)
        height, before = (self._height(epoch) for epoch in (self.last_epoch, self.last_epoch - 1))
        if (self.last_epoch - 1 - self.T_max) % (2 * self.T_max) == 0:  # at the bottom, where `before` is 0
            rise = (1 - np.cos(np.float32(math.pi / self.T_max))) / 2
            return [lr + (first - self.eta_min) * rise for first, lr in zip(self.base_lrs, self._last_lr, strict=True)]
        return [(lr - self.eta_min) * (height / before) + self.eta_min for lr in self._last_lr]

    def _height(self, epoch):
        return 1 + np.cos(np.float32(math.pi) * np.float32(epoch) / np.float32(self.T_max))

    def _share(self):
        return self._height(self.last_epoch) / 2

    def _of_first(self, share):
        return [self.eta_min + (lr - self.eta_min) * share for lr in self.base_lrs]


class SequentialLR(metaclass=Placed):
    """One schedule after the other: the next of `schedulers` begins at each of the epochs `milestones`."""

    def __init__(self, optimizer, schedulers, milestones, last_epoch=-1):
        if any(schedule.optimizer is not optimizer for schedule in schedulers):
            raise ValueError("Sequential Schedulers expects all schedulers to belong to the same optimizer.")
        if len(milestones) != len(schedulers) - 1:
            raise ValueError(
                f"Expected one milestone less than schedulers, but got {len(milestones)} and {len(schedulers)}."
            )
        self.optimizer, self.milestones, self.last_epoch, self._schedulers = (
            optimizer,
            milestones,
            last_epoch + 1,
            schedulers,
        )
        for group in optimizer.param_groups:
            assigned(group["lr"], group["initial_lr"], "Assign")
        for schedule in schedulers:
            schedule.last_epoch -= 1
        schedulers[0].step()

    def step(self) -> None:
        """Go on by one epoch, and set the rates."""
        self.last_epoch += 1
        place = bisect_right(self.milestones, self.last_epoch)
        begins = place > 0 and self.milestones[place - 1] == self.last_epoch
        self._schedulers[place].step(*[0] * begins)

    def get_last_lr(self) -> list[Tensor]:
        """The rates that were set last."""
        return self._schedulers[0].get_last_lr()


class ReduceLROnPlateau(metaclass=Placed):
    """The rate times `factor` once `step(metric)` has seen no better one, by `threshold`, for more than `patience` epochs.

    `mode`: "min" or "max" is better. `threshold_mode`: "rel" or "abs". After that `cooldown` epochs do not count.
    """

    def __init__(self, optimizer, mode="min", factor=0.1, patience=10, threshold=1e-4, threshold_mode="rel", cooldown=0,
                 min_lr=0, eps=1e-8):  # fmt: skip
        of_kind(optimizer, Optimizer, "Expected an `Optimizer`, but got type {kind}")
        if factor >= 1.0:
            raise ValueError("The lr factor should be less than 1.0.")
        for name, value, known in (("mode", mode, ("min", "max")), ("threshold mode", threshold_mode, ("rel", "abs"))):
            if value not in known:
                raise ValueError(f"`{name}` should be '{known[0]}' or '{known[1]}', but got {value}.")
        groups = optimizer.param_groups
        self.min_lrs = min_lr if isinstance(min_lr, (list, tuple)) else [min_lr] * len(groups)
        self.optimizer, self.mode, self.factor, self.patience, self.cooldown = (
            optimizer,
            mode,
            factor,
            patience,
            cooldown,
        )
        self.threshold, self.threshold_mode, self.eps = threshold, threshold_mode, eps
        self.best, self.wait, self.cooldown_counter = math.inf if mode == "min" else -math.inf, 0, 0
        self.last_epoch, self._last_lr = 0, [group["lr"] for group in groups]

    def step(self, metrics) -> bool:
        """Take in the metric of an epoch, a number or tensor, and lower the rates when it is time."""
        current, self.last_epoch = float(np.float32(float(metrics))), self.last_epoch + 1
        better = self._is_better(current)
        self.best, self.wait = (current, 0) if better else (self.best, self.wait + 1)
        if self.cooldown_counter > 0:
            self.cooldown_counter, self.wait = self.cooldown_counter - 1, 0
        if self.wait > self.patience:
            self.cooldown_counter, self.wait = self.cooldown, 0
            for rate, least in zip(self._last_lr, self.min_lrs, strict=True):
                lower = np.maximum(np.asarray(rate._value) * np.float32(self.factor), np.float32(least))
                if rate._value > lower + self.eps:
                    assigned(rate, Tensor(lower), "Assign")
        return True

    def _is_better(self, current):
        sign = 1 if self.mode == "min" else -1
        relative = self.threshold_mode == "rel"
        mark = self.best * (1 - sign * self.threshold) if relative else self.best - sign * self.threshold
        return sign * current < sign * mark

    def get_last_lr(self) -> list[Tensor]:
        """The rates that were set last."""
        return [lr.value() for lr in self._last_lr]


__getattr__ = attributes(__name__)


class CyclicLR(LRScheduler):
    """From `base_lr` to `max_lr` and back, in `step_size_up` and `step_size_down` steps, again and again.

    `mode`: "triangular", "triangular2" (half as high after each cycle) or "exp_range" (times `gamma` at each step); or
    `scale_fn`, of the number of the cycle or, `scale_mode` "iterations", of the step. Raises ValueError for another mode.
    """

    def __init__(self, optimizer, base_lr, max_lr, step_size_up=2000, step_size_down=None, mode="triangular", gamma=1.0,
                 scale_fn=None, scale_mode="cycle", last_epoch=-1):  # fmt: skip
        scales: dict[str, tuple[Callable, str]] = {
            "triangular": (lambda n: 1.0, "cycle"), "triangular2": (lambda n: 0.5 ** (n - 1), "cycle"),
            "exp_range": (lambda n: gamma**n, "iterations"),
        }  # fmt: skip
        if scale_fn is None and mode not in scales:
            raise ValueError("mode is invalid and scale_fn is None")
        self.mode, self.gamma = mode, gamma
        chosen = scales[mode] if scale_fn is None else (scale_fn, scale_mode)
        self.scale_fn: Callable = chosen[0]
        self.scale_mode: str = chosen[1]
        lows, self.max_lrs = (self._for_groups(optimizer, given) for given in (base_lr, max_lr))
        if last_epoch == -1:
            for low, group in zip(lows, optimizer.param_groups, strict=True):
                assigned(group["lr"], low, "Assign")
        self.total_step_size = step_size_up + (step_size_up if step_size_down is None else step_size_down)
        self.step_up_ratio = step_size_up / self.total_step_size
        super().__init__(optimizer, last_epoch)
        self.base_lrs = lows

    @staticmethod
    def _for_groups(optimizer, given) -> list[Tensor]:
        count = len(optimizer.param_groups)
        if isinstance(given, (list, tuple)) and len(given) != count:
            raise ValueError(f"Expected {count} values for lr, got {len(given)}")
        return [Tensor(float(lr)) for lr in (given if isinstance(given, (list, tuple)) else [given] * count)]

    def get_lr(self) -> list[Tensor]:
        cycle = math.floor(1 + self.last_epoch / self.total_step_size)
        x, up = 1 + self.last_epoch / self.total_step_size - cycle, self.step_up_ratio
        share = (x / up if x <= up else (x - 1) / (up - 1)) * self.scale_fn(
            cycle if self.scale_mode == "cycle" else self.last_epoch
        )
        return [low + (high - low) * share for low, high in zip(self.base_lrs, self.max_lrs, strict=True)]


class CosineAnnealingWarmRestarts(LRScheduler):
    """Down to `eta_min` along half a cosine in `T_0` epochs, then from the top again, each time `T_mult` times as slowly.

    Raises ValueError for numbers of epochs that are no positive integers.
    """

    def __init__(self, optimizer, T_0, T_mult=1, eta_min=0, last_epoch=-1):
        for name, value in (("T_0", T_0), ("T_mult", T_mult)):
            if not isinstance(value, int) or value < 1:
                raise ValueError(f"{name} should be an integer and equal or greater than 1, but got {value}")
        self.T_0, self.T_mult, self.eta_min = T_0, T_mult, eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Tensor]:
        since, period = self.last_epoch, self.T_0
        while since >= period:
            since, period = since - period, period * self.T_mult
        share = (1 + math.cos(math.pi * since / period)) / 2
        return [self.eta_min + (lr - self.eta_min) * share for lr in self.base_lrs]
