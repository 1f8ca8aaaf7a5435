"""`WrongEngineLab`: right and broken engines run on the same graphs, and the first wrong node pointed out.

Every moment of a run has a sentence; the last says what is found, and a question asks for the first wrong node.
"""

import ast
import inspect
import textwrap
from collections.abc import Callable, Sequence
from difflib import SequenceMatcher
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from ....messages.wrapping import Prose
from ...kit.flow import HALF, HIGH, WIDE, flow
from ...kit.lab import Lab
from ...kit.module import module, style
from ...kit.sketch import Sketch
from ...kit.traits import Trait, traits
from ...kit.words import bracketed, brief, capital, clipped, in_full, listed, number, times
from . import report
from .bench import Endless, Visit, Write, numeric
from .broken import ENGINES, right
from .faults import near
from .plays import Lesson, Play, lessons, reset

MOST_LINES, MOST_MENDED = 40, 2


@cache
def source(engine: Callable) -> tuple[list[tuple[int, str]], str]:
    """The lines of an engine as `(number, line)` without its docstring, and its file; no lines where there is no source.

    >>> source(right)[0][0][1]
    'def right(nodes: Nodes, output: Node) -> None:'
    """
    try:
        lines, start = inspect.getsourcelines(engine)
        tree = ast.parse(textwrap.dedent("".join(lines))).body[0]
    except (OSError, TypeError, SyntaxError, IndexError):
        return [], ""
    hidden: set[int] = set()
    body = getattr(tree, "body", [])
    if body and isinstance(body[0], ast.Expr) and isinstance(getattr(body[0].value, "value", None), str):
        hidden = set(range(body[0].lineno - 1, body[0].end_lineno or 0))
    shown = textwrap.dedent("".join(lines)).splitlines()
    kept = [(start + i, row) for i, row in enumerate(shown) if i not in hidden]
    return kept[:MOST_LINES], getattr(getattr(inspect.unwrap(engine), "__code__", None), "co_filename", "")


def mended(engine: Callable) -> tuple[int, list[str]]:
    """`(row, lines)`: the lines that the right engine has before that row of `source`; no lines unless the two differ in
    one place alone, by a line or two.

    >>> mended(ENGINES["overwrite"])
    (9, ['            parent.grad = parent.grad + g'])
    """
    mine, theirs = ([row for _, row in source(f)[0][1:]] for f in (engine, right))
    differ = [op for op in SequenceMatcher(None, mine, theirs, autojunk=False).get_opcodes() if op[0] != "equal"]
    if len(differ) != 1:
        return 0, []
    _, first, stop, start, end = differ[0]
    return (stop + 1, theirs[start:end]) if max(stop - first, end - start) <= MOST_MENDED else (0, [])


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
        " ".join(filter(None, (report.arrived(fault, bench), end))),
        report.why(fault, bench),
        line,
        report.fix(fault),
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
        return f"{words}, of shape {report.dims(np.shape(write.part))}; the engine stores {_words(value)}."
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
    return f"Here the engine raises {report.named(play.error)}. {report.how_far(play.passes[-1])}"


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
            "In the next step the function takes another branch, so the steps end here."
            if len(play.passes) < play.steps
            else ""
        )
        why = "" if way or (play.name == "not reset" and len(play.passes) > 1) else HARMLESS.get(play.name, "")
        return " ".join(filter(None, ("Done. Every gradient is right.", report.detours(passed), way, why)))
    bench, others = play.passes[play.fault.step].bench, play.wrongs[play.fault.step][1:]
    after = f", and then {listed(bench.called(w.node) for w in others)}" if others else ""
    return f"Done. The first wrong node is {bench.called(play.fault.wrong.node)}{after}."


def _words(value):
    return in_full(value) if numeric(value) is not None else repr(value)


MOST_OPS = 40
SEVERAL_STEPS = ("right", "not reset")
WORDS = {
    "about": "The backward pass of an engine on a graph, one visit at a time. Each card has a value and the gradient that the "
    "engine has for it.",
    "graph": "{name}: {text}",
    "moment": "Moment {m} of {last}.",
    "code": "The engine that runs: {name}",
    "fix": "repairs it",
    "done": "Done. Which node do you suspect?",
    "ask": "Engine {name}: which node goes wrong first?",
    "otherwise": "Not that one.",
}


class WrongEngineLab(Lab):
    """Right and broken engines on small graphs, visit by visit, next to their own lines as they run. The first wrong gradient is
    marked when it shows, with the reason, the line at fault, and how to repair it.

    Without arguments: four small graphs, each made to show one fault. `WrongEngineLab(fn, *args)`: your function.
    `engine`: an engine of your own besides, see `first_wrong`. `steps`, `rate`, `argnums`: how many training steps the
    engine "not reset" is run for, with which learning rate, and the positions of the arguments that they change (of a Cell
    or Module, its parameters). `plays`: the runs, by the names of engine and graph.

    Traits: `engine`, at first "right", or "yours"; `graph`; `step`, the moment that is shown. Raises TypeError and
    ValueError for what no engine can be run on; an exception of your function is passed on.

    >>> lab = WrongEngineLab(lambda x, w: x * w + x, 3.0, 2.0)
    >>> lab.plays["overwrite", "<lambda>"].fault.cause, lab.plays["recursion", "<lambda>"].right
    ('overwritten', True)
    """

    path = Path(__file__).with_name("wrong_engines.js")
    state_names = ("engine", "graph", "step")
    words: ClassVar = WORDS
    _esm = module(path)
    _css = style(path)
    engine: Trait = traits.Unicode(default_value="right").tag(sync=True)
    graph: Trait = traits.Unicode().tag(sync=True)
    step: Trait = traits.Int().tag(sync=True)

    @np.errstate(all="ignore")
    def __init__(
        self, fn: Callable | None = None, *args: Any, engine: Callable | None = None, steps: int = 2, rate: float = 0.1,
        argnums: int | Sequence[int] = 0,
    ):  # fmt: skip
        if not isinstance(steps, int) or not 1 <= steps <= 10:
            raise ValueError(f"WrongEngineLab: expected 1 to 10 steps, but got {steps!r}")
        if engine is not None and not callable(engine):
            raise TypeError(f"engine: expected a function backward(nodes, output), but got {type(engine).__name__}")
        self.engines = dict(ENGINES) | ({"yours": engine} if engine else {})
        self.lessons = lessons()
        if fn is not None:
            places = argnums if isinstance(argnums, int) else tuple(argnums)
            self.lessons = [Lesson(getattr(fn, "__name__", type(fn).__name__), fn, args, steps, rate, places)]
        self.plays: dict[tuple[str, str], Play] = {}
        for lesson in self.lessons:
            for key, run in self.engines.items():
                count = lesson.steps if key in SEVERAL_STEPS or run is engine else 1
                self.plays[key, lesson.name] = Play(key, run, lesson, count)
            _check_size(self.plays["right", lesson.name])
        fits = {name: self._fitting(name) for name in self.engines}
        chosen = "yours" if engine else "right"
        last = len(self.plays[chosen, fits[chosen]].moments) - 1
        super().__init__("Which engine is right?", {
            "about": WORDS["about"], "engines": {name: _engine(run) for name, run in self.engines.items()}, "fits": fits,
            "graphs": {lesson.name: self._graph(lesson) for lesson in self.lessons},
            "runs": {f"{name} on {graph}": _run(play) for (name, graph), play in self.plays.items()},
        }, engine=chosen, graph=fits[chosen], step=last)  # fmt: skip

    def _fitting(self, engine):
        """The graph that shows an engine's fault."""
        made_for = [lesson.name for lesson in self.lessons if engine in lesson.shows]
        failing = [lesson.name for lesson in self.lessons if not self.plays[engine, lesson.name].right]
        return (made_for or failing or [self.lessons[0].name])[0]

    def _graph(self, lesson):
        nodes = self.plays["right", lesson.name].passes[0].bench.story.nodes
        return {
            "text": WORDS["graph"].format(name=lesson.name, text=lesson.text).removesuffix(": "),
            "nodes": [{"title": clipped(n.name or n.title, 13), "gradient": n.gradient_name, "leaf": n.leaf} for n in nodes],
            "edges": [[parent, n.index] for n in nodes for parent in n.parents],
            "flows": [flow([n.parents for n in nodes], *how) for how in ((False, 60.0), (True, 56.0))],
        }  # fmt: skip

    def _at(self, state):
        at = self.state_with(**state)
        if (at["engine"], at["graph"]) not in self.plays:
            names = f"engines {', '.join(self.engines)}, and graphs {', '.join(lesson.name for lesson in self.lessons)}"
            raise ValueError(f"state: expected one of the {names}, but got {at['engine']!r} on {at['graph']!r}")
        play = self.plays[at["engine"], at["graph"]]
        return play, min(max(at["step"], 0), len(play.moments) - 1)

    def describe(self, **state: Any) -> str:
        """What is found in the run, and what happens at the moment that is shown. `state`: other values of some traits."""
        play, m = self._at(state)
        found = finding(play) if play.first is not None and m >= play.first else ""
        moment = WORDS["moment"].format(m=m, last=len(play.moments) - 1)
        return Prose("\n".join(filter(None, (self.title, self.data["about"], found, f"{moment} {sentence(play, m)}"))))

    def svg(self, theme: str = "light", **state: Any) -> str:
        """The graph with the gradients of the last moment as a still picture; with a `step`, of that one."""
        (play, m), graph = self._at({"step": 10**6, **state}), self.data["graphs"][{**self.state, **state}["graph"]]
        drawn, run = graph["flows"][0], self.data["runs"][f"{play.name} on {play.lesson.name}"]["moments"][m]
        sketch = Sketch(theme, drawn["width"], drawn["height"] + 8, sentence(play, m))
        for wire in drawn["wires"]:
            sketch.path(wire["forward"]["points"], "forward", 1.5)
            sketch.path(wire["back"]["points"], "backward", 2, "6 4")
        for i, (node, (x, y)) in enumerate(zip(graph["nodes"], drawn["boxes"], strict=True)):
            wrong = run["looks"][i] == "wrong"
            sketch.rect(x, y, WIDE, HALF, "leaf-fill" if node["leaf"] else "forward-fill")
            sketch.rect(x, y + HALF, WIDE, HIGH - HALF, "bad-fill" if wrong else "backward-fill")
            value = brief(play.bench(m).story.nodes[i].value)
            for down, line in ((16, node["title"]), (32, value), (67, node["gradient"]), (83, run["cards"][i] or "")):
                sketch.text(x + WIDE / 2, y + down, line, "ink")
            sketch.text(x + WIDE / 2, y + HIGH + 12, run["notes"][i], "bad" if wrong else "muted")
        return str(sketch)


def _engine(engine: Callable) -> dict[str, Any]:
    """The lines of an engine, and what repairs it."""
    before, lines = mended(engine)
    return {"lines": [row for _, row in source(engine)[0]], "before": before, "fix": lines}


@np.errstate(all="ignore")
def _run(play: Play) -> dict[str, Any]:
    """What the page shows at each moment."""
    rows, file = source(play.engine)
    row_of = {(file, line): k for k, (line, _) in enumerate(rows)}
    benches, nodes = [passed.bench for passed in play.passes], range(len(play.passes[0].bench.nodes))
    slopes = [
        [_slope(bench, n.index, place) for n in bench.nodes for place in range(len(n.parents))] for bench in benches
    ]
    moments = [
        {"step": moment.step, "said": sentence(play, m), "cards": [_card(value) for value in play.gradients_now[m]],
         "looks": [play.look(m, i) for i in nodes], "notes": [play.note(m, i) for i in nodes], "sends": _sends(play, m),
         "rows": sorted(row_of[place] for place in play.places(m) if place in row_of)}
        for m, moment in enumerate(play.moments)
    ]  # fmt: skip
    fault = play.fault.place if play.fault else None
    return {
        "values": [[brief(n.value) for n in bench.nodes] for bench in benches], "slopes": slopes, "moments": moments,
        "first": play.first, "finding": finding(play), "fault": row_of.get(fault) if fault else None, "ask": question(play),
    }  # fmt: skip


def _card(value):
    return None if value is None else brief(value) if numeric(value) is not None else type(value).__name__


def _slope(bench, node, place):
    """The local gradient of a use, where it is a number."""
    sent = bench.story.step_of[node].sent if node in bench.story.step_of else ()
    found = [one.slope for one in sent if one.place == place and one.slope is not None]
    return f"×{bracketed(number(found[0]))}" if found else ""


def _sends(play: Play, m: int) -> list[list[int]]:
    """The edges along which something goes back at a moment: receiver and sender."""
    moment = play.moments[m]
    if play.passes[moment.step].has_writes:
        return [[e.node, e.sender] for e in moment.events if isinstance(e, Write) and e.sender is not None]
    return [[p.index, moment.node] for p in play.bench(m).nodes[moment.node].parents] if moment.node is not None else []


def _check_size(right: Play):
    ops = sum(bool(n.parents) for n in right.passes[0].bench.nodes)
    if ops > MOST_OPS:
        raise ValueError(
            f"WrongEngineLab: expected a function of at most {MOST_OPS} ops, but it ran {ops}. Take a smaller one: every "
            "fault shows on a small graph. first_wrong takes functions of any size."
        )
