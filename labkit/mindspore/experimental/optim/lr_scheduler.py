"""Schedules of learning rates: `scheduler.step()` sets the rate of each group of an optimizer."""

from ....dialects.unsupported import attributes
from ...common.parameter import assigned
from ...common.tensor import Tensor

__all__ = ["LRScheduler", "StepLR"]


class LRScheduler:
    """The base of schedules: `get_lr()` gives the rates, a list, from `last_epoch` and the last rates `_last_lr`."""

    def __init__(self, optimizer, last_epoch=-1):
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
        for rate, new in zip(self._last_lr, self.get_lr() if epoch is None else self._at_epoch(), strict=True):
            assigned(rate, new, "Assign")
        return True

    def _at_epoch(self):
        """The rates at `last_epoch`, wherever the schedule was before."""
        return self.get_lr()


class StepLR(LRScheduler):
    """The rate times `gamma` every `step_size` epochs.

    >>> from labkit.mindspore import Parameter, Tensor
    >>> from labkit.mindspore.experimental.optim import Adam
    >>> schedule = StepLR(Adam([Parameter(Tensor([1.0]), name="p")], lr=0.5), step_size=1, gamma=0.5)
    >>> schedule.step(), schedule.get_last_lr()
    (True, [Tensor(shape=[], dtype=Float32, value= 0.25)])
    """

    def __init__(self, optimizer, step_size, gamma=0.1, last_epoch=-1):
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Tensor]:
        falls = self.last_epoch and self.last_epoch % self.step_size == 0
        return [lr * (self.gamma if falls else 1.0) for lr in self._last_lr]

    def _at_epoch(self):
        return [lr * self.gamma ** (self.last_epoch // self.step_size) for lr in self.base_lrs]


__getattr__ = attributes(__name__)
