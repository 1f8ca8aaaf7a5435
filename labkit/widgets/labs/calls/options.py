"""The call as it is put together: for each argument its values side by side, one of them framed, and the code that this is."""

from collections.abc import Iterator, Mapping, Sequence

from ...kit.grips import Grip
from ...kit.scene import Link, Mark, Panel, rect, text, width_of
from .nested import fitted
from .run import FUNCTIONS, Setting, leaf

WIDTH, LINE, ROW, CHIP = 440.0, 18.0, 34.0, 24.0  # px: of the panel, a line of code, a row of values, a value
LEFT, PAD, GAP = 100.0, 6.0, 4.0
ARTICLES = ("ms.", "a ")


class Options:
    """The panel of the call. `values`: the names of the positions of each dial."""

    def __init__(self, setting: Setting, values: Mapping[str, Sequence[str]]):
        self.setting, self.values = setting, values

    def panel(self, goal: Mark) -> Panel:
        """Rows of values, below them the call as code and what it works on, and what may be looked for."""
        marks = [mark for row, dial in enumerate(self.values) for mark in self._row(row, dial)]
        top = ROW * len(self.values) + 10
        marks += [rect(1, top, self.width - 2, LINE * 6 + 12, "area"), *self._code(top + 20)]
        below = top + LINE * 6 + 30
        given = self._given()
        marks += [
            text(10, below + LINE * i, fitted(said, self.width - 20, 11.5), "note") for i, said in enumerate(given)
        ]
        end = below + LINE * len(given)
        return Panel("call", "Click an argument, or drag its frame", self.width, end + 14, [*marks, _at(goal, end + 4)])

    @property
    def width(self) -> float:
        """Of the panel, px."""
        calls = (line for call in self.setting.calls() for line in self.setting.code(call))
        ends = [x + w for dial in self.values for x, w in self._places(dial)]
        return max([WIDTH, *(24 + width_of(line, 12, True) for line in calls), *(end + 4 for end in ends)])

    def _places(self, dial) -> list[tuple[float, float]]:
        """Where the values of a dial stand, and how wide each is."""
        found, x = [], LEFT
        for value in self.values[dial]:
            width = max(width_of(_short(value), 12, True) + 2 * PAD, 30.0)
            found.append((x, width))
            x += width + GAP
        return found

    def _row(self, row, dial) -> Iterator[Mark]:
        y, places = ROW * row + 4, self._places(dial)
        name = {"function": "ms.", "position": "grad_position"}.get(dial, dial)
        yield text(LEFT - 8, y + 16, name, "tick", "end")
        for i, ((x, width), value) in enumerate(zip(places, self.values[dial])):
            yield rect(x, y, width, CHIP, "area", 5, link=f"{dial} {i}")
            yield text(x + width / 2, y + 16, _short(value), "value", "middle", link=f"{dial} {i}")
        frame = rect(0, y, 10, CHIP, "before", 5)
        yield frame.following(dial, x=[x for x, _ in places], width=[width for _, width in places])

    def _code(self, y) -> Iterator[Mark]:
        """The call, a line per argument."""
        s = self.setting
        start = next(iter(s.calls()))
        rows: dict[int, tuple[str, int]] = {
            0: ("function", len(FUNCTIONS)), 2: ("position", len(s.positions)), 3: ("weights", len(s.weights)), 4: ("has_aux", 2),
        }  # fmt: skip
        for i, words in enumerate(s.code(start)):
            line = text(10, y + LINE * i, words, "code")
            if i in rows:
                dial, count = rows[i]
                said = [s.code(start._replace(**{dial: k}))[i] for k in range(count)]
                line = text(10, y + LINE * i, "", "code").following(dial, text=said)
            yield line

    def _given(self) -> list[str]:
        """What goes in and what the network itself gives, in words."""
        s = self.setting
        given = [*zip(s.inputs, s.args, strict=True), *((p.name, p) for p in s.parameters[:4])]
        values = ", ".join(f"{name} = {leaf(name, '', value, '').value}" for name, value in given)
        more = [f"and {len(s.parameters) - 4} more parameters"] if len(s.parameters) > 4 else []
        outputs = s.output if isinstance(s.output, tuple) else (s.output,)
        shown = ", ".join(leaf("", "", value, "").value for value in outputs)
        return [values, *more, f"{s.name}({', '.join(s.inputs)}) returns {', '.join(s.outputs)} = {shown}"]

    def grips(self) -> Iterator[Grip]:
        """The frames, which are dragged along the values."""
        for row, dial in enumerate(self.values):
            spots = [(x + width / 2, ROW * row + 4 + CHIP / 2) for x, width in self._places(dial)]
            yield Grip(dial, "call", dial, dial, spots, "x", bare=True)

    def links(self) -> dict[str, Link]:
        """A click on a value takes it."""
        return {
            f"{dial} {i}": Link(f"{dial}: {value}", go={dial: i})
            for dial, values in self.values.items()
            for i, value in enumerate(values)
        }


def _short(value: str) -> str:
    """A value in few letters; of a parameter's path the last two names.

    >>> _short("ms.grad"), _short("a ParameterTuple"), _short("net.block.fc.weight")
    ('grad', 'ParameterTuple', 'fc.weight')
    """
    plain = next((value.removeprefix(words) for words in ARTICLES if value.startswith(words)), value)
    return ".".join(plain.split(".")[-2:])


def _at(goal: Mark, y: float) -> Mark:
    return Mark(goal.tag, goal.role, {**goal.at, "y": y}, goal.text, goal.vary, goal.when)
