"""The program that graph mode runs; the lines of a box light up with it."""

from ...kit.scene import Panel, rect, text, width_of
from ...kit.still import wrapped
from .cards import pulses
from .units import Units

TITLE = "The program that graph mode runs"
ROW = 18.0
MOST_LINES = 500


def program(units: Units, when: dict) -> Panel | None:
    """The panel, or None where no program was asked for; it says so where there can be none."""
    story = units.story
    if not story.program and not story.no_program:
        return None
    if not story.program:
        return _message(f"There is no such program for this function: {story.no_program}.", when)
    rows, lit, marks = story.program.rstrip().splitlines(), _lit(units), []
    if len(rows) > MOST_LINES:
        return _message(
            f"It has {len(rows)} lines, too many to be read here; labkit.compile_program(labkit.value_and_grad(f), x) is it.",
            when,
        )
    width = max(width_of(row, 12, mono=True) for row in rows) + 20
    for n, row in enumerate(rows):
        time, link = lit.get(n + 1, (None, None))
        states = [(s, "lit" if name == "now" else "") for s, name in pulses([time], before="")] if time else []
        marks.append(rect(0, ROW * n, width, ROW, "row", 2, link=link).varying("step", state=states))
        marks.append(text(8, ROW * n + 13, row, "code", link=link))
    return Panel("program", TITLE, width, ROW * len(rows) + 4, marks, when)


def _message(words, when):
    lines = wrapped(words, 700)
    marks = [text(8, ROW * n + 13, line, "plain") for n, line in enumerate(lines)]
    return Panel("program", TITLE, 720, ROW * len(lines) + 4, marks, when)


def _lit(units):
    """For each line that belongs to a box: the step at which it runs, and the link."""
    found: dict[int, tuple[int | None, str]] = {}
    for unit in units.ops:
        for node in (units.story.nodes[i] for i in unit.nodes):
            found |= dict.fromkeys(node.lines, (units.ran[unit], f"n{unit.index}"))
            found |= dict.fromkeys(node.back_lines, (units.walked.get(unit), f"g{unit.index}"))
    return found
