"""What the cards and edges of a stage say and how they look: one entry for each moment of a run. The stage places them."""

import numpy as np

from ...kit.words import brief, joined, number
from . import causes
from .bench import Visit, Write, numeric
from .faults import near
from .plays import Play

MOST_SENT = 3  # gradients that are told beside each other

Edge = tuple[int, int]  # from a parent to the node that uses it


def value_lines(play: Play, i: int) -> list[str]:
    """The second line of a forward card, as training changes it."""
    return [play.bench(m).story.nodes[i].value_line for m in range(len(play.moments))]


def gradients(play: Play, i: int) -> list[str]:
    """The gradient of a node, "" before there is one."""
    return [_gradient(now[i]) for now in play.gradients_now]


def _gradient(value):
    return "" if value is None else brief(value) if numeric(value) is not None else type(value).__name__


def looks(play: Play, i: int, known: bool = True) -> list[str]:
    """The state of a gradient's card; `known`: whether a wrong one is shown as such."""
    return [_look(play, m, i, known) for m in range(len(play.moments))]


def _look(play, m, i, known):
    if known and i in play.wrong_at(m):
        return "wrong"
    if i in play.touched(m):
        return "now"
    value = numeric(play.gradients_now[m][i]) if play.gradients_now[m][i] is not None else None
    return "" if (value is not None and np.any(value)) or play.moments[m].kind == "done" else "pending"


def below(play: Play, i: int) -> list[tuple[str, str, str]]:
    """What stands below a gradient's card: `(how it came about, what was passed on, what it should be)`, each "" for nothing."""
    return [(play.history(m, i), _sent(play, m, i), _sign(play, m, i)) for m in range(len(play.moments))]


def right_one(play: Play, i: int) -> str:
    """The gradient that a node should end with, if it is one number."""
    right = play.passes[0].bench.gradients[i]
    return f"right: {brief(right)}" if len(play.passes) == 1 and np.size(right) == 1 else ""


def _sent(play, m, i):
    """What a node passed on, where it did so more than once."""
    sent = [e.gradient for e in play.events_until(m) if isinstance(e, Visit) and e.node == i]
    return (
        f"passed on {', '.join(map(brief, sent))}"
        if 1 < len(sent) <= MOST_SENT and all(np.size(g) == 1 for g in sent)
        else ""
    )


def _sign(play, m, i):
    wrong = play.wrong_at(m).get(i)
    if wrong is None:
        return ""
    too_late = wrong.arrived is not None and near(play.gradients_now[m][i], wrong.expected)
    return f"passed on {brief(wrong.arrived)}" if too_late else causes.sign(wrong)


def flows(play: Play, edge: Edge) -> list[str]:
    """The state of the way back along an edge: "pending" until something goes along it in a training step."""
    found, sent = [], False
    for m, moment in enumerate(play.moments):
        sent = sent and moment.kind != "forward"
        now = _sends(play, m, edge)
        found.append("now" if now else "" if sent else "pending")
        sent = sent or now
    return found


def _sends(play, m, edge):
    receiver, sender = edge
    if play.passes[play.moments[m].step].has_writes:
        stored = (e for e in play.moments[m].events if isinstance(e, Write))
        return any(e.node == receiver and e.sender == sender for e in stored)
    return play.moments[m].node == sender


def slopes(play: Play, edge: Edge) -> list[str]:
    """The local derivative along an edge: `×2`, of several uses their sum, "" where it is no number."""
    by_step = [_slope(passed.bench.story.steps, edge) for passed in play.passes]
    return [by_step[moment.step] for moment in play.moments]


def _slope(steps, edge):
    found = [sent.slope for step in steps if step.node == edge[1] for sent in step.sent if sent.parent == edge[0]]
    if not found or any(slope is None for slope in found):
        return ""
    words = joined(map(number, found))
    return f"×{words}" if len(found) == 1 else f"×({words})"


def is_first(play: Play, i: int) -> bool:
    """Whether a node is the first wrong one of a run."""
    return play.fault is not None and play.fault.wrong.node == i
