"""Learning-rate schedules: objects that change the `lr` of an optimizer's groups whenever `step()` is called."""

import math
import warnings

from ...aliases import attributes
from ...kinds import of_kind
from ...layout import Placed
from .optimizer import Optimizer

__all__ = ["CosineAnnealingLR", "ExponentialLR", "LRScheduler", "LambdaLR", "StepLR"]

TOO_EARLY = (
    "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 and later, you should call them in "
    "the opposite order: `optimizer.step()` before `lr_scheduler.step()`.  Failure to do this will result in PyTorch "
    "skipping the first value of the learning rate schedule. See more details at "
    "https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"
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
        self._advance()

    def step(self) -> None:
        """Go on to the next learning rate; call it after `optimizer.step()`."""
        if self._step_count == 1 and not self.optimizer._stepped:
            warnings.warn(TOO_EARLY, UserWarning, stacklevel=2)
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


class ExponentialLR(LRScheduler):
    """Times `gamma` at every step."""

    def __init__(self, optimizer, gamma, last_epoch=-1):
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        return [rate * self.gamma if self.last_epoch > 0 else rate for rate in self._rates()]


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


class LambdaLR(LRScheduler):
    """The initial learning rate times `lr_lambda(number of steps)`; a function, or one per group.

    >>> from labkit import torch
    >>> optimizer = torch.optim.SGD([torch.tensor([1.0], requires_grad=True)], lr=0.5)
    >>> LambdaLR(optimizer, lambda step: 1 / (step + 1)).get_last_lr()
    [0.5]
    """

    def __init__(self, optimizer, lr_lambda, last_epoch=-1):
        several = isinstance(lr_lambda, (list, tuple))
        groups = len(optimizer.param_groups)
        if several and len(lr_lambda) != groups:
            raise ValueError(f"Expected {groups} lr_lambdas, but got {len(lr_lambda)}")
        self.lr_lambdas = list(lr_lambda) if several else [lr_lambda] * groups
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        return [base * f(self.last_epoch) for base, f in zip(self.base_lrs, self.lr_lambdas, strict=True)]

    def state_dict(self) -> dict:
        """All but the optimizer; None stands for functions, which cannot be saved."""
        return super().state_dict() | {"lr_lambdas": [None for _ in self.lr_lambdas]}

    def load_state_dict(self, state_dict) -> None:
        """Take over what `state_dict()` gave, but for the functions."""
        vars(self).update({name: value for name, value in state_dict.items() if name != "lr_lambdas"})


__getattr__ = attributes(__name__)
