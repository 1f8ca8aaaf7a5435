"""The loss-scale lab: real gradients in the float formats, at every loss scale, and over a training run."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ....precision import format_of
from ...kit.grips import Grip
from ...kit.picture import Picture
from ...kit.scene import Ask, Caption, Dial, Link, Panel, Scene, by_position, changes, only
from . import bars, charts, courses, dots, histogram
from .axes import WIDTH, at_formats, by_format, percent, power_of_two, two_to
from .outcome import TOLERATED, Captured, Sweep
from .run import NATIVE, HeldRun, Network
from .training import Learner, Training
from .words import about_scales, about_steps, at_scale, at_step, at_step_from

FORMATS = ("float16", "bfloat16", "float32", "float8_e5m2", "float8_e4m3")
Case = Sweep | Training


class LossScaleLab(Picture):
    """What a loss scale does: gradients against the range of a float format, what is flushed or overflows, and training.

    `LossScaleLab()` shows two cases: a network whose loss is divided until gradients vanish in float16, and its training with a
    dynamic scale. By itself it plays from no scale to one that is safe; a still picture shows that one.

    `LossScaleLab(loss, *args)` shows your own gradients at every scale: `loss` is a function, a Cell or a Module that
    returns one number (or that first). A network's parameters are differentiated, and those in `parameters` that a function
    uses from outside; of a function without any, its floating arguments. Nothing of yours is changed.

    `batches`: argument tuples, a training step each (Adam in float32 at `learning_rate`), with `scaler`, a
    `DynamicLossScaler` or `StaticLossScaler` of the MindSpore dialect.

    `gradients`: what you captured, unscaled, in place of a network: `{name: array}`, or a list of these, one per step.

    Dials: "case", "format", "scale" (position n is 2^n), "step"; "beside_scale" and so on
    choose what stands beside the dots; "begins" and "window" start the training elsewhere. Raises TypeError or ValueError,
    saying what to do, where there is nothing to differentiate, or gradients are not finite or all 0.

    >>> lab = LossScaleLab(lambda w: 2.0**-20 * w**2, 0.01, formats=["float16"])
    >>> lab.cases[0].outcomes["float16"][0].share("flushed"), lab.cases[0].safe["float16"]
    (1.0, (1, 40))
    """

    plays_at_once = True

    def __init__(
        self,
        loss: Callable | None = None,
        *args: Any,
        batches: Sequence[Sequence[Any]] | None = None,
        gradients: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
        scaler: Any = None,
        learning_rate: float = 0.01,
        parameters: Sequence[Any] | None = None,
        formats: Sequence[str] = FORMATS,
    ):
        names = tuple(dict.fromkeys(format_of(of).name for of in formats))
        if not names:
            raise ValueError("LossScaleLab: expected at least one format, such as formats=['float16']")
        if loss is None and gradients is None:
            if batches is not None or scaler is not None:
                raise TypeError("LossScaleLab: expected a loss function or a network before batches or a scaler")
            from .presets import presets

            self.cases: tuple[Case, ...] = presets(names)
        else:
            self.cases = _own(loss, args, parameters, batches, gradients, scaler, learning_rate, names)
        super().__init__(_scene(self.cases, names))


def _own(loss, args, parameters, batches, gradients, scaler, learning_rate, formats) -> tuple[Case, ...]:
    if loss is not None and gradients is not None:
        raise TypeError("LossScaleLab: expected a loss function or captured gradients, but got both")
    first: HeldRun | Captured
    source: Learner | list[Captured] | None
    if gradients is not None:
        runs = [Captured(g) for g in ([gradients] if isinstance(gradients, Mapping) else gradients)]
        if not runs or not all(run.parameters for run in runs):
            raise ValueError("LossScaleLab: expected captured gradients as {name: array}, but got none")
        first, source = runs[0], runs if len(runs) > 1 or scaler is not None else None
    else:
        network = Network(loss, parameters)
        steps = [tuple(b) if isinstance(b, (list, tuple)) else (b,) for b in batches or ()]
        first = network.run(args if args or not steps else steps[0])
        source = Learner(network, steps, learning_rate) if steps else None
    cases: list[Case] = [Sweep("your gradients", "Your gradients.", first, formats)]
    if source is not None:
        cases.append(Training("your training", "Your training.", source, formats, _check_scaler(scaler)))
    return tuple(cases)


def _check_scaler(scaler):
    from ....mindspore import amp

    if scaler is None:
        return amp.DynamicLossScaler(2**24, 2, 3)
    if not isinstance(scaler, amp.LossScaler) or not hasattr(scaler, "scale_value"):
        raise TypeError(
            "LossScaleLab: expected a DynamicLossScaler or StaticLossScaler of labkit.mindspore.amp, but got "
            f"{type(scaler).__name__}"
        )
    return scaler


# ---- the scene ----


def _scene(cases: tuple[Case, ...], formats: tuple[str, ...]) -> Scene:
    places = _dial_names(cases)
    dials, panels, captions = [], [], []
    links: dict[str, Link] = {}
    grips: list[Grip] = []
    if len(cases) > 1:
        dials.append(Dial("case", "Show", [case.title for case in cases], "choice"))
    if len(formats) > 1:
        dials.append(Dial("format", "Format", list(formats), "list"))
    for i, (case, dial) in enumerate(zip(cases, places, strict=True)):
        where = {"case": [i]} if len(cases) > 1 else {}
        drawn, companions = _panels(case, dial, where)
        dials += [_dial(case, dial, where), *companions, *([] if isinstance(case, Sweep) else _starts(case, where))]
        panels += drawn
        captions += _captions(case, dial, where)
        links |= _links(case, dial)
        if isinstance(case, Sweep):
            grips += only(where, [dots.handle(case, dial)])
            grips += only({**where, f"beside_{dial}": [0]}, [charts.chosen_scale(case, dial)])
            histograms = histogram.handle(case.formats, dial, _shown(case))
            grips += (replace(grip, when={**grip.when, **where, f"beside_{dial}": [1]}) for grip in histograms)
        else:
            grips += only(where, courses.grips(case, dial, f"{dial} training"))
    return Scene(
        "Loss scaling: out of zero, short of infinity",
        _description(cases, formats),
        dials,
        panels,
        captions,
        links,
        grips=grips,
    )


def _dial_names(cases):
    return ["scale" if isinstance(case, Sweep) else "step" for case in cases]


def _dial(case, name, where):
    here = {of: {**where, **at_formats(case.formats, of)} for of in case.formats}
    if isinstance(case, Sweep):
        seeks = [seek for of in case.formats for seek in only(here[of], [about_scales(case, of)])]
        values = _scales(case)
        return Dial(name, "Loss scale", values, seeks=seeks, when=where, rests=case.start, even=True)
    asks: list[tuple[int, Ask]] = []
    for of in case.formats:
        found = about_steps(case, of)
        at = {**where, **courses.at_start(case, case.start)} if case.others and of == case.formats[0] else here[of]
        asks += zip(found, only(at, found.values()))
    values = [f"step {i + 1}" for i in range(_steps(case))]
    return Dial(name, "Training step", values, asks=by_position(asks), when=where, rests=_steps(case) - 1)


def _steps(case):
    return max(map(len, case.steps.values()))


def _scales(sweep):
    return [power_of_two(o.scale) for o in next(iter(sweep.outcomes.values()))]


def _panels(case, dial, where):
    """The histogram and, one at a time, what stands beside it; with the dial that chooses."""
    if isinstance(case, Sweep):
        name, title, height, marks = (
            "dots",
            f"Drag: log₂ |gradient|{case.remark}",
            dots.height(case),
            dots.dots(case, dial),
        )
    else:
        name, title, height, marks = (
            "training",
            "Step by step; pale: steps to come",
            courses.HEIGHT,
            courses.course(case, dial),
        )
    panels = [Panel(f"{dial} {name}", title, WIDTH, height, list(marks), where)]
    beside = _beside(case, dial)
    for k, (name, _, title, height, marks) in enumerate(beside):
        over = courses.elsewhere(case, WIDTH, height) if isinstance(case, Training) else ()
        panels.append(Panel(f"{dial} {name}", title, WIDTH, height, [*marks, *over], {**where, f"beside_{dial}": [k]}))
    return panels, [Dial(f"beside_{dial}", "With", [choice for _, choice, *_ in beside], "choice", when=where)]


def _starts(case, where):
    """The dials that begin a training elsewhere: the scale of its first step, and when it grows."""
    if not case.others:
        return []
    here = {**where, **at_formats(case.formats, case.formats[0])}
    powers, windows = [two_to(power) for power in case.powers], [f"{window} good steps" for window in case.windows]
    return [
        Dial("begins", "First scale", powers, "inside", case.powers.index(case.start.power), when=here),
        Dial("window", "Grows after", windows, "choice", case.windows.index(case.start.window), when=here),
    ]


def _beside(case, dial):
    """`(name, what the reader chooses, title, height, marks)` of what may stand beside the main panel."""
    sweep = isinstance(case, Sweep)
    title = f"{'Drag: ' if sweep else ''}log₂ |gradient|{case.remark}"
    columns = histogram.histogram(case.formats, dial, _shown(case), held=sweep)
    found = [("exponents", "histogram", title, histogram.HEIGHT, columns)]
    if len(bars.rows(case.names)) > 1:
        layers = bars.bars(case.formats, dial, case.names, case.outcomes)
        layers = _kept_back(layers, dial) if sweep else layers
        found.append(("layers", "by layer", "What becomes of them, by parameter", bars.height(case.names), layers))
    if not sweep:
        return found
    scales = ("scales", "every scale", "Drag: what every scale does", charts.HEIGHT, charts.every_scale(case, dial))
    return [scales, *found]


def _kept_back(marks, dial):
    """What follows the dial is not seen while the reader predicts."""
    return (mark.answering(dial) if dial in mark.vary else mark for mark in marks)


def _shown(case):
    """What the histogram shows: `{format: [(exponents of the exact gradients, outcome)] by position}`."""
    return {of: list(zip(_unscaled(case, of), case.outcomes[of], strict=True)) for of in case.formats}


def _unscaled(case, of):
    """The exponents of the exact gradients at every position of the dial."""
    if isinstance(case, Sweep):
        return [case.exponents] * len(case.outcomes[of])
    return [step.exponents for step in case.steps[of]]


def _captions(case, dial, where):
    if isinstance(case, Training) and case.others:
        return [*_captions_of_starts(case, dial, where), Caption(dial, [(0, f"\n{case.about}")], where)]
    say = at_scale if isinstance(case, Sweep) else at_step
    told = {of: [say(case, of, i) for i in range(len(case.outcomes[of]))] for of in case.formats}
    captions = []
    for texts, _, here in by_format(case.formats, told):
        captions.append(Caption(dial, changes(texts), {**where, **here}))
    return [*captions, Caption(dial, [(0, f"\n{case.about}{_safe(case)}")], where)]


def _captions_of_starts(case, dial, where):
    for i, of in enumerate(case.formats):
        here = {**where, **(courses.at_start(case, case.start) if i == 0 else at_formats(case.formats, of))}
        yield Caption(dial, changes(at_step(case, of, k) for k in range(len(case.steps[of]))), here)
    for start, steps in case.others.items():
        if start != case.start:
            said = changes(at_step_from(steps, k, case.formats[0]) for k in range(len(steps)))
            yield Caption(dial, said, {**where, **courses.at_start(case, start)})


def _safe(case):
    return f" Safe: all finite, and under {percent(TOLERATED)} flushed." if isinstance(case, Sweep) else ""


def _links(case, dial):
    if isinstance(case, Sweep):
        return {f"{dial} {i}": Link(f"Scale {value}", go={dial: i}) for i, value in enumerate(_scales(case))}
    skipped = {i for steps in case.steps.values() for i, step in enumerate(steps) if step.event == "skipped"}
    return {f"{dial} {i + 1}": Link(f"Step {i + 1}: skipped", go={dial: i}) for i in sorted(skipped)}


def _description(cases, formats):
    by_numpy, rounded = [f for f in formats if f in NATIVE], [f for f in formats if f not in NATIVE]
    parts = [
        "A network's gradients as dots: as they are, times the loss scale over the numbers of a float format, and divided by it "
        "again. Golden ones have lost digits, holes were flushed to 0, rings overflowed."
    ]
    if by_numpy:
        parts.append(f"In {' and '.join(by_numpy)} each result is one of NumPy's in the format itself.")
    if rounded:
        parts.append(f"In {', '.join(rounded)} each result is computed in float64 and rounded to the format.")
    parts.append(f"Cases: {', '.join(case.title for case in cases)}.")
    return " ".join(parts)
