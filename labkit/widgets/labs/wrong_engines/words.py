"""A sentence for every moment of a run, what is found in the end, and the question for the first wrong node."""

import inspect
from typing import Any

import numpy as np

from ...kit.words import bracketed, capital, in_full, listed, number, times
from . import causes
from .bench import Endless, Visit, Write, numeric
from .faults import near
from .plays import Play, reset

NONE = "none: all are right"
MOST_SAID = 5  # sentences of what happens at one moment
HARMLESS = {  # why a broken engine is right on a graph
    "recursion": "Here no value passes its gradient on before all contributions are added, or it makes no difference.",
    "overwrite": "Here no value gets several contributions, or the overwritten ones add up to zero.",
    "no unbroadcast": "Nothing is repeated to a larger shape here, so every gradient has its value's shape.",
    "not reset": "There is nothing left over from an earlier step here.",
}
HARMLESS["visited once"] = HARMLESS["recursion"]


def sentence(play: Play, m: int) -> str:
    """What happens at a moment."""
    said = {"forward": _forward, "start": _start, "raised": _raised, "learn": _learn, "done": _done}
    return said.get(play.moments[m].kind, _visit)(play, m)


def finding(play: Play) -> str:
    """The first wrong node: what it got and should have got, why, the line, and how to repair it; "" where none is wrong."""
    if play.fault is None:
        return ""
    fault, bench = play.fault, play.passes[play.fault.step].bench
    arrived, last = fault.wrong.arrived, max(m for m, one in enumerate(play.moments) if one.step == fault.step)
    late = arrived is not None and near(play.gradients_now[last][fault.wrong.node], fault.wrong.expected)
    end = (
        f"In the end it has {_words(fault.wrong.expected)}; but it had passed on {_words(arrived)} by then."
        if late
        else ""
    )
    line = f"The line at fault: {fault.code}" if fault.code else ""
    said = (
        " ".join(filter(None, (causes.arrived(fault, bench), end))),
        causes.why(fault, bench),
        line,
        causes.mend(fault),
    )
    return "\n".join(filter(None, said))


def question(play: Play) -> dict[str, Any] | None:
    """Which node goes wrong first? None of an engine that is known to be right, and of one without an answer."""
    if play.name == "right" or not (play.fault or play.right):
        return None
    bench, step = play.passes[0].bench, play.fault.step if play.fault else 0
    names = [bench.called(node.index) for node in bench.nodes]
    wrong = {one.node for one in play.wrongs[step]}
    answer = NONE if play.fault is None else names[play.fault.wrong.node]
    slips = [
        (name, f"{capital(name)} is wrong too, but not first: it got that from another node." if i in wrong
         else f"{capital(name)} gets {_words(play.passes[step].result[i])}, as it should.")
        for i, name in enumerate(names) if name != answer
    ]  # fmt: skip
    right = _done(play, -1) if play.fault is None else finding(play)
    slips += [(NONE, "One of them is wrong.")] if play.fault else []
    return {"choices": [*names, NONE], "answer": answer, "slips": slips, "right": right}


# ---- by kind of moment ----


def _forward(play, m):
    step, bench = play.moments[m].step, play.bench(m)
    result = f"{bench.called(bench.output.index)} = {in_full(bench.output.value)}"
    if step:
        learned = listed(f"{bench.called(i)} = {in_full(bench.story.nodes[i].value)}" for i in play.subject.learned)
        return f"Training step {step + 1}: the forward pass with {learned} gives {result}."
    rule = (inspect.getdoc(play.engine) or "").strip().split("\n")[0]
    return f"{capital(result)}. The backward pass begins.{f' The rule of this engine: {rule}' if rule else ''}"


def _start(play, m):
    moment, bench = play.moments[m], play.bench(m)
    zeros = sum(map(reset, moment.events))
    said = ["Every gradient is set to zero."] if zeros >= len(bench.nodes) else []
    said += [f"{capital(bench.called(e.node))} gets {_words(e.value)}." for e in moment.events if not reset(e)]
    left = [i for i, v in play.passes[moment.step].before.items() if numeric(v) is not None and np.any(v)]
    held = [f"{bench.called(i)}.grad still holds {_words(play.gradients_now[m][i])}" for i in left if not zeros]
    return _few([*said, *([f"{listed(held)}."] if held else [])])


def _visit(play, m):
    moment, bench = play.moments[m], play.bench(m)
    node = bench.called(moment.node)
    said = [f"{_words(e.gradient)} arrives at {node}." for e in moment.events if isinstance(e, Visit)]
    said = said or [f"Back at {node}: its next part is passed on."]
    return _few(said + [_stored(play, m, bench, e) for e in moment.events if isinstance(e, Write) and not reset(e)])


def _few(sentences):
    """The first ones of many sentences."""
    more = len(sentences) - MOST_SAID
    return " ".join([*sentences[:MOST_SAID], *([f"And {more} more."] if more > 0 else [])])


def _stored(play, m, bench, write):
    """What a parent gets, and what it then has."""
    parent, before, value = capital(bench.called(write.node)), write.before, write.value
    if write.part is None:
        return f"{parent} has {_words(value)} now."
    words = f"{parent} gets {_part(play, m, bench, write)}"
    if np.shape(write.part) != bench.nodes[write.node].value.shape:
        return f"{words}, of shape {causes.dims(np.shape(write.part))}; the engine stores {_words(value)}."
    if not np.any(before) and near(value, write.part):
        return f"{words}."
    if near(value, write.part):
        return f"{words}. This overwrites {_words(before)}."
    return f"{words}. Added to the gradient so far: {_words(value)}."


def _part(play, m, bench, write):
    """A part as upstream gradient times local gradient, where both are numbers."""
    visits = [e for e in play.events_until(m) if isinstance(e, Visit) and e.node == write.sender]
    step = bench.story.step_of.get(write.sender)
    for sent in step.sent if step and visits else ():
        g = visits[-1].gradient
        if (
            sent.parent == write.node
            and sent.slope is not None
            and numeric(g) is not None
            and near(write.part, g * sent.slope)
        ):
            return f"{times(g, sent.slope)} = {number(write.part)}"
    return in_full(write.part)


def _raised(play, m):
    if isinstance(play.error, Endless):
        return (
            f"The picture stops here: the engine was {play.error}. Each value that is used twice can double its visits."
        )
    return f"Here the engine raises {causes.named(play.error)}. {causes.how_far(play.passes[-1])}"


def _learn(play, m):
    step, said = play.moments[m].step, []
    before, after = play.passes[step].bench, play.passes[step + 1].bench
    for i in play.subject.learned:
        old, new, g = before.story.nodes[i].value, after.story.nodes[i].value, play.passes[step].result[i]
        sum_ = f"{number(old)} − {number(play.lesson.rate)} × {bracketed(number(g))} = " if np.size(old) == 1 else ""
        said.append(f"Gradient descent: {before.called(i)} = {sum_}{in_full(new)}.")
    return _few(said)


def _done(play, m):
    passed = play.passes[-1]
    if passed.problem:
        return f"The engine gave no answer: {passed.problem}."
    if play.fault is None:
        way = (
            "In the next step the function takes another way, so the steps end here."
            if len(play.passes) < play.steps
            else ""
        )
        why = "" if way or (play.name == "not reset" and len(play.passes) > 1) else HARMLESS.get(play.name, "")
        return " ".join(filter(None, ("Done. Every gradient is right.", causes.detours(passed), way, why)))
    bench, others = play.passes[play.fault.step].bench, play.wrongs[play.fault.step][1:]
    after = f", and then {listed(bench.called(w.node) for w in others)}" if others else ""
    return f"Done. The first wrong node is {bench.called(play.fault.wrong.node)}{after}."


def _words(value):
    return in_full(value) if numeric(value) is not None else repr(value)
