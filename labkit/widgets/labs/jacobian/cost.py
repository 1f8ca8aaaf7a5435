"""What a whole Jacobian costs: a bar of pulls and a bar of pushes, one of which is filled as passes are made."""

from collections.abc import Iterator

from ...kit.scene import Mark, Panel, line, only, rect, text
from .layout import BOTH, JVP, MOST, VJP, Layout

WIDTH, HEIGHT, ROW, LEFT, BAR = 270.0, 132.0, 60.0, 8.0, 22.0  # px
UNIT = 84.0  # of a pass, at most


def cost_panel(on: Layout) -> Panel:
    """Both bars, each under its name."""
    done = [[0, *(int(block[-1]) + 1 for block in blocks)] for blocks in (on.rows, on.columns)]
    last = ["1 pull: the sum"] if on.m > 1 else []
    m, n = on.passes.matrix.shape
    pulls = _bar(on, 0, "reverse: pulls", "pulls", m, [*done[0], *(1 for _ in last)], "back", (VJP, JVP), last)
    pushes = _bar(on, 1, "forward: pushes", "pushes", n, done[1], "op", (JVP, VJP), [])
    return Panel("cost", "What the whole matrix costs", WIDTH, HEIGHT, [*pulls, *pushes], BOTH)


def _bar(on, row, kind, dial, count, done, role, modes, last) -> Iterator[Mark]:
    """How many passes are done out of `count`; in the other mode, how many would be needed."""
    most, y, (when, otherwise) = max(on.passes.matrix.shape), 12 + ROW * row, modes
    unit = min(UNIT, (WIDTH - 2 * LEFT) / most)
    asked = [(0, "answer"), (1, "")]  # how many there are
    yield text(LEFT, y + 8, kind, "name")
    frame = [rect(LEFT, y + 16, count * unit, BAR, "area", 2)]
    done_so_far = rect(LEFT, y + 16, 0, BAR, role, 2, when=when).following(dial, width=[k * unit for k in done])
    parts = range(1, count) if most <= MOST else ()
    lines = [line(LEFT + k * unit, y + 16, LEFT + k * unit, y + 16 + BAR, "axis") for k in parts]
    said = [f"{k} of {count}" for k in done[: len(done) - len(last)]]
    words = text(WIDTH - LEFT, y + 8, "", "value", "end", when=when).following(dial, text=[*said, *last])
    for mark in (*only(when, frame), done_so_far, *only(when, lines), words):
        yield mark.varying(dial, state=asked)
    yield from only(otherwise, [*frame, *lines, text(WIDTH - LEFT, y + 8, f"needs {count}", "value", "end")])
