"""What a whole Jacobian costs: bars of pulls and of pushes, filled as passes are made; and which are fewer, by its size."""

from collections.abc import Iterator
from itertools import product
from math import log10

from ...kit.axes import Axis, Plane
from ...kit.grips import Grip
from ...kit.scene import Dial, Mark, Panel, circle, line, only, path, rect, text
from ...kit.words import plural, raised
from .directions import HEIGHT
from .layout import BOTH, JVP, MOST, VJP, Layout

WIDTH, ROW, LEFT, BAR = 444.0, 60.0, 8.0, 22.0  # px
BARS, UNIT = 196.0, 62.0  # of both bars; of a pass, at most
POWERS = 6  # of ten, to which outputs and inputs go
PLANE = Plane(Axis(0, POWERS, 258.0, 426.0, log=True), Axis(0, POWERS, 192.0, 40.0, log=True))


def cost_panel(on: Layout) -> Panel:
    """Both bars, each under its name, and beside them the plane of sizes."""
    done = [[0, *(int(block[-1]) + 1 for block in blocks)] for blocks in (on.rows, on.columns)]
    last = ["1: the sum"] if on.m > 1 else []
    m, n = on.passes.matrix.shape
    own = [
        *_bar(on, 0, "reverse: pulls", "pulls", m, [*done[0], *(1 for _ in last)], "back", (VJP, JVP), last),
        *_bar(on, 1, "forward: pushes", "pushes", n, done[1], "op", (JVP, VJP), []),
    ]
    marks = [*only({"size": [0]}, own), *_bars_of_others(on), *_plane(on)]
    return Panel("cost", "What the whole matrix costs", WIDTH, HEIGHT, marks, BOTH)


def _bars_of_others(on) -> Iterator[Mark]:
    """How many passes a function of another size takes, on a logarithmic scale."""
    others = sizes(on)
    when = {"size": [*range(1, len(others))]}
    for row, kind, counts, role in (
        (0, "reverse: pulls", [m for m, _ in others], "back"),
        (1, "forward: pushes", [n for _, n in others], "op"),
    ):
        y, wide = 12 + ROW * row, [BARS * (1 + log10(count)) / (1 + POWERS) for count in counts]
        yield text(LEFT, y + 8, kind, "name", when=when)
        yield rect(LEFT, y + 16, 0, BAR, role, 2, when=when).following("size", width=wide)
        yield text(LEFT + BARS, y + 8, "", "value", "end", when=when).following("size", text=[f"{c:,}" for c in counts])
    yield text(LEFT, 12 + ROW + 16 + BAR + 16, "bars on a log scale", "note", when=when)


def size_dial(on: Layout) -> Dial:
    """How many outputs and inputs a function may have: as this one, or powers of ten."""
    return Dial(
        "size", "Size", [f"{_many(m, 'output')}, {_many(n, 'input')}" for m, n in sizes(on)], "inside", when=BOTH
    )


def sizes(on: Layout) -> list[tuple[int, int]]:
    """`(outputs, inputs)` at each position."""
    m, n = on.passes.matrix.shape
    return [(m, n), *product(*[[10**k for k in range(POWERS + 1)]] * 2)]


def size_grip(on: Layout) -> Grip:
    """The point of a size, dragged over the plane."""
    spots, area = [PLANE.at((n, m)) for m, n in sizes(on)], (258.0, 40.0, 168.0, 152.0)
    return Grip("size", "cost", "How many outputs and inputs", "size", spots, area=area, jumps=True, when=BOTH)


def _plane(on) -> Iterator[Mark]:
    """Outputs upwards, inputs across; above the diagonal pushes are fewer, below it pulls."""
    x, y = PLANE.across, PLANE.up
    left, right, low, high = x.start, x.end, y.start, y.end
    yield path([(left, low), (right, high), (left, high)], "zone-normal")
    yield path([(left, low), (right, high), (right, low)], "zone-zero")
    yield from x.below(low + 15, (1, 1e3, 1e6), _power)
    yield from y.beside(left - 5, (1, 1e3, 1e6), _power)
    yield text(left, 14, "Drag to another size", "name")
    yield text(left, high - 9, "outputs", "tick")
    yield text(right, low + 31, "inputs", "tick", "end")
    yield text(left + 10, high + 20, "fewer pushes", "forwardtext")
    yield text(right - 8, low - 34, "fewer pulls", "slope", "end")
    yield line(left, low, right, low, "backvector")
    yield text(right - 8, low - 8, "a loss: 1 output", "slope", "end")
    found = sizes(on)
    spots = [PLANE.at((n, m)) for m, n in found]
    yield circle(*spots[0], 3.5, "inkhead")
    xs, ys = zip(*spots, strict=True)
    yield circle(*spots[0], 6, "before").following("size", cx=xs, cy=ys)
    lines = [_verdict(m, n) for m, n in found]
    for k, role in enumerate(("name", "plain")):
        said = text(LEFT, HEIGHT - 22 + 18 * k, lines[0][k], role).following("size", text=[words[k] for words in lines])
        for dial, when in (("pulls", VJP), ("pushes", JVP)):
            yield from only(when, [said.varying(dial, state=[(0, "answer"), (1, "")])])


def _verdict(m, n):
    """A size, and which passes are fewer."""
    few, many = (_many(m, "pull"), _many(n, "push"))[:: 1 if m <= n else -1]
    return f"{_many(m, 'output')}, {_many(n, 'input')}", f"{few} or {many}" if m == n else f"{few} instead of {many}"


def _many(count, thing):
    return f"{count:,} {plural(count, thing)}"


def _power(value):
    return "1" if value == 1 else raised(10, round(log10(value)))


def _bar(on, row, kind, dial, count, done, role, modes, last) -> Iterator[Mark]:
    """How many passes are done out of `count`; in the other mode, how many would be needed."""
    most, y, (when, otherwise) = max(on.passes.matrix.shape), 12 + ROW * row, modes
    unit = min(UNIT, BARS / most)
    asked = [(0, "answer"), (1, "")]  # how many there are
    yield text(LEFT, y + 8, kind, "name")
    frame = [rect(LEFT, y + 16, count * unit, BAR, "area", 2)]
    done_so_far = rect(LEFT, y + 16, 0, BAR, role, 2, when=when).following(dial, width=[k * unit for k in done])
    parts = range(1, count) if most <= MOST else ()
    lines = [line(LEFT + k * unit, y + 16, LEFT + k * unit, y + 16 + BAR, "axis") for k in parts]
    said = [f"{k} of {count}" for k in done[: len(done) - len(last)]]
    words = text(LEFT + BARS, y + 8, "", "value", "end", when=when).following(dial, text=[*said, *last])
    for mark in (*only(when, frame), done_so_far, *only(when, lines), words):
        yield mark.varying(dial, state=asked)
    yield from only(otherwise, [*frame, *lines, text(LEFT + BARS, y + 8, f"needs {count}", "value", "end")])
