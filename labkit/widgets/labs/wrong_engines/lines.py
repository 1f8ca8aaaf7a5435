"""The engine's own lines, beside the graph."""

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher
from functools import cache

from ...kit.scene import Mark, Panel, only, rect, text, width_of
from .broken import right
from .plays import TRIES, SliderPlay, When

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
    """The lines that run, those of the moment lit; the line at fault and what belongs there, once it is found."""
    rows, file = source(engine)
    rows = rows or [(0, "(the source of this engine is not to be had)")]
    instead = mended(engine)[1] if any(play.fault for play, _, _ in plays) else []
    width = max(width_of(row, 12, mono=True) for row in [*(row for _, row in rows), *instead]) + 34
    width = max(width, *(width_of(row, 12, mono=True) + 110 for n, row in rows if _faulty(plays, file, n)), 220.0)
    calm = [run for run in plays if not (run.play.fault and instead)]
    marks = [mark for run in plays for mark in only(run.when, _lit(run, _heights(rows, engine, run), file, width))]
    if calm:
        marks += only(_union([run.when for run in calm]), _code_lines(rows, {}))
    for run in plays:
        if run not in calm:
            marks += only(run.when, _with_mend(rows, engine, run, width))
    name = plays[0].play.name
    height = (len(rows) + len(instead)) * ROW + 4
    return Panel(f"code {name}", f"The engine that runs: {name}", width, height, marks, when)


def _union(whens):
    return {dial: sorted({p for when in whens for p in when[dial]}) for dial in whens[0]}


def _faulty(plays, file, number):
    return any(p.fault and p.fault.place == (file, number) for p, _, _ in plays)


def _heights(rows, engine, run):
    """`{line number: the heights of its row, as changes}`: rows below the mend move down when the fault is found."""
    play, (before, extra) = run.play, mended(engine)
    shift = len(extra) * ROW if play.fault else 0.0
    return {
        number: [(0, k * ROW), *([(TRIES, k * ROW + shift)] if shift and k >= before else [])]
        for k, (number, _) in enumerate(rows)
    }


def _moving(mark: Mark, hunt, heights, by=0.0) -> Mark:
    """A mark that moves with its row, `by` px below the top of it."""
    return mark.varying(hunt, y=[(m, y + by) for m, y in heights] if len(heights) > 1 else [])


def _lit(run, places, file, width) -> Iterator[Mark]:
    """Rows behind the lines: lit as they run, outlined where the fault is."""
    play, slider, hunt = run.play, run.slider, run.hunt
    for number, heights in places.items():
        states = ["lit" if (file, number) in play.lines(m) else "" for m in range(len(play.moments))]
        at = heights[0][1]
        if "lit" in states:
            yield _moving(rect(0, at, width, ROW, "row", 2), hunt, heights).following(slider, state=states)
        if _faulty([run], file, number):
            outline = rect(1, at + 1, width - 2, ROW - 2, "badline", 2)
            yield _moving(outline, hunt, heights, 1).seen_from(hunt, TRIES)
            words = text(width - 8, at + 13, "at fault", "badtext", "end")
            yield _moving(words, hunt, heights, 13).seen_from(hunt, TRIES)


def _code_lines(rows, places, hunt="") -> Iterator[Mark]:
    """The lines of an engine, at their `places` where they move."""
    for k, (number, row) in enumerate(rows):
        yield _moving(text(GUTTER, k * ROW + 13, row, "code"), hunt, places.get(number, ()), 13)


def _with_mend(rows, engine, run, width) -> Iterator[Mark]:
    """The lines of an engine that goes wrong here; those of the right engine come in between once the fault is found."""
    yield from _code_lines(rows, _heights(rows, engine, run), run.hunt)
    yield from (mark.seen_from(run.hunt, TRIES) for mark in _mend(*mended(engine), width))


def _mend(before, extra, width) -> Iterator[Mark]:
    """The lines of the right engine that come before a row."""
    top = before * ROW
    yield rect(1, top + 1, width - 2, ROW * len(extra) - 2, "kept", 2)
    for k, row in enumerate(extra):
        yield text(5, top + k * ROW + 13, "+", "code")
        yield text(GUTTER, top + k * ROW + 13, row, "code")
    yield text(width - 8, top + 13, "mends it", "note", "end")
