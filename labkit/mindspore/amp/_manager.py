"""Loss-scale managers: the choice of a scale, and the cell that carries it out in a training step."""

from ...layout import Placed
from .. import nn
from ..nn._checks import check_positive_int

__all__ = ["DynamicLossScaleManager", "FixedLossScaleManager", "LossScaleManager"]


class LossScaleManager(metaclass=Placed):
    """What a manager does; the base of `FixedLossScaleManager` and `DynamicLossScaleManager`."""

    def get_loss_scale(self):
        """The scale now."""

    def update_loss_scale(self, overflow):
        """Change the scale after a step with, or without, overflow."""

    def get_update_cell(self):
        """The cell that changes the scale inside a training step, or None."""


class FixedLossScaleManager(LossScaleManager):
    """A scale that never changes. Without `drop_overflow_update` a step is made even after overflow.

    >>> FixedLossScaleManager(1024.0).get_loss_scale()
    1024.0
    """

    def __init__(self, loss_scale=128.0, drop_overflow_update=True):
        if loss_scale < 1:
            raise ValueError(f"The argument 'loss_scale' must be >= 1, but got {loss_scale}")
        self._loss_scale, self._drop_overflow_update = loss_scale, drop_overflow_update

    def get_loss_scale(self):
        """The scale."""
        return self._loss_scale

    def get_drop_overflow_update(self):
        """Whether a step with overflow is left out."""
        return self._drop_overflow_update

    def get_update_cell(self):
        """A `FixedLossScaleUpdateCell`; None where no step is left out."""
        return nn.FixedLossScaleUpdateCell(self._loss_scale) if self._drop_overflow_update else None


class DynamicLossScaleManager(LossScaleManager):
    """A scale divided by `scale_factor` (down to 1) after overflow, multiplied by it whenever the number of steps since
    then is a multiple of `scale_window`.

    >>> manager = DynamicLossScaleManager(16, 2, 2)
    >>> [manager.update_loss_scale(overflow) or manager.get_loss_scale() for overflow in (False, False, True)]
    [16, 32, 16.0]
    """

    def __init__(self, init_loss_scale=2**24, scale_factor=2, scale_window=2000):
        if init_loss_scale < 1.0:
            raise ValueError(f"The argument 'init_loss_scale' must be > 1, but got {init_loss_scale}")
        check_positive_int(scale_window, "scale_window", "DynamicLossScaleManager")
        if scale_factor <= 0:
            raise ValueError(f"The argument 'scale_factor' must be > 0, but got {scale_factor}")
        self.loss_scale, self.scale_factor, self.scale_window = init_loss_scale, scale_factor, scale_window
        self.cur_iter, self.last_overflow_iter = 1, 0
        self.bad_step, self.bad_step_max = 0, 1000

    def get_loss_scale(self):
        """The scale now."""
        return self.loss_scale

    def update_loss_scale(self, overflow):
        """Count a step, and change the scale. Raises RuntimeError after more than 1000 overflows in a row."""
        if overflow:
            self.loss_scale = max(self.loss_scale * (1 / self.scale_factor), 1)
            self.last_overflow_iter = self.cur_iter
            self.bad_step += 1
        else:
            if (self.cur_iter - self.last_overflow_iter) % self.scale_window == 0:
                self.loss_scale *= self.scale_factor
            self.bad_step = 0
        if self.bad_step > self.bad_step_max:
            raise RuntimeError(
                "Dynamic loss scale Continuous overflow ", self.bad_step, " times, has exceeded maximum threshold."
            )
        self.cur_iter += 1

    def get_drop_overflow_update(self):
        """Whether a step with overflow is left out: always."""
        return True

    def get_update_cell(self):
        """A `DynamicLossScaleUpdateCell` that starts at this scale."""
        return nn.DynamicLossScaleUpdateCell(self.loss_scale, self.scale_factor, self.scale_window)
