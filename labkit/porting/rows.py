"""The compared values, in order: the forward pass of PyTorch's model, its buffers, then the backward pass."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .layouts import same_numbers
from .rounding import Difference, Rule
from .runs import Call, Run


@dataclass
class Compared:
    """One thing that both models have: where, which `part` ("output", "gradient of weight", ...), and the result.

    `torch`, `mindspore`: the paths of the two modules, "" for the model itself; `kinds`: the names of their classes. `mode`:
    "eval" or "training". `differs`: beyond what rounding explains. `difference`: the two arrays, `.torch` and `.mindspore`,
    with `.index`, where they differ most, `.max_abs` and `.max_rel`; None where it is described in words, `said`. `settings`:
    those that differ between the two modules; `reason`: what made the difference go away when it was tried.
    """

    part: str
    torch: str
    mindspore: str
    mode: str
    differences: list[Difference] = field(default_factory=list)
    said: str = ""
    end: bool = False  # what a caller of the model sees
    calls: tuple[Call, Call] | None = None
    excused: str = ""
    kinds: tuple[str, str] = ("", "")
    settings: list[str] = field(default_factory=list)
    reason: str = ""

    @property
    def differs(self) -> bool:
        return bool(self.said) or any(d.differs for d in self.differences)

    @property
    def difference(self) -> Difference | None:
        """Of its tensors the first that differs; where none does, the first."""
        return next((d for d in self.differences if d.differs), self.differences[0] if self.differences else None)


@dataclass
class Both:
    """The runs of both models in one mode, those of PyTorch's with moved numbers, and the calls that belong together."""

    sides: tuple[Any, Any]
    runs: tuple[Run, Run]
    moved: list[Run]
    matching: Any
    calls: dict[Call, Call]
    mode: str
    rule: Rule

    def difference(self, a, b, moves) -> Difference:
        """Two arrays, with what rounding explains; in another order of axes, if it is that."""
        for way in same_numbers(a, b):
            turned = [way.carry(m) for m in moves if m.shape == a.shape]
            there = Difference(way.carry(a), b, self.rule.allowed(way.carry(a), turned))
            if not there.differs:
                return there
        return Difference(a, b, self.rule.allowed(a, moves))

    def row(self, part, calls, **more) -> Compared:
        kinds = tuple(side.parts[call[0]].kind for side, call in zip(self.sides, calls, strict=True))
        return Compared(part, calls[0][0], calls[1][0], self.mode, calls=calls, kinds=kinds, **more)  # type: ignore[arg-type]


def rows_of(both: Both) -> list[Compared]:
    """Every row, in order; an error of a model is where it was raised."""
    forward = list(_forward(both))
    if both.runs[1].error:
        return [*forward, _raised(both)]
    for row in forward:
        row.excused = _cut_elsewhere(both, row) if row.differs and not row.end else ""
    return [*forward, *_outputs(both), *_kept(both), *_backward(both)]


def _forward(both):
    root = both.runs[0].calls()[0]
    orders = [_units(both, side) for side in (0, 1)]
    for event in both.runs[0].events:
        call = event.call
        other = both.calls.get(call)
        values = both.runs[1].values(event.kind, other) if other else None
        if values is None:
            continue
        made = _differences(both, event, values)
        if event.kind == "input" and call in orders[0] and any(d.differs for d in made):
            places = [order.index(c) + 1 for order, c in zip(orders, (call, other), strict=True)]
            if places[0] != places[1]:
                yield both.row("order of calls", (call, other), said=f"called as number {places[0]} | {places[1]}")
        if made:
            yield both.row(event.kind, (call, other), differences=made, end=call == root and event.kind == "output")
        if event.kind == "output" and call in orders[0]:
            counts = [sum(c[0] == mine[0] for c in order) for order, mine in zip(orders, (call, other), strict=True)]
            if counts[0] != counts[1] and call[1] + 1 == min(counts) and not both.runs[1].error:
                yield both.row("calls", (call, other), said=f"called {counts[0]} | {counts[1]} times")


def _units(both, side):
    """The calls of matched modules with parameters, in order."""
    paths = {(pair.torch if side == 0 else pair.mindspore).path for pair in both.matching.pairs}
    return [call for call in both.runs[side].calls() if call[0] in paths]


def _differences(both, event, values):
    moves = [m.values(event.kind, event.call) or [] for m in both.moved]
    return [
        both.difference(a, b, [m[i] for m in moves if i < len(m)])
        for i, (a, b) in enumerate(zip(event.values, values, strict=False))
    ]


def _is_unit(both, call):
    return any(pair.torch.path == call[0] for pair in both.matching.pairs)


def _raised(both):
    run = both.runs[1]
    path = run.inside[0] if run.inside else ""
    back = next((a for a, b in both.calls.items() if b[0] == path), ("", 0))
    return both.row(
        "error", (back, run.inside or ("", 0)), said=f"raises {type(run.error).__name__}: {run.error}", end=True
    )


def _outputs(both):
    """Where the models give another number of tensors."""
    counts = [len(run.outputs) for run in both.runs]
    if counts[0] != counts[1]:
        root = both.runs[0].calls()[0], both.runs[1].calls()[0]
        yield both.row("output", root, said=f"{counts[0]} | {counts[1]} tensors", end=True)


def _kept(both):
    """Buffers after the run."""
    for pair in both.matching.pairs:
        for x, y, layout in pair.held:
            if not (x.buffer or y.buffer):
                continue
            a, b = both.runs[0].state[pair.torch.path, x.name], both.runs[1].state[pair.mindspore.path, y.name]
            moves = [layout.carry(m.state[pair.torch.path, x.name]) for m in both.moved]
            found = both.difference(layout.carry(a), b, moves)
            calls = (pair.torch.path, 0), (pair.mindspore.path, 0)
            yield both.row(f"{x.name} afterwards", calls, differences=[found], end=True)


def _backward(both):
    """From the last layer to the first: gradients with respect to parameters, and to what went in."""
    if not all(run.gradients or run.to_inputs for run in both.runs):
        return
    told = set()
    for call in reversed(both.calls):
        pair = next((p for p in both.matching.pairs if p.torch.path == call[0]), None)
        if pair is None and call != both.runs[0].calls()[0]:
            continue
        if pair and pair.torch.path not in told:
            told.add(pair.torch.path)
            yield from _of_parameters(both, pair)
        other = both.calls[call]
        slopes = [run.through.get(c, []) for run, c in zip(both.runs, (call, other), strict=True)]
        moves = [m.through.get(call, []) for m in both.moved]
        made = []
        for i, (a, b) in enumerate(zip(*slopes, strict=False)):
            if a is not None or b is not None:
                a, b = _zeros(a, b), _zeros(b, a)
                made.append(both.difference(a, b, [m[i] for m in moves if i < len(m) and m[i] is not None]))
        if made:
            yield both.row("gradient of the input", (call, other), differences=made, end=pair is None)


def _of_parameters(both, pair):
    for x, y, layout in pair.held:
        if x.buffer and y.buffer:
            continue
        keys = (pair.torch.path, x.name), (pair.mindspore.path, y.name)
        a, b = (run.gradients.get(key) for run, key in zip(both.runs, keys, strict=True))
        if a is None and b is None:
            continue
        moves = [layout.carry(g) for m in both.moved if (g := m.gradients.get(keys[0])) is not None]
        a = layout.carry(a) if a is not None else _zeros(None, b)
        found = both.difference(a, _zeros(b, a), moves)
        yield both.row(
            f"gradient of {x.name}", ((pair.torch.path, 0), (pair.mindspore.path, 0)), differences=[found], end=True
        )


def _zeros(array, like):
    """A gradient that nothing arrived for is zero."""
    return np.zeros_like(like) if array is None else array


def _cut_elsewhere(both, row):
    """Why a row that differs does not count: the other side computes the same a little later; "" otherwise.

    An example is a layer that applies its activation itself, while the other leaves it to the next module.
    """
    if row.said or (row.part == "input" and _is_unit(both, row.calls[0])):
        return ""
    found = row.difference
    for side, given in enumerate((found.mindspore, found.torch)):
        for event in _later(both, side, row.part, row.calls[side]):
            if any(v.shape == given.shape and not _apart(v, given, found) for v in event.values):
                name = event.call[0] or "the model"
                return "on the other side, it is the {part} of {name}".format(part=event.kind, name=name)
    return "" if _is_unit(both, row.calls[0]) else _ends_alike(both, row)


def _apart(a, b, found):
    limit = found.allowed if found.allowed.shape == a.shape else np.full(a.shape, np.max(found.allowed, initial=0.0))
    return Difference(a, b, limit).differs


def _later(both, side, kind, call):
    """The events after that of the row, as far as the next module with parameters."""
    run, units = both.runs[side], {call[0] for call in _units(both, side)}
    at = next(i for i, event in enumerate(run.events) if event.call == call and event.kind == kind)
    last = next((i for i in range(at + 1, len(run.events)) if run.events[i].call[0] in units), len(run.events) - 1)
    return run.events[at + 1 : last + 1]


def _ends_alike(both, row):
    """Where modules without parameters differ and what the next one with parameters gets does not, the order is another."""
    events = both.runs[0].events
    at = next(i for i, e in enumerate(events) if e.call == row.calls[0] and e.kind == row.part)
    for event in events[at + 1 :]:
        if event.kind == "input" and _is_unit(both, event.call) and event.call in both.calls:
            values = both.runs[1].values("input", both.calls[event.call]) or []
            found = _differences(both, event, values)
            equal = found and not any(d.differs for d in found)
            return "{name} gets the same".format(name=event.call[0]) if equal else ""
    return ""
