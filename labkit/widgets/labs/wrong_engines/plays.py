"""A run of an engine as moments: what is seen at each position of its slider."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ...kit.words import joined, number
from .bench import Bench, Place, Visit, Write, numeric
from .faults import Fault, Wrong, all_wrong, first_fault, near
from .lessons import Lesson
from .run import Pass, Subject, raised_at, train

MOST_SHOWN = 150  # events of one walk back
TRIES = 3  # to find the first wrong node

When = dict[str, list[int]]


@dataclass(eq=False)
class Moment:
    """One position of the slider.

    `kind`: "forward", "start" (zeros and seed), "visit", "back" (an earlier visit goes on), "raised", "learn" or "done".
    `step`: the training step, from 0. `events`: what the engine did. `node`: whose visit it is.
    """

    kind: str
    step: int
    node: int | None = None
    events: list[Visit | Write] = field(default_factory=list)


class Play:
    """An engine on a graph.

    `steps`: the training steps asked for; `passes`: its walks back; `moments`: the positions of the slider; `fault`: where
    it goes wrong first, or None; `wrongs`: for each walk back, its wrong nodes.
    """

    def __init__(self, name: str, engine: Callable, lesson: Lesson, subject: Subject, steps: int):
        self.name, self.engine, self.lesson, self.subject, self.steps = name, engine, lesson, subject, steps
        self.passes: list[Pass] = train(engine, subject, steps, lesson.rate, MOST_SHOWN)
        answered = not self.passes[-1].problem
        self.fault: Fault | None = first_fault(self.passes) if answered else None
        self.wrongs: list[list[Wrong]] = [all_wrong(p) if answered else [] for p in self.passes]
        self.moments = _moments(self.passes)

    @property
    def error(self) -> Exception | None:
        """What the engine raised in the end."""
        return self.passes[-1].error

    @property
    def right(self) -> bool:
        """Whether every gradient of every step is right."""
        return self.fault is None and self.error is None and not self.passes[-1].problem

    @cached_property
    def gradients_now(self) -> list[list[Any]]:
        """`gradients_now[m][i]`: the gradient of node i at moment m, None for none yet. Where the engine keeps its gradients to
        itself, what it gives to `vjp`, and in the end its answer."""
        found: list[list[Any]] = []
        for moment in self.moments:
            passed = self.passes[moment.step]
            now = [passed.before.get(i) for i in range(len(passed.bench.nodes))]
            now = now if moment.kind == "forward" else list(found[-1])
            writes = passed.has_writes
            for event in moment.events:
                if isinstance(event, Write):
                    now[event.node] = event.value
                elif not writes or now[event.node] is None:
                    now[event.node] = event.gradient
            if moment.kind in ("learn", "done") and not writes:
                now = [new if new is not None else old for old, new in zip(now, passed.result, strict=True)]
            found.append(now)
        return found

    def bench(self, m: int) -> Bench:
        """The run forwards that a moment belongs to."""
        return self.passes[self.moments[m].step].bench

    @cached_property
    def shows(self) -> list[dict[int, int]]:
        """For each training step, `{node: moment at which its wrong gradient shows}`."""
        found = []
        for step, wrongs in enumerate(self.wrongs):
            mine = [m for m, moment in enumerate(self.moments) if moment.step == step]
            where = {event.at: m for m in mine for event in self.moments[m].events}
            found.append({w.node: where.get(w.at, mine[-1]) for w in wrongs})
        return found

    @property
    def first(self) -> int | None:
        """The moment at which the first wrong node shows."""
        return None if self.fault is None else self.shows[self.fault.step][self.fault.wrong.node]

    def wrong_at(self, m: int) -> dict[int, Wrong]:
        """The nodes that are known to be wrong at a moment."""
        step = self.moments[m].step
        return {w.node: w for w in self.wrongs[step] if self.shows[step][w.node] <= m}

    def touched(self, m: int) -> set[int]:
        """The nodes to which something happens at a moment, zeros aside."""
        return {e.node for e in self.moments[m].events if isinstance(e, Visit) or not reset(e)}

    def lines(self, m: int) -> set[Place]:
        """The lines of code that ran."""
        stopped = raised_at(self.engine, self.error) if self.moments[m].kind == "raised" and self.error else None
        return {e.place for e in self.moments[m].events} | ({stopped} if stopped else set())

    def history(self, m: int, i: int) -> str:
        """How the gradient of a node came about in this training step: `9 + 4`, or what was overwritten; "" for one part."""
        moment, lost = self.moments[m], ""
        terms: list[Any] = []
        before = self.passes[moment.step].before.get(i)
        writes = (e for e in self.events_until(m) if isinstance(e, Write) and e.node == i)
        for event in writes:
            if np.size(event.value) != 1 or np.size(event.before) != 1 or numeric(event.value) is None:
                return ""
            if reset(event):
                terms = []
            elif terms and event.part is not None and near(event.value, np.asarray(event.part)):
                terms, lost = [event.part], number(event.before)
            else:
                terms = terms or ([before] if before is not None and np.any(event.before) else [])
                terms.append(np.asarray(event.value) - np.asarray(event.before))
        if lost:
            return f"{lost} overwritten"
        return joined(map(number, terms[-4:])) if len(terms) > 1 else ""

    def events_until(self, m: int) -> list[Visit | Write]:
        """What the engine did up to a moment in that training step."""
        step = self.moments[m].step
        return [event for moment in self.moments[: m + 1] if moment.step == step for event in moment.events]


class SliderPlay(NamedTuple):
    """A run as it is shown: `slider` is the name of its dial, `when` the positions of other dials at which it is seen."""

    play: Play
    slider: str
    when: When

    @property
    def hunted(self) -> bool:
        """Whether the reader looks for the first wrong node: not where the engine is known to be right, or gives no answer."""
        play = self.play
        return play.name != "right" and (play.fault is not None or play.right)

    @property
    def hunt(self) -> str:
        """The name of the dial of that search."""
        return f"hunt_{self.slider}"

    @property
    def over(self) -> When:
        """When the first wrong node is known."""
        return {self.hunt: [TRIES]} if self.hunted else {}

    @property
    def open(self) -> When:
        """When it is still looked for."""
        return {self.hunt: list(range(TRIES))}


def reset(event: Visit | Write) -> bool:
    """Whether zeros were put there that nobody sent."""
    return (
        isinstance(event, Write)
        and event.sender is None
        and numeric(event.value) is not None
        and not np.any(event.value)
    )


def _moments(passes: Sequence[Pass]) -> list[Moment]:
    found: list[Moment] = []
    for step, passed in enumerate(passes):
        found.append(Moment("forward", step))
        found += _of_events(passed, step)
        if passed.error is not None:
            found.append(Moment("raised", step))
        elif step + 1 < len(passes):
            found.append(Moment("learn", step))
    return found if passes[-1].error is not None else [*found, Moment("done", len(passes) - 1)]


def _of_events(passed, step):
    """A moment for each visit with what it sends, and one wherever an earlier visit goes on."""
    found: list[Moment] = []
    for event in passed.events:
        if isinstance(event, Visit):
            found.append(Moment("visit", step, event.node))
        elif not found:
            found.append(Moment("start", step))
        elif event.sender is not None and event.sender != found[-1].node:
            found.append(Moment("back", step, event.sender))
        found[-1].events.append(event)
    return found


def play(name: str, engine: Callable, lesson: Lesson, steps: int | None = None, caller: str = "WrongEngineLab") -> Play:
    """Run an engine on a graph; `steps`: other than the lesson's."""
    subject = Subject(lesson.fun, lesson.args, lesson.argnums, caller)
    return Play(name, engine, lesson, subject, lesson.steps if steps is None else steps)
