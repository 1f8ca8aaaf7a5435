"""How data sinking looks: an epoch is a row of steps, as long as sink_size; beside it, how often each batch was read."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product

from ....mindspore.train import Transfers
from ...kit.axes import Axis
from ...kit.grips import Grip
from ...kit.scene import STEP, Link, Mark, Motion, Panel, circle, path, rect, text
from ...kit.strokes import polyline
from ...kit.words import counted, number
from .lanes import lanes

Counts = Mapping[str, Sequence[Transfers]]  # by the name of a size, after each epoch
TILE, PITCH, ROW, LEFT, TOP = 19.0, 26.0, 31.0, 56.0, 50.0  # px, of the tiles; between them is room for a dot
TURNED, STOP = ("−1", "off"), 26.0  # sizes that are no number; px between their stops
RULE, EDGE = 34.0, 18.0  # of the lines that are as long as an epoch, and as all of them
READ, WIDE, SIDE, ABOVE = 12.0, 48.0, 42.0, 30.0  # of the tiles of batches


def _joint(counts: Counts, of) -> list:
    """One value for each size and number of epochs, from `of(count, epochs, name)`."""
    return [of(count, epochs, name) for name, found in counts.items() for epochs, count in enumerate(found, 1)]


def _role(step, batches) -> str:
    """The look of a step: another one in each pass over the data."""
    return ("op", "leaf")[step // batches % 2]


# ---- the steps ----


def steps_panel(counts: Counts, batches: int, joint: Mapping[str, int]) -> Panel:
    """A row for each epoch, and in it a tile for each step, with the number of the batch that it reads; a dot where the host
    waits. Below, both as time."""
    across, epochs = steps_axis(counts), joint["epochs"]
    bottom = TOP + epochs * ROW
    marks = [text(LEFT - 4, RULE + 8, "epoch", "name", "end"), *_lengths(counts, across, epochs)]
    for row in range(epochs):
        label = text(LEFT - 8, TOP + row * ROW + 17, str(row + 1), "value", "end")
        marks.append(label.following("epochs", state=["" if row <= last else "dim" for last in range(epochs)]))
    marks += [_tile(i, row, across, "area") for row, i in product(range(epochs), range(round(across.high)))]
    for i, found in enumerate(counts.values()):
        marks += [*_steps(i, found, across, batches), *_waits(i, found, across)]
    marks += across.below(bottom + 12, range(0, round(across.high) + 1, 4))
    marks.append(text(across(2), bottom + 12, "step", "note", "middle"))
    for k in range(2):
        marks.append(rect(across(5) + 12 * k, 5, 10, 10, _role(k * batches, batches), 2))
    marks.append(text(across(5) + 30, 14, "the data begins anew", "note"))
    right = across.end + (len(TURNED) + 0.6) * STOP
    marks += lanes(counts, joint, LEFT, right, bottom + 44)
    tokens = [token for i, found in enumerate(counts.values()) for token in _tokens(i, found, across)]
    title = f"A tile is a step, its number one of {batches} batches"
    return Panel("steps", title, right + 4, bottom + 108, marks, tokens=tokens)


def steps_axis(counts: Counts) -> Axis:
    """The steps of an epoch, up to those of the longest."""
    longest = max(found[0].steps for found in counts.values())
    return Axis(0, longest, LEFT, LEFT + longest * PITCH)


def _lengths(counts, across, epochs) -> Iterator[Mark]:
    """How long an epoch is, and how many there are, as lines with a handle at their ends."""
    ends = _stops(counts, across)
    said = [_length(name, found[0].steps) for name, found in counts.items()]
    yield text(LEFT, 14, "", "forwardtext").following("size", text=said)
    first, last = across(1), max(ends)
    yield path([(first, RULE), (last, RULE)], "grid")
    for name, x in zip(counts, ends, strict=True):
        yield circle(x, RULE, 2, "inkhead")
        if name in TURNED:
            yield text(x, RULE - 12, name, "tick", "middle")
    yield path([(LEFT, RULE)], "edge").following("size", d=[[(LEFT, RULE), (x, RULE)] for x in ends])
    ways = [[(EDGE, TOP), (EDGE, TOP + n * ROW - 5)] for n in range(1, epochs + 1)]
    yield path(ways[0], "edge").following("epochs", d=ways)


def _stops(counts, across) -> list[float]:
    """Where each size is dragged to: numbers where an epoch of so many steps ends, the others beyond."""
    beyond = {name: across.end + (k + 1) * STOP for k, name in enumerate(TURNED)}
    return [beyond.get(name, across(found[0].steps)) for name, found in counts.items()]


def _length(name, steps) -> str:
    whole = {"−1": f"−1: all {steps} steps", "off": f"not sunk: all {steps}"}
    return whole.get(name, f"sink_size {name}")


def _tile(i, row, across, role) -> Mark:
    return rect(across(i) + (PITCH - TILE) / 2, TOP + row * ROW, TILE, ROW - 6, role, 3)


def _steps(i, found, across, batches) -> Iterator[Mark]:
    """The steps of a size: each in the look of its pass over the data, with the batch that it reads."""
    size = found[0].steps
    for step in range(found[-1].steps):
        row, place = divmod(step, size)
        tile = replace(_tile(place, row, across, _role(step, batches)), when={"size": [i]}, link=f"step {step}")
        x, y = across(place) + PITCH / 2, TOP + row * ROW + 17
        batch = text(x, y, str(step % batches), "tiletext", "middle", when={"size": [i]})
        for mark in (tile, batch):
            mark = mark.varying("epochs", state=[(0, "hidden"), (row, "")] if row else [])
            yield mark.moving("epochs", reached(place + 1, across), 0.0, "state")


def reached(steps, across) -> float:
    """When the work of an epoch has done so many steps, each of which takes as long, ms."""
    return STEP * steps / across.high


def _waits(i, found, across) -> Iterator[Mark]:
    """A dot at the end of each round trip, where the host waits."""
    trips = zip((0, *(count.round_trips for count in found)), found)
    for row, (before, count) in enumerate(trips):
        several, size = count.round_trips - before, found[0].steps
        for k in range(1, several + 1):
            place = across(k * size / several)
            dot = circle(place, TOP + row * ROW + 12.5, 3.5, "backbar", when={"size": [i]})
            if row:
                dot = dot.varying("epochs", state=[(0, "hidden"), (row, "")])
            yield dot.moving("epochs", reached(k * size / several, across), 0.0, "state")


def _tokens(i, found, across) -> Iterator[Mark]:
    """The work of an epoch, on its way along the row."""
    for row in range(1, len(found)):
        y = TOP + row * ROW + 12.5
        way = polyline([(LEFT, y), (across(found[0].steps), y)])
        going = Motion("epochs", "along", 0.0, reached(found[0].steps, across), row, 0.0, 1.0, way)
        yield circle(0, 0, 6, "valuetoken", moves=[going], when={"size": [i]})


def grips(counts: Counts, batches: int) -> Iterator[Grip]:
    """The end of an epoch, and the end of training."""
    across, epochs = steps_axis(counts), max(map(len, counts.values()))
    ends = [(x, RULE) for x in _stops(counts, across)]
    yield Grip("size", "steps", "sink_size, the steps of an epoch", "size", ends, "x")
    lasts = [(EDGE, TOP + n * ROW - 5) for n in range(1, epochs + 1)]
    yield Grip("epochs", "steps", "The end of training, in epochs", "epochs", lasts, "y")


def links(losses: Sequence[float], batches: int) -> dict[str, Link]:
    """What a step reads and what its loss is, and all steps of a batch: wherever they are drawn."""
    steps = {
        f"step {k}": Link(
            f"step {k + 1}: batch {k % batches}", [f"Step {k + 1} reads batch {k % batches}", f"loss {number(loss)}"]
        )
        for k, loss in enumerate(losses)
    }
    return steps | {
        f"batch {k}": Link(f"batch {k}", [f"Batch {k}"], lights=[f"step {i}" for i in range(k, len(losses), batches)])
        for k in range(batches)
    }


# ---- the data ----


def data_panel(counts: Counts, batches: int, joint: Mapping[str, int]) -> Panel:
    """A column for each batch, which grows by a tile whenever a step reads it; dashed, as many whole passes as epochs."""
    most = max(found[-1].steps for found in counts.values())
    rows, epochs = -(-most // batches), joint["epochs"]
    up = Axis(0, rows, ABOVE + rows * READ, ABOVE)
    right = SIDE + batches * WIDE
    marks = [*up.beside(SIDE - 6, range(0, rows + 1, 3), grid=(SIDE, right))]
    for step in range(rows * batches):
        x, y = SIDE + step % batches * WIDE + 2, up(step // batches + 1) + 1.5
        runs = _joint(counts, lambda count, *_: "" if step < count.steps else "hidden")  # noqa: B023
        if "" in runs:
            tile = rect(x, y, WIDE - 4, READ - 3, _role(step, batches), 2, link=f"step {step}")
            marks.append(tile.following(joint, state=runs))
    for batch in range(batches):
        x = SIDE + (batch + 0.5) * WIDE
        marks.append(text(x, up.start + 16, str(batch), "value", "middle", link=f"batch {batch}"))
    marks.append(text(1, up.start + 16, "batch", "note"))
    goals = [[(SIDE, up(n)), (right, up(n))] for n in range(1, epochs + 1)]
    marks.append(path(goals[0], "before").following("epochs", d=goals))
    said = [f"━ {counted(n, 'whole pass')}: {n * batches} steps" for n in range(1, epochs + 1)]
    marks.append(text(SIDE, 18, "", "name").following("epochs", text=said))
    missing = _joint(counts, lambda c, e, _: _missing(c.steps - e * batches))
    marks.append(text(right, 18, "", "plain", "end").following(joint, text=missing))
    return Panel("data", "How often each batch is read", right + 12, up.start + 26, marks)


def _missing(more) -> str:
    """How far the run is from as many passes as epochs."""
    return f"{abs(more)} {'more' if more > 0 else 'fewer'} are run" if more else "as many are run"
