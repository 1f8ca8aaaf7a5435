"""The descents as lines that a saved page computes: the loss with its gradient, and one step of each optimizer, recorded."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ....engine import cast, value_and_grad
from ....mindspore import Parameter, Tensor, float64
from ....program import Recording, recorded
from ....tracing import holding, plain_function
from ...kit.reckoning import Const, Program
from .run import Frame, Loss, Maker, Waypoint

SLOTS, TOLERANCE = "kept", 1e-6
PLACES = ((0.2, 0.7), (0.81, 0.33))  # of the frame


@dataclass(frozen=True)
class Lines:
    """`ground`: a program of x and y, and where loss and gradient stand. `rules`: for each optimizer one of a parameter, its
    gradient, the rate and what is kept, and where the new ones stand; `begin`: what is kept at first; `common`: what else its
    formula takes, for each step, whatever the parameter."""

    ground: Mapping[str, Any]
    rules: Mapping[str, Mapping[str, Any]]

    def written(self) -> dict[str, Any]:
        """As the page reads it."""
        return {"ground": _as_read(self.ground), "rules": {name: _as_read(rule) for name, rule in self.rules.items()}}

    def walk(self, name: str, start: Sequence[float], rate: float) -> list[list[float]]:
        """Where an optimizer stands, step by step, as the page computes it."""
        rule, place, found = self.rules[name], list(start), [list(start)]
        kept = [rule["begin"], rule["begin"]]
        for common in rule["common"]:
            _, *slopes = _run(self.ground, place)
            new = [_run(rule, [p, g, rate, *k, *common]) for p, g, k in zip(place, slopes, kept, strict=True)]
            place, kept = [p for p, *_ in new], [k for _, *k in new]
            found.append(place)
        return found

    def agrees(
        self, descents: Callable[..., Mapping[str, Sequence[Waypoint]]], frame: Frame, rates: Sequence[float]
    ) -> bool:
        """Whether the lines walk as the optimizers do, from some places of the frame at all rates."""
        left, right, low, high = frame
        for a, b, rate in ((a, b, rate) for a, b in PLACES for rate in rates):
            start = left + a * (right - left), low + b * (high - low)
            try:
                wanted = descents(start, rate)
            except ValueError:  # no finite loss there
                continue
            for name, moments in wanted.items():
                places = [moment.place for moment in moments]
                if not np.allclose(self.walk(name, start, rate)[: len(places)], places, TOLERANCE, TOLERANCE):
                    return False
        return True


def lines_of(loss: Loss, makers: Mapping[str, Maker], steps: int) -> Lines | None:
    """None where a rule does what no line says, or the loss decides by its numbers."""
    try:
        return Lines(_ground(loss), {name: _rule(make, steps) for name, make in makers.items()})
    except Exception:  # whatever it is, the descents themselves went well
        return None


def _ground(loss):
    plain, values, _ = plain_function(
        lambda x, y: loss(x, y), [Tensor(np.array(v), float64) for v in (0.3, 0.7)], {}, None
    )
    recording = Recording()
    x, y = (recording.input(value, name) for value, name in zip(values, "xy", strict=True))
    height, (across, up) = recording.run(value_and_grad(plain, (0, 1)), x, y)
    program, known = Program.of(recording.log, dict(zip("xy", values, strict=True)), ["x", "y"])
    return {"program": program, "ends": [_end(known, box) for box in (height, across, up)]}


def _rule(make, steps):
    """What the formula of an optimizer makes of one parameter; what it counts besides is the same for each of them."""
    point = Parameter(Tensor(np.array(0.3), float64), name="point")
    optimizer = make([point], 0.1)
    slots = [getattr(optimizer, slot)[0] for slot in optimizer.slots]
    counted = [p for p in optimizer.get_parameters() if p.dtype != optimizer.global_step.dtype]
    counted = [p for p in counted if not any(p is other for other in (point, *slots, optimizer.learning_rate))]
    common = []
    for _ in range(steps):
        optimizer.before_step()
        common.append([float(p.asnumpy()) for p in counted])
    names = ["p", "g", "rate", *(f"{SLOTS}{i}" for i in range(len(slots))), *(p.name for p in counted)]
    values = [np.float64(0.3), np.float64(0.7), *(p._value for p in (optimizer.learning_rate, *slots, *counted))]
    given = {name: np.asarray(value) for name, value in zip(names, values, strict=True)}
    recording = Recording()
    boxes = [recording.input(value, name) for name, value in given.items()]

    def step(p, g, rate, *rest):
        with holding(counted, rest[len(slots) :]):
            return optimizer._step(p, g, cast(rate, np.float64), *rest[: len(slots)], place=0)

    found = recording.run(step, *boxes)
    program, known = Program.of(recording.log, given, names)
    begin = [float(slot.asnumpy()) for slot in slots]
    return {"program": program, "ends": [_end(known, box) for box in found], "begin": begin, "common": common}


def _end(known, box):
    """Where a result stands; a number that is always the same is one."""
    op = recorded(box)
    return known[op] if op is not None else Const(float(box))


def _run(held, given):
    """The ends of a program for its inputs."""
    program = held["program"]
    found = program.values([dict(zip(program.inputs, given, strict=True))])
    return [end.value if isinstance(end, Const) else float(found[end][0]) for end in held["ends"]]


def _as_read(held):
    ends = [[end.value] if isinstance(end, Const) else end for end in held["ends"]]
    return {**held, "program": held["program"].written(), "ends": ends}
