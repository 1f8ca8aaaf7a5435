"""`WrongEngineLab`: right and broken engines run on the same graphs, and the first wrong node pointed out."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from ....messages.wrapping import Prose
from ...kit.flow import HALF, HIGH, WIDE, flow
from ...kit.lab import Lab
from ...kit.module import module, style
from ...kit.sketch import Sketch
from ...kit.traits import Trait, traits
from ...kit.words import bracketed, brief, clipped, number
from .bench import Write, numeric
from .broken import ENGINES
from .lessons import Lesson, lessons
from .plays import Play
from .source import mended, source
from .words import finding, question, sentence

MOST_OPS = 40
SEVERAL_STEPS = ("right", "not reset")
WORDS = {
    "about": "The backward pass of an engine on a graph, one visit at a time. Each card has a value and the gradient that the "
    "engine has for it.",
    "graph": "{name}: {text}",
    "moment": "Moment {m} of {last}.",
    "code": "The engine that runs: {name}",
    "mend": "repairs it",
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
    return {"lines": [row for _, row in source(engine)[0]], "before": before, "mend": lines}


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
