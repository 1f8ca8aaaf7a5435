"""The call as it is put together: as code, whose arguments are clicked, and below it the values of the one that is chosen."""

from collections.abc import Iterator, Mapping, Sequence

from ...kit.grips import Grip
from ...kit.scene import Dial, Link, Mark, Panel, changes, only, rect, text, width_of
from .nested import fitted
from .run import FUNCTIONS, Setting, leaf

WIDTH, LINE, CHIP = 380.0, 25.0, 30.0  # px: of the panel, a line of code, a value
LEFT, PAD, GAP = 8.0, 9.0, 6.0
CODE = 6  # lines
ARTICLES = ("ms.", "a ")
ARGUMENT, FIRST = "argument", 1  # the dial of the argument whose values are seen, and which it is at first


class Options:
    """The panel of the call. `values`: the names of the positions of each dial."""

    def __init__(self, setting: Setting, values: Mapping[str, Sequence[str]]):
        self.setting, self.values = setting, values
        s = setting
        self.lines = {"function": (0, len(FUNCTIONS)), "position": (2, len(s.positions)),
                      "weights": (3, len(s.weights)), "has_aux": (4, 2)}  # fmt: skip

    def dial(self) -> Dial:
        """Which argument's values are seen."""
        names = {"position": "grad_position"}
        return Dial(ARGUMENT, "Argument", [names.get(dial, dial) for dial in self.values], "inside", FIRST)

    def panel(self, goal: Mark) -> Panel:
        """The call as code, the values of an argument, what the call works on, and what may be looked for."""
        marks = [rect(1, 1, self.width - 2, self.row - 9, "area"), *self._arguments(), *self._code()]
        for i, dial in enumerate(self.values):
            marks += only({ARGUMENT: [i]}, self._row(dial))
        below, given = self.row + CHIP + 24, self._given()
        marks += [text(10, below + 18 * i, fitted(said, self.width - 20, 11.5), "note") for i, said in enumerate(given)]
        end = below + 18 * len(given)
        title = "Click an argument of the call, then a value"
        return Panel("call", title, self.width, end + 14, [*marks, _at(goal, end + 4)])

    @property
    def row(self) -> float:
        """Where the values begin, px."""
        return LINE * CODE + 18

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
            width = max(width_of(_short(value), 12, True) + 2 * PAD, 40.0)
            found.append((x, width))
            x += width + GAP
        return found

    def _row(self, dial) -> Iterator[Mark]:
        y, places = self.row, self._places(dial)
        for i, ((x, width), value) in enumerate(zip(places, self.values[dial])):
            yield rect(x, y, width, CHIP, "area", 6, link=f"{dial} {i}")
            yield text(x + width / 2, y + 19, _short(value), "value", "middle", link=f"{dial} {i}")
        frame = rect(0, y, 10, CHIP, "before", 6)
        yield frame.following(dial, x=[x for x, _ in places], width=[width for _, width in places])

    # ---- the code ----

    def _said(self, dial) -> list[str]:
        """The line of an argument, at each of its values."""
        (i, count), s = self.lines[dial], self.setting
        start = next(iter(s.calls()))
        return [s.code(start._replace(**{dial: k}))[i] for k in range(count)]

    def _code(self) -> Iterator[Mark]:
        """The call, a line per argument."""
        s, dials = self.setting, {i: dial for dial, (i, _) in self.lines.items()}
        for i, words in enumerate(s.code(next(iter(s.calls())))):
            if i not in dials:
                yield text(10, LINE * (i + 1), words, "code")
                continue
            link = f"{ARGUMENT} {list(self.values).index(dials[i])}"
            yield text(10, LINE * (i + 1), "", "code", link=link).following(dials[i], text=self._said(dials[i]))

    def _arguments(self) -> Iterator[Mark]:
        """Around each argument's value a box, lit where its values are seen."""
        for k, dial in enumerate(self.values):
            spans = [_value_of(line) for line in self._said(dial)]
            left = 10 + width_of(" " * spans[0][0], 12, True) - 1
            lit = changes("lit" if k == here else "" for here in range(len(self.values)))
            box = rect(left, self._line(dial), 10, LINE - 3, "area", 5, link=f"{ARGUMENT} {k}")
            sizes = [width_of(" " * (end - start), 12, True) + 2 for start, end in spans]
            yield box.following(dial, width=sizes).varying(ARGUMENT, state=lit)

    def _line(self, dial) -> float:
        return LINE * self.lines[dial][0] + 9

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
        """The chosen argument, dragged down the call, and its value, along the values: each the frame around its words."""
        starts = [_value_of(self._said(dial)[0])[0] for dial in self.values]
        spots = [(14 + width_of(" " * n, 12, True), self._line(dial) + 11.0) for n, dial in zip(starts, self.values)]
        yield Grip(ARGUMENT, "call", "The argument whose values are seen", ARGUMENT, spots, "y")
        for i, dial in enumerate(self.values):
            there = [(x + width / 2, self.row + CHIP / 2) for x, width in self._places(dial)]
            yield Grip(dial, "call", dial, dial, there, "x", when={ARGUMENT: [i]})

    def links(self) -> dict[str, Link]:
        """A click on an argument shows its values, one on a value takes it."""
        found = {f"{ARGUMENT} {i}": Link(f"{dial}: its values", go={ARGUMENT: i}) for i, dial in enumerate(self.values)}
        return found | {
            f"{dial} {i}": Link(f"{dial}: {value}", go={dial: i})
            for dial, values in self.values.items()
            for i, value in enumerate(values)
        }


def _value_of(line: str) -> tuple[int, int]:
    """From where to where in a line of the call the value stands.

    >>> _value_of("    weights=None,"), _value_of("result = ms.grad(")
    ((12, 16), (12, 16))
    """
    start = line.index("ms.") + 3 if "ms." in line and line.endswith("(") else line.index("=") + 1
    return start, len(line.rstrip("(,"))


def _short(value: str) -> str:
    """A value in few letters; of a parameter's path the last two names.

    >>> _short("ms.grad"), _short("a ParameterTuple"), _short("net.block.fc.weight")
    ('grad', 'ParameterTuple', 'fc.weight')
    """
    plain = next((value.removeprefix(words) for words in ARTICLES if value.startswith(words)), value)
    return ".".join(plain.split(".")[-2:])


def _at(goal: Mark, y: float) -> Mark:
    return Mark(goal.tag, goal.role, {**goal.at, "y": y}, goal.text, goal.vary, goal.when)
