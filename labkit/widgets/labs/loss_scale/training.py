"""A training run with a loss scaler, step by step: what was flushed, what overflowed, how the scale changed."""

from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ....precision import statistics
from .outcome import Captured, Outcome, check_gradients, outcome
from .run import Gradients, HeldRun, Network

Lesson = tuple[HeldRun | Captured, Callable[[Gradients], None]]


@dataclass(frozen=True)
class TrainingStep:
    """One training step.

    `outcome`: at the scale of this step. `exponents`: of the exact gradients. `unscaled`: the share that would be flushed
    at scale 1. `loss`: None where it is unknown. `good`: steps without overflow in a row, with this one. `after`: the
    scale of the next step.
    """

    outcome: Outcome
    exponents: dict[int, int]
    unscaled: float
    loss: float | None
    good: int
    after: float

    @property
    def event(self) -> str:
        """ "skipped", "grown", or "" where the scale stays."""
        if not self.outcome.finite:
            return "skipped"
        return "grown" if self.after > self.outcome.scale else ""


@dataclass(frozen=True)
class Start:
    """Another start of the same training: log2 of the first scale, and after how many good steps in a row the scale grows."""

    power: int
    window: int


class Step(NamedTuple):
    """Of a training from another start: log2 of the scale of a step and of the next one, the loss, and whether all was finite."""

    power: float
    after: float
    loss: float
    finite: bool

    @property
    def event(self) -> str:
        """As of a `TrainingStep`."""
        return "skipped" if not self.finite else "grown" if self.after > self.power else ""


class Training:
    """Steps of training with a loss scaler, in each of `formats`; each starts anew, with a copy of `scaler`.

    `about`: a sentence on what is trained; `remark`: what has to be known to read its gradients. `source`: a `Learner`,
    or gradients captured step by step. `window`: of good steps after which the scale grows, None for a fixed scale.
    `steps`: `{format: [TrainingStep]}`. `without`: `{format: [loss]}` of the same training at scale 1, empty for captured
    gradients. `others`: `{Start: [Step]}` in the first format, of a `Learner` that is to be begun with other `starts`, its own
    among them. Raises ValueError where not even the first step has finite gradients; later it ends there.
    """

    def __init__(
        self, title, about, source: "Learner | Sequence[Captured]", formats: Sequence[str], scaler: Any, remark: str = "",
        starts: Sequence[Start] = (),
    ):  # fmt: skip
        self.remark = remark
        self.title, self.about, self.formats = title, about, tuple(formats)
        self.window = getattr(scaler, "scale_window", None)
        self.steps = {of: _steps(_lessons(source), of, deepcopy(scaler)) for of in formats}
        self.without = {of: _losses(_lessons(source), of) if isinstance(source, Learner) else [] for of in formats}
        self.others = {start: _other(_lessons(source), self.formats[0], scaler, start) for start in starts}
        self.start = next((start for start in starts if _begins(scaler, start)), Start(0, 0))
        self.powers = sorted({start.power for start in starts})
        self.windows = sorted({start.window for start in starts})
        self.names = list((source[0] if isinstance(source, Sequence) else source.first()).parameters)
        self.planned = len(source.batches if isinstance(source, Learner) else source)
        self.outcomes = {of: [step.outcome for step in steps] for of, steps in self.steps.items()}

    def ends(self, of: str, position: int) -> bool:
        """Whether this step is the last one only because the gradients of the next were not finite."""
        return position == len(self.steps[of]) - 1 < self.planned - 1


@dataclass(frozen=True)
class Learner:
    """A network that learns from `batches` of arguments by Adam (D. P. Kingma and J. Ba, 2015), in float32, from gradients
    computed in a format. The network itself is left as it is."""

    network: Network
    batches: Sequence[Sequence[Any]]
    learning_rate: float = 0.01

    def first(self) -> HeldRun:
        """The run before the first step."""
        return self.network.run(self.batches[0])

    def lessons(self) -> Iterator[Lesson]:
        """For each batch the run with the parameters as they are then, and what a step does with its gradients."""
        from ....mindspore import Parameter, Tensor, nn

        start = self.first().parameters
        own = [Parameter(Tensor(np.asarray(v, np.float32)), name=name) for name, v in start.items()]
        adam = nn.Adam(own, self.learning_rate)

        def learn(gradients):
            adam(tuple(Tensor(np.asarray(gradients[p.name], np.float32)) for p in own))

        for batch in self.batches:
            now = {p.name: p.asnumpy().astype(start[p.name].dtype) for p in own}
            yield self.network.run(batch, now), learn


def _lessons(source) -> Iterator[Lesson]:
    return source.lessons() if isinstance(source, Learner) else ((run, lambda gradients: None) for run in source)


def _steps(lessons, of, scaler):
    from ....mindspore import Tensor

    steps: list[TrainingStep] = []
    for run, learn in lessons:
        scale, exact = float(scaler.scale_value.asnumpy()), run.gradients("float64")
        if not steps:
            check_gradients(exact)
        elif not all(np.all(np.isfinite(g)) for g in exact.values()):
            break
        held = run.gradients(of, scale)
        found = outcome(exact, held, of, scale)
        if found.finite:
            learn({name: g / scale for name, g in held.items()})
        scaler.adjust(Tensor(found.finite))
        good = 0 if not found.finite else steps[-1].good + 1 if steps and steps[-1].event != "grown" else 1
        unscaled = outcome(exact, run.gradients(of), of).share("flushed")
        exponents = statistics(list(exact.values())).exponents
        steps.append(TrainingStep(found, exponents, unscaled, run.loss, good, float(scaler.scale_value.asnumpy())))
    return steps


def _other(lessons, of, scaler, start):
    """The steps of the same training from another start."""
    from ....mindspore import Tensor

    begun = type(scaler)(2.0**start.power, scaler.scale_factor, start.window)
    steps: list[Step] = []
    for run, learn in lessons:
        scale = float(begun.scale_value.asnumpy())
        held = run.gradients(of, scale)
        finite = all(np.all(np.isfinite(g)) for g in held.values())
        if finite:
            learn({name: g / scale for name, g in held.items()})
        begun.adjust(Tensor(finite))
        after = float(begun.scale_value.asnumpy())
        steps.append(Step(float(np.log2(scale)), float(np.log2(after)), run.loss, finite))
    return steps


def _begins(scaler, start):
    return float(scaler.scale_value.asnumpy()) == 2.0**start.power and scaler.scale_window == start.window


def _losses(lessons, of):
    """The losses of the same training without a scale; steps with overflow are skipped as well."""
    losses = []
    for run, learn in lessons:
        held = run.gradients(of)
        losses.append(run.loss)
        if all(np.all(np.isfinite(g)) for g in held.values()):
            learn(held)
    return losses
