"""Predict first: the question before each step back, its answer, and what to say to known slips."""

from typing import Any

import numpy as np

from ..kit.words import capital, listed, paragraph, shape
from .graph.said import Said
from .graph.units import Unit, Units
from .run.story import Sent, Step, Story

Ask = dict[str, Any]  # `question`, `answer`, `because`, `slips` and `choices`, as the page has them
ASKED = {
    "value": "The upstream gradient of {node} is 1, and {parent} is {value}. What is the gradient of {parent}?",
    "local": "The upstream gradient of {node} is {g}; the local gradient with respect to {parent} is {local}.",
    "locals": "The upstream gradient of {node} is {g}; the local gradients with respect to {parent} are {local}.",
    "what": "What is the gradient of {parent}?",
    "before": "{parent} has {before} so far.",
    "after": "What is the gradient of {parent} after this step?",
    "shape": "The upstream gradient of {node} has the shape {shape}. Which shape does the gradient of {parent} have?",
    "one": "The upstream gradient of {node} is one number. Which shape does the gradient of {parent} have?",
}
BECAUSE = {
    "product": "{products}.",
    "sum": "{products}; together {total}.",
    "shape": "A gradient has the shape of its value: {shape}.",
}
SLIPS = {
    "added": "You added. Along a path, local gradients multiply.",
    "local": "That is only the local gradient. Multiply it by the upstream gradient, {g}.",
    "upstream": "That is the upstream gradient. Multiply it by the local gradient, {local}.",
    "sign": "The size is right, the sign is not.",
    "one": "That is only one contribution. {parent} is used more than once, so the contributions add up.",
    "new": "That is only the new contribution. Add it to the gradient so far.",
    "before": "That is the gradient so far. Add the new contribution to it.",
    "shape": "A gradient has the shape of the value it belongs to, and {parent} is {shape}.",
}


def _ask(question: str, answer: Any, because: str, slips: Any, choices: Any = ()) -> Ask:
    parts = {"slips": [list(slip) for slip in slips], "choices": list(choices)}
    return {"question": question, "answer": answer, "because": because, **parts}


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
    if not np.isfinite(
        [gradient, total, *(float(n) for s in sent for n in (s.value.ravel()[0], s.slope or 0.0))]
    ).all():
        return None
    parent, before = units.story.nodes[sent[0].parent], _before(units.story, step, sent[0].parent)
    known = {
        "node": unit.lead.called, "g": say.value(step.gradient, "n"), "local": listed(say.slope(step, s) for s in sent),
        "parent": parent.called,
    }  # fmt: skip
    where = ASKED["local" if len(sent) == 1 else "locals"].format(**known)
    alone = len(sent) == 1 and before is None
    if (
        alone
        and gradient == 1
        and len(unit.lead.parents) == 1
        and parent.value is not None
        and np.size(parent.value) == 1
    ):
        question = ASKED["value"].format(**known, value=say.value(parent.value, "b"))
    elif alone:
        question = paragraph(where, ASKED["what"].format(**known))
    else:
        was = "" if before is None else say.value(before, "n")
        so_far = was and ASKED["before"].format(parent=capital(parent.called), before=was)
        question = paragraph(where, so_far, ASKED["after"].format(**known))
    slips = _slips_of_product(step, sent[0], say) if alone else _slips_of_sum(parent, sent, before, say)
    slips.append((say.worth((-1, sent[-1].total)), SLIPS["sign"]))
    products = listed(f"{say.times(step, s)} = {say.value(s.value, 'n')}" for s in sent)
    because = BECAUSE["product" if alone else "sum"].format(products=products, total=say.value(sent[-1].total, "n"))
    return _ask(question, say.worth(sent[-1].total), because, slips)


def _slips_of_product(step, sent, say):
    return [
        (say.worth(step.gradient, (step, sent)), SLIPS["added"]),
        (say.worth((step, sent)), SLIPS["local"].format(g=say.value(step.gradient, "n"))),
        (say.worth(step.gradient), SLIPS["upstream"].format(local=say.slope(step, sent))),
    ]


def _before(story: Story, step: Step, parent: int) -> Any:
    """What a node has before a step; None where that is nothing, or 0."""
    earlier = story.steps[: story.steps.index(step)]
    totals = [sent.total for one in earlier for sent in one.sent if sent.parent == parent]
    return totals[-1] if totals and float(totals[-1].ravel()[0]) else None


def _slips_of_sum(parent, sent, before, say):
    return [
        *((say.worth(s.value), SLIPS["one"].format(parent=capital(parent.called))) for s in sent),
        (say.worth(*(s.value for s in sent)), SLIPS["new"]),
        (0.0 if before is None else say.worth(before), SLIPS["before"]),
    ]


def _shape_ask(units: Units, unit: Unit, step: Step, node: int):
    """About the shape of what goes to a parent, where that is not the shape of the upstream gradient."""
    parent, upstream = units.story.nodes[node], np.shape(step.gradient)
    if upstream == parent.shape or not parent.shape:
        return None
    right = _shape(parent.shape)
    others = [_shape(upstream), _shape(parent.shape[::-1]), _shape((*upstream, *parent.shape))]
    choices = tuple(sorted({right, *others}))
    wrong = SLIPS["shape"].format(parent=parent.called, shape=right)
    slips = tuple((other, wrong) for other in choices if other != right)
    asked = ASKED["shape" if upstream else "one"]
    question = asked.format(node=unit.lead.called, shape=shape(upstream), parent=parent.called)
    return _ask(question, right, BECAUSE["shape"].format(shape=right), slips, choices)


def _shape(dims):
    return shape(dims) or "one number"
