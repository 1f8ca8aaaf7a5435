"""The graphs that engines are tried on, small enough to follow by hand, and a run of an engine as moments, shown one by one.

What is said is a template whose numbers are named, as {g0_3}: the letter says which (see `_numbers`), then come the backward
pass and the event or node. So the page says the same of other inputs.
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
from .bench import Pass, Place, Visit, Write, backward_passes, numeric, raised_at
from .faults import Fault, Wrong, all_wrong, first_fault


@dataclass(frozen=True)
class Lesson:
    """A graph to try engines on: a function and its arguments. `text`: what the function computes, on one line. `shows`: the
    names of the engines whose fault it is made to show."""

    name: str
    fun: Callable
    args: tuple[Any, ...]
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


def chain(w: Any) -> Any:
    error = 2 * w - 6
    loss = error**2
    return loss


def lessons() -> list[Lesson]:
    """The built-in graphs: two paths of different length, a leaf used twice, a bias for a batch, one path.

    >>> [lesson.name for lesson in lessons()]
    ['diamond', 'used twice', 'bias', 'chain']
    """
    batch = np.array([[1.0, 2.0], [0.0, 1.0], [3.0, -1.0]])
    return [
        _lesson("diamond", diamond, ("recursion", "visited once"), 2.0),
        _lesson("used twice", used_twice, ("right", "overwrite"), 3.0, 2.0),
        _lesson("bias", bias, ("no unbroadcast",), batch, np.array([1.0, 2.0]), -2.0),
        _lesson("chain", chain, ("not reset",), 1.0),
    ]


def _lesson(name, fun, shows, *args):
    code = fun.__code__.replace(co_filename=f"<{fun.__name__}>")  # names are recorded in the user's code only
    rows = textwrap.dedent(inspect.getsource(fun)).splitlines()[1:-1]
    text = "; ".join(row.strip().replace("anp.", "") for row in rows)
    return Lesson(name, FunctionType(code, fun.__globals__, fun.__name__), args, text, shows)


MOST_SHOWN, MOST_SAID = 150, 5  # events of one backward pass; sentences of what happens at one moment
HARMLESS = {  # why a broken engine is right on a graph
    "recursion": "Here no node is processed before its upstream gradients are accumulated, or it makes no difference.",
    "overwrite": "Here no node gets several contributions, or the overwritten ones add up to zero.",
    "no unbroadcast": "Nothing is broadcast here, so every gradient has the shape of its value.",
}
HARMLESS["visited once"] = HARMLESS["recursion"]
SAID = {
    "forward": "The forward pass gives {output} = {value}.",
    "again": "A second forward pass gives {output} = {value}.",
    "rule": "The rule of this engine: {rule}",
    "zeros": "The engine sets every gradient to zero.",
    "seed": "The gradient of {node} is {value}.",
    "held": "The gradient of {node} from the previous backward pass is still {value}.",
    "visit": "The engine processes {node} with the gradient {value}.",
    "back": "Back at {node}, the engine passes on the next contribution.",
    "contribution": "{gradient} × {slope} = {part}",
    "first": "It adds {part} to the gradient of {node}.",
    "add": "It adds {part} to the gradient of {node}, which is {value} now.",
    "put": "It writes {part} over the gradient of {node}, which was {before}.",
    "": "It gets {part} for {node} and stores {value}.",
    "more": "And {count} more.",
    "right": "Done. Every gradient is right.",
    "wrong": "Done. Wrong gradients: {nodes}.",
}


@dataclass(eq=False)
class Moment:
    """`kind`: "forward", "start" (zeros and the upstream gradient of the output), "visit", "back" (an earlier visit goes on), or
    "done". `step`: the backward pass, from 0. `events`: what the engine did. `node`: whose visit it is."""

    kind: str
    step: int
    node: int | None = None
    events: list[Visit | Write] = field(default_factory=list)


class Play:
    """An engine on a graph. `passes`: its backward passes; `fault`: where it goes wrong first, or None; `wrongs`: the wrong nodes
    of each backward pass; `moments`; `numbers`: by their names."""

    def __init__(self, name: str, engine: Callable, lesson: Lesson, count: int):
        self.name, self.engine, self.lesson = name, engine, lesson
        self.passes: list[Pass] = backward_passes(engine, lesson.fun, lesson.args, count, "WrongEngineLab", MOST_SHOWN)
        self.fault: Fault | None = first_fault(self.passes)
        self.wrongs: list[list[Wrong]] = [all_wrong(passed) for passed in self.passes]
        self.error = self.passes[-1].error
        self.moments = [moment for step, passed in enumerate(self.passes) for moment in _moments(step, passed)]
        self.moments.append(Moment("done", len(self.passes) - 1))
        self.numbers = {name: one for step, passed in enumerate(self.passes) for name, one in _numbers(step, passed)}

    @property
    def right(self) -> bool:
        """Whether every gradient is right."""
        return self.fault is None and self.error is None

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
        stopped = raised_at(self.engine, self.error) if self.error and m == len(self.moments) - 1 else None
        return {event.place for event in self.moments[m].events if event.place} | ({stopped} if stopped else set())

    def cards(self, m: int) -> list[str | None]:
        """The names of the gradients that the nodes have at a moment, None for none yet. Where the engine keeps its gradients to
        itself, what it gives to `vjp`, and in the end its answer."""
        step, written = self.moments[m].step, set()
        held = self.passes[step].before
        now = [f"h{step}_{i}" if i in held else None for i in range(len(self.passes[step].bench.nodes))]
        for event in (e for moment in self.moments[: m + 1] if moment.step == step for e in moment.events):
            written |= {event.node} if isinstance(event, Write) else set()
            if isinstance(event, Write) or event.node not in written:
                now[event.node] = f"g{step}_{event.at}"
        return now

    # ---- sentences, with the names of their numbers ----

    def called(self, i: int) -> str:
        """What sentences call a node."""
        return self.passes[0].bench.called(i)

    def finding(self) -> str:
        """The first wrong node: what it has and should have, why, and how to fix it; "" where none is wrong."""
        if (fault := self.fault) is None:
            return ""
        bench = self.passes[fault.step].bench
        got, right = f"{{g{fault.step}_{fault.wrong.at}}}", f"{{r{fault.step}_{fault.wrong.node}}}"
        return "\n".join((report.first(fault, bench, got, right), report.why(fault, bench), report.fix(fault)))

    def said(self, m: int) -> str:
        """What happens at a moment."""
        moment = self.moments[m]
        if moment.kind == "done":
            return " ".join(filter(None, self._done()))
        if moment.kind == "forward":
            sentences = self._forward(moment.step)
        elif moment.kind == "start":
            sentences = self._start(moment)
        else:
            sentences = self._visit(moment)
        more = len(sentences) - MOST_SAID
        return " ".join(sentences[:MOST_SAID] + ([SAID["more"].format(count=more)] if more > 0 else []))

    def _forward(self, step):
        out, rule = self.passes[step].bench.output.index, (inspect.getdoc(self.engine) or "").strip().split("\n")[0]
        said = SAID["again" if step else "forward"].format(output=self.called(out), value=f"{{v{step}_{out}}}")
        return [said, *([SAID["rule"].format(rule=rule)] if rule and not step else [])]

    def _start(self, moment):
        step, passed = moment.step, self.passes[moment.step]
        zeros = [e.node for e in moment.events if e.resets]
        seeds = [("seed", e.node, f"{{g{step}_{e.at}}}") for e in moment.events if not e.resets]
        held = [("held", i, f"{{h{step}_{i}}}") for i in passed.before if i not in zeros]
        said = [SAID[kind].format(node=self.called(i), value=value) for kind, i, value in seeds + held]
        return [SAID["zeros"], *said] if len(zeros) >= len(passed.bench.nodes) else said

    def _visit(self, moment):
        visits = [e for e in moment.events if isinstance(e, Visit)]
        said = [SAID["visit"].format(node=self.called(e.node), value=f"{{g{moment.step}_{e.at}}}") for e in visits]
        said = said or [SAID["back"].format(node=self.called(moment.node))]
        writes = [e for e in moment.events if isinstance(e, Write) and e.sender is not None]
        return said + [self._stored(moment.step, write) for write in writes]

    def _stored(self, step, write):
        names = {
            "part": f"{{p{step}_{write.at}}}",
            "value": f"{{g{step}_{write.at}}}",
            "before": f"{{b{step}_{write.at}}}",
        }
        slope = f"s{step}_{self.passes[step].bench.uses.index((write.sender, write.use))}"
        if slope in self.numbers:
            names["part"] = SAID["contribution"].format(
                gradient=f"{{g{step}_{write.visit}}}", slope=f"{{{slope}}}", **names
            )
        kind = "first" if write.how and not np.any(write.before) else write.how
        return SAID[kind].format(node=self.called(write.node), **names)

    def _done(self):
        if self.error:
            return [report.RAISED.format(error=report.named(self.error))]
        if self.fault:
            return [SAID["wrong"].format(nodes=listed(self.called(one.node) for one in self.wrongs[self.fault.step]))]
        return [SAID["right"], report.detours(self.passes[-1]), HARMLESS.get(self.name, "")]


def _moments(step, passed):
    """The forward pass, a moment for each visit with what it sends, and one wherever an earlier visit goes on."""
    found = [Moment("forward", step)]
    for event in passed.events:
        if isinstance(event, Visit):
            found.append(Moment("visit", step, event.node))
        elif len(found) == 1:
            found.append(Moment("start", step))
        elif event.sender is not None and event.sender != found[-1].node:
            found.append(Moment("back", step, event.sender))
        found[-1].events.append(event)
    return found


def _numbers(step, passed):
    """By names. Of a node: v is its value, r its right gradient, h the gradient from the previous backward pass. Of an event: g
    is the gradient, b the one before, p the contribution. s is the local gradient of a use."""
    story = passed.bench.story
    for node, right in zip(story.nodes, passed.bench.gradients, strict=True):
        known = {"v": node.value, "r": right, "h": passed.before.get(node.index)}
        yield from ((f"{letter}{step}_{node.index}", value) for letter, value in known.items())
    sent = [(passed.bench.uses.index((one.node, use.place)), use.slope) for one in story.steps for use in one.sent]
    yield from ((f"s{step}_{k}", slope) for k, slope in sent if slope is not None)
    for event in passed.events:
        yield f"g{step}_{event.at}", event.gradient if isinstance(event, Visit) else event.value
        if isinstance(event, Write):
            yield from ((f"b{step}_{event.at}", event.before), (f"p{step}_{event.at}", event.part))


def filled(template: str, numbers: Mapping[str, Any]) -> str:
    """A template with its numbers, in brackets where they are negative and come after a sign.

    >>> filled("{g0_1} × {s0_1} = {p0_2}", {"g0_1": 2.0, "s0_1": -3.0, "p0_2": -6.0})
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
