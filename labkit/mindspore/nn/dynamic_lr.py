"""Learning rates as lists of floats, one per step: what an optimizer takes as `learning_rate`."""

import math

from ...aliases import attributes
from ...kinds import of_kind
from ._checks import check_positive_int, check_type, floating
from .learning_rate_schedule import check_order, check_start

__all__ = ["cosine_decay_lr", "exponential_decay_lr", "inverse_decay_lr", "natural_exp_decay_lr",
           "piecewise_constant_lr", "polynomial_decay_lr", "warmup_lr"]  # fmt: skip


def piecewise_constant_lr(milestone, learning_rates) -> list[float]:
    """`learning_rates[i]` for the steps before `milestone[i]`.

    >>> piecewise_constant_lr([2, 5], [0.1, 0.01])
    [0.1, 0.1, 0.01, 0.01, 0.01]
    """
    check_type(milestone, "milestone", (tuple, list))
    check_type(learning_rates, "learning_rates", (tuple, list))
    if len(milestone) != len(learning_rates):
        raise ValueError(
            "For 'piecewise_constant_lr', the size of 'milestone' must be same with the size of 'learning_rates', but got "
            f"'milestone' size: {len(milestone)}, 'learning_rates' size: {len(learning_rates)}."
        )
    rates: list[float] = []
    for i, (until, rate) in enumerate(zip(milestone, learning_rates, strict=True)):
        check_positive_int(until, f"milestone[{i}]")
        of_kind(rate, float, "The type of 'learning_rates[{i}]' must be 'float', but got '{kind}'.", i=i)
        if until < len(rates):
            raise ValueError(
                f"For 'piecewise_constant_lr', the value of milestone[{i}] must be greater than milestone[{i - 1}], but "
                f"got milestone[{i}]: {until}, milestone[{i - 1}]: {milestone[i - 1]}."
            )
        rates += [rate] * (until - len(rates))
    return rates


def _epochs(total_step, step_per_epoch):
    """The number of the epoch of every step."""
    return [i // step_per_epoch for i in range(total_step)]


def _check_decay(learning_rate, decay_rate, total_step, step_per_epoch, decay_epoch, is_stair):
    _check_counts(total_step=total_step, step_per_epoch=step_per_epoch, decay_epoch=decay_epoch)
    floating(learning_rate, "learning_rate")
    floating(decay_rate, "decay_rate")
    check_type(is_stair, "is_stair", bool)


def _check_counts(**counts):
    for name, value in counts.items():
        check_positive_int(value, name)


def exponential_decay_lr(
    learning_rate, decay_rate, total_step, step_per_epoch, decay_epoch, is_stair=False
) -> list[float]:
    """learning_rate * decay_rate^(epoch / decay_epoch); with `is_stair` the exponent is rounded down.

    >>> exponential_decay_lr(1.0, 0.5, 4, 2, 1)
    [1.0, 1.0, 0.5, 0.5]
    """
    _check_decay(learning_rate, decay_rate, total_step, step_per_epoch, decay_epoch, is_stair)
    periods = [e // decay_epoch if is_stair else e / decay_epoch for e in _epochs(total_step, step_per_epoch)]
    return [learning_rate * decay_rate**p for p in periods]


def natural_exp_decay_lr(
    learning_rate, decay_rate, total_step, step_per_epoch, decay_epoch, is_stair=False
) -> list[float]:
    """learning_rate * exp(-decay_rate * epoch); with `is_stair` the epoch is rounded down to a multiple of `decay_epoch`."""
    _check_decay(learning_rate, decay_rate, total_step, step_per_epoch, decay_epoch, is_stair)
    epochs = [e // decay_epoch * decay_epoch if is_stair else e for e in _epochs(total_step, step_per_epoch)]
    return [learning_rate * math.e ** (-decay_rate * e) for e in epochs]


def inverse_decay_lr(learning_rate, decay_rate, total_step, step_per_epoch, decay_epoch, is_stair=False) -> list[float]:
    """learning_rate / (1 + decay_rate * epoch / decay_epoch); with `is_stair` the quotient is rounded down."""
    _check_decay(learning_rate, decay_rate, total_step, step_per_epoch, decay_epoch, is_stair)
    epochs = _epochs(total_step, step_per_epoch)
    if is_stair:
        return [learning_rate / (1 + decay_rate * (e // decay_epoch)) for e in epochs]
    return [learning_rate / (1 + decay_rate * e / decay_epoch) for e in epochs]


def cosine_decay_lr(min_lr, max_lr, total_step, step_per_epoch, decay_epoch) -> list[float]:
    """Half a cosine over the epochs, from `max_lr` down to `min_lr` at `decay_epoch`."""
    check_start(min_lr, "min_lr", "cosine_decay_lr")
    floating(max_lr, "max_lr")
    _check_counts(total_step=total_step, step_per_epoch=step_per_epoch, decay_epoch=decay_epoch)
    check_order(min_lr, max_lr, "cosine_decay_lr")
    delta = 0.5 * (max_lr - min_lr)
    epochs = [min(e, decay_epoch) for e in _epochs(total_step, step_per_epoch)]
    return [min_lr + delta * (1 + math.cos(math.pi * e / decay_epoch)) for e in epochs]


def polynomial_decay_lr(
    learning_rate, end_learning_rate, total_step, step_per_epoch, decay_epoch, power, update_decay_epoch=False
) -> list[float]:
    """(learning_rate - end) * (1 - epoch / decay_epoch)^power + end; `update_decay_epoch` lengthens it when it ends."""
    floating(learning_rate, "learning_rate")
    check_start(end_learning_rate, "end_learning_rate", "polynomial_decay_lr")
    floating(power, "power")
    _check_counts(total_step=total_step, step_per_epoch=step_per_epoch, decay_epoch=decay_epoch)
    check_type(update_decay_epoch, "update_decay_epoch", bool)

    def rate(epoch):
        whole = decay_epoch * max(math.ceil(epoch / decay_epoch), 1) if update_decay_epoch else decay_epoch
        return (learning_rate - end_learning_rate) * (1 - min(epoch, whole) / whole) ** power + end_learning_rate

    return [rate(e) for e in _epochs(total_step, step_per_epoch)]


def warmup_lr(learning_rate, total_step, step_per_epoch, warmup_epoch) -> list[float]:
    """A straight line over the epochs, from 0 to `learning_rate` at `warmup_epoch`."""
    check_start(learning_rate, "learning_rate", "warmup_lr")
    _check_counts(warmup_epoch=warmup_epoch, total_step=total_step, step_per_epoch=step_per_epoch)
    return [learning_rate * min(e, warmup_epoch) / warmup_epoch for e in _epochs(total_step, step_per_epoch)]


__getattr__ = attributes(__name__)
