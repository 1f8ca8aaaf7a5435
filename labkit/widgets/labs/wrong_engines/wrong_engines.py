"""`WrongEngineLab`: right and broken engines run on the same graphs, and the first wrong node pointed out.

Every moment of a run has a sentence. Where all values are single numbers, the page repeats what the engine did with other
inputs.
"""

import ast
import inspect
import textwrap
from collections.abc import Callable, Mapping
from contextlib import suppress
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
from .bench import Visit, Write, floating, near, numeric
from .broken import ENGINES
from .plays import Lesson, Play, filled, lessons, shown
from .report import NO_ENGINE

MOST_LINES, MOST_OPS = 40, 40
TWICE = ("not reset", "yours")  # engines that run two backward passes
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

    >>> source(ENGINES["right"])[0][0][1]
    'def right(nodes: Nodes, output: Node) -> None:'
    """
    try:
        lines, start = inspect.getsourcelines(engine)
    except (OSError, TypeError):
        return [], ""
    rows, hidden = textwrap.dedent("".join(lines)).splitlines(), range(0)
    with suppress(SyntaxError, TypeError):  # of a lambda
        tree: Any = ast.parse("\n".join(rows)).body[0]
        hidden = range(tree.body[0].lineno - 1, tree.body[0].end_lineno) if ast.get_docstring(tree) else hidden
    kept = [(start + i, row) for i, row in enumerate(rows) if i not in hidden]
    return kept[:MOST_LINES], getattr(getattr(inspect.unwrap(engine), "__code__", None), "co_filename", "")


class WrongEngineLab(Lab):
    """Right and broken engines on small graphs, node by node, next to their own lines as they run. The first wrong gradient is
    marked when it shows, with the reason, the line at fault, and how to fix it.

    Without arguments: four small graphs, each made to show one fault. `WrongEngineLab(fn, *args)`: your function.
    `engine`: an engine of your own besides, see `first_wrong`. `plays`: the runs, by the names of engine and graph.

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
    inputs: Trait = traits.Dict(default_value={}).tag(sync=True)

    @np.errstate(all="ignore")
    def __init__(self, fn: Callable | None = None, *args: Any, engine: Callable | None = None):
        if engine is not None and not callable(engine):
            raise TypeError(NO_ENGINE.format(caller="engine", kind=type(engine).__name__))
        self.engines = dict(ENGINES) | ({"yours": engine} if engine else {})
        self.lessons = {lesson.name: lesson for lesson in lessons()}
        if fn is not None:
            own = Lesson(getattr(fn, "__name__", type(fn).__name__), fn, args)
            self.lessons = {own.name: own}
        self._play = lru_cache(64)(self._run)
        self.plays = {(key, name): self._play(key, name) for name in self.lessons for key in self.engines}
        fits, chosen = {name: self._fitting(name) for name in self.engines}, "yours" if engine else "overwrite"
        graphs = {name: self._graph(lesson) for name, lesson in self.lessons.items()}
        runs = {" on ".join(key): _written(play, graphs[key[1]]["program"]) for key, play in self.plays.items()}
        engines = {name: [row for _, row in source(run)[0]] for name, run in self.engines.items()}
        play = self.plays[chosen, fits[chosen]]
        super().__init__(WORDS["title"], {
            "about": WORDS["about"], "engines": engines, "fits": fits, "graphs": graphs, "runs": runs,
        }, engine=chosen, graph=fits[chosen], step=len(play.moments) - 1 if play.first is None else play.first)  # fmt: skip

    def _run(self, engine: str, graph: str, inputs: tuple[tuple[str, float], ...] = ()) -> Play:
        lesson, moved = self.lessons[graph], dict(inputs)
        if moved:
            names = [node["title"] for node in self.data["graphs"][graph]["nodes"]]
            lesson = replace(lesson, args=tuple(moved.get(*pair) for pair in zip(names, lesson.args, strict=False)))
        play = Play(engine, self.engines[engine], lesson, 2 if engine in TWICE else 1)
        ops = sum(bool(n.parents) for n in play.passes[0].bench.nodes)
        if ops > MOST_OPS:
            raise ValueError(WORDS["too large"].format(most=MOST_OPS, ops=ops))
        return play

    def _fitting(self, engine):
        """The graph that shows an engine's fault."""
        made_for = [name for name, lesson in self.lessons.items() if engine in lesson.shows]
        wrong = [name for name in self.lessons if not self.plays[engine, name].right]
        return [*made_for, *wrong, *self.lessons][0]

    def _graph(self, lesson: Lesson) -> dict[str, Any]:
        story, args = self.plays["right", lesson.name].passes[0].bench.story, [*map(floating, lesson.args)]
        lines = lines_of(Run.of(lesson.fun, args), story) if len(story.leaves) == len(args) else None
        places = {what: np.ravel(one) for what, one in lines.numbers.items()} if lines else {}

        def place(*what: Any) -> Any:
            one = places.get(what, np.empty(0))
            return None if len(one) != 1 else [plain(one[0].value)] if isinstance(one[0], Const) else int(one[0])

        nodes = [
            {"title": clipped(n.name or n.title, 13), "called": n.called, "gradient": n.gradient_name, "leaf": n.leaf,
             "at": place("value", n.index)} for n in story.nodes
        ]  # fmt: skip
        uses = [{"parent": parent, "node": n.index, "at": place("slope", n.index, k)}
                for n in story.nodes for k, parent in enumerate(n.parents)]  # fmt: skip
        known = lines is not None and None not in [one["at"] for one in (*nodes, *uses)]
        return {
            "text": WORDS["graph"].format(name=lesson.name, text=lesson.text).removesuffix(": "), "nodes": nodes, "uses": uses,
            "program": lines.program.written() if lines and known else None, "start": lines.start if lines and known else [],
            "flows": [flow([n.parents for n in story.nodes], *how) for how in ((False, 60.0), (True, 56.0))],
        }  # fmt: skip

    def _at(self, state: Mapping[str, Any]) -> tuple[Play, int]:
        at = self.state_with(**state)
        key = at["engine"], at["graph"]
        if key not in self.plays:
            text = "state: expected one of the engines {engines}, and graphs {graphs}, but got {engine!r} on {graph!r}"
            names = {"engines": ", ".join(self.engines), "graphs": ", ".join(self.lessons)}
            raise ValueError(text.format(engine=at["engine"], graph=at["graph"], **names))
        play = self._play(*key, tuple(sorted(at["inputs"].items())))
        return play, min(max(at["step"], 0), len(play.moments) - 1)

    def describe(self, **state: Any) -> str:
        """What is found in the run, and what happens at the moment that is shown. `state`: other values of some traits."""
        play, m = self._at(state)
        found = play.finding() if play.first is not None and m >= play.first else ""
        moment = WORDS["moment"].format(m=m, last=len(play.moments) - 1)
        words = [filled(template, play.numbers) for template in (found, f"{moment} {play.said(m)}")]
        return Prose("\n".join(filter(None, (self.title, self.data["about"], *words))))

    def svg(self, theme: str = "light", **state: Any) -> str:
        """The graph with the gradients of a moment as a still picture. `state`: other values of some traits."""
        (play, m), graph = self._at(state), self.data["graphs"][{**self.state, **state}["graph"]]
        drawn, numbers, step, bad = graph["flows"][0], play.numbers, play.moments[m].step, _bad(play)
        red = {node for of, node, since, _ in _wrong(play) if of == step and since <= m}
        sketch = Sketch(theme, drawn["width"], drawn["height"] + 8, filled(play.said(m), numbers))
        for k, (wire, use) in enumerate(zip(drawn["wires"], graph["uses"], strict=True)):
            sketch.path(wire["forward"]["points"], "forward", 1.5)
            sketch.path(wire["back"]["points"], "bad" if use["parent"] in red and k in bad else "backward", 2, "6 4")
        for i, (node, card, (x, y)) in enumerate(zip(graph["nodes"], play.cards(m), drawn["boxes"], strict=True)):
            sketch.rect(x, y, WIDE, HALF, "leaf-fill" if node["leaf"] else "forward-fill")
            sketch.rect(x, y + HALF, WIDE, HIGH - HALF, "bad-fill" if i in red else "backward-fill")
            value, gradient = shown(numbers[f"v{step}_{i}"]), shown(numbers[card]) if card else ""
            for down, line in ((16, node["title"]), (32, value), (67, node["gradient"]), (83, gradient)):
                sketch.text(x + WIDE / 2, y + down, line, "ink")
            words = WORDS["should"].format(right=shown(numbers[f"r{step}_{i}"])) if i in red else ""
            sketch.text(x + WIDE / 2, y + HIGH + 12, words, "bad")
        return str(sketch)


def _wrong(play: Play) -> list[tuple[int, int, int, str]]:
    """Of each wrong node the backward pass, its index, the moment at which it shows, and the name of its wrong gradient."""
    found = [(step, wrong) for step, wrongs in enumerate(play.wrongs) for wrong in wrongs]
    return [(step, wrong.node, play.shows(step, wrong), f"g{step}_{wrong.at}") for step, wrong in found]


def _bad(play: Play) -> list[int]:
    """The uses along which the first wrong node misses a contribution, or got a wrong one."""
    if play.fault is None or play.fault.cause == "not reset":
        return []
    wrong, passed = play.fault.wrong, play.passes[play.fault.step]
    sent = [e.sender for e in passed.writes(wrong.node) if e.at <= wrong.at and e.sender is not None]
    senders, nodes = play.fault.missing or sent[-1:], passed.bench.nodes
    return [k for k, (i, n) in enumerate(passed.bench.uses) if i in senders and nodes[i].parents[n].index == wrong.node]


@np.errstate(all="ignore")
def _written(play: Play, program: Any) -> dict[str, Any]:
    """What the page shows at each moment, and what the engine did if the page can repeat it with other numbers."""
    rows, file = source(play.engine)
    row_of = {(file, line): k for k, (line, _) in enumerate(rows)}
    moments = [
        {"step": moment.step, "said": play.said(m), "cards": play.cards(m), "sends": _sends(play, m), "node": moment.node,
         "rows": sorted(row_of[place] for place in play.places(m) if place in row_of)}
        for m, moment in enumerate(play.moments)
    ]  # fmt: skip
    events = [_repeated(passed) for passed in play.passes] if program and not play.error else [None]
    return {
        "texts": {name: shown(value) for name, value in play.numbers.items() if value is not None}, "moments": moments,
        "events": None if None in events else events, "wrong": _wrong(play), "bad": _bad(play), "first": play.first,
        "finding": play.finding(), "fault": row_of.get(play.fault.place) if play.fault and play.fault.place else None,
        "asked": play.name != "right" and not (play.error and play.fault is None),
    }  # fmt: skip


def _repeated(passed) -> list[list[Any]] | None:
    """What an engine did with numbers: the visit of a node, or that it set a `grad` to 0 or 1, added a contribution, or put it
    there; None where it did something else, or where it is not known whether it adds."""
    now, added, found = {node.index: 0.0 for node in passed.bench.nodes} | passed.before, set[int](), list[list[Any]]()
    for event in passed.events:
        i = event.node
        if isinstance(event, Visit):
            known = near(event.gradient, np.asarray(now[i]))
            found.append([i, "visit"])
        elif event.how == "set":
            known = numeric(event.value) is not None and np.ndim(event.value) == 0 and event.value in (0, 1)
            found.append([i, "set", float(event.value) if known else 0.0])
        else:
            known = bool(event.how and (np.any(event.before) or i not in added))
            found.append([i, event.how, event.visit, passed.bench.uses.index((event.sender, event.use))])
            added.add(i)
        if isinstance(event, Write):
            now[i] = event.value
        if not known:
            return None
    return found


def _sends(play: Play, m: int) -> list[int]:
    """The uses along which something goes back at a moment."""
    moment, uses = play.moments[m], play.passes[play.moments[m].step].bench.uses
    sent = [uses.index((e.sender, e.use)) for e in moment.events if isinstance(e, Write) and e.sender is not None]
    return sent or [k for k, (node, _) in enumerate(uses) if node == moment.node]
