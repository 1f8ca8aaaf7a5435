"""How data sinking looks: an epoch is a row of steps, as long as sink_size; beside it, how often each batch was read."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from ....mindspore.train import Transfers
from ...kit.axes import Axis
from ...kit.grips import Grip
from ...kit.scene import STEP, Mark, Motion, Panel, circle, path, rect, text
from ...kit.strokes import polyline
from ...kit.words import counted

Counts = Mapping[str, Sequence[Transfers]]  # by the name of a size, after each epoch
TILE, PITCH, ROW, LEFT, TOP = 21.0, 29.0, 31.0, 56.0, 50.0  # px, of the tiles; between them is room for a dot
RULE, EDGE = 34.0, 18.0  # of the lines that are as long as an epoch, and as all of them
READ, WIDE, SIDE = 15.0, 26.0, 30.0  # of the tiles of batches


def _joint(counts: Counts, of) -> list:
    """One value for each size and number of epochs, from `of(count, epochs, name)`."""
    return [of(count, epochs, name) for name, found in counts.items() for epochs, count in enumerate(found, 1)]


def _role(step, batches) -> str:
    """The look of a step: another one in each pass over the data."""
    return ("op", "leaf")[step // batches % 2]


# ---- the steps ----


def steps_panel(counts: Counts, batches: int, joint: Mapping[str, int]) -> Panel:
    """A row for each epoch, and in it a tile for each step, with the number of the batch that it reads; a dot where the host
    waits."""
    across, epochs = steps_axis(counts), joint["epochs"]
    bottom = TOP + epochs * ROW
    marks = [text(LEFT - 4, RULE + 8, "epoch", "name", "end"), *_lengths(counts, across, epochs)]
    for row in range(epochs):
        label = text(LEFT - 8, TOP + row * ROW + 17, str(row + 1), "value", "end")
        marks.append(label.following("epochs", state=["" if row <= last else "dim" for last in range(epochs)]))
    places = list(product(range(epochs), range(round(across.high))))
    marks += [_tile(i, row, across, "area") for row, i in places]
    for row, i in places:
        marks += _tiles(row, i, counts, across, batches, joint)
    for i, found in enumerate(counts.values()):
        marks += _waits(i, found, across)
    marks += across.below(bottom + 12, range(0, round(across.high) + 1, 4))
    marks.append(text(across(2), bottom + 12, "step", "note", "middle"))
    marks += _totals(counts, bottom + 36, joint)
    for k in range(2):
        marks.append(rect(LEFT + 12 * k, bottom + 66, 10, 10, _role(k * batches, batches), 2))
    marks.append(text(LEFT + 30, bottom + 75, "another colour where the data begins anew", "note"))
    tokens = [token for i, found in enumerate(counts.values()) for token in _tokens(i, found, across)]
    title = f"A tile is a step, its number the batch of {batches} that it reads"
    return Panel("steps", title, across.end + 22, bottom + 84, marks, tokens=tokens)


def steps_axis(counts: Counts) -> Axis:
    """The steps of an epoch, up to those of the longest."""
    longest = max(found[0].steps for found in counts.values())
    return Axis(0, longest, LEFT, LEFT + longest * PITCH)


def _lengths(counts, across, epochs) -> Iterator[Mark]:
    """How long an epoch is, and how many there are, as lines with a handle at their ends."""
    ends = [found[0].steps for found in counts.values()]
    said = [_length(name, end) for name, end in zip(counts, ends, strict=True)]
    yield text(LEFT, 20, "", "forwardtext").following("size", text=said)
    yield path([(LEFT, RULE)], "edge").following("size", d=[[(LEFT, RULE), (across(n), RULE)] for n in ends])
    ways = [[(EDGE, TOP), (EDGE, TOP + n * ROW - 5)] for n in range(1, epochs + 1)]
    yield path(ways[0], "edge").following("epochs", d=ways)


def _length(name, steps) -> str:
    whole = {"−1": f"sink_size −1: all {steps}", "off": f"not sunk: all {steps}"}
    return whole.get(name, f"sink_size {name}")


def _tile(i, row, across, role) -> Mark:
    return rect(across(i) + (PITCH - TILE) / 2, TOP + row * ROW, TILE, ROW - 6, role, 3)


def _tiles(row, place, counts, across, batches, joint) -> Iterator[Mark]:
    """What an epoch does at a place of its row: a tile in the look of its pass, and the batch."""
    steps = _joint(counts, lambda count, epochs, _: _step(row, place, count.steps // epochs, epochs))
    for role in ("op", "leaf"):
        seen = ["" if step is not None and _role(step, batches) == role else "hidden" for step in steps]
        if "" in seen:
            tile = _tile(place, row, across, role).following(joint, state=seen)
            yield tile.moving("epochs", reached(place + 1, across), 0.0, "state")
    x, y = across(place) + PITCH / 2, TOP + row * ROW + 17
    said = ["" if step is None else str(step % batches) for step in steps]
    batch = text(x, y, "", "value", "middle").following(joint, text=said)
    yield batch.moving("epochs", reached(place + 1, across), 0.0, "text")


def reached(steps, across) -> float:
    """When the work of an epoch has done so many steps, each of which takes as long, ms."""
    return STEP * steps / across.high


def _step(row, place, size, epochs) -> int | None:
    return row * size + place if row < epochs and place < size else None


def _waits(i, found, across) -> Iterator[Mark]:
    """A dot at the end of each round trip, where the host waits."""
    trips = zip((0, *(count.round_trips for count in found)), found)
    for row, (before, count) in enumerate(trips):
        several, size = count.round_trips - before, found[0].steps
        for k in range(1, several + 1):
            place = across(k * size / several)
            dot = circle(place, TOP + row * ROW + 12.5, 4, "backbar", when={"size": [i]})
            if row:
                dot = dot.varying("epochs", state=[(0, "hidden"), (row, "")])
            yield dot.moving("epochs", reached(k * size / several, across), 0.0, "state")


def _totals(counts, y, joint) -> Iterator[Mark]:
    """How many tiles there are, and how many dots."""
    steps = _joint(
        counts,
        lambda count, epochs, _: (
            f"{counted(epochs, 'epoch')} × {count.steps // epochs} = {counted(count.steps, 'step')}"
        ),
    )
    yield text(LEFT, y, "", "forwardtext").following(joint, text=steps)
    trips = _joint(counts, lambda count, *_: f"● the host waits: {counted(count.round_trips, 'round trip')}")
    yield text(LEFT, y + 20, "", "slope").following(joint, text=trips)


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
    ends = [(across(found[0].steps), RULE) for found in counts.values()]
    yield Grip("size", "steps", "sink_size, the steps of an epoch", "size", ends, "x")
    lasts = [(EDGE, TOP + n * ROW - 5) for n in range(1, epochs + 1)]
    yield Grip("epochs", "steps", "The end of training, in epochs", "epochs", lasts, "y")


# ---- the data ----


def data_panel(counts: Counts, batches: int, joint: Mapping[str, int]) -> Panel:
    """A column for each batch, which grows by a tile whenever a step reads it; dashed, as many whole passes as epochs."""
    most = max(found[-1].steps for found in counts.values())
    rows, epochs = -(-most // batches), joint["epochs"]
    up = Axis(0, rows, TOP + rows * READ, TOP)
    right = SIDE + batches * WIDE
    marks = [*up.beside(SIDE - 6, range(0, rows + 1, 3), grid=(SIDE, right))]
    for step in range(rows * batches):
        x, y = SIDE + step % batches * WIDE + 2, up(step // batches + 1) + 1.5
        runs = _joint(counts, lambda count, *_: "" if step < count.steps else "hidden")  # noqa: B023
        if "" in runs:
            tile = rect(x, y, WIDE - 4, READ - 3, _role(step, batches), 2)
            marks.append(tile.following(joint, state=runs))
    for batch in range(batches):
        x = SIDE + (batch + 0.5) * WIDE
        marks.append(text(x, up.start + 16, str(batch), "value", "middle"))
    marks.append(text(SIDE, up.start + 34, "batch", "note"))
    goals = [[(SIDE, up(n)), (right, up(n))] for n in range(1, epochs + 1)]
    marks.append(path(goals[0], "before").following("epochs", d=goals))
    said = [f"━ {counted(n, 'whole pass')}: {n * batches} steps" for n in range(1, epochs + 1)]
    marks.append(text(SIDE, 18, "", "name").following("epochs", text=said))
    marks.append(
        text(SIDE, 36, "", "plain").following(
            joint, text=_joint(counts, lambda c, e, _: _missing(c.steps - e * batches))
        )
    )
    return Panel("data", "How often each batch is read", right + 12, up.start + 44, marks)


def _missing(more) -> str:
    """How far the run is from as many passes as epochs."""
    return f"{abs(more)} {'more' if more > 0 else 'fewer'} are run" if more else "as many are run"
