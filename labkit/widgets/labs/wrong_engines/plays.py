"""The graphs that engines are tried on, small enough to follow by hand, and a run of an engine as moments, shown one by one.

What is said is a template whose numbers are named, as {g0_3}: the letter says which (`Play.numbers`), then the training step and the event or
node. So the page says the same of other inputs.
"""

import inspect
import re
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any

import autograd.numpy as anp
import numpy as np

from ...kit.words import bracketed, in_full, listed
from . import report
from .bench import Endless, Pass, Place, Subject, Visit, Write, numeric, raised_at, train
from .faults import Fault, Wrong, all_wrong, first_fault, near


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
    code = fun.__code__.replace(co_filename=f"<{fun.__name__}>")  # as the user's: names are recorded in the user's code only
    rows = textwrap.dedent(inspect.getsource(fun)).splitlines()[1:-1]
    text = "; ".join(row.strip().replace("anp.", "") for row in rows)
    return Lesson(name, FunctionType(code, fun.__globals__, fun.__name__), args, text=text, **more)


MOST_SHOWN = 150  # events of one backward pass
MOST_SAID = 5  # sentences of what happens at one moment
HARMLESS = {  # why a broken engine is right on a graph
    "recursion": "Here no node is processed before its upstream gradients are accumulated, or it makes no difference.",
    "overwrite": "Here no node gets several contributions, or the overwritten ones add up to zero.",
    "no unbroadcast": "Nothing is broadcast here, so every gradient has the shape of its value.",
    "not reset": "There is nothing left over from an earlier step here.",
}
HARMLESS["visited once"] = HARMLESS["recursion"]
SAID = {
    "forward": "The forward pass gives {output} = {value}.",
    "rule": "The rule of this engine: {rule}",
    "again": "Training step {step}: the forward pass with {learned} gives {output} = {value}.",
    "zeros": "The engine sets every gradient to zero.",
    "seed": "The gradient of {node} is {value}.",
    "held": "The gradient of {node} from the step before is still {value}.",
    "visit": "The engine processes {node} with the gradient {value}.",
    "back": "Back at {node}, the engine passes on the next contribution.",
    "contribution": "{gradient} × {slope} = {part}",
    "first": "It adds {part} to the gradient of {node}.",
    "add": "It adds {part} to the gradient of {node}, which is {value} now.",
    "put": "It writes {part} over the gradient of {node}, which was {before}.",
    "stored": "It gets a contribution of shape {shape} for {node} and stores {value}.",
    "more": "And {count} more.",
    "stopped": "The lab stopped the engine here: {error}.",
    "raised": "The engine raises {error}.",
    "learn": "Gradient descent: {node} = {old} − {rate} × {gradient} = {new}.",
    "right": "Done. Every gradient is right.",
    "branch": "In the next step the function takes another branch, so the steps end here.",
    "wrong": "Done. Wrong gradients: {nodes}.",
}


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
        self.moments = [moment for step, passed in enumerate(self.passes) for moment in self._moments(step, passed)]
        self.numbers = {name: value for step, passed in enumerate(self.passes) for name, value in _numbers(step, passed)}

    def _moments(self, step, passed):
        """A moment for each visit with what it sends, and one wherever an earlier visit goes on."""
        found = [Moment("forward", step)]
        for event in passed.events:
            if isinstance(event, Visit):
                found.append(Moment("visit", step, event.node))
            elif len(found) == 1:
                found.append(Moment("start", step))
            elif event.sender is not None and event.sender != found[-1].node:
                found.append(Moment("back", step, event.sender))
            found[-1].events.append(event)
        last = passed is self.passes[-1]
        return [*found, Moment("raised" if passed.error else "done" if last else "learn", step)]

    @property
    def right(self) -> bool:
        """Whether every gradient of every step is right."""
        return self.fault is None and self.passes[-1].error is None and not self.passes[-1].problem

    @property
    def first(self) -> int | None:
        """The moment at which the first wrong node shows."""
        return self.shows(self.fault.step, self.fault.wrong) if self.fault else None

    def shows(self, step: int, wrong: Wrong) -> int:
        """The moment at which a node is seen to be wrong."""
        mine = [m for m, moment in enumerate(self.moments) if moment.step == step]
        return next((m for m in mine if any(event.at == wrong.at for event in self.moments[m].events)), mine[-1])

    def places(self, m: int) -> set[Place]:
        """The lines of code that ran at a moment."""
        error = self.passes[-1].error if self.moments[m].kind == "raised" else None
        stopped = raised_at(self.engine, error) if error else None
        return {event.place for event in self.moments[m].events} | ({stopped} if stopped else set())

    def cards(self, m: int) -> list[str | None]:
        """The names of the gradients that the nodes have at a moment, None for none yet. Where the engine keeps its gradients to
        itself, what it gives to `vjp`, and in the end its answer."""
        step, passed = self.moments[m].step, self.passes[self.moments[m].step]
        now = [f"h{step}_{i}" if i in passed.before else None for i in range(len(passed.bench.nodes))]
        for moment in self.moments[: m + 1]:
            for event in moment.events if moment.step == step else ():
                if isinstance(event, Write) or not passed.has_writes or now[event.node] is None:
                    now[event.node] = f"g{step}_{event.at}"
        if self.moments[m].kind in ("learn", "done") and not passed.has_writes:
            now = [f"f{step}_{i}" if passed.result[i] is not None else name for i, name in enumerate(now)]
        return now

    # ---- sentences, with the names of their numbers ----

    def called(self, i: int) -> str:
        """What sentences call a node."""
        return self.passes[0].bench.called(i)

    def said(self, m: int) -> str:
        """What happens at a moment."""
        return " ".join(getattr(self, f"_{self.moments[m].kind}")(self.moments[m].step, self.moments[m]))

    def finding(self) -> str:
        """The first wrong node: what it has and should have, why, the line, and how to fix it; "" where none is wrong."""
        if (fault := self.fault) is None:
            return ""
        passed, wrong = self.passes[fault.step], fault.wrong
        got = f"g{fault.step}_{wrong.at}" if wrong.at < len(passed.events) else f"f{fault.step}_{wrong.node}"
        lines = (
            report.first(fault, passed.bench, f"{{{got}}}", f"{{r{fault.step}_{wrong.node}}}"), report.why(fault, passed.bench),
            "The line at fault: {code}".format(code=fault.code) if fault.code else "", report.fix(fault),
        )  # fmt: skip
        return "\n".join(filter(None, lines))

    def _forward(self, step, moment):
        out = self.passes[step].bench.output.index
        said = {"output": self.called(out), "value": f"{{v{step}_{out}}}", "step": step + 1}
        if step:
            learned = listed(f"{self.called(i)} = {{v{step}_{i}}}" for i in self.subject.learned)
            return [SAID["again"].format(learned=learned, **said)]
        rule = (inspect.getdoc(self.engine) or "").strip().split("\n")[0]
        return [SAID["forward"].format(**said), *([SAID["rule"].format(rule=rule)] if rule else [])]

    def _start(self, step, moment):
        passed, zeros = self.passes[step], [e.node for e in moment.events if e.resets]
        said = [SAID["zeros"]] if len(zeros) >= len(passed.bench.nodes) else []
        seeds = [("seed", e.node, f"{{g{step}_{e.at}}}") for e in moment.events if not e.resets]
        held = [("held", i, f"{{h{step}_{i}}}") for i in passed.before if i not in zeros]
        return _few(said + [SAID[kind].format(node=self.called(i), value=value) for kind, i, value in seeds + held])

    def _visit(self, step, moment):
        visits = [e for e in moment.events if isinstance(e, Visit)]
        said = [SAID["visit"].format(node=self.called(e.node), value=f"{{g{step}_{e.at}}}") for e in visits]
        said = said or [SAID["back"].format(node=self.called(moment.node))]
        writes = [e for e in moment.events if isinstance(e, Write) and e.sender is not None]
        return _few(said + [self._stored(step, write) for write in writes])

    _back = _visit

    def _stored(self, step, write):
        part = f"{{p{step}_{write.at}}}"
        if (slope := f"s{step}_{write.sender}_{write.use}") in self.numbers:
            part = SAID["contribution"].format(gradient=f"{{g{step}_{write.visit}}}", slope=f"{{{slope}}}", part=part)
        kind = "add" if np.any(write.before) else "first"
        if np.shape(write.part) != self.passes[step].bench.nodes[write.node].value.shape:
            kind = "stored"
        elif np.any(write.before) and near(write.value, np.asarray(write.part)):
            kind = "put"
        said = {"part": part, "value": f"{{g{step}_{write.at}}}", "before": f"{{b{step}_{write.at}}}"}
        return SAID[kind].format(node=self.called(write.node), shape=report.dims(np.shape(write.part)), **said)

    def _raised(self, step, moment):
        error = self.passes[step].error
        if isinstance(error, Endless):
            return [SAID["stopped"].format(error=error)]
        return [SAID["raised"].format(error=report.named(error)), report.how_far(self.passes[step])]

    def _learn(self, step, moment):
        return _few([
            SAID["learn"].format(node=self.called(i), old=f"{{v{step}_{i}}}", rate=f"{self.lesson.rate:g}",
                                 gradient=f"{{f{step}_{i}}}", new=f"{{v{step + 1}_{i}}}") for i in self.subject.learned
        ])  # fmt: skip

    def _done(self, step, moment):
        passed = self.passes[-1]
        if passed.problem:
            return [report.NO_ANSWER.format(problem=passed.problem)]
        if self.fault:
            return [SAID["wrong"].format(nodes=listed(self.called(one.node) for one in self.wrongs[self.fault.step]))]
        branch = SAID["branch"] if len(self.passes) < self.steps else ""
        why = HARMLESS.get(self.name, "") if not branch and (self.name != "not reset" or len(self.passes) == 1) else ""
        return filter(None, (SAID["right"], report.detours(passed), branch, why))


def _few(sentences):
    """The first ones of many sentences."""
    more = len(sentences) - MOST_SAID
    return [*sentences[:MOST_SAID], *([SAID["more"].format(count=more)] if more > 0 else [])]


def _numbers(step, passed):
    """By names: v, r, h and f are the value of a node, its right gradient, what it held from the step before and what it has in the end; g, b and p
    are the gradient of an event, what was there before and the contribution; s is the local gradient of a use."""
    bench, story = passed.bench, passed.bench.story
    for node, right, final in zip(bench.nodes, bench.gradients, passed.result, strict=True):
        yield from ((f"v{step}_{node.index}", node.value), (f"r{step}_{node.index}", right), (f"f{step}_{node.index}", final))
        yield f"h{step}_{node.index}", passed.before.get(node.index)
        sent = story.step_of[node.index].sent if node.index in story.step_of else ()
        yield from ((f"s{step}_{node.index}_{one.place}", one.slope) for one in sent if one.slope is not None)
    for event in passed.events:
        yield f"g{step}_{event.at}", event.gradient if isinstance(event, Visit) else event.value
        if isinstance(event, Write):
            yield from ((f"b{step}_{event.at}", event.before), (f"p{step}_{event.at}", event.part))


def filled(template: str, numbers: Mapping[str, Any]) -> str:
    """A template with its numbers, in brackets where they are negative and come after a sign.

    >>> filled("{g0_1} × {s0_1_0} = {p0_2}", {"g0_1": 2.0, "s0_1_0": -3.0, "p0_2": -6.0})
    '2 × (−3) = −6'
    """

    def number(found):
        if found[2] not in numbers:
            return found[0]  # it is code in braces
        return found[1] + bracketed(shown(numbers[found[2]])) if found[1] else shown(numbers[found[2]])

    return re.sub(r"(× )?\{(\w+)\}", number, template)


def shown(value: Any) -> str:
    """A gradient or value: short arrays in full."""
    return in_full(value, 3) if numeric(value) is not None else repr(value)
