"""Schedules of learning rates: `scheduler.step()` sets the rate of each group of an optimizer."""

import math
from collections import Counter

from ....aliases import attributes
from ....kinds import of_kind
from ...parameter import assigned
from ...tensor import Tensor
from .optimizer import Optimizer

__all__ = ["ConstantLR", "CosineAnnealingLR", "ExponentialLR", "LRScheduler", "LambdaLR", "MultiStepLR", "StepLR"]


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
        for rate, new in zip(self._last_lr, self.get_lr(), strict=True):
            assigned(rate, new, "Assign")
        return True

    def _times(self, factor):
        return [lr * factor for lr in self._last_lr]


class StepLR(LRScheduler):
    """The rate times `gamma` every `step_size` epochs."""

    def __init__(self, optimizer, step_size, gamma=0.1, last_epoch=-1):
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Tensor]:
        return self._times(self.gamma if self.last_epoch and self.last_epoch % self.step_size == 0 else 1.0)


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


class ConstantLR(LRScheduler):
    """The rate times `factor` for the first `total_iters` epochs."""

    def __init__(self, optimizer, factor=1.0 / 3, total_iters=5, last_epoch=-1):
        self.factor, self.total_iters = factor, total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Tensor]:
        if self.last_epoch == 0:
            return self._times(self.factor)
        return [lr / self.factor for lr in self._last_lr] if self.last_epoch == self.total_iters else self._times(1.0)


class LambdaLR(LRScheduler):
    """The first rate times `lr_lambda(epoch)`, a function or a list of one for each group."""

    def __init__(self, optimizer, lr_lambda, last_epoch=-1):
        several = isinstance(lr_lambda, (list, tuple))
        self.lr_lambdas = list(lr_lambda) if several else [lr_lambda] * len(optimizer.param_groups)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Tensor]:
        return [lr * fn(self.last_epoch) for lr, fn in zip(self.base_lrs, self.lr_lambdas, strict=True)]


class CosineAnnealingLR(LRScheduler):
    """From the first rate down to `eta_min` and back along a cosine, `T_max` epochs each way."""

    def __init__(self, optimizer, T_max, eta_min=0.0, last_epoch=-1):
        self.T_max, self.eta_min = T_max, eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Tensor]:
        at = (1 + math.cos(math.pi * self.last_epoch / self.T_max)) / 2
        return [self.eta_min + (lr - self.eta_min) * at for lr in self.base_lrs]


__getattr__ = attributes(__name__)
