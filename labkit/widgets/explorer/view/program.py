"""The program that graph mode runs; the lines of a box light up with it."""

from textwrap import wrap

from ...kit.scene import Panel, rect, text, width_of
from ...kit.still import wrapped
from .cards import pulses
from .units import Units

TITLE = "The program that graph mode runs"
ROW = 18.0
MOST_LINES = 500


def program(units: Units, when: dict, room: float | None = None) -> Panel | None:
    """The panel, or None where no program was asked for; it says so where there can be none. `room`: px, into which lines
    are broken."""
    story = units.story
    if not story.program and not story.no_program:
        return None
    if not story.program:
        return _message(f"There is no such program for this function: {story.no_program}.", when, room)
    lines, lit, marks = story.program.rstrip().splitlines(), _lit(units), []
    if len(lines) > MOST_LINES:
        return _message(
            f"It has {len(lines)} lines, too many to be read here; labkit.compile_program(labkit.value_and_grad(f), x) is it.",
            when, room,
        )  # fmt: skip
    rows = [(number, row) for number, line in enumerate(lines, 1) for row in _broken(line, room)]
    width = max(width_of(row, 12, mono=True) for _, row in rows) + 20
    for n, (number, row) in enumerate(rows):
        time, link = lit.get(number, (None, None))
        states = [(s, "lit" if name == "now" else "") for s, name in pulses([time], before="")] if time else []
        marks.append(rect(0, ROW * n, width, ROW, "row", 2, link=link).varying("step", state=states))
        marks.append(text(8, ROW * n + 13, row, "code", link=link))
    return Panel("program", TITLE, width, ROW * len(rows) + 4, marks, when)


def _broken(line, room):
    """A line of code in rows of at most `room` px; what stands after the first, and then a comment, further to the right."""
    if room is None or width_of(line, 12, mono=True) + 20 <= room:
        return [line]
    code, mark, comment = line.partition("  # ")
    deeper, letters = " " * (len(line) - len(line.lstrip()) + 4), int((room - 20) / width_of("m", 12, mono=True))
    parts = [(code.rstrip(), deeper, ""), (comment, f"{deeper}# ", f"{deeper}# ")][: 2 if mark else 1]
    return [
        row
        for words, after, first in parts
        for row in wrap(words, letters, initial_indent=first, subsequent_indent=after, break_on_hyphens=False)
    ]


def _message(words, when, room):
    lines = wrapped(words, min(700, (room or 720) - 20))
    marks = [text(8, ROW * n + 13, line, "plain") for n, line in enumerate(lines)]
    return Panel("program", TITLE, min(720, room or 720), ROW * len(lines) + 4, marks, when)


def _lit(units):
    """For each line that belongs to a box: the step at which it runs, and the link."""
    found: dict[int, tuple[int | None, str]] = {}
    for unit in units.ops:
        for node in (units.story.nodes[i] for i in unit.nodes):
            found |= dict.fromkeys(node.lines, (units.ran[unit], f"n{unit.index}"))
            found |= dict.fromkeys(node.back_lines, (units.walked.get(unit), f"g{unit.index}"))
    return found
