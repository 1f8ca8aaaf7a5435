"""`LRScheduler`: what all learning-rate schedules have in common."""

import warnings

from ...kinds import of_kind
from ...layout import Placed
from .optimizer import Optimizer

TOO_EARLY = (
    "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 and later, you should call them in "
    "the opposite order: `optimizer.step()` before `lr_scheduler.step()`.  Failure to do this will result in PyTorch "
    "skipping the first value of the learning rate schedule. See more details at "
    "https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"
)
BY_EPOCH = (
    "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where possible. Please use "
    "`scheduler.step()` to step the scheduler. During the deprecation, if epoch is different from None, the closed form is "
    "used instead of the new chainable form, where available. Please open an issue if you are unable to replicate your use "
    "case: https://github.com/pytorch/pytorch/issues/new/choose."
)


class LRScheduler(metaclass=Placed):
    """The base of schedules: a subclass defines `get_lr()`, the list of the groups' learning rates at `last_epoch`."""

    def __init__(self, optimizer, last_epoch=-1):
        of_kind(optimizer, Optimizer, "{kind} is not an Optimizer")
        self.optimizer = optimizer
        for index, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", group["lr"])
            elif "initial_lr" not in group:
                raise KeyError(
                    f"param 'initial_lr' is not specified in param_groups[{index}] when resuming scheduler with "
                    "last_epoch >= 0.\nThis typically happens when:\n1. You're trying to resume training from a "
                    "checkpoint but haven't properly loaded the optimizer state\n2. You're using last_epoch >= 0 for a "
                    "fresh training run (not recommended)"
                )
        self.base_lrs = [group["initial_lr"] for group in optimizer.param_groups]
        self.last_epoch, self._step_count = last_epoch, 0
        self._is_initial = self._get_lr_called_within_step = False
        self._advance()

    def step(self, epoch=None) -> None:
        """Go on to the next learning rate, or (with a warning) to that of `epoch`; call it after `optimizer.step()`."""
        if self._step_count == 1 and not self.optimizer._stepped:
            warnings.warn(TOO_EARLY, UserWarning, stacklevel=2)
        if epoch is None:
            self._advance()
            return
        warnings.warn(BY_EPOCH, UserWarning, stacklevel=2)
        self._step_count, self.last_epoch = self._step_count - epoch, -1
        for group, rate in zip(self.optimizer.param_groups, self.base_lrs, strict=True):
            group["lr"] = rate
        for _ in range(epoch + 1):
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


class Several(LRScheduler):
    """The base of schedules that are made of others."""

    _schedulers: list

    def state_dict(self) -> dict:
        """All but the optimizer; of each schedule its own `state_dict()`."""
        state = super().state_dict()
        held = [schedule.state_dict() for schedule in state.pop("_schedulers")]
        return state | {"_schedulers": held}

    def load_state_dict(self, state_dict) -> None:
        """Take over what `state_dict()` gave."""
        for schedule, state in zip(self._schedulers, state_dict["_schedulers"], strict=True):
            schedule.load_state_dict(state)
        super().load_state_dict(state_dict | {"_schedulers": self._schedulers})
