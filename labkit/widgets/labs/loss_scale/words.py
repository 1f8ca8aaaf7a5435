"""What is said of a case: a sentence for every position of its dial, and questions to answer before it is shown."""

from collections.abc import Sequence

import numpy as np

from ...kit.scene import Ask, changes
from ...kit.seeks import Seek
from ...kit.words import number, paragraph, plural
from .axes import figure, lost_to, percent, power_of_two, two_to
from .bars import rows
from .outcome import TOLERATED, Outcome, Sweep
from .training import Step, Training, TrainingStep

FEW = 8  # gradients that are written out


def of_all(found: Outcome, fate: str) -> str:
    """How many met a fate: `1,126 of 2,380 gradients (47.3%)`."""
    return f"{found.count(fate):,} of {_gradients(found)} ({percent(found.share(fate))})"


def _gradients(found):
    return f"{found.size:,} {plural(found.size, 'gradient')}"


# ---- at every scale ----


def at_scale(sweep: Sweep, of: str, position: int) -> str:
    """What happens to the gradients at a scale: a sentence and, behind a line break, more."""
    return f"{_headline(sweep, of, position)}\n{_details(sweep, of, position)}"


def _headline(sweep, of, position):
    found, first = sweep.outcomes[of][position], sweep.outcomes[of][0].share("flushed")
    where = f"At scale {two_to(found.power)}" if position else "Without a scale"
    if not found.finite:
        return f"{where}, {_lost(found, of)}: the step is skipped."
    if found.count("flushed"):
        return f"{where}, {percent(found.share('flushed'))} of the gradients are 0 in {of}."
    return f"{where}, every gradient survives in {of}{f'; without it {percent(first)} were 0' if position and first else ''}."


def _lost(found, of):
    """Why gradients are not finite: too large by themselves, or spoiled by what became infinite on the way to them."""
    lost, name = percent(found.share("overflowed")), lost_to(of)
    if found.spread:
        return f"one {name} on the way back spoils {lost} of the gradients"
    if found.spoiled:
        large, rest = (percent(n / found.size) for n in (found.large, found.spoiled))
        return f"{large} of the gradients are too large for {of}, and {name} on the way back spoils {rest}"
    return f"{lost} of the gradients are too large for {of} and become {name}"


def _details(sweep, of, position):
    found = sweep.outcomes[of][position]
    flushed, over = found.count("flushed"), found.count("overflowed")
    parts = [f"{of}, scale {power_of_two(found.scale)}:" if position else f"{of}, no scale (2⁰ = 1):"]
    said = f"{of_all(found, 'flushed')} {_are(flushed)} flushed to 0"
    said = said if flushed else f"none of {_gradients(found)} is flushed"
    before = sweep.outcomes[of][0].share("flushed") if position else 0
    parts.append(f"{said}; without a scale {percent(before)} would be." if before else f"{said}.")
    parts.append(_without_gradient(sweep, found))
    if over:
        parts.append(_overflow(found, of) + ": all_finite is False, and the step would be skipped.")
        parts.append(_spread(found, of))
    elif found.count("subnormal"):
        parts.append(f"{percent(found.share('subnormal'))} are subnormal and lose digits; none overflows.")
    else:
        parts.append("None overflows.")
    return paragraph(*parts, _numbers(sweep, of, position))


def _numbers(sweep, of, position):
    """The gradients themselves, where there are few."""
    found, exact, held = sweep.outcomes[of][position], sweep.dots.exact, sweep.dots.held[of][position]
    if found.size > FEW or len(exact) != found.size:
        return ""
    loss = "" if sweep.loss is None else f"Loss {figure(sweep.loss)}, scaled {figure(sweep.loss * found.scale)}. "
    return f"{loss}Gradient {_listed(exact)}, held as {_listed(held)}, unscaled {_listed(held / found.scale)}."


def _listed(values):
    return f"({', '.join(map(figure, values))})"


def _overflow(found, of):
    return f"{of_all(found, 'overflowed')} overflow{'s' if found.count('overflowed') == 1 else ''} to {lost_to(of)}"


def _spread(found, of):
    """How many are too large by themselves, where most are not."""
    if not found.spread:
        return ""
    alone = f"Only {found.large:,} {_are(found.large)}" if found.large else "None is"
    return f"{alone} too large alone. From one {lost_to(of)} on the way back, 0 × inf and inf − inf make nan."


def _are(count):
    return "is" if count == 1 else "are"


def _without_gradient(sweep, found):
    """The layers that get no gradient at all."""
    counts = [(label, found.counts[places].sum(axis=0)) for label, places in rows(sweep.names)]
    gone = [label for label, n in counts if n[0] and n[0] == n.sum()]
    if not gone or len(gone) == len(counts):
        return "Nothing can learn." if gone else ""
    return f"{', '.join(gone)} {'gets' if len(gone) == 1 else 'get'} no gradient at all."


def about_scales(sweep: Sweep, of: str) -> Seek:
    """Where the gradients are safe, or where the fewest are lost: what the histogram is dragged to."""
    outcomes, safe = sweep.outcomes[of], sweep.safe[of]
    lost = [o.share("flushed") + o.share("overflowed") for o in outcomes]
    right = range(safe[0], safe[1] + 1) if safe else [i for i, share in enumerate(lost) if share == min(lost)]
    wanted = "hardly a gradient is lost" if safe else "the fewest gradients are lost"
    within = f"From {two_to(right[0])} to {two_to(right[-1])}" if len(right) > 1 else f"At {two_to(right[0])} alone"
    few = (
        f"under {percent(TOLERATED)} are flushed, none overflows"
        if safe
        else f"{percent(min(lost))} are lost, the least"
    )
    said = [f"Not there. {_headline(sweep, of, i)}" for i in range(len(outcomes))]
    start = next((i for i in range(len(outcomes)) if i not in right), None)
    return Seek(
        f"Drag the dots to where {wanted} in {of}.", tuple(right), f"{within} {few}.", changes(said), start=start
    )


# ---- in training ----


def at_step(training: Training, of: str, position: int) -> str:
    """What happened in a training step: a sentence and, behind a line break, more."""
    return f"{_step_headline(training.steps[of][position], of, position)}\n{_step_details(training, of, position)}"


def _step_headline(step, of, position):
    at = f"Step {position + 1}: at scale {two_to(step.outcome.power)}"
    if not step.outcome.finite:
        return f"{at}, {_lost(step.outcome, of)}: the step is skipped{_changed(step, ' and the scale ')}."
    if step.event == "grown":
        return (
            f"{at}, all is finite in {of} for the {_ordinal(step.good)} time in a row, so the scale {_changed(step)}."
        )
    lost = f"; at scale 1, {percent(step.unscaled)} would be 0" if step.unscaled else ""
    return f"{at}, all gradients are finite in {of} and the weights move{lost}."


def at_step_from(steps: Sequence[Step], position: int, of: str) -> str:
    """What happened in a step of a training from another start."""
    step = steps[position]
    at = f"Step {position + 1}: at scale {two_to(step.power)}"
    if not step.finite:
        return f"{at}, a gradient overflows in {of}: the step is skipped, and the scale becomes {two_to(step.after)}."
    grown = f", and the scale becomes {two_to(step.after)}" if step.after > step.power else ""
    return f"{at}, all gradients are finite in {of}{grown}."


def _changed(step, before=""):
    if step.after == step.outcome.scale:
        return ""
    return f"{before}becomes {two_to(float(np.log2(step.after)))}"


def _ordinal(count):
    return {1: "first", 2: "second", 3: "third"}.get(count, f"{count}th")


def _step_details(training, of, position):
    step, steps = training.steps[of][position], training.steps[of]
    head = f"{of}, step {position + 1} of {len(steps)}, scale {power_of_two(step.outcome.scale)}:"
    flushed = f"Flushed: {percent(step.outcome.share('flushed'))}; at scale 1 it would be {percent(step.unscaled)}."
    end = "Here it ends: the next gradients are not finite even in float64." if training.ends(of, position) else ""
    return paragraph(head, _what_happened(training, step, of), flushed, _loss(training, of, position), end)


def _what_happened(training, step, of):
    if not step.outcome.finite:
        change = "the scale stays" if step.after == step.outcome.scale else f"the scale is {_divided(step)}"
        skipped = f"The step is skipped: no weight moves, and {change}."
        return paragraph(f"{_overflow(step.outcome, of)}.", _spread(step.outcome, of), skipped)
    if training.window is None:
        return "all gradients are finite, and the weights move."
    said = f"all gradients are finite, and the weights move. Good step {step.good} of {training.window}"
    return f"{said}: the scale will grow." if step.event == "grown" else f"{said}."


def _divided(step):
    factor = step.outcome.scale / step.after
    return "halved" if factor == 2 else f"divided by {factor:g}"


def _loss(training, of, position):
    loss, without = training.steps[of][position].loss, training.without[of]
    if loss is None:
        return ""
    other = f"; at scale 1 it is {number(without[position])}" if position < len(without) else ""
    return f"Loss {number(loss)}{other}."


def about_steps(training: Training, of: str) -> dict[int, Ask]:
    """Questions by position: the scale after it grew, and after a skipped step; what the weights did in that step."""
    steps = training.steps[of]
    asks: dict[int, Ask] = {}
    if any(not s.outcome.power.is_integer() for s in steps):
        return asks
    grown = next((i for i, s in enumerate(steps[:-1]) if s.event == "grown"), None)
    skipped = [i for i, s in enumerate(steps[:-1]) if s.event == "skipped" and s.after < s.outcome.scale]
    if grown is not None:
        asks[grown + 1] = _next_scale(grown, steps[grown])
    for i in skipped[:1]:
        asks[i + 1] = _next_scale(i, steps[i])
    for i in skipped[1:2]:
        asks.setdefault(i, _weights(i, steps[i], of))
    return asks


def _next_scale(i: int, step: TrainingStep) -> Ask:
    power, after = step.outcome.power, float(np.log2(step.after))
    grew = after > power
    why = "was the last good step that the window waits for" if grew else "overflowed"
    slips = {
        power: "It does not stay: the scaler is asked after each step.",
        2 * power - after: "The other way: after overflow the scale becomes smaller, after good steps larger.",
        power * 2 if grew else power / 2: "That doubles or halves the exponent. The scale itself doubles or halves.",
    }
    return Ask(
        f"Step {i + 1}, at scale {two_to(power)}, {why}. What is the scale at step {i + 2}?", two_to(after),
        f"The scale is {'multiplied' if grew else 'divided'} by {2 ** abs(after - power):g}.",
        tuple((two_to(scale), said) for scale, said in slips.items() if scale != after),
        tuple(map(two_to, sorted({after, *slips}))),
    )  # fmt: skip


def _weights(i: int, step: TrainingStep, of: str) -> Ask:
    choices = ("they move as usual", "they stay as they are", f"they become {lost_to(of)}")
    return Ask(
        f"In step {i + 1} {step.outcome.count('overflowed'):,} gradients overflow. What do the weights do?", choices[1],
        "One infinite gradient is enough: the whole update is left out, and the scale shrinks.",
        ((choices[0], "Then infinite gradients would be added to them."),
         (choices[2], "That is what skipping the step prevents.")),
        choices,
    )  # fmt: skip
