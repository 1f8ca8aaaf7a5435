"""Predict first: the question before each step back, its answer, and what to say to known slips."""

from typing import Any

import numpy as np

from ..kit.words import capital, listed, shape
from .graph.said import Said
from .graph.units import Unit, Units
from .run.story import Sent, Step, Story

Ask = dict[str, Any]  # `question`, `answer`, `because`, `slips` and `choices`, as the page has them


def _ask(question: str, answer: Any, because: str, slips: Any, choices: Any = ()) -> Ask:
    return {
        "question": question,
        "answer": answer,
        "because": because,
        "slips": [list(slip) for slip in slips],
        "choices": list(choices),
    }


def asks(units: Units, say: Said | None = None) -> dict[int, Ask]:
    """A question before each step back whose answer is one number, or a shape that is not plain."""
    say = say or Said(units.story)
    found = {}
    for unit, when in units.walked.items():
        if unit.block:
            continue
        step = units.steps_of[unit][0]
        for parent in dict.fromkeys(sent.parent for sent in step.sent):
            sent = [s for s in step.sent if s.parent == parent]
            plain = all(s.slope is not None for s in sent)
            ask = _number_ask(units, unit, step, sent, say) if plain else _shape_ask(units, unit, step, parent)
            if ask is not None:
                found[when] = ask
                break
    return found


def _number_ask(units: Units, unit: Unit, step: Step, sent: list[Sent], say: Said):
    """About one number: what a parent has after the step, `sent` being what goes there."""
    gradient, total = (float(one.ravel()[0]) for one in (step.gradient, sent[-1].total))
    values, slopes = [float(s.value.ravel()[0]) for s in sent], [float(s.slope or 0.0) for s in sent]
    if not np.isfinite([gradient, total, *values, *slopes]).all():
        return None
    parent, before = units.story.nodes[sent[0].parent], _before(units.story, step, sent[0].parent)
    is_are = ("slope", "is") if len(sent) == 1 else ("slopes", "are")
    g, local = say.value(step.gradient, "n"), listed(say.slope(step, s) for s in sent)
    where = f"{g} arrives at {unit.lead.called}; the local {is_are[0]} towards {parent.called} {is_are[1]} {local}."
    if len(sent) == 1 and before is None:
        known = parent.value is not None and np.size(parent.value) == 1
        plainly = gradient == 1 and len(unit.lead.parents) == 1 and known
        from_what = (
            f"1 arrives at {unit.lead.called}. {capital(parent.called)} is {say.value(parent.value, 'b')}."
            if plainly
            else where
        )
        question, slips = f"{from_what} What goes there?", _slips_of_product(step, sent[0], say)
    else:
        was = "" if before is None else f" {capital(parent.called)} already has {say.value(before, 'n')}."
        question = f"{where}{was} What does {parent.called} have after this step?"
        slips = _slips_of_sum(capital(parent.called), sent, before, say)
    slips.append((say.worth((-1, sent[-1].total)), "The size is right, the sign is not."))
    products = listed(f"{say.times(step, s)} = {say.value(s.value, 'n')}" for s in sent)
    because = (
        f"{products}."
        if len(values) == 1 and before is None
        else f"{products}; together {say.value(sent[-1].total, 'n')}."
    )
    return _ask(question, say.worth(sent[-1].total), because, slips)


def _slips_of_product(step, sent, say):
    return [
        (say.worth(step.gradient, (step, sent)), "You added. Along a path, local gradients multiply."),
        (
            say.worth((step, sent)),
            f"That is only the local gradient. Multiply it by the upstream gradient, {say.value(step.gradient, 'n')}.",
        ),
        (
            say.worth(step.gradient),
            f"That is the upstream gradient. Multiply it by the local gradient, {say.slope(step, sent)}.",
        ),
    ]


def _before(story: Story, step: Step, parent: int) -> Any:
    """What a node has before a step; None where that is nothing, or 0."""
    earlier = story.steps[: story.steps.index(step)]
    totals = [sent.total for one in earlier for sent in one.sent if sent.parent == parent]
    return totals[-1] if totals and float(totals[-1].ravel()[0]) else None


def _slips_of_sum(parent, sent, before, say):
    alone = f"That is only one contribution. {parent} is used more than once, so the contributions add up."
    return [
        *((say.worth(s.value), alone) for s in sent),
        (say.worth(*(s.value for s in sent)), "That is only the new contribution. Add it to the gradient so far."),
        (0.0 if before is None else say.worth(before), "That is the gradient so far. Add the new contribution to it."),
    ]


def _shape_ask(units: Units, unit: Unit, step: Step, node: int):
    """About the shape of what goes to a parent, where that is not the shape of what arrives."""
    parent, arrived = units.story.nodes[node], np.shape(step.gradient)
    if arrived == parent.shape or not parent.shape:
        return None
    right = _shape(parent.shape)
    others = [_shape(arrived), _shape(parent.shape[::-1]), _shape((*arrived, *parent.shape))]
    choices = tuple(sorted({right, *others}))
    wrong = f"A gradient has the shape of the value it belongs to, and {parent.called} is {right}."
    slips = tuple((other, wrong) for other in choices if other != right)
    question = f"{_arriving(arrived)} arrives at {unit.lead.called}. What shape goes to {parent.called}?"
    return _ask(question, right, f"A gradient has the shape of its value: {right}.", slips, choices)


def _arriving(dims):
    return f"A gradient of shape {shape(dims)}" if dims else "One number"


def _shape(dims):
    return shape(dims) or "one number"
