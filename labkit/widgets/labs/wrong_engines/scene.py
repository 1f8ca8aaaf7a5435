"""`WrongEngineLab`: right and broken engines run on the same graphs, and the first wrong node pointed out."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...kit.picture import Picture
from ...kit.scene import Caption, Dial, Link, Panel, Scene, changes
from .broken import ENGINES
from .lessons import Lesson, lessons
from .lines import code
from .overview import overview
from .plays import Play, SliderPlay, When, play
from .stage import Stage
from .words import asks, label, sentence

MOST_OPS = 40
SEVERAL_STEPS = ("right", "not reset")


class WrongEngineLab(Picture):
    """The same graph run backwards by a right engine or by a broken one, step by step: the first wrong node is found by
    comparison and explained, and the engine's own lines are shown as they run.

    Without arguments: four small graphs, each made to show one fault. `WrongEngineLab(fn, *args)`: your function.
    `engine`: an engine of your own besides, see `first_wrong`. `steps`, `rate`, `argnums`: how many training steps the
    engine "not reset" is run for, with which learning rate, and the positions of the arguments that they change (of a Cell
    or Module, its parameters).

    `plays`: the runs, by the names of engine and graph. Dials: "engine", "graph" (where there are several), and a slider
    for each pair, such as "recursion_diamond", which starts where the first wrong node shows. Raises TypeError and
    ValueError for what no engine can be run on; an exception of your function is passed on.

    >>> lab = WrongEngineLab(lambda x, w: x * w + x, 3.0, 2.0)
    >>> lab.plays["overwrite", "<lambda>"].fault.cause, lab.plays["recursion", "<lambda>"].right
    ('overwritten', True)
    """

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
                many = key in SEVERAL_STEPS or run is engine
                self.plays[key, lesson.name] = play(key, run, lesson, None if many else 1)
            _check_size(self.plays["right", lesson.name])
        super().__init__(_Sight(self).scene())


def _check_size(right: Play):
    ops = sum(bool(n.parents) for n in right.passes[0].bench.nodes)
    if ops > MOST_OPS:
        raise ValueError(
            f"WrongEngineLab: expected a function of at most {MOST_OPS} ops, but it ran {ops}. Take a smaller one: every "
            "fault shows on a small graph. first_wrong takes functions of any size."
        )


class _Sight:
    """The scene of a lab: i counts engines, j graphs."""

    def __init__(self, lab: WrongEngineLab):
        self.engines, self.lessons, self.plays = lab.engines, lab.lessons, lab.plays
        self.names = list(self.engines)
        self.many = len(self.lessons) > 1
        self.fits = [self._fitting(name) for name in self.names]

    def _fitting(self, name):
        """The graph that shows an engine's fault."""
        made_for = [j for j, lesson in enumerate(self.lessons) if name in lesson.shows]
        failing = [j for j, lesson in enumerate(self.lessons) if not self.plays[name, lesson.name].right]
        return (made_for or failing or [0])[0]

    def graph(self, i: int, j: int) -> When:
        """The positions of the graph's dial at which engine i is on graph j."""
        return {"graph": [0, j + 1] if self.fits[i] == j else [j + 1]} if self.many else {}

    def slider(self, i: int, j: int) -> str:
        """The name of its slider."""
        words = f"{self.names[i]} {self.lessons[j].name}" if self.many else self.names[i]
        return words.replace(" ", "_")

    def run(self, i: int, j: int) -> Play:
        return self.plays[self.names[i], self.lessons[j].name]

    def pairs(self) -> list[tuple[int, int]]:
        return [(i, j) for i in range(len(self.names)) for j in range(len(self.lessons))]

    def shown(self, i: int, j: int) -> SliderPlay:
        """Engine i on graph j, and the positions of the dials at which it is seen."""
        return SliderPlay(self.run(i, j), self.slider(i, j), {"engine": [i]} | self.graph(i, j))

    def scene(self) -> Scene:
        """All of it: at first an engine that goes wrong, at the moment its fault shows."""
        drawn, links = self._graphs()
        for i, engine in enumerate(self.engines.values()):
            drawn.append(code(engine, [self.shown(i, j) for j in range(len(self.lessons))], {"engine": [i]}))
        table, cells = overview(
            {(i, j): self.shown(i, j) for i, j in self.pairs()}, self.names, [s.name for s in self.lessons]
        )
        about = (
            f"{'Small graphs are' if self.many else 'A graph is'} run backwards by a right engine or by a broken one. The "
            "cards below show the gradients that this engine computes, in its own order; wrong ones say what they should be."
        )
        title = "Wrong engines, and the first wrong node"
        return Scene(title, about, self._dials(), [*drawn, table], self._captions(), links | cells)

    def _graphs(self) -> tuple[list[Panel], dict[str, Link]]:
        """The panels of the graphs; where there are several, also those that follow the engine."""
        drawn: list[Panel] = []
        links: dict[str, Link] = {}
        for j, lesson in enumerate(self.lessons):
            everyone = list(range(len(self.names)))
            fitting = [i for i in everyone if self.fits[i] == j]
            wanted: list[tuple[list[int], When]] = [(everyone, {"graph": [j + 1]} if self.many else {})]
            wanted += [(fitting, {"graph": [0], "engine": fitting})] if self.many and fitting else []
            for shown, when in wanted:
                stage = Stage(f"graph {len(drawn)}", [self.shown(i, j)._replace(when={"engine": [i]}) for i in shown])
                drawn.append(stage.panel(f"{lesson.name}: {lesson.text}" if lesson.text else lesson.name, when))
                links |= stage.links
        return drawn, links

    def _dials(self) -> list[Dial]:
        sliders = [self._slider(i, j) for i, j in self.pairs()]
        back = {slider.name: 0 for slider in sliders}
        dials = [Dial("engine", "Engine", self.names, "choice", self._start(), resets=back)]
        if self.many:
            graphs = ["one that shows it", *(lesson.name for lesson in self.lessons)]
            dials.append(Dial("graph", "Graph", graphs, "choice", resets=back))
        return [*dials, *sliders]

    def _start(self):
        """The engine to begin with: yours, else the first that goes wrong."""
        wrong = [i for i, j in enumerate(self.fits) if not self.run(i, j).right]
        return self.names.index("yours") if "yours" in self.names else (wrong or [0])[0]

    def _slider(self, i, j):
        play = self.run(i, j)
        moments = range(len(play.moments))
        start = play.first if play.first is not None else moments[-1]
        labels = [label(play, m) for m in moments]
        return Dial(self.slider(i, j), "Step", labels, start=start, asks=asks(play), when=self.shown(i, j).when)

    def _captions(self) -> list[Caption]:
        found = []
        for i, j in self.pairs():
            play, right = self.run(i, j), self.run(0, j)
            texts = [sentence(play, m, right) for m in range(len(play.moments))]
            found.append(Caption(self.slider(i, j), changes(texts), self.shown(i, j).when))
        return found
