"""The loss-scale lab: real gradients in the float formats at every loss scale, and a training with a dynamic scale."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from ....messages.wrapping import Prose
from ....precision import FORMATS as KNOWN
from ....precision import format_of
from ...kit.lab import Lab
from ...kit.module import module, style
from ...kit.traits import Trait, traits
from .outcome import Captured, Sweep, fates
from .run import Run
from .still import still
from .words import WINDOW, about_scales, about_steps, at_scale, at_step, infinite

FORMATS = ("float16", "bfloat16", "float32", "float8_e5m2", "float8_e4m3")
VIEWS = ("gradients", "training")
FIRST = (24.0, 0.0, 40.0)  # log2 of the first scale of each training; 2**24 is where MindSpore starts
ABOUT = (
    "The dots are {dots} of {size:,} gradients {about}, by the logarithm of their magnitude: as they are, times the loss scale "
    "over the numbers of a float format, and divided by the scale again. Holes were flushed to 0, golden dots are subnormal "
    "and have lost digits, rings overflowed. Results in float16 and float32 are NumPy's, those in other formats are rounded."
)
TRAINED = "The loss and the loss scale, step by step, of a training {about}."


class LossScaleLab(Lab):
    """What a loss scale does: gradients against the range of a float format, which are flushed or overflow, and a training.

    `LossScaleLab()` shows a network whose loss is divided until gradients vanish in float16, and its training with a dynamic
    loss scale from three first scales.

    `LossScaleLab(loss, *args)` shows your own gradients at every scale: `loss` is a function, a Cell or a Module that
    returns one number (or that first). A network's parameters are differentiated, and those in `parameters` that a function
    uses from outside; of a function without any, its floating arguments. Nothing of yours is changed.

    `gradients`: what you captured, unscaled, in place of a network: `{name: array}`.

    Traits: `view` ("gradients", "training"), `format`, `power` (log2 of the loss scale), `first` (log2 of the scale of the
    first training step), `step` (from 0 on). `sweep` is what became of the gradients, `trainings` has the training steps by
    `first`. Raises TypeError or ValueError, saying what to do, where there is nothing to differentiate, or gradients are not
    finite or all 0.

    >>> lab = LossScaleLab(lambda w: 2.0**-20 * w**2, 0.01, formats=["float16"])
    >>> lab.sweep.outcomes["float16"][0].share("flushed"), lab.sweep.safe["float16"]
    (1.0, (1, 40))
    """

    path = Path(__file__).with_name("loss_scale.js")
    state_names = ("view", "format", "power", "first", "step")
    words: ClassVar = {}
    _esm = module(path)
    _css = style()
    view: Trait = traits.Enum(VIEWS, default_value="gradients").tag(sync=True)
    format: Trait = traits.Enum(tuple(KNOWN), default_value="float16").tag(sync=True)
    power: Trait = traits.Int(default_value=0).tag(sync=True)
    first: Trait = traits.Enum(FIRST, default_value=FIRST[0]).tag(sync=True)
    step: Trait = traits.Int(default_value=0).tag(sync=True)

    def __init__(
        self,
        loss: Callable | None = None,
        *args: Any,
        gradients: Mapping[str, Any] | None = None,
        parameters: Sequence[Any] | None = None,
        formats: Sequence[str] = FORMATS,
    ):
        self.formats = tuple(dict.fromkeys(format_of(of).name for of in formats))
        if not self.formats:
            raise ValueError("LossScaleLab: expected at least one format, such as formats=['float16']")
        if loss is not None and gradients is not None:
            raise TypeError("LossScaleLab: expected a loss function or captured gradients, but got both")
        self._about = "of your network"
        self.trainings: dict[float, list[Any]] = {}
        self.without: list[Any] = []
        if gradients is not None:
            run: Run | Captured = Captured(gradients)
            self._about = "that you captured"
        elif loss is not None:
            run = Run(loss, args, parameters)
        else:
            run = self._preset()
        self.sweep = Sweep(run, self.formats)
        super().__init__("Loss scaling: which scale keeps the gradients?", self._data(), format=self.formats[0])

    def _preset(self):
        """The run of the network that is shown by itself, after its trainings."""
        from ....mindspore import amp
        from . import training

        scalers = [amp.DynamicLossScaler(2**first, 2, WINDOW) for first in FIRST]
        self.trainings = dict(zip(FIRST, map(training.training, scalers), strict=True))
        self._about, self.without = training.ABOUT, training.training(amp.StaticLossScaler(1.0))
        return Run(training.digits_network(), training.digits_batches(1)[0])

    def _data(self):
        return {
            "about": self._about, "dots": np.log2(np.abs(self.sweep.dots)).round(3).tolist(), "size": self._size,
            "formats": {of: self._format(of) for of in self.formats}, "without": [step.loss for step in self.without],
            "trainings": [{
                "first": first, "steps": [[step.power, step.event] for step in steps], "losses": [step.loss for step in steps],
                "said": [at_step(steps, i, self.without) for i in range(len(steps))], "asks": about_steps(steps),
            } for first, steps in self.trainings.items()],
        }  # fmt: skip

    def _format(self, of):
        """What the page knows of a format: its limits, what became of the gradients at each power, and what is said of it."""
        form, sweep = format_of(of), self.sweep
        found, last = sweep.outcomes[of], np.log2(form.min_subnormal)
        return {
            "least": last, "zones": [last - 1, np.log2(form.min_normal), np.log2(form.max)], "bits": form.fraction_bits,
            "infinite": infinite(of), "fates": ["".join(map(str, row)) for row in fates(sweep.held[of], of).tolist()],
            "counts": [o.counts.tolist() for o in found], "safe": sweep.safe[of],
            "said": [at_scale(sweep, of, power) for power in range(len(found))], "ask": about_scales(sweep, of),
        }  # fmt: skip

    @property
    def _size(self):
        return sum(int(np.count_nonzero(g)) for g in self.sweep.exact.values())

    def state_with(self, **state: Any) -> dict[str, Any]:
        """The state, with other values of some names. Raises KeyError or ValueError where there is no such state."""
        at = super().state_with(**state)
        known: dict[str, Sequence[Any]] = {
            "view": VIEWS[: 1 + bool(self.trainings)],
            "format": self.formats,
            "first": FIRST,
        }
        known |= {"power": range(len(self.sweep.held[self.formats[0]])), "step": range(len(self.without) or 1)}
        for key, values in known.items():
            if at[key] not in values:
                said = f"a whole number below {len(values)}" if key in ("power", "step") else f"one of {values}"
                raise ValueError(f"{key}: expected {said}, but got {at[key]!r}")
        return at

    def describe(self, **state: Any) -> str:
        """The picture in words: what it shows, and what becomes of the gradients. `state`: other values of some traits."""
        at = self.state_with(**state)
        if at["view"] == "training":
            about = TRAINED.format(about=self._about)
            said = at_step(self.trainings[at["first"]], at["step"], self.without)
        else:
            about = ABOUT.format(dots=len(self.sweep.dots), size=self._size, about=self._about)
            said = at_scale(self.sweep, at["format"], at["power"])
        return Prose("\n".join((self.title, about, said)))

    def svg(self, theme: str = "light", **state: Any) -> str:
        """The gradients over the numbers of the format, as plain SVG. `state`: other values of some traits."""
        return still(self, theme, **self.state_with(**state))
