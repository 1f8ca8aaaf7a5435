"""`WrongEngineLab`: right and broken engines run on the same graphs, and the first wrong node pointed out.

Every moment of a run has a sentence. Where all values are numbers, the page runs the engine again for other inputs: it repeats what the
engine did with the numbers that it has then.
"""

import ast
import inspect
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from ....messages.wrapping import Prose
from ...explorer.run.lines import lines_of
from ...explorer.run.recorded import Run
from ...kit.flow import HALF, HIGH, WIDE, flow
from ...kit.lab import Lab, plain
from ...kit.module import module, style
from ...kit.reckoning import Const
from ...kit.sketch import Sketch
from ...kit.traits import Trait, traits
from ...kit.words import clipped
from .bench import Visit, Write, numeric
from .broken import ENGINES, right
from .faults import near
from .plays import Lesson, Play, filled, lessons, shown

MOST_LINES, MOST_OPS = 40, 40
SEVERAL_STEPS = ("right", "not reset")
WORDS = {
    "title": "Where does this backward pass go wrong?",
    "about": "The backward pass of an engine on a graph, one node at a time. Each card has a value and the gradient that the "
    "engine has for it.",
    "graph": "{name}: {text}",
    "moment": "Moment {m} of {last}.",
    "code": "The engine that runs: {name}",
    "should": "should be {right}",
    "passed": "passed on {got}, should be {right}",
    "equal": "With these inputs the gradient of {node} happens to be right.",
    "done": "Done. Which node do you suspect?",
    "ask": "Engine {name}: which node gets a wrong gradient first?",
    "none": "none: all are right",
    "not": "Not that one. Compare its gradient with the sum of the contributions from the nodes that use it.",
    "later": "The gradient of {node} is wrong too, but not first: the error comes from another node.",
    "too large": "WrongEngineLab: expected a function of at most {most} ops, but it ran {ops}. Take a smaller one: every "
    "fault shows on a small graph. first_wrong takes functions of any size.",
}


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
    rows = enumerate(textwrap.dedent("".join(lines)).splitlines())
    kept = [(start + i, row) for i, row in rows if i not in hidden]
    return kept[:MOST_LINES], getattr(getattr(inspect.unwrap(engine), "__code__", None), "co_filename", "")


class WrongEngineLab(Lab):
    """Right and broken engines on small graphs, node by node, next to their own lines as they run. The first wrong gradient is
    marked when it shows, with the reason, the line at fault, and how to fix it.

    Without arguments: four small graphs, each made to show one fault. `WrongEngineLab(fn, *args)`: your function.
    `engine`: an engine of your own besides, see `first_wrong`. `steps`, `rate`, `argnums`: how many training steps the
    engine "not reset" is run for, with which learning rate, and the positions of the arguments that they change (of a Cell
    or Module, its parameters). `plays`: the runs, by the names of engine and graph.

    Traits: `engine`, at first "overwrite", or "yours"; `graph`; `step`, the moment that is shown; `inputs`, the numbers that
    were dragged. Raises TypeError and ValueError for what no engine can be run on; an exception of your function is passed on.

    >>> lab = WrongEngineLab(lambda x, w: x * w + x, 3.0, 2.0)
    >>> lab.plays["overwrite", "<lambda>"].fault.cause, lab.plays["recursion", "<lambda>"].right
    ('overwritten', True)
    """

    path = Path(__file__).with_name("wrong_engines.js")
    state_names = ("engine", "graph", "step", "inputs")
    words: ClassVar = WORDS
    _esm = module(path)
    _css = style(path)
    engine: Trait = traits.Unicode(default_value="overwrite").tag(sync=True)
    graph: Trait = traits.Unicode().tag(sync=True)
    step: Trait = traits.Int().tag(sync=True)
    inputs: Trait = traits.Dict().tag(sync=True)

    @np.errstate(all="ignore")
    def __init__(
        self, fn: Callable | None = None, *args: Any, engine: Callable | None = None, steps: int = 2, rate: float = 0.1,
        argnums: int | Sequence[int] = 0,
    ):  # fmt: skip
        if not isinstance(steps, int) or not 1 <= steps <= 10:
            raise ValueError("WrongEngineLab: expected 1 to 10 steps, but got {steps!r}".format(steps=steps))
        if engine is not None and not callable(engine):
            text = "engine: expected a function backward(nodes, output), but got {kind}"
            raise TypeError(text.format(kind=type(engine).__name__))
        self.engines = dict(ENGINES) | ({"yours": engine} if engine else {})
        self.lessons = {lesson.name: lesson for lesson in lessons()}
        if fn is not None:
            places = argnums if isinstance(argnums, int) else tuple(argnums)
            own = Lesson(getattr(fn, "__name__", type(fn).__name__), fn, args, steps, rate, places)
            self.lessons = {own.name: own}
        self._with = lru_cache(8)(self._run)
        self.plays = {(key, name): self._run(key, lesson) for name, lesson in self.lessons.items() for key in self.engines}
        fits, chosen = {name: self._fitting(name) for name in self.engines}, "yours" if engine else "overwrite"
        graphs = {name: self._graph(lesson) for name, lesson in self.lessons.items()}
        runs = {f"{key} on {name}": _written(play, bool(graphs[name]["program"])) for (key, name), play in self.plays.items()}
        engines = {name: [row for _, row in source(run)[0]] for name, run in self.engines.items()}
        play = self.plays[chosen, fits[chosen]]
        super().__init__(WORDS["title"], {
            "about": WORDS["about"], "engines": engines, "fits": fits, "graphs": graphs, "runs": runs,
        }, engine=chosen, graph=fits[chosen], step=len(play.moments) - 1 if play.first is None else play.first)  # fmt: skip

    def _run(self, engine: str, lesson: Lesson, inputs: tuple[tuple[str, float], ...] = ()) -> Play:
        play = Play(engine, self.engines[engine], lesson, lesson.steps if engine in (*SEVERAL_STEPS, "yours") else 1)
        if inputs:
            names, values = play.subject.names, dict(inputs)
            moved = tuple(values.get(name, value) for name, value in zip(names, lesson.args, strict=False))
            return self._run(engine, replace(lesson, args=moved))
        ops = sum(bool(n.parents) for n in play.passes[0].bench.nodes)
        if ops > MOST_OPS:
            raise ValueError(WORDS["too large"].format(most=MOST_OPS, ops=ops))
        return play

    def _fitting(self, engine):
        """The graph that shows an engine's fault."""
        made_for = [name for name, lesson in self.lessons.items() if engine in lesson.shows]
        return (made_for or [name for name in self.lessons if not self.plays[engine, name].right] or list(self.lessons))[0]

    def _graph(self, lesson: Lesson) -> dict[str, Any]:
        play = self.plays["right", lesson.name]
        story, names = play.passes[0].bench.story, play.subject.names
        lines = lines_of(Run.of(lesson.fun, play.subject.args), story) if len(names) == len(lesson.args) else None

        def place(*what: Any) -> Any:
            found = np.ravel(lines.numbers[what]) if lines and what in lines.numbers else ()
            return None if len(found) != 1 else [plain(found[0].value)] if isinstance(found[0], Const) else int(found[0])

        nodes = [
            {"title": clipped(n.name or n.title, 13), "called": n.called, "gradient": n.gradient_name, "leaf": n.leaf,
             "at": place("value", n.index)} for n in story.nodes
        ]  # fmt: skip
        uses = [{"parent": parent, "node": n.index, "use": k, "at": place("slope", n.index, k)}
                for n in story.nodes for k, parent in enumerate(n.parents)]  # fmt: skip
        known = lines is not None and None not in [one["at"] for one in (*nodes, *uses)]
        return {
            "text": WORDS["graph"].format(name=lesson.name, text=lesson.text).removesuffix(": "), "nodes": nodes, "uses": uses,
            "program": lines.program.written() if lines and known else None, "start": lines.start if lines and known else [],
            "learned": play.subject.learned, "rate": lesson.rate,
            "flows": [flow([n.parents for n in story.nodes], *how) for how in ((False, 60.0), (True, 56.0))],
        }  # fmt: skip

    def _at(self, state: Mapping[str, Any]) -> tuple[Play, int]:
        at = self.state_with(**state)
        key = at["engine"], at["graph"]
        if key not in self.plays:
            text = "state: expected one of the engines {engines}, and graphs {graphs}, but got {engine!r} on {graph!r}"
            names = {"engines": ", ".join(self.engines), "graphs": ", ".join(self.lessons)}
            raise ValueError(text.format(engine=at["engine"], graph=at["graph"], **names))
        moved = tuple(sorted(at["inputs"].items()))
        play = self._with(at["engine"], self.lessons[at["graph"]], moved) if moved else self.plays[key]
        return play, min(max(at["step"], 0), len(play.moments) - 1)

    def describe(self, **state: Any) -> str:
        """What is found in the run, and what happens at the moment that is shown. `state`: other values of some traits."""
        play, m = self._at(state)
        found = play.finding() if play.first is not None and m >= play.first else ""
        moment = WORDS["moment"].format(m=m, last=len(play.moments) - 1)
        said = (self.title, self.data["about"], filled(found, play.numbers), f"{moment} {filled(play.said(m), play.numbers)}")
        return Prose("\n".join(filter(None, said)))

    def svg(self, theme: str = "light", **state: Any) -> str:
        """The graph with the gradients of a moment as a still picture. `state`: other values of some traits."""
        (play, m), graph = self._at(state), self.data["graphs"][{**self.state, **state}["graph"]]
        drawn, story, numbers = graph["flows"][0], play.passes[play.moments[m].step].bench.story, play.numbers
        wrong = {i for step, i, since, _ in _wrong(play) if step == play.moments[m].step and since <= m}
        sketch = Sketch(theme, drawn["width"], drawn["height"] + 8, filled(play.said(m), numbers))
        for wire, use in zip(drawn["wires"], graph["uses"], strict=True):
            sketch.path(wire["forward"]["points"], "forward", 1.5)
            bad = use["parent"] in wrong and [use["node"], use["use"]] in _bad(play)
            sketch.path(wire["back"]["points"], "bad" if bad else "backward", 2, "6 4")
        for i, (node, card, (x, y)) in enumerate(zip(graph["nodes"], play.cards(m), drawn["boxes"], strict=True)):
            sketch.rect(x, y, WIDE, HALF, "leaf-fill" if node["leaf"] else "forward-fill")
            sketch.rect(x, y + HALF, WIDE, HIGH - HALF, "bad-fill" if i in wrong else "backward-fill")
            value = shown(story.nodes[i].value)
            for down, line in ((16, node["title"]), (32, value), (67, node["gradient"]), (83, shown(numbers[card]) if card else "")):
                sketch.text(x + WIDE / 2, y + down, line, "ink")
            if i in wrong:
                words = WORDS["should"].format(right=shown(numbers[f"r{play.moments[m].step}_{i}"]))
                sketch.text(x + WIDE / 2, y + HIGH + 12, words, "bad")
        return str(sketch)


def _wrong(play: Play) -> list[tuple[int, int, int, str]]:
    """Of each wrong node the step, the moment at which it shows, and the name of the gradient that is wrong."""
    return [
        (step, w.node, play.shows(step, w), f"g{step}_{w.at}" if w.at < len(play.passes[step].events) else f"f{step}_{w.node}")
        for step, wrongs in enumerate(play.wrongs) for w in wrongs
    ]  # fmt: skip


def _bad(play: Play) -> list[list[int]]:
    """The uses along which the first wrong node misses a contribution, or got a wrong one: each as node and number of the parent."""
    if play.fault is None or play.fault.cause == "not reset":
        return []
    wrong, passed = play.fault.wrong, play.passes[play.fault.step]
    writes = [e for e in passed.writes(wrong.node) if e.at <= wrong.at and e.sender is not None]
    senders = {sender for sender, _ in play.fault.missing} or {e.sender for e in writes[-1:]}
    return [[n.index, k] for n in passed.bench.nodes for k, p in enumerate(n.parents) if p.index == wrong.node and n.index in senders]


@np.errstate(all="ignore")
def _written(play: Play, free: bool) -> dict[str, Any]:
    """What the page shows at each moment, and what the engine did if the page can repeat it with other numbers."""
    rows, file = source(play.engine)
    row_of = {(file, line): k for k, (line, _) in enumerate(rows)}
    moments = [
        {"step": moment.step, "said": play.said(m), "cards": play.cards(m), "sends": _sends(play, m), "node": moment.node,
         "rows": sorted(row_of[place] for place in play.places(m) if place in row_of)}
        for m, moment in enumerate(play.moments)
    ]  # fmt: skip
    events = [_repeated(passed) for passed in play.passes] if free and play.passes[-1].error is None else [None]
    return {
        "texts": {name: shown(value) for name, value in play.numbers.items() if value is not None}, "moments": moments,
        "events": None if None in events else events, "wrong": _wrong(play), "bad": _bad(play), "first": play.first,
        "finding": play.finding(), "fault": row_of.get(play.fault.place) if play.fault and play.fault.place else None,
        "asked": play.name != "right" and bool(play.fault or play.right),
    }  # fmt: skip


def _repeated(passed) -> list[list[Any]] | None:
    """What an engine did with each number: a visit of a node, or a constant, sum or contribution that it put in its `grad`; None
    where it did something else."""
    now, added, found = {node.index: np.zeros(()) for node in passed.bench.nodes} | passed.before, set[int](), list[list[Any]]()
    for event in passed.events:
        i = event.node
        if isinstance(event, Visit):
            found.append([i, "visit"])
            explained = near(event.gradient, np.asarray(now[i], float))
        elif event.part is None:
            found.append([i, "set", plain(event.value) if numeric(event.value) is not None else 0])
            explained = np.ndim(event.value) == 0 and found[-1][2] in (0, 1)
            added.discard(i)
        else:
            whole = near(event.value, np.asarray(event.before + event.part))
            found.append([i, "add" if whole else "put", event.visit, event.use])
            explained = (whole or near(event.value, event.part)) and (np.any(event.before) or i not in added)
            added.add(i)
        if isinstance(event, Write):
            now[i] = event.value
        if not explained:
            return None
    return found


def _sends(play: Play, m: int) -> list[list[int]]:
    """The uses along which something goes back at a moment: each as node and number of the parent."""
    moment = play.moments[m]
    if play.passes[moment.step].has_writes:
        return [[e.sender, e.use] for e in moment.events if isinstance(e, Write) and e.sender is not None]
    return [] if moment.node is None else [[moment.node, k] for k, _ in enumerate(play.passes[0].bench.nodes[moment.node].parents)]
