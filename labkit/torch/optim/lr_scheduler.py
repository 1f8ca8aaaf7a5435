"""Learning-rate schedules: objects that change the `lr` of an optimizer's groups whenever `step()` is called."""

import warnings

from ...dialects.argument_types import of_kind
from ...dialects.class_paths import Placed
from ...dialects.unsupported import attributes
from .._error_texts import said
from .optimizer import Optimizer

__all__ = ["LRScheduler", "StepLR"]


class LRScheduler(metaclass=Placed):
    """The base of schedules: a subclass defines `get_lr()`, the list of the groups' learning rates at `last_epoch`."""

    def __init__(self, optimizer, last_epoch=-1):
        of_kind(optimizer, Optimizer, "{kind} is not an Optimizer")
        self.optimizer = optimizer
        for index, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", group["lr"])
            elif "initial_lr" not in group:
                raise KeyError(f"param 'initial_lr' is not specified in param_groups[{index}]")
        self.base_lrs = [group["initial_lr"] for group in optimizer.param_groups]
        self.last_epoch, self._step_count = last_epoch, 0
        self._is_initial = self._get_lr_called_within_step = False
        self._advance()

    def step(self) -> None:
        """Go on to the next learning rate; call it after `optimizer.step()`."""
        if self._step_count == 1 and not self.optimizer._stepped:
            warnings.warn(said("scheduler_too_early"), UserWarning, stacklevel=2)
        self._advance()

    def _advance(self):
        self._step_count += 1
        self.last_epoch += 1
        for group, rate in zip(self.optimizer.param_groups, self.get_lr(), strict=True):
            group["lr"] = rate
        self._last_lr = self._rates()

    def _rates(self):
        return [group["lr"] for group in self.optimizer.param_groups]

    def get_lr(self) -> list[float]:
        """The learning rates now, one per group."""
        raise NotImplementedError

    def get_last_lr(self) -> list[float]:
        """The learning rates last set, one per group."""
        return self._last_lr

    def state_dict(self) -> dict:
        """All but the optimizer, as a dict."""
        return {name: value for name, value in vars(self).items() if name != "optimizer"}

    def load_state_dict(self, state_dict) -> None:
        """Take over what `state_dict()` gave."""
        vars(self).update(state_dict)


class StepLR(LRScheduler):
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

    def get_lr(self) -> list[float]:
        falls = self.last_epoch > 0 and self.last_epoch % self.step_size == 0
        return [rate * self.gamma if falls else rate for rate in self._rates()]


__getattr__ = attributes(__name__)
