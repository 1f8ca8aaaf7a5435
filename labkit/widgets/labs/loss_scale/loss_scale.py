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
from ...kit.sketch import Axis, Sketch
from ...kit.traits import Trait, traits
from ...kit.words import number, raised
from .run import FATES, TOLERATED, Captured, Run, Sweep, fates

WINDOW = 3  # good steps in a row until the scale grows; MindSpore's is 2000


def percent(share: float) -> str:
    """A share in words that are never rounded to none or all.

    >>> percent(0.473), percent(0.0), percent(0.0004), percent(0.9996), percent(1.0)
    ('47.3%', '0%', 'under 0.1%', 'over 99.9%', '100%')
    """
    if share in (0.0, 1.0):
        return f"{share:.0%}"
    if 0.001 <= share < 0.9995:
        return f"{share:.1%}"
    return "under 0.1%" if share < 0.5 else "over 99.9%"


def two_to(power: float) -> str:
    """A power of two as it is written.

    >>> two_to(15), two_to(-3), two_to(0.5)
    ('2¹⁵', '2⁻³', '2^0.5')
    """
    return raised(2, int(power)) if power == int(power) else f"2^{power:g}"


def infinite(of: str) -> str:
    """What a number becomes that is too large for a format."""
    return "inf" if format_of(of).infinity else "nan"


def written(power: float) -> str:
    """A loss scale as sentences have it: 1, or a power of two."""
    return two_to(power) if power else "1"


WORDS = {
    "kept": "At loss scale {scale}, every gradient survives in {format}.",
    "before": "At loss scale 1, {first} of the gradients would become 0.",
    "flushed": "At loss scale {scale}, {flushed} of the gradients become 0 in {format}.",
    "subnormal": "{subnormal} are subnormal: they keep only some of their digits.",
    "large": "At loss scale {scale}, {over} of the gradients are too large for {format} and become {infinite}. Then "
    "all_finite is False, and the optimizer skips the step.",
    "spoiled": "At loss scale {scale}, {over} of the gradients become inf or nan in the backward pass, although only {large} "
    "are too large for {format}. Then all_finite is False, and the optimizer skips the step.",
    "nan": "At loss scale {scale}, the backward pass overflows, although no gradient is too large for {format}. Then "
    "all_finite is False, and the optimizer skips the step.",
    "ask safe": "Which loss scale keeps almost every gradient in {format}? Drag the dots there, then press Check.",
    "is safe": "From {first} to {last} fewer than {share} of the gradients become 0, and none overflows.",
    "ask least": "No loss scale keeps every gradient in {format}. Drag the dots to where the fewest are lost, then press Check.",
    "is least": "The fewest, {share} of the gradients, are lost at loss scale {first}.",
    "not there": "Not there. {said}",
    "good": "Step {step} of {steps}: at loss scale {scale} all gradients are finite, good step {good} of {window}. The optimizer "
    "updates the weights. The next loss scale is {after}. Loss {loss}; without a loss scale it is {without}.",
    "skipped": "Step {step} of {steps}: at loss scale {scale}, {share} of the gradients are inf or nan. The optimizer skips the "
    "step. The next loss scale is {after}. Loss {loss}; without a loss scale it is {without}.",
    "ask grown": "Step {step}, at loss scale {scale}, is the last good step that the window waits for. What is the loss scale at "
    "step {next}?",
    "ask skipped": "Step {step}, at loss scale {scale}, overflows. What is the loss scale at step {next}?",
    "is grown": "The loss scale is multiplied by 2.",
    "is skipped": "The loss scale is divided by 2.",
    "same slip": "It does not stay the same: the scaler updates it after each step.",
    "way slip": "The other way: after an overflow the loss scale becomes smaller, after good steps larger.",
    "power slip": "That doubles or halves the exponent. The loss scale itself doubles or halves.",
    "ask weights": "In step {step} gradients overflow. What happens to the weights?",
    "move": "they are updated as usual",
    "stay": "they stay as they are",
    "spoil": "they become inf or nan",
    "is weights": "One infinite gradient is enough: the optimizer skips the whole update, and the loss scale becomes smaller.",
    "move slip": "Then infinite gradients would be added to them.",
    "spoil slip": "Skipping the step prevents that.",
    "drag": "Drag the dots: the scale multiplies every gradient",
    "size": "{dots} of {size} gradients {about}.",
    "start": "drag →",
    "again": "÷ {scale}: the optimizer gets",
    "stored": "the optimizer gets",
    "survive": "✓ all survive",
    "lost": "✗ {share} become 0",
    "over": "✗ {infinite}: step skipped",
    "safe": "safe: {first} to {last}",
    "only": "safe: only {first}",
    "unsafe": "no loss scale is safe for all of them",
    "course": "Drag the step: the loss scale doubles after {window} good steps and halves after an overflow",
}


def at_scale(sweep: Sweep, of: str, power: int) -> str:
    """What becomes of the gradients at a scale."""
    found, first = sweep.outcomes[of][power], sweep.outcomes[of][0].share("flushed")
    flushed, subnormal, _, over = (percent(found.share(fate)) for fate in FATES)
    kind = "flushed" if found.count("flushed") else "kept"
    if not found.finite:
        kind = "nan" if not found.large else "large" if found.large >= found.count("overflowed") else "spoiled"
    keys = [kind, *["subnormal"] * (found.finite and found.count("subnormal") > 0)]
    keys += ["before"] * (kind == "kept" and power > 0 and first > 0)
    given = {
        "flushed": flushed,
        "subnormal": subnormal,
        "over": over,
        "first": percent(first),
        "large": f"{found.large:,}",
    }
    given |= {"scale": written(power), "format": of, "infinite": infinite(of)}
    return " ".join(WORDS[key].format(**given) for key in keys)


def about_scales(sweep: Sweep, of: str) -> dict[str, Any]:
    """Where the gradients are safe, or where the fewest are lost: a question that is answered by dragging them there."""
    safe, lost = sweep.safe[of], [o.share("flushed") + o.share("overflowed") for o in sweep.outcomes[of]]
    right = list(range(safe[0], safe[1] + 1)) if safe else [i for i, share in enumerate(lost) if share == min(lost)]
    given = {"format": of, "first": written(right[0]), "last": written(right[-1])}
    given |= {"share": percent(TOLERATED) if safe else percent(min(lost))}
    kind = "safe" if safe else "least"
    return {
        "question": WORDS[f"ask {kind}"].format(**given),
        "places": right,
        "right": WORDS[f"is {kind}"].format(**given),
    }


def at_step(steps: Sequence[Any], i: int, without: Sequence[Any]) -> str:
    """What happened in a training step."""
    step = steps[i]
    return WORDS["skipped" if step.overflowed else "good"].format(
        step=i + 1, steps=len(steps), scale=written(step.power), after=written(step.after), share=percent(step.overflowed),
        good=step.good, window=WINDOW, loss=number(step.loss), without=number(without[i].loss),
    )  # fmt: skip


def about_steps(steps: Sequence[Any]) -> list[dict[str, Any]]:
    """Questions: the scale after it grew, and after a skipped step; what the weights do in a skipped step."""
    grown = [i for i, step in enumerate(steps[:-1]) if step.event == "grown"][:1]
    skipped = [i for i, step in enumerate(steps[:-1]) if step.event == "skipped"]
    return [*(_next_scale(i, steps[i]) for i in sorted([*grown, *skipped[:1]])), *map(_weights, skipped[1:2])]


def _next_scale(i, step):
    power, after = step.power, step.after
    grew = "grown" if after > power else "skipped"
    slips = {power: "same slip", 2 * power - after: "way slip", power * 2 if after > power else power / 2: "power slip"}
    return {
        "question": WORDS[f"ask {grew}"].format(step=i + 1, next=i + 2, scale=written(power)),
        "from": i, "to": i + 1, "answer": two_to(after), "choices": [two_to(p) for p in sorted({after, *slips})],
        "right": WORDS[f"is {grew}"], "slips": [[two_to(p), WORDS[said]] for p, said in slips.items() if p != after],
    }  # fmt: skip


def _weights(i):
    move, stay, spoiled = WORDS["move"], WORDS["stay"], WORDS["spoil"]
    return {
        "question": WORDS["ask weights"].format(step=i + 1), "from": max(i - 1, 0), "to": i, "answer": stay,
        "choices": [move, stay, spoiled], "right": WORDS["is weights"],
        "slips": [[move, WORDS["move slip"]], [spoiled, WORDS["spoil slip"]]],
    }  # fmt: skip


def _signs(held, of):
    """What is held of each dot, a letter each: 0; how many times the smallest number, 9 for more than 8; n normal; i infinite."""
    times = np.minimum(np.abs(np.nan_to_num(held)), 9 * format_of(of).min_subnormal) / format_of(of).min_subnormal
    signs = [str(int(k)) for k in times]
    return "".join({2: "n", 3: "i"}.get(int(fate), sign) for fate, sign in zip(fates(held, of), signs, strict=True))


WIDTH, HEIGHT, TOP, BASE, PITCH = 820, 230, 60, 190, 6
COLOURS = ("backward", "leaf", "forward", "bad")


def still(lab: Any, theme: str, format: str, power: int, **_: Any) -> str:
    """Plain SVG of the gradients at a loss scale."""
    form, sweep = format_of(format), lab.sweep
    size = np.log2(np.abs(sweep.dots)) + power
    low, high = min(size.min() - 2, np.log2(form.min_subnormal) - 4), max(size.max() + 2, np.log2(form.max) + 4)
    across, found = Axis(low, high, 10, WIDTH - 10), sweep.outcomes[format][power]
    said = lab.describe(view="gradients", format=format, power=power).splitlines()[-1]
    sketch = Sketch(theme, WIDTH, HEIGHT, said)
    sketch.text(10, 20, lab.title, "ink", "start")
    limits = [low, np.log2(form.min_subnormal) - 1, np.log2(form.min_normal), np.log2(form.max), high]
    edges = [across(edge) for edge in np.clip(limits, low, high)]
    for i, (fate, colour) in enumerate(zip(FATES, COLOURS, strict=True)):
        sketch.rect(edges[i], TOP, edges[i + 1] - edges[i], BASE - TOP, f"{colour}-fill")
        if found.count(fate):
            sketch.text((edges[i] + edges[i + 1]) / 2, TOP - 8, percent(found.share(fate)), "ink")
    met, places = fates(sweep.held[format][power], format), [across(value) for value in size]
    for x, fate, rank in zip(places, met, _ranks(places), strict=True):
        sketch.circle(x, BASE - 4 - min(rank * PITCH, 118), 2.5, COLOURS[fate], filled=fate in (1, 2))
    sketch.text(10, HEIGHT - 12, STILL.format(scale=written(power), format=format), anchor="start")
    return str(sketch)


def _ranks(places):
    """How many dots are below each one in its column."""
    columns = [round(x) // PITCH for x in places]
    return [columns[:i].count(column) for i, column in enumerate(columns)]


FORMATS = ("float16", "bfloat16", "float32", "float8_e5m2", "float8_e4m3")
VIEWS = ("gradients", "training")
FIRST = (24.0, 0.0, 40.0)  # log2 of the first scale of each training; 2**24 is where MindSpore starts
ABOUT = (
    "The dots are {dots} of {size:,} gradients {about}, by the logarithm of their size: times the loss scale, as the format "
    "stores them, and divided by the loss scale again. Subnormal gradients collapse into the few numbers that the format has "
    "there. Rings became 0 or overflowed. Results in float16 and float32 are NumPy's, those in other formats are rounded."
)
STILL = "The gradients times the loss scale {scale}, over the numbers of {format}: 0, subnormal, normal, too large."
TRAINED = "The loss and the loss scale, step by step, of a training run {about}."


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
    words: ClassVar = WORDS
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
            "about": self._about, "window": WINDOW,
            "dots": np.log2(np.abs(self.sweep.dots)).round(3).tolist(), "size": self._size,
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
            "infinite": infinite(of), "held": [_signs(row, of) for row in sweep.held[of]],
            "counts": [o.counts.tolist() for o in found], "safe": sweep.safe[of],
            "skipped": [power for power, o in enumerate(found) if not o.finite],
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
                whole = "{key}: expected a whole number below {count}, but got {got!r}"
                text = whole if key in ("power", "step") else "{key}: expected one of {values}, but got {got!r}"
                raise ValueError(text.format(key=key, count=len(values), values=values, got=at[key]))
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
