"""The engine's own lines, beside the graph."""

import ast
import inspect
import textwrap
from collections.abc import Callable, Sequence
from difflib import SequenceMatcher
from functools import cache

from ...kit.scene import Panel, changes, rect, text, width_of
from .broken import right
from .plays import SliderPlay, When

ROW, GUTTER = 18.0, 18.0
MOST_LINES, MOST_MENDED = 40, 2


@cache
def source(engine: Callable) -> tuple[list[tuple[int, str]], str]:
    """The lines of an engine as `(number, line)` without its docstring, and its file; no lines where there is no source.

    >>> source(right)[0][0][1]
    'def right(nodes: Nodes, output: Node) -> None:'
    """
    try:
        lines, start = inspect.getsourcelines(engine)
        tree = ast.parse(textwrap.dedent("".join(lines))).body[0]
    except (OSError, TypeError, SyntaxError, IndexError):
        return [], ""
    hidden: set[int] = set()
    body = getattr(tree, "body", [])
    if body and isinstance(body[0], ast.Expr) and isinstance(getattr(body[0].value, "value", None), str):
        hidden = set(range(body[0].lineno - 1, body[0].end_lineno or 0))
    shown = textwrap.dedent("".join(lines)).splitlines()
    kept = [(start + i, row) for i, row in enumerate(shown) if i not in hidden]
    return kept[:MOST_LINES], getattr(getattr(inspect.unwrap(engine), "__code__", None), "co_filename", "")


def mended(engine: Callable) -> tuple[int, list[str]]:
    """`(row, lines)`: the lines that the right engine has before that row of `source`; no lines unless the two differ in
    one place alone, by a line or two.

    >>> from .broken import overwrite
    >>> mended(overwrite)
    (9, ['            parent.grad = parent.grad + g'])
    """
    mine, theirs = ([row for _, row in source(f)[0][1:]] for f in (engine, right))
    differ = [op for op in SequenceMatcher(None, mine, theirs, autojunk=False).get_opcodes() if op[0] != "equal"]
    if len(differ) != 1:
        return 0, []
    _, first, stop, start, end = differ[0]
    return (stop + 1, theirs[start:end]) if max(stop - first, end - start) <= MOST_MENDED else (0, [])


def code(engine: Callable, plays: Sequence[SliderPlay], when: When) -> Panel:
    """The lines that run, those of the moment lit; the line at fault and what belongs there, once it shows."""
    rows, file = source(engine)
    rows = rows or [(0, "(the source of this engine is not to be had)")]
    instead = mended(engine)[1] if any(play.fault for play, _, _ in plays) else []
    width = max(width_of(row, 12, mono=True) for row in [*(row for _, row in rows), *instead]) + 34
    width = max(width, *(width_of(row, 12, mono=True) + 110 for n, row in rows if _faulty(plays, file, n)), 220.0)
    marks = []
    calm = [run for run in plays if not (run[0].fault and instead)]
    for run in plays:
        marks += _lit(run, _rows_at(rows, engine, run), file, width)
    if calm:
        everywhere = {"when": _union([seen for _, _, seen in calm])}
        marks += [text(GUTTER, k * ROW + 13, row, "code", **everywhere) for k, (_, row) in enumerate(rows)]
    for run in plays:
        if run not in calm:
            marks += _with_mend(rows, engine, run, width)
    name = plays[0][0].name
    height = (len(rows) + len(instead)) * ROW + 4
    return Panel(f"code {name}", f"The engine that runs: {name}", width, height, marks, when)


def _union(whens):
    return {dial: sorted({p for when in whens for p in when[dial]}) for dial in whens[0]}


def _faulty(plays, file, number):
    return any(p.fault and p.fault.place == (file, number) for p, _, _ in plays)


def _rows_at(rows, engine, run):
    """`{line number: the heights of its row, as changes}`: rows below the mend move down when it shows."""
    play, (before, extra) = run[0], mended(engine)
    shift = len(extra) * ROW if play.fault else 0.0
    return {
        number: [(0, k * ROW), *([(play.first, k * ROW + shift)] if shift and k >= before else [])]
        for k, (number, _) in enumerate(rows)
    }


def _moved(heights, by=0.0):
    return [(m, y + by) for m, y in heights]


def _lit(run, places, file, width):
    """Rows behind the lines: lit as they run, outlined where the fault is."""
    (play, slider, seen), marks = run, []
    for number, heights in places.items():
        states = ["lit" if (file, number) in play.lines(m) else "" for m in range(len(play.moments))]
        at, moves = heights[0][1], {"y": heights} if len(heights) > 1 else {}
        if "lit" in states:
            vary = {slider: {"state": changes(states), **moves}}
            marks.append(rect(0, at, width, ROW, "row", 2, vary=vary, when=seen))
        if _faulty([run], file, number):
            hidden = [(0, "hidden"), (play.first, "")]
            vary = {slider: {"state": hidden, **({"y": _moved(heights, 1)} if moves else {})}}
            marks.append(rect(1, at + 1, width - 2, ROW - 2, "badline", 2, vary=vary, when=seen))
            vary = {slider: {"state": hidden, **({"y": _moved(heights, 13)} if moves else {})}}
            marks.append(text(width - 8, at + 13, "at fault", "badtext", "end", vary=vary, when=seen))
    return marks


def _with_mend(rows, engine, run, width):
    """The lines of an engine that goes wrong here; those of the right engine come in between once it shows."""
    (play, slider, seen), (before, extra), marks = run, mended(engine), []
    places = _rows_at(rows, engine, run)
    for number, row in rows:
        heights = places[number]
        vary = {slider: {"y": _moved(heights, 13)}} if len(heights) > 1 else {}
        marks.append(text(GUTTER, heights[0][1] + 13, row, "code", vary=vary, when=seen))
    shown = {"vary": {slider: {"state": [(0, "hidden"), (play.first, "")]}}, "when": seen}
    top = before * ROW
    marks.append(rect(1, top + 1, width - 2, ROW * len(extra) - 2, "kept", 2, **shown))
    for k, row in enumerate(extra):
        marks.append(text(5, top + k * ROW + 13, "+", "code", **shown))
        marks.append(text(GUTTER, top + k * ROW + 13, row, "code", **shown))
    marks.append(text(width - 8, top + 13, "mends it", "note", "end", **shown))
    return marks
