"""How data sinking looks: the batches that are run, pass by pass, and the ways of the work to the device and back."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from ....mindspore.train import Transfers
from ...kit.axes import Axis
from ...kit.grips import Grip
from ...kit.scene import STEP, Mark, Motion, Panel, circle, line, path, rect, text
from ...kit.strokes import Point, polyline
from ...kit.words import counted

Counts = Mapping[str, Sequence[Transfers]]  # by the name of a size, after each epoch
TILE, ROW, LEFT, TOP = 34.0, 27.0, 64.0, 42.0  # of the tiles, px
WIDTH, HOST, DEVICE = 440.0, 84.0, 216.0  # of the lanes
SLANT = 0.45  # of a step: how much of it the way to the device takes in the picture


def _joint(counts: Counts, of) -> list:
    """One value for each size and number of epochs, from `of(count, epochs, name)`."""
    return [of(count, epochs, name) for name, found in counts.items() for epochs, count in enumerate(found, 1)]


# ---- the data ----


def data_panel(counts: Counts, batches: int, joint: Mapping[str, int]) -> Panel:
    """A tile for each step that is run; two neighbouring epochs differ in their look, and each tile has its epoch's number."""
    most, longest = max(c.steps for found in counts.values() for c in found), max(map(len, counts.values()))
    rows = -(-most // batches)
    marks = [text(LEFT, 20, f"the data: {batches} batches", "name")]
    marks += [text(_x(c, batches) + TILE / 2 - 2, TOP - 6, str(c), "tick", "middle") for c in range(batches)]
    for row in range(rows):
        begun = _joint(counts, lambda count, epochs, _: max(count.steps, epochs * batches) > row * batches)  # noqa: B023
        name = text(8, TOP + row * ROW + 16, f"pass {row + 1}")
        marks.append(name.following(joint, state=["" if yes else "dim" for yes in begun]))
    marks += [_tile(step, "area", batches) for step in range(rows * batches)]
    for step in range(longest * batches):
        planned = ["hidden" if step >= epochs * batches else "" for epochs in range(1, longest + 1)]
        marks.append(_tile(step, "outline", batches).following("epochs", state=planned))
    for step in range(most):
        epochs = _joint(counts, lambda count, _, name: _epoch(step, counts[name]) if step < count.steps else 0)  # noqa: B023
        for odd, role in ((1, "op"), (0, "leaf")):
            seen = ["" if e and e % 2 == odd else "hidden" for e in epochs]
            if "" in seen:
                marks.append(_tile(step, role, batches).following(joint, state=seen))
        x, y = _x(step, batches) + TILE / 2 - 2, TOP + step // batches * ROW + 16
        marks.append(text(x, y, "", "value", "middle").following(joint, text=[str(e) if e else "" for e in epochs]))
    ends = [_end(found[0].steps, batches) for found in counts.values()]
    marks.append(path([(0, 0)], "before").following("size", d=[[(x, y - ROW + 3), (x, y)] for x, y in ends]))
    title = "In each tile its epoch; dashed: whole passes"
    return Panel("steps", title, LEFT + batches * TILE + 22, TOP + rows * ROW + 8, marks)


def _end(steps: int, batches: int) -> Point:
    """The lower end of the line behind a step."""
    return LEFT - 2 + ((steps - 1) % batches + 1) * TILE, TOP + ((steps - 1) // batches + 1) * ROW - 2


def _epoch(step: int, counts: Sequence[Transfers]) -> int:
    """Which epoch runs a step."""
    return next((epoch for epoch, count in enumerate(counts, 1) if step < count.steps), 0)


def _x(step, batches):
    return LEFT + step % batches * TILE


def _tile(step, role, batches) -> Mark:
    return rect(_x(step, batches), TOP + step // batches * ROW, TILE - 4, ROW - 5, role, 3)


def size_grip(sizes: Sequence[int | None], batches: int) -> Grip:
    """The end of the first epoch."""
    ends = [batches if size is None or size < 0 else size for size in sizes]
    spots = [_end(end, batches) for end in ends]
    return Grip("size", "steps", "sink_size, the end of epoch 1", "size", spots)


# ---- the lanes ----


def lanes_panel(counts: Counts, batches: int, joint: Mapping[str, int]) -> Panel:
    """The way of the work: down to the device, its steps there, and back to the host, which waits, a dot each time."""
    across = _steps_axis(counts)
    marks = [text(8, y + 4, name, "name") for y, name in ((HOST, "host"), (DEVICE, "device"))]
    marks += [line(across.start, y, across.end, y, "axis") for y in (HOST, DEVICE)]
    marks += across.below(DEVICE + 18, range(0, int(across.high) + 1, batches))
    marks.append(text(across.end, DEVICE + 34, "steps", "note", "end"))
    ways = {name: _way(found, across) for name, found in counts.items()}
    grown = _joint(counts, lambda _, epochs, name: ways[name][epochs - 1])
    marks.append(path([(across.start, HOST)], "edge").following(joint, d=grown))
    goals = [across(epochs * batches) for epochs in range(1, joint["epochs"] + 1)]
    marks.append(path([(0, 0)], "outline").following("epochs", d=[[(x, HOST - 14), (x, DEVICE + 6)] for x in goals]))
    marks += [*_waits(counts, across, joint), *_totals(counts, across, batches, joint)]
    tokens = [token for i, way in enumerate(ways.values()) for token in _tokens(i, way)]
    return Panel("lanes", "After each round trip the host waits", WIDTH, DEVICE + 78, marks, tokens=tokens)


def _steps_axis(counts):
    return Axis(0, max(c.steps for found in counts.values() for c in found), 66.0, WIDTH - 14)


def _way(counts: Sequence[Transfers], across: Axis) -> list[list[Point]]:
    """The way after each epoch: each round trip a step down, along the device, and up again."""
    points, found, done = [(across(0), HOST)], [], 0
    for before, now in pairwise([Transfers(), *counts]):
        trips = now.round_trips - before.round_trips
        size = (now.steps - before.steps) // trips
        for _ in range(trips):
            points += [
                (across(done + SLANT), DEVICE),
                (across(done + size - SLANT), DEVICE),
                (across(done + size), HOST),
            ]
            done += size
        found.append(list(points))
    return found


def _tokens(i, ways) -> Iterator[Mark]:
    """A token that takes the way of each epoch."""
    for position, (before, after) in enumerate(pairwise(ways), 1):
        going = Motion("epochs", "along", 0.0, STEP, position, 0.0, 1.0, polyline(after[len(before) - 1 :]))
        yield circle(0, 0, 6, "valuetoken", moves=[going], when={"size": [i]})


def stop_grips(counts: Counts) -> Iterator[Grip]:
    """The end of training."""
    across = _steps_axis(counts)
    for i, found in enumerate(counts.values()):
        spots = [(across(count.steps), HOST) for count in found]
        yield Grip("epochs", "lanes", "The end of training, in epochs", "epochs", spots, "x", when={"size": [i]})


def _waits(counts: Counts, across: Axis, joint) -> Iterator[Mark]:
    """A dot on the host's line for each round trip, where it ends; it comes when the work does."""
    most = max(count.round_trips for found in counts.values() for count in found)
    each = _joint(counts, lambda count, _, __: count)
    for k in range(1, most + 1):
        xs = [across(k * count.steps / count.round_trips) if k <= count.round_trips else 0.0 for count in each]
        dot = circle(0, HOST, 4.5, "backbar").following(joint, cx=xs, state=["" if x else "hidden" for x in xs])
        yield dot.moving("epochs", STEP, 0.0, "state")


def _totals(counts, across, batches, joint) -> Iterator[Mark]:
    """How many dots there are, and steps below; where the whole passes would end."""
    trips = [f"● {counted(n, 'round trip')}" for n in _joint(counts, lambda count, _, __: count.round_trips)]
    yield text(8, 26, "", "slope").following(joint, text=trips)
    steps = [counted(n, "step") for n in _joint(counts, lambda count, _, __: count.steps)]
    ends = [across(n) for n in _joint(counts, lambda count, _, __: count.steps)]
    yield text(0, DEVICE + 54, "", "forwardtext", "middle").following(joint, x=[max(x, 90.0) for x in ends], text=steps)
    epochs = range(1, joint["epochs"] + 1)
    words = [counted(n, "whole pass") for n in epochs]
    yield text(0, HOST - 22, "", "note", "end").following(
        "epochs", x=[max(across(n * batches) + 4, 130.0) for n in epochs], text=words
    )
