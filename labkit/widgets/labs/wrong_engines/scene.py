"""`WrongEngineLab`: right and broken engines run on the same graphs, and the first wrong node pointed out."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

from ...kit.picture import Picture
from ...kit.scene import Caption, Dial, Scene, changes
from .broken import ENGINES
from .lessons import Lesson, lessons
from .lines import code
from .overview import overview
from .plays import TRIES, Play, SliderPlay, When, play
from .stage import Stage
from .words import asks, hunt, label, sentence

MOST_OPS = 40
SEVERAL_STEPS = ("right", "not reset")


class WrongEngineLab(Picture):
    """Find the bug: the same graph run backwards by a right engine or by a broken one, step by step, with its own lines as they
    run. Click the node that goes wrong first: there are three tries, with hints that get nearer; then why, and how to mend it.

    Without arguments: four small graphs, each made to show one fault. `WrongEngineLab(fn, *args)`: your function.
    `engine`: an engine of your own besides, see `first_wrong`. `steps`, `rate`, `argnums`: how many training steps the
    engine "not reset" is run for, with which learning rate, and the positions of the arguments that they change (of a Cell
    or Module, its parameters).

    `plays`: the runs, by the names of engine and graph. Dials: "engine", "graph" (where there are several), and a slider
    for each pair, such as "recursion_diamond"; "hunt_recursion_diamond" counts the tries, and is over at the last of its
    positions. A still picture shows what is found then. Raises TypeError and
    ValueError for what no engine can be run on; an exception of your function is passed on.

    >>> lab = WrongEngineLab(lambda x, w: x * w + x, 3.0, 2.0)
    >>> lab.plays["overwrite", "<lambda>"].fault.cause, lab.plays["recursion", "<lambda>"].right
    ('overwritten', True)
    """

    plays_at_once = True

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

    def still_state(self, **dials: int | str) -> dict[str, int]:
        """Every hunt over, and each slider where the first wrong node shows, but for those that are turned."""
        state = self._scene.state(**dials)
        found: dict[str, int] = {}
        for dial in self._scene.dials:
            if dial.hunt and state[dial.name] == 0:
                found |= {dial.name: TRIES, **dial.hunt.goes}
        return {**state, **{name: position for name, position in found.items() if name not in dials}}


def _check_size(right: Play):
    ops = sum(bool(n.parents) for n in right.passes[0].bench.nodes)
    if ops > MOST_OPS:
        raise ValueError(
            f"WrongEngineLab: expected a function of at most {MOST_OPS} ops, but it ran {ops}. Take a smaller one: every "
            "fault shows on a small graph. first_wrong takes functions of any size."
        )


class _Sight:
    """The scene of a lab. `runs[i, j]`: engine i on graph j, with its slider and the positions at which it is seen."""

    def __init__(self, lab: WrongEngineLab):
        self.engines, self.lessons = list(lab.engines.items()), lab.lessons
        self.names = list(lab.engines)
        self.many = len(self.lessons) > 1
        self.fits = [self._fitting(lab, name) for name in self.names]
        self.runs: dict[tuple[int, int], SliderPlay] = {}
        for (i, engine), (j, lesson) in product(enumerate(self.names), enumerate(self.lessons)):
            slider = f"{engine} {lesson.name}" if self.many else engine
            when = {"engine": [i]}
            if self.many:  # the first position of the dial is the graph that shows the engine's fault
                when["graph"] = [0, j + 1] if self.fits[i] == j else [j + 1]
            self.runs[i, j] = SliderPlay(lab.plays[engine, lesson.name], slider.replace(" ", "_"), when)

    def _fitting(self, lab, engine):
        """The graph that shows an engine's fault."""
        made_for = [j for j, lesson in enumerate(self.lessons) if engine in lesson.shows]
        failing = [j for j, lesson in enumerate(self.lessons) if not lab.plays[engine, lesson.name].right]
        return (made_for or failing or [0])[0]

    def scene(self) -> Scene:
        """All of it: at first an engine that goes wrong, at the moment its fault shows."""
        stages = list(self._stages())
        wide, tall = (
            max(stage.own[side] for stage, *_ in stages) for side in (0, 1)
        )  # so that nothing moves with another one
        stages = [(Stage(one.name, one.key, one.runs, least=(wide, tall)), title, when) for one, title, when in stages]
        panels = [stage.panel(title, when) for stage, title, when in stages]
        for i, (_, engine) in enumerate(self.engines):
            panels.append(code(engine, [self.runs[i, j] for j in range(len(self.lessons))], {"engine": [i]}))
        table, cells = overview(self.runs, self.names, [lesson.name for lesson in self.lessons])
        links = {name: link for stage, *_ in stages for name, link in stage.links.items()} | cells
        about = (
            f"{'Small graphs are' if self.many else 'A graph is'} run backwards by a right engine or by a broken one. The "
            "cards below show the gradients that this engine computes, in its own order; wrong ones say what they should be."
        )
        title = "Find the first wrong gradient"
        graphs, codes = panels[: len(stages)], panels[len(stages) :]
        wide, tall = max(panel.width for panel in codes), max(panel.height for panel in codes)
        codes = [replace(panel, width=wide, height=tall) for panel in codes]
        return Scene(title, about, self._dials(), [*graphs, table, *codes], list(self._captions()), links)

    def _stages(self) -> Iterator[tuple[Stage, str, When]]:
        """The graphs, each for every engine; where there are several, also those that follow the engine."""
        everyone, count = list(range(len(self.names))), 0
        for j, lesson in enumerate(self.lessons):
            fitting = [i for i in everyone if self.fits[i] == j]
            wanted: list[tuple[list[int], When]] = [(everyone, {"graph": [j + 1]} if self.many else {})]
            wanted += [(fitting, {"graph": [0], "engine": fitting})] if self.many and fitting else []
            for seen, when in wanted:
                runs = [self.runs[i, j]._replace(when={"engine": [i]}) for i in seen]
                yield (
                    Stage(f"graph {count}", f"lesson {j}", runs),
                    f"{lesson.name}: {lesson.text}".removesuffix(": "),
                    when,
                )
                count += 1

    def _dials(self) -> list[Dial]:
        sliders = [self._slider(run) for run in self.runs.values()]
        sliders += [self._hunt(j, run) for (_, j), run in self.runs.items() if run.hunted]
        back = {slider.name: 0 for slider in sliders}
        dials = [Dial("engine", "Engine", self.names, "inside", self._start(), resets=back)]
        if self.many:
            graphs = ["one that shows it", *(lesson.name for lesson in self.lessons)]
            dials.append(Dial("graph", "Graph", graphs, "inside", resets=back))
        return [*dials, *sorted(sliders, key=lambda dial: dial.kind)]

    def _start(self):
        """The engine to begin with: yours, else the first that goes wrong."""
        wrong = [i for i, j in enumerate(self.fits) if not self.runs[i, j].play.right]
        return self.names.index("yours") if "yours" in self.names else (wrong or [0])[0]

    def _slider(self, run):
        labels = [label(run.play, m) for m in range(len(run.play.moments))]
        start = 0 if run.hunted else len(labels) - 1
        return Dial(run.slider, "Step", labels, start=start, asks=asks(run), when=run.when)

    def _hunt(self, j, run):
        looked_for = hunt(run, f"lesson {j}")
        return Dial(run.hunt, "Find the bug", looked_for.values, "hunt", when=run.when, hunt=looked_for)

    def _captions(self) -> Iterator[Caption]:
        for (_, j), run in self.runs.items():
            for right, when in (
                ((None, run.open), (self.runs[0, j].play, run.over)) if run.hunted else ((run.play, {}),)
            ):
                texts = (sentence(run.play, m, right) for m in range(len(run.play.moments)))
                yield Caption(run.slider, changes(texts), {**run.when, **when})
