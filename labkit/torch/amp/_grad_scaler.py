"""`GradScaler`: a loss scale for float16 training."""

import warnings
from collections import defaultdict
from collections.abc import Iterable

import numpy as np

from ...dialects.class_paths import Placed
from .._error_texts import error
from .._ops import creation as _creation
from .._ops.dispatch import overwrite
from .._tape.grad_mode import no_grad
from .._tensor.tensor import Tensor

READY, UNSCALED, STEPPED = range(3)


class GradScaler(metaclass=Placed):
    """A loss scale that shrinks when gradients overflow and grows after `growth_interval` steps without.

    In a training step: `scale(loss).backward()`, perhaps `unscale_(optimizer)` and clipping, `step(optimizer)`, which
    leaves out the step if a gradient is infinite or nan, and `update()`. Without `enabled` all of these do as if there
    were no scale.

    >>> import labkit.torch as torch
    >>> p = torch.nn.Parameter(torch.tensor(1.0))
    >>> optimizer, scaler = torch.optim.SGD([p], lr=0.25), torch.amp.GradScaler("cpu")
    >>> scaler.scale(p**2).backward()
    >>> p.grad
    tensor(131072.)
    >>> scaler.step(optimizer); scaler.update(); p
    Parameter containing:
    tensor(0.5000, requires_grad=True)
    """

    def __init__(self, device="cuda", init_scale=2.0**16, growth_factor=2.0, backoff_factor=0.5, growth_interval=2000,
                 enabled=True):  # fmt: skip
        if device == "cuda" and enabled:
            warnings.warn("torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling.", UserWarning,
                stacklevel=2)  # fmt: skip
            enabled = False
        self._device, self._enabled = device, enabled
        if enabled:
            if growth_factor <= 1.0:
                raise AssertionError("The growth factor must be > 1.0.")
            if backoff_factor >= 1.0:
                raise AssertionError("The backoff factor must be < 1.0.")
        self._init_scale, self._scale = init_scale, None
        self._growth_factor, self._backoff_factor = growth_factor, backoff_factor
        self._growth_interval, self._growth_count = growth_interval, 0
        self._forget_optimizers()

    def _forget_optimizers(self):
        self._stages, self._found = defaultdict(lambda: READY), {}

    # ---- a training step ----

    def scale(self, outputs):
        """A tensor, or each in nested lists and tuples, times the scale."""
        if not self._enabled:
            return outputs
        if self._scale is None:
            self._scale = _creation.tensor(float(self._init_scale))
        if isinstance(outputs, Tensor):
            return outputs * self._scale
        if isinstance(outputs, Iterable):
            scaled = map(self.scale, outputs)
            return type(outputs)(scaled) if isinstance(outputs, (list, tuple)) else scaled
        raise ValueError("outputs must be a Tensor or an iterable of Tensors")

    def unscale_(self, optimizer):
        """Divide the optimizer's gradients by the scale, in place, and look whether one is infinite or nan.

        Raises RuntimeError if that has been done since the last `update()`, or after `step()`.
        """
        if not self._enabled:
            return
        scale = self._started("unscale_")
        stage = self._stages[id(optimizer)]
        if stage == UNSCALED:
            raise RuntimeError("unscale_() has already been called on this optimizer since the last update().")
        if stage == STEPPED:
            raise RuntimeError("unscale_() is being called after step().")
        self._found[id(optimizer)] = self._divide(optimizer, scale)
        self._stages[id(optimizer)] = UNSCALED

    def _divide(self, optimizer, scale):
        """Divide the gradients; returns whether one was infinite or nan, None where there are none."""
        reciprocal = np.float32(1.0 / np.float64(scale))
        gradients = [p.grad for group in optimizer.param_groups for p in group["params"] if p.grad is not None]
        if any(g._array.dtype == np.float16 for g in gradients):
            raise ValueError("Attempting to unscale FP16 gradients.")
        found = False if gradients else None
        with no_grad(), np.errstate(all="ignore"):
            for g in gradients:
                found = found or not np.isfinite(g._array).all()
                overwrite(g, Tensor._of((g._array * reciprocal).astype(g._array.dtype)))
        return found

    def step(self, optimizer, *args, **kwargs):
        """`optimizer.step()`, unless a gradient is infinite or nan; unscales first if that has not been done."""
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs:
            raise RuntimeError("Closure use is not currently supported if GradScaler is enabled.")
        self._started("step")
        if self._stages[id(optimizer)] == STEPPED:
            raise RuntimeError("step() has already been called since the last update().")
        if self._stages[id(optimizer)] == READY:
            self.unscale_(optimizer)
        if self._found[id(optimizer)] is None:
            raise AssertionError("No inf checks were recorded for this optimizer.")
        self._stages[id(optimizer)] = STEPPED
        return None if self._found[id(optimizer)] else optimizer.step(*args, **kwargs)

    def update(self, new_scale=None):
        """Change the scale for the next step: smaller after overflow, larger after enough steps without."""
        if not self._enabled:
            return
        scale = self._started("update")
        if new_scale is not None:
            self._scale = _creation.tensor(float(new_scale))
        elif all(found is None for found in self._found.values()):
            raise AssertionError("No inf checks were recorded prior to update.")
        else:
            self._adjust(scale, any(self._found.values()))
        self._forget_optimizers()

    def _adjust(self, scale, overflow):
        if overflow:
            scale, self._growth_count = np.float32(scale * self._backoff_factor), 0
        else:
            self._growth_count += 1
            if self._growth_count == self._growth_interval:
                with np.errstate(all="ignore"):
                    larger = np.float32(scale * np.float32(self._growth_factor))
                scale, self._growth_count = (larger if np.isfinite(larger) else scale), 0
        self._scale = Tensor._of(np.asarray(scale))

    def _started(self, name):
        """The scale. Raises AssertionError where nothing has been scaled yet."""
        if self._scale is None:
            raise error("no_scale", op=name)
        return self._scale._array

    # ---- settings ----

    def is_enabled(self):
        """Whether there is a scale."""
        return self._enabled

    def get_scale(self):
        """The scale, a float; 1.0 if not enabled."""
        if not self._enabled:
            return 1.0
        return float(self._init_scale) if self._scale is None else self._scale.item()

    def state_dict(self):
        """The settings and the state, as a dict; empty if not enabled."""
        if not self._enabled:
            return {}
        return {
            "scale": self.get_scale(), "growth_factor": self._growth_factor, "backoff_factor": self._backoff_factor,
            "growth_interval": self._growth_interval, "_growth_tracker": self._growth_count,
        }  # fmt: skip

    def load_state_dict(self, state_dict):
        """Take over what `state_dict()` gave. Raises RuntimeError for an empty one, of a scaler that was not enabled."""
        if not self._enabled:
            return
        if not state_dict:
            raise error("empty_scaler_state")
        self._init_scale = state_dict["scale"]
        if self._scale is not None:
            self._scale = _creation.tensor(float(state_dict["scale"]))
        self._growth_factor, self._backoff_factor = state_dict["growth_factor"], state_dict["backoff_factor"]
        self._growth_interval, self._growth_count = state_dict["growth_interval"], state_dict["_growth_tracker"]
