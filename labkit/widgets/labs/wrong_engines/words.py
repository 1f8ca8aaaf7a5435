"""A sentence for every moment of a run, a name for the slider, and questions to answer before it is shown."""

import inspect

import numpy as np

from ...kit.scene import Ask
from ...kit.words import bracketed, brief, capital, in_full, listed, number, paragraph, times
from . import causes, harmless
from .bench import Endless, Visit, Write, numeric
from .faults import near
from .plays import Play, reset

MOST_SAID = 5  # sentences of what happens at one moment


def label(play: Play, m: int) -> str:
    """The name of a moment on the slider."""
    moment, bench = play.moments[m], play.bench(m)
    words = {"start": "start", "raised": "stops", "learn": "update", "done": "done"}.get(moment.kind, "")
    if moment.kind == "forward":
        words = f"step {moment.step + 1}" if len(play.passes) > 1 else "forward"
    if moment.node is not None:
        node = bench.story.nodes[moment.node]
        words = f"{'at' if moment.kind == 'visit' else 'back at'} {node.name or node.title}"
    return f"{m}/{len(play.moments) - 1} {words}"


def sentence(play: Play, m: int, right: Play) -> str:
    """What happens at a moment; where the first wrong node shows, all about it. `right`: the right engine's run."""
    moment = play.moments[m]
    say = {"forward": _forward, "start": _start, "raised": _raised, "learn": _learn, "done": _done}.get(moment.kind)
    said = [say(play, m, right) if say else _visit(play, m)]
    shown = [i for i, when in play.shows[moment.step].items() if when == m]
    if play.fault is not None and m == play.first:
        said.append(diagnosis(play))
        shown.remove(play.fault.wrong.node)
    bench, wrong = play.bench(m), play.wrong_at(m)
    if shown and moment.kind != "done":
        said.append(f"Wrong too: {listed(f'{bench.called(i)} {causes.sign(wrong[i])}' for i in shown)}.")
    return paragraph(*said)


def diagnosis(play: Play) -> str:
    """What arrived, what should have, why, where, and how to mend it."""
    fault = play.fault
    assert fault is not None
    bench = play.passes[fault.step].bench
    at = f"The line at fault: {fault.code}." if fault.code else ""
    return paragraph(causes.arrived(fault, bench), causes.why(fault, bench), at, causes.mend(fault))


# ---- by kind of moment ----


def _forward(play, m, right):
    step, bench = play.moments[m].step, play.bench(m)
    result = f"{bench.called(bench.output.index)} = {in_full(bench.output.value)}"
    if step == 0:
        about = (inspect.getdoc(play.engine) or "").strip().split("\n")[0]
        rule = f" Its rule: {about}" if about else ""
        return f"The run forwards is done: {result}. Now the engine walks back.{rule}"
    learned = listed(f"{bench.called(i)} = {in_full(bench.story.nodes[i].value)}" for i in play.subject.learned)
    return f"Step {step + 1}: forwards again with {learned} gives {result}."


def _start(play, m, right):
    moment, bench = play.moments[m], play.bench(m)
    zeros = sum(map(reset, moment.events))
    said = ["Every gradient is set to zero."] if zeros >= len(bench.nodes) else []
    said += _few(
        [f"{capital(bench.called(e.node))} gets {_value_words(e.value)}." for e in moment.events if not reset(e)]
    )
    left = [i for i, v in play.passes[moment.step].before.items() if numeric(v) is not None and np.any(v)]
    if not zeros and left:
        said.append(
            listed(f"{bench.called(i)}.grad still holds {_value_words(play.gradients_now[m][i])}" for i in left) + "."
        )
    return " ".join(said)


def _visit(play, m):
    moment, bench = play.moments[m], play.bench(m)
    node = bench.called(moment.node)
    said = [f"{_value_words(e.gradient)} arrives at {node}." for e in moment.events if isinstance(e, Visit)]
    said = said or [f"Back at {node}: its next part is handed on."]
    return " ".join(
        said + _few([_write_words(play, m, bench, e) for e in moment.events if isinstance(e, Write) and not reset(e)])
    )


def _few(sentences):
    """The first ones of many sentences."""
    more = len(sentences) - MOST_SAID
    return [*sentences[:MOST_SAID], f"And {more} more."] if more > 0 else sentences


def _write_words(play, m, bench, write):
    """What a parent gets, and what it then has."""
    parent, before, value = capital(bench.called(write.node)), write.before, write.value
    if write.part is None:
        return f"{parent} has {_value_words(value)} now."
    part = numeric(write.part)
    assert part is not None  # the nodes' own vjp has sent it
    words = f"{parent} gets {_part_words(play, m, bench, write)}"
    if part.shape != bench.nodes[write.node].value.shape:
        return f"{words}, of shape {causes.dims(part.shape)}; stored is {_value_words(value)}."
    if not np.any(before) and near(value, part):
        return f"{words}."
    if near(value, part):
        return f"{words}. What was there, {_value_words(before)}, is overwritten."
    return f"{words}. With what was there: {_value_words(value)}."


def _part_words(play, m, bench, write):
    """A part as gradient times slope, where both are numbers."""
    visits = [e for e in play.events_until(m) if isinstance(e, Visit) and e.node == write.sender]
    steps = [s for s in bench.story.steps if s.node == write.sender]
    slopes = [sent.slope for s in steps for sent in s.sent if sent.parent == write.node and sent.slope is not None]
    for slope in slopes:
        if visits and numeric(visits[-1].gradient) is not None and near(write.part, visits[-1].gradient * slope):
            return f"{times(visits[-1].gradient, slope)} = {number(write.part)}"
    return in_full(write.part)


def _raised(play, m, right):
    if isinstance(play.error, Endless):
        return (
            f"The picture stops here: the engine was {play.error}. Each value that is used twice can double its visits."
        )
    said = f"Here the engine raises {causes.named(play.error)}."
    return f"{said} {causes.how_far(play.passes[-1]) if play.fault is None else _summary(play)}"


def _learn(play, m, right):
    step = play.moments[m].step
    before, after, said = play.passes[step].bench, play.passes[step + 1].bench, []
    for i in play.subject.learned:
        old, new = before.story.nodes[i].value, after.story.nodes[i].value
        name, g = before.called(i), play.passes[step].result[i]
        words = f"{number(old)} − {number(play.lesson.rate)} × {bracketed(number(g))} = " if np.size(old) == 1 else ""
        said.append(f"Gradient descent: {name} = {words}{in_full(new)}.")
        if step + 1 < len(right.passes):
            wanted = right.passes[step + 1].bench.story.nodes[i].value
            said += [] if near(new, wanted) else [f"With right gradients {name} would be {in_full(wanted)} now."]
    return " ".join(said)


def _done(play, m, right):
    passed = play.passes[-1]
    if passed.problem:
        return f"The engine gave no answer: {passed.problem}."
    if play.fault is None:
        steps = "" if len(play.passes) == 1 else f" in all {len(play.passes)} steps"
        return paragraph(f"Done. Every gradient is right{steps}.", causes.detours(passed), harmless.why(play))
    return f"Done. {_summary(play)}"


def _summary(play):
    """What is wrong in the step of the first fault."""
    fault = play.fault
    bench, wrongs = play.passes[fault.step].bench, play.wrongs[fault.step]
    step = f" in step {fault.step + 1}" if fault.step else ""
    others = [bench.called(w.node) for w in wrongs[1:]]
    after = f", and then {listed(others)}" if others else ""
    return f"Wrong{step}: first {bench.called(fault.wrong.node)}{after}. {causes.mend(fault)}"


def _value_words(value):
    return in_full(value) if numeric(value) is not None else repr(value)


# ---- predict first ----


def asks(play: Play) -> dict[int, list[Ask]]:
    """Where will it go wrong first? And what will arrive there?"""
    found: dict[int, list[Ask]] = {}
    if play.name != "right":
        found[1] = [_ask_where(play)]
    if play.first is not None and play.first > 1:
        ask = _ask_what(play)
        found.setdefault(play.first, []).extend([ask] if ask else [])
    return {m: questions for m, questions in found.items() if questions}


def _ask_where(play):
    nodes = play.passes[0].bench.story.nodes
    none = "none: all are right"
    names = tuple(dict.fromkeys([*(n.called for n in nodes), none]))
    answer = none if play.fault is None else nodes[play.fault.wrong.node].called
    because = harmless.why(play) if play.fault is None else causes.why(play.fault, play.passes[play.fault.step].bench)
    question = f"Engine “{play.name}” on this graph: which node gets a wrong gradient first?"
    return Ask(question, answer, because, (), names, otherwise="Not that one. Read the engine's lines below, and look at "
               "which values are used twice, or repeated, or kept from an earlier step.")  # fmt: skip


def _ask_what(play):
    fault = play.fault
    wrong, bench = fault.wrong, play.passes[fault.step].bench
    arrived, node = numeric(wrong.arrived), bench.called(wrong.node)
    if arrived is None:
        return None
    if arrived.shape != wrong.expected.shape:
        right, came = causes.dims(wrong.expected.shape), causes.dims(arrived.shape)
        slip = (right, "That is the shape it should have. This engine does not sum over the repeats.")
        return Ask(f"Which shape does the gradient of {node} get from this engine?", came, "", (slip,),
                   tuple(sorted({right, came})))  # fmt: skip
    if arrived.size != 1 or not np.isfinite(arrived).all():
        return None
    value, wanted = float(arrived.ravel()[0]), float(wrong.expected.ravel()[0])
    slips = [(wanted, "That is the right gradient. This engine does something else: follow its lines.")]
    return Ask(f"Which gradient does this engine have for {node} at this step?", float(f"{value:.6g}"),
               f"It should be {brief(wrong.expected)}.", tuple(slips),
               otherwise="Not that. Follow the engine's lines: what is stored, and when is it passed on?")  # fmt: skip
