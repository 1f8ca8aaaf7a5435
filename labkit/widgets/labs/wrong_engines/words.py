"""A sentence for every moment of a run, a name for the slider, and the search for the first wrong node."""

import inspect

import numpy as np

from ...kit.hunts import Hunt
from ...kit.scene import Ask, only
from ...kit.words import bracketed, brief, capital, in_full, listed, number, paragraph, times
from . import causes, harmless
from .bench import Endless, Visit, Write, numeric
from .faults import near
from .plays import Play, SliderPlay, reset

NONE = "none"  # the answer where no node is wrong
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


def sentence(play: Play, m: int, right: Play | None) -> str:
    """What happens at a moment, and what is wrong then. `right`: the right engine's run; None: nothing is said to be wrong."""
    moment = play.moments[m]
    say = {"forward": _forward, "start": _start, "raised": _raised, "learn": _learn, "done": _done}.get(moment.kind)
    said = [say(play, m, right) if say else _visit(play, m)]
    if right is None:
        return said[0]
    shown = [i for i, when in play.shows[moment.step].items() if when == m]
    if play.fault is not None and m == play.first:
        shown.remove(play.fault.wrong.node)
    bench, wrong = play.bench(m), play.wrong_at(m)
    if shown and moment.kind != "done":
        said.append(f"Wrong too: {listed(f'{bench.called(i)} {causes.sign(wrong[i])}' for i in shown)}.")
    return paragraph(*said)


def diagnosis(play: Play) -> str:
    """What arrived and what should have, why, where, and how to mend it: each on a line of its own."""
    fault = play.fault
    assert fault is not None
    bench = play.passes[fault.step].bench
    at = f"The line at fault: {fault.code}" if fault.code else ""
    return "\n".join(
        filter(None, (causes.arrived(fault, bench), _too_late(play), causes.why(fault, bench), at, causes.mend(fault)))
    )


def _too_late(play):
    """Of a node that has the right gradient in the end: that another one was passed on before."""
    wrong = play.fault.wrong
    in_the_end = play.gradients_now[max(m for m, one in enumerate(play.moments) if one.step == play.fault.step)][
        wrong.node
    ]
    if wrong.arrived is None or not near(in_the_end, wrong.expected):
        return ""
    return (
        f"In the end it has {_value_words(in_the_end)}; but {_value_words(wrong.arrived)} had been passed on by then."
    )


# ---- by kind of moment ----


def _forward(play, m, right):
    step, bench = play.moments[m].step, play.bench(m)
    result = f"{bench.called(bench.output.index)} = {in_full(bench.output.value)}"
    if step == 0:
        about = (inspect.getdoc(play.engine) or "").strip().split("\n")[0]
        rule = f"\nIts rule: {about}" if about else ""
        return f"{capital(result)}, and the engine walks back.{rule}"
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
    if right is None:
        return said
    return f"{said} {causes.how_far(play.passes[-1]) if play.fault is None else _summary(play)}"


def _learn(play, m, right):
    step = play.moments[m].step
    before, after, said = play.passes[step].bench, play.passes[step + 1].bench, []
    for i in play.subject.learned:
        old, new = before.story.nodes[i].value, after.story.nodes[i].value
        name, g = before.called(i), play.passes[step].result[i]
        words = f"{number(old)} − {number(play.lesson.rate)} × {bracketed(number(g))} = " if np.size(old) == 1 else ""
        said.append(f"Gradient descent: {name} = {words}{in_full(new)}.")
        if right and step + 1 < len(right.passes):
            wanted = right.passes[step + 1].bench.story.nodes[i].value
            said += [] if near(new, wanted) else [f"With right gradients {name} would be {in_full(wanted)} now."]
    return " ".join(said)


def _done(play, m, right):
    passed = play.passes[-1]
    if passed.problem:
        return f"The engine gave no answer: {passed.problem}."
    if right is None:
        return "Done. Which one do you suspect?" if play.name != "right" else "Done."
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


# ---- find it first ----


def hunt(run: SliderPlay, key: str) -> Hunt:
    """Which node goes wrong first? `key` n0, n1 ... are the links of the nodes."""
    play, nodes = run.play, run.play.passes[0].bench.story.nodes
    links = [f"{key} n{node.index}" for node in nodes]
    choices = {**dict(zip(links, (node.called for node in nodes), strict=True)), NONE: "none: all are right"}
    answer = NONE if play.fault is None else links[play.fault.wrong.node]
    goes = {run.slider: len(play.moments) - 1 if play.first is None else play.first}
    because = harmless.why(play) if play.fault is None else diagnosis(play)
    question = f"Engine “{play.name}”: which node goes wrong first?"
    says = {links[i]: _acquitted(play, i) for i in range(len(nodes)) if links[i] != answer}
    return Hunt(question, choices, answer, _hints(play), f"Every gradient is right. {because}" if answer == NONE else because,
                {**says, NONE: "One of them is wrong."}, goes)  # fmt: skip


def _acquitted(play, i):
    """What is said of a node that is not the first wrong one."""
    bench, step = play.passes[0].bench, play.fault.step if play.fault else 0
    node = capital(bench.called(i))
    if any(wrong.node == i for wrong in play.wrongs[step]):
        return f"{node} is wrong too, but not first: it got that from another node."
    got = play.passes[step].result[i]
    return f"{node} gets {_value_words(got)}, as it should." if got is not None else f"{node} is not the one."


def _hints(play):
    """What is special about the node; then it or its neighbour."""
    if play.fault is None:
        return ["Add up what arrives at each node, and compare.", "Perhaps none: what else can an engine get wrong?"]
    wrong, nodes = play.fault.wrong.node, play.passes[0].bench.story.nodes
    others = sorted((n.index for n in nodes if n.index != wrong), key=lambda i: abs(i - wrong))
    two = [play.bench(0).called(i) for i in sorted([wrong, *others[:1]])]
    return [_clue(play, others), f"It is {listed(two, last_by='or')}."]


def _clue(play, others):
    fault, bench = play.fault, play.passes[play.fault.step].bench
    parts = len(bench.parts[fault.wrong.node])
    if fault.step:
        return f"Up to step {fault.step} all is right: what is left from one step to the next?"
    if parts > 1:
        return f"It is used {parts} times."
    if np.shape(fault.wrong.arrived) != np.shape(fault.wrong.expected):
        return "Compare the shapes: its value was repeated to a larger one."
    half = sorted([fault.wrong.node, *others[: len(others) // 2]])
    return f"It is {listed(map(bench.called, half), last_by='or')}."


# ---- predict first ----


def asks(run: SliderPlay) -> dict[int, list[Ask]]:
    """What arrives at the first wrong node, once it is known?"""
    play = run.play
    ask = _ask_what(play) if play.first is not None and play.first > 1 else None
    return {play.first: list(only(run.over, [ask]))} if ask and play.first is not None else {}


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
