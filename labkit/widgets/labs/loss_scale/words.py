"""A sentence for every scale and every training step, and questions to answer first."""

from collections.abc import Sequence
from typing import Any

from ....precision import format_of
from ...kit.words import number, paragraph, plural, raised
from .outcome import TOLERATED, Outcome, Sweep

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


def at_scale(sweep: Sweep, of: str, power: int) -> str:
    """What happens to the gradients at a scale."""
    found, first = sweep.outcomes[of][power], sweep.outcomes[of][0].share("flushed")
    where, flushed = f"At scale {two_to(power)}" if power else "Without a scale", found.count("flushed")
    if not found.finite:
        head = f"{where}, {_lost(found, of)}: all_finite is False, and the step is skipped."
    elif flushed:
        head = f"{where}, {_of_all(found, 'flushed')} {_are(flushed)} 0 in {of}."
    else:
        before = f"; without a scale {percent(first)} would be" if power and first else ""
        head = f"{where}, none of {found.size:,} {plural(found.size, 'gradient')} is 0 in {of}{before}."
    digits = f"{percent(found.share('subnormal'))} are subnormal and lose digits."
    more = digits if found.finite and found.count("subnormal") else ""
    return paragraph(head, more)


def _of_all(found, fate):
    return f"{found.count(fate):,} of {found.size:,} {plural(found.size, 'gradient')} ({percent(found.share(fate))})"


def _are(count):
    return "is" if count == 1 else "are"


def _lost(found: Outcome, of: str) -> str:
    """Why gradients are not finite: too large by themselves, or spoiled by what became infinite before them."""
    lost, name = _of_all(found, "overflowed"), infinite(of)
    if found.large >= found.count("overflowed"):
        return f"{lost} {_are(found.count('overflowed'))} too large for {of} and become {name}"
    alone = f"only {found.large:,} {_are(found.large)}" if found.large else "none is"
    return f"{lost} become {name} or nan in the backward pass, although {alone} too large for {of}"


def about_scales(sweep: Sweep, of: str) -> dict[str, Any]:
    """Where the gradients are safe, or where the fewest are lost: a question that is answered by dragging them there."""
    safe, lost = sweep.safe[of], [o.share("flushed") + o.share("overflowed") for o in sweep.outcomes[of]]
    right = list(range(safe[0], safe[1] + 1)) if safe else [i for i, share in enumerate(lost) if share == min(lost)]
    wanted = "almost no gradient is lost" if safe else "the fewest gradients are lost"
    within = f"From {two_to(right[0])} to {two_to(right[-1])}" if len(right) > 1 else f"Only at {two_to(right[0])}"
    few = (
        f"under {percent(TOLERATED)} are flushed, none overflows"
        if safe
        else f"{percent(min(lost))} are lost, the least"
    )
    return {"question": f"Drag the loss scale to where {wanted} in {of}.", "places": right, "right": f"{within} {few}."}


def at_step(steps: Sequence[Any], i: int, without: Sequence[Any]) -> str:
    """What happened in a training step."""
    step = steps[i]
    becomes = "stays" if step.after == step.power else f"becomes {two_to(step.after)}"
    if step.overflowed:
        what = (
            f"{percent(step.overflowed)} of the gradients are inf or nan: the step is skipped, and the scale {becomes}"
        )
    else:
        what = f"all gradients are finite, good step {step.good} of {WINDOW}: the weights move, and the scale {becomes}"
    loss = f"Loss {number(step.loss)}; without a scale it is {number(without[i].loss)}."
    return f"Step {i + 1} of {len(steps)}: at scale {two_to(step.power)}, {what}. {loss}"


def about_steps(steps: Sequence[Any]) -> list[dict[str, Any]]:
    """Questions: the scale after it grew, and after a skipped step; what the weights do in a skipped step."""
    grown = [i for i, step in enumerate(steps[:-1]) if step.event == "grown"][:1]
    skipped = [i for i, step in enumerate(steps[:-1]) if step.event == "skipped"]
    return [*(_next_scale(i, steps[i]) for i in sorted([*grown, *skipped[:1]])), *map(_weights, skipped[1:2])]


def _next_scale(i, step):
    power, after = step.power, step.after
    grew = after > power
    why = "was the last good step that the window waits for" if grew else "overflowed"
    slips = {
        power: "It does not stay the same: the scaler updates it after each step.",
        2 * power - after: "The other way: after overflow the scale becomes smaller, after good steps larger.",
        power * 2 if grew else power / 2: "That doubles or halves the exponent. The scale itself doubles or halves.",
    }
    return {
        "question": f"Step {i + 1}, at scale {two_to(power)}, {why}. What is the scale at step {i + 2}?",
        "from": i, "to": i + 1, "answer": two_to(after), "choices": [two_to(p) for p in sorted({after, *slips})],
        "right": f"The scale is {'multiplied' if grew else 'divided'} by 2.",
        "slips": [[two_to(p), said] for p, said in slips.items() if p != after],
    }  # fmt: skip


def _weights(i):
    choices = ["they move as usual", "they stay as they are", "they become inf or nan"]
    return {
        "question": f"In step {i + 1} gradients overflow. What do the weights do?",
        "from": max(i - 1, 0), "to": i, "answer": choices[1], "choices": choices,
        "right": "One infinite gradient is enough: the whole update is left out, and the scale shrinks.",
        "slips": [[choices[0], "Then infinite gradients would be added to them."],
                  [choices[2], "That is what skipping the step prevents."]],
    }  # fmt: skip
