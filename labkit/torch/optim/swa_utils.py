"""Averages of weights over the steps of a training run, and the learning rate that goes with them."""

import math
from copy import deepcopy
from itertools import chain
from typing import Any

from ...aliases import attributes
from .. import _creation
from .._dtype import DTYPES
from .._modes import no_grad
from ..nn.module import Layer
from ..nn.normalization import BatchNorm1d, BatchNorm2d, BatchNorm3d, SyncBatchNorm
from .lr_scheduler import LRScheduler

__all__ = [
    "SWALR", "AveragedModel", "get_ema_avg_fn", "get_ema_multi_avg_fn", "get_swa_avg_fn", "get_swa_multi_avg_fn", "update_bn",
]  # fmt: skip


def _checked(decay):
    if not 0.0 <= decay <= 1.0:
        raise ValueError(f"Invalid decay value {decay} provided. Please provide a value in [0,1] range.")


def _towards(averages, weights, share):
    """A share of the way to the weights; counts, which are integers, are cut."""
    for average, weight in zip(averages, weights, strict=True):
        if average.is_floating_point():
            average.lerp_(weight, share)
        else:
            average.copy_(average * (1 - share) + weight * share)


def get_ema_multi_avg_fn(decay=0.999) -> Any:
    """For `AveragedModel(multi_avg_fn=...)`: decay * average + (1 - decay) * weight."""
    _checked(decay)

    @no_grad()
    def ema_update(ema_param_list, current_param_list, _):
        _towards(ema_param_list, current_param_list, 1 - decay)

    return ema_update


def get_swa_multi_avg_fn() -> Any:
    """For `AveragedModel(multi_avg_fn=...)`: the mean of all weights so far."""

    @no_grad()
    def swa_update(averaged_param_list, current_param_list, num_averaged):
        _towards(averaged_param_list, current_param_list, 1 / (float(num_averaged) + 1))

    return swa_update


def get_ema_avg_fn(decay=0.999) -> Any:
    """For `AveragedModel(avg_fn=...)`: decay * average + (1 - decay) * weight."""
    _checked(decay)

    @no_grad()
    def ema_update(ema_param, current_param, num_averaged):
        return decay * ema_param + (1 - decay) * current_param

    return ema_update


def get_swa_avg_fn() -> Any:
    """For `AveragedModel(avg_fn=...)`: the mean of all weights so far."""

    @no_grad()
    def swa_update(averaged_param, current_param, num_averaged):
        return averaged_param + (current_param - averaged_param) / (num_averaged + 1)

    return swa_update


class AveragedModel(Layer):
    """A copy of a model whose parameters are averages of those that `update_parameters` has seen.

    By default their mean; `avg_fn(average, weight, how many)` returns another one, `multi_avg_fn(averages, weights, how many)`
    changes all in place. Buffers are copied, or with `use_buffers` averaged, too.

    >>> import labkit.torch as torch
    >>> model = torch.nn.Linear(1, 1, bias=False)
    >>> average = AveragedModel(model)
    >>> for weight in (1.0, 4.0):
    ...     _ = model.weight.data.fill_(weight)
    ...     average.update_parameters(model)
    >>> average.module.weight.item()
    2.5
    """

    def __init__(self, model, device=None, avg_fn=None, multi_avg_fn=None, use_buffers=False):
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError("Only one of avg_fn and multi_avg_fn should be provided")
        self.module = deepcopy(model)
        self.register_buffer("n_averaged", _creation.tensor(0, dtype=DTYPES["int64"]))
        self.avg_fn, self.multi_avg_fn, self.use_buffers = avg_fn, multi_avg_fn, use_buffers

    def forward(self, *args, **kwargs) -> Any:
        """What the averaged model gives."""
        return self.module(*args, **kwargs)

    def _averaged(self, model):
        return list(chain(model.parameters(), model.buffers())) if self.use_buffers else list(model.parameters())

    @no_grad()
    def update_parameters(self, model) -> None:
        """Take the weights of `model` into the average."""
        averages, weights = self._averaged(self.module), self._averaged(model)
        if self.n_averaged == 0:
            self._copy(averages, weights)
        elif self.multi_avg_fn is not None:
            self.multi_avg_fn(averages, weights, self.n_averaged)
        elif self.avg_fn is not None:
            count = self.n_averaged
            self._copy(averages, [self.avg_fn(a, w, count) for a, w in zip(averages, weights, strict=True)])
        else:
            get_swa_multi_avg_fn()(averages, weights, self.n_averaged)
        if not self.use_buffers:
            self._copy(self.module.buffers(), model.buffers())
        self.n_averaged += 1

    @staticmethod
    def _copy(to, values) -> None:
        for tensor, value in zip(to, values, strict=True):
            tensor.copy_(value)


@no_grad()
def update_bn(loader, model, device=None) -> None:
    """Let the batch normalisation of `model` take its running statistics anew from the inputs of `loader`.

    An element of `loader` is an input, or a list or tuple that begins with one.
    """
    layers = [m for m in model.modules() if isinstance(m, (BatchNorm1d, BatchNorm2d, BatchNorm3d, SyncBatchNorm))]
    if not layers:
        return
    momenta, was = [layer.momentum for layer in layers], model.training
    for layer in layers:
        layer.reset_running_stats()
        layer.momentum = None
    model.train()
    for batch in loader:
        model(batch[0] if isinstance(batch, (list, tuple)) else batch)
    for layer, momentum in zip(layers, momenta, strict=True):
        layer.momentum = momentum
    model.train(was)


class SWALR(LRScheduler):
    """From the rates of the groups to `swa_lr` in `anneal_epochs` steps, along a cosine or a line; then it stays.

    Raises ValueError for a negative number of steps or an `anneal_strategy` other than "cos" and "linear".
    """

    def __init__(self, optimizer, swa_lr, anneal_epochs=10, anneal_strategy="cos", last_epoch=-1):
        groups = optimizer.param_groups
        rates = list(swa_lr) if isinstance(swa_lr, (list, tuple)) else [swa_lr] * len(groups)
        for group, rate in zip(groups, rates, strict=True):
            group["swa_lr"] = rate
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ValueError(f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}")
        self._strategy, self.anneal_epochs = anneal_strategy, anneal_epochs
        super().__init__(optimizer, last_epoch)

    def _share(self, step):
        """How much of `swa_lr` there is after so many steps."""
        t = max(0, min(1, step / max(1, self.anneal_epochs)))
        return (1 - math.cos(math.pi * t)) / 2 if self._strategy == "cos" else t

    def get_lr(self) -> list[float]:
        """The learning rates now, one per group."""
        step = self._step_count - 1
        step = max(1, step) if self.anneal_epochs == 0 else step
        before, now, found = self._share(step - 1), self._share(step), []
        for group in self.optimizer.param_groups:
            goal, rate = group["swa_lr"], group["lr"]
            first = goal if before == 1 else (rate - before * goal) / (1 - before)
            found.append(goal * now + first * (1 - now))
        return found


__getattr__ = attributes(__name__)
