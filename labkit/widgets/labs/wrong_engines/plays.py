"""The graphs that engines are tried on, small enough to follow by hand, and a run of an engine as moments, shown one by one."""

import inspect
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import FunctionType
from typing import Any

import autograd.numpy as anp
import numpy as np

from ...kit.words import brief, joined, number
from .bench import Bench, Pass, Place, Subject, Visit, Write, numeric, raised_at, train
from .faults import Fault, Wrong, all_wrong, first_fault, near
from .report import sign


@dataclass(frozen=True)
class Lesson:
    """A graph to try engines on: a function and its arguments. `steps`: training steps, for the engines that need more than
    one to go wrong, and for the right one. `text`: what the function computes, on one line. `shows`: the names of the
    engines whose fault it is made to show."""

    name: str
    fun: Callable
    args: tuple[Any, ...]
    steps: int = 1
    rate: float = 0.1
    argnums: int | tuple[int, ...] = 0
    text: str = ""
    shows: tuple[str, ...] = ()


def diamond(x: Any) -> Any:
    h = x**2
    a = h + 5
    loss = a * h
    return loss


def used_twice(x: Any, w: Any) -> Any:
    p = x * w
    loss = p + x
    return loss


def bias(x: Any, w: Any, b: Any) -> Any:
    h = x @ w + b
    loss = anp.sum(h**2)
    return loss


def three_steps(w: Any) -> Any:
    error = 2 * w - 6
    loss = error**2
    return loss


def lessons() -> list[Lesson]:
    """The built-in graphs: two paths of different length, a leaf used twice, a bias for a batch, three training steps.

    >>> [lesson.name for lesson in lessons()]
    ['diamond', 'used twice', 'bias', 'three steps']
    """
    batch = np.array([[1.0, 2.0], [0.0, 1.0], [3.0, -1.0]])
    return [
        _lesson("diamond", diamond, 2.0, shows=("right", "recursion", "visited once")),
        _lesson("used twice", used_twice, 3.0, 2.0, shows=("overwrite",)),
        _lesson("bias", bias, batch, np.array([1.0, 2.0]), -2.0, shows=("no unbroadcast",)),
        _lesson("three steps", three_steps, 1.0, steps=3, shows=("not reset",)),
    ]


def _lesson(name, fun, *args, **more):
    return Lesson(name, _as_users(fun), args, text=_body(fun), **more)


def _as_users(fun):
    """The same function as if the user had written it: names are recorded in the user's code only."""
    code = fun.__code__.replace(co_filename=f"<{fun.__name__}>")
    return FunctionType(code, fun.__globals__, fun.__name__)


def _body(fun):
    rows = textwrap.dedent(inspect.getsource(fun)).splitlines()[1:-1]
    return "; ".join(row.strip().replace("anp.", "") for row in rows)


MOST_SHOWN = 150  # events of one backward pass


@dataclass(eq=False)
class Moment:
    """`kind`: "forward", "start" (zeros and the upstream gradient of the output), "visit", "back" (an earlier visit goes on),
    "raised", "learn" or "done". `step`: the training step, from 0. `events`: what the engine did. `node`: whose visit it is."""

    kind: str
    step: int
    node: int | None = None
    events: list[Visit | Write] = field(default_factory=list)


class Play:
    """An engine on a graph. `passes`: its backward passes; `fault`: where it goes wrong first, or None; `wrongs`: the wrong nodes
    of each backward pass; `moments`; `steps`: the training steps asked for."""

    def __init__(self, name: str, engine: Callable, lesson: Lesson, steps: int):
        self.name, self.engine, self.lesson, self.steps = name, engine, lesson, steps
        self.subject = Subject(lesson.fun, lesson.args, lesson.argnums, "WrongEngineLab")
        self.passes: list[Pass] = train(engine, self.subject, steps, lesson.rate, MOST_SHOWN)
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

    def bench(self, m: int) -> Bench:
        """The forward pass that a moment belongs to."""
        return self.passes[self.moments[m].step].bench

    @cached_property
    def gradients_now(self) -> list[list[Any]]:
        """`gradients_now[m][i]`: the gradient of node i at moment m, None for none yet. Where the engine keeps its gradients to
        itself, what it gives to `vjp`, and in the end its answer."""
        found: list[list[Any]] = []
        for moment in self.moments:
            passed = self.passes[moment.step]
            now = [passed.before.get(i) for i in range(len(passed.bench.nodes))]
            now = now if moment.kind == "forward" else list(found[-1])
            for event in moment.events:
                if isinstance(event, Write):
                    now[event.node] = event.value
                elif not passed.has_writes or now[event.node] is None:
                    now[event.node] = event.gradient
            if moment.kind in ("learn", "done") and not passed.has_writes:
                now = [new if new is not None else old for old, new in zip(now, passed.result, strict=True)]
            found.append(now)
        return found

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

    def places(self, m: int) -> set[Place]:
        """The lines of code that ran at a moment."""
        stopped = raised_at(self.engine, self.error) if self.moments[m].kind == "raised" and self.error else None
        return {event.place for event in self.moments[m].events} | ({stopped} if stopped else set())

    def events_until(self, m: int) -> list[Visit | Write]:
        """What the engine did up to a moment in that training step."""
        step = self.moments[m].step
        return [event for moment in self.moments[: m + 1] if moment.step == step for event in moment.events]

    # ---- what a card says ----

    def look(self, m: int, i: int) -> str:
        """How the card of a gradient looks: "wrong", "now" where something happens to it, "none" where there is nothing yet."""
        if i in self.wrong_at(m):
            return "wrong"
        moment, value = self.moments[m], self.gradients_now[m][i]
        if any(event.node == i and (isinstance(event, Visit) or not reset(event)) for event in moment.events):
            return "now"
        known = value is not None and (numeric(value) is None or np.any(value))
        return "" if known or moment.kind == "done" else "none"

    def note(self, m: int, i: int) -> str:
        """How the gradient of a node came about, what was passed on several times, and what it should be."""
        sent = [e.gradient for e in self.events_until(m) if isinstance(e, Visit) and e.node == i]
        several = 1 < len(sent) <= 3 and all(np.size(g) == 1 for g in sent)
        passed = f"passed on {', '.join(map(brief, sent))}" if several else ""
        wrong, should = self.wrong_at(m).get(i), ""
        if wrong is not None:
            late = wrong.arrived is not None and near(self.gradients_now[m][i], wrong.expected)
            should = f"passed on {brief(wrong.arrived)}" if late and not passed else "" if late else sign(wrong)
        return ", ".join(filter(None, (self._history(m, i) if not (passed and should) else "", passed, should)))

    def _history(self, m, i):
        """`9 + 4`, or what was overwritten; "" for one part."""
        terms, lost, before = list[Any](), "", self.passes[self.moments[m].step].before.get(i)
        for event in self.events_until(m):
            if not isinstance(event, Write) or event.node != i:
                continue
            if np.size(event.value) != 1 or np.size(event.before) != 1 or numeric(event.value) is None:
                return ""
            if reset(event):
                terms = []
            elif terms and event.part is not None and near(event.value, np.asarray(event.part)):
                terms, lost = [event.part], number(event.before)
            else:
                terms = terms or ([before] if before is not None and np.any(event.before) else [])
                terms.append(np.asarray(event.value) - np.asarray(event.before))
        return f"{lost} overwritten" if lost else joined(map(number, terms[-4:])) if len(terms) > 1 else ""


def reset(event: Visit | Write) -> bool:
    """Whether zeros were put there that no node sent."""
    if not isinstance(event, Write) or event.sender is not None or numeric(event.value) is None:
        return False
    return not np.any(event.value)


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
