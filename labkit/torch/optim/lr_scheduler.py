"""Learning-rate schedules: objects that change the `lr` of an optimizer's groups whenever `step()` is called."""

import math
from collections import Counter

from ...aliases import attributes
from ._cyclic import ChainedScheduler, CosineAnnealingWarmRestarts, CyclicLR
from ._planned import OneCycleLR, ReduceLROnPlateau, SequentialLR
from ._schedule import LRScheduler

__all__ = [
    "ChainedScheduler", "ConstantLR", "CosineAnnealingLR", "CosineAnnealingWarmRestarts", "CyclicLR", "ExponentialLR",
    "LRScheduler", "LambdaLR", "LinearLR", "MultiStepLR", "MultiplicativeLR", "OneCycleLR", "PolynomialLR",
    "ReduceLROnPlateau", "SequentialLR", "StepLR",
]  # fmt: skip


class _LRScheduler(LRScheduler):
    """What `LRScheduler` was called before PyTorch 2.0: schedules of that time are derived from it."""


class _Times(LRScheduler):
    """The base of schedules that go from one learning rate to the next by a factor."""

    def get_lr(self) -> list[float]:
        return [rate if by is None else rate * by for rate, by in zip(self._rates(), self._factors(), strict=True)]

    def _factors(self):
        """The factors of the groups; None leaves a rate as it is."""
        return [self._factor()] * len(self.base_lrs)

    def _factor(self) -> float | None:
        raise NotImplementedError


class StepLR(_Times):
    """Times `gamma` every `step_size` steps.

    >>> import labkit.torch as torch
    >>> optimizer = torch.optim.SGD([torch.nn.Parameter(torch.tensor([1.0]))], lr=1.0)
    >>> schedule, seen = torch.optim.lr_scheduler.StepLR(optimizer, 2, gamma=0.5), []
    >>> for _ in range(4):
    ...     seen += schedule.get_last_lr()
    ...     optimizer.step()
    ...     schedule.step()
    >>> seen
    [1.0, 1.0, 0.5, 0.5]
    """

    def __init__(self, optimizer, step_size, gamma=0.1, last_epoch=-1):
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer, last_epoch)

    def _factor(self):
        return self.gamma if self.last_epoch > 0 and self.last_epoch % self.step_size == 0 else None


class MultiStepLR(_Times):
    """Times `gamma` at each of the steps `milestones`."""

    def __init__(self, optimizer, milestones, gamma=0.1, last_epoch=-1):
        self.milestones, self.gamma = Counter(milestones), gamma
        super().__init__(optimizer, last_epoch)

    def _factor(self):
        return self.gamma ** self.milestones[self.last_epoch] if self.last_epoch in self.milestones else None


class ExponentialLR(_Times):
    """Times `gamma` at every step."""

    def __init__(self, optimizer, gamma, last_epoch=-1):
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def _factor(self):
        return self.gamma if self.last_epoch > 0 else None


class ConstantLR(_Times):
    """The initial learning rate times `factor` for `total_iters` steps, then the initial one."""

    def __init__(self, optimizer, factor=1.0 / 3, total_iters=5, last_epoch=-1):
        if not 0 <= factor <= 1:
            raise ValueError("Constant multiplicative factor expected to be between 0 and 1.")
        self.factor, self.total_iters = factor, total_iters
        super().__init__(optimizer, last_epoch)

    def _factor(self):
        if self.last_epoch == 0:
            return self.factor
        return 1.0 / self.factor if self.last_epoch == self.total_iters else None


class LinearLR(_Times):
    """The initial learning rate times a factor that goes from `start_factor` to `end_factor` in `total_iters` steps."""

    def __init__(self, optimizer, start_factor=1.0 / 3, end_factor=1.0, total_iters=5, last_epoch=-1):
        if not 0 < start_factor <= 1:
            raise ValueError("Starting multiplicative factor expected to be greater than 0 and less or equal to 1.")
        if not 0 <= end_factor <= 1:
            raise ValueError("Ending multiplicative factor expected to be between 0 and 1.")
        self.start_factor, self.end_factor, self.total_iters = start_factor, end_factor, total_iters
        super().__init__(optimizer, last_epoch)

    def _factor(self):
        if self.last_epoch == 0:
            return self.start_factor
        if self.last_epoch > self.total_iters:
            return None
        rise = self.end_factor - self.start_factor
        return 1.0 + rise / (self.total_iters * self.start_factor + (self.last_epoch - 1) * rise)


class PolynomialLR(_Times):
    """The initial learning rate times (1 - step / total_iters) ** power, 0 from there on."""

    def __init__(self, optimizer, total_iters=5, power=1.0, last_epoch=-1):
        self.total_iters, self.power = total_iters, power
        super().__init__(optimizer, last_epoch)

    def _factor(self):
        if not 0 < self.last_epoch <= self.total_iters:
            return None
        left = [1.0 - step / self.total_iters for step in (self.last_epoch, self.last_epoch - 1)]
        return (left[0] / left[1]) ** self.power


class CosineAnnealingLR(LRScheduler):
    """Half a cosine from the initial learning rate down to `eta_min` in `T_max` steps, then up again, and so on."""

    def __init__(self, optimizer, T_max, eta_min=0.0, last_epoch=-1):
        self.T_max, self.eta_min = T_max, eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        return [self._next(base, rate) for base, rate in zip(self.base_lrs, self._rates(), strict=True)]

    def _next(self, base, rate):
        """From the rate before, so that one changed by hand is followed."""
        if self.last_epoch == 0:
            return rate
        height, before = (1 + math.cos(math.pi * e / self.T_max) for e in (self.last_epoch, self.last_epoch - 1))
        if (self.last_epoch - 1 - self.T_max) % (2 * self.T_max) == 0:  # at the bottom, where `before` is zero
            return rate + (base - self.eta_min) * (1 - math.cos(math.pi / self.T_max)) / 2
        return height / before * (rate - self.eta_min) + self.eta_min


class _ByFunctions(LRScheduler):
    """By a function of the number of steps, or one per group."""

    def __init__(self, optimizer, lr_lambda, last_epoch=-1):
        several = isinstance(lr_lambda, (list, tuple))
        groups = len(optimizer.param_groups)
        if several and len(lr_lambda) != groups:
            raise ValueError(f"Expected {groups} lr_lambdas, but got {len(lr_lambda)}")
        self.lr_lambdas = list(lr_lambda) if several else [lr_lambda] * groups
        super().__init__(optimizer, last_epoch)

    def state_dict(self) -> dict:
        """All but the optimizer; None stands for functions, which cannot be saved."""
        state = super().state_dict()
        return {k: v for k, v in state.items() if k != "lr_lambdas"} | {"lr_lambdas": [None for _ in self.lr_lambdas]}

    def load_state_dict(self, state_dict) -> None:
        """Take over what `state_dict()` gave, but for the functions."""
        vars(self).update({name: value for name, value in state_dict.items() if name != "lr_lambdas"})


class LambdaLR(_ByFunctions):
    """The initial learning rate times `lr_lambda(number of steps)`; a function, or one per group.

    >>> from labkit import torch
    >>> optimizer = torch.optim.SGD([torch.tensor([1.0], requires_grad=True)], lr=0.5)
    >>> LambdaLR(optimizer, lambda step: 1 / (step + 1)).get_last_lr()
    [0.5]
    """

    def get_lr(self) -> list[float]:
        return [base * f(self.last_epoch) for base, f in zip(self.base_lrs, self.lr_lambdas, strict=True)]


class MultiplicativeLR(_ByFunctions, _Times):
    """Times `lr_lambda(number of steps)` at every step; a function, or one per group."""

    get_lr = _Times.get_lr

    def _factors(self):
        return [f(self.last_epoch) if self.last_epoch > 0 else None for f in self.lr_lambdas]


__getattr__ = attributes(__name__)
