"""The call as it is put together: code in which every value that an argument may have stands side by side, to be clicked."""

from collections.abc import Iterator, Mapping, Sequence

from ...kit.grips import Grip
from ...kit.scene import Link, Mark, Panel, When, altered, changes, only, rect, text, width_of
from .equal import STYLES
from .nested import ARRIVES, fitted
from .run import Setting, leaf

WIDTH, PITCH, CHIP, LINE = 430.0, 32.0, 27.0, 26.0  # px: of the panel, from chips to chips, a chip, a line without any
LEFT, PAD, GAP, CODE = 10.0, 9.0, 5.0, 18.0  # px; CODE is a line of the equal call


class Options:
    """The panel of the call. `values`: the names of the positions of each dial."""

    def __init__(self, setting: Setting, values: Mapping[str, Sequence[str]]):
        self.setting, self.values = setting, values
        self.chips: dict[str, list[tuple[float, float, float]]] = {}  # of each dial: x, y and width of its values
        self.written = list(self._lay_out())

    def panels(self, goal: Mark, equals: Sequence[tuple[Sequence[str], When]]) -> Iterator[Panel]:
        """The call, below it what it works on, or the equal call as lines of code, and what may be looked for."""
        given = [
            text(LEFT, self.bottom + 16 + 18 * i, fitted(line, WIDTH - 20, 11.5), "note")
            for i, line in enumerate(self._given())
        ]
        alone = {"torch": [len(STYLES)]} if equals else {}
        yield self._panel("call", given, self.bottom + 20 + 18 * len(given), goal, alone)
        if equals:
            high = 28 + CODE * max(len(code) for code, _ in equals)
            said = [
                rect(1, self.bottom + 4, WIDTH - 2, high, "area"),
                text(LEFT, self.bottom + 20, "in PyTorch", "note"),
            ]
            for code, when in equals:
                said += only(
                    when, (text(LEFT, self.bottom + 38 + CODE * k, line, "code") for k, line in enumerate(code))
                )
            yield self._panel("both", said, self.bottom + high + 26, goal, {"torch": list(range(len(STYLES)))})

    def _panel(self, name, said, end, goal, when):
        boxes = [mark for dial in self.chips for mark in self._boxes(dial)]
        marks = [rect(1, 1, WIDTH - 2, self.bottom - 6, "area"), *boxes, *self._chosen(), *self.written, *said]
        title = "Click or drag a value: the result follows"
        return Panel(name, title, WIDTH, end + 12, [*marks, altered(goal, at={**goal.at, "y": end})], when)

    def _lay_out(self) -> Iterator[Mark]:
        """The words of the call and, where an argument has values to choose among, these in rows."""
        y = 8.0
        for before, dial, after in self.setting.lines():
            x = LEFT + width_of(before, 12, True)
            high = PITCH if dial else LINE
            yield text(LEFT, y + high / 2 + 4, before, "code")
            if dial:
                x, y = self._place(dial, x, y)
                yield text(x, y + high / 2 + 4, after, "code")
                yield from self._values(dial)
            y += high
        self.bottom = y + 8

    def _place(self, dial, left, y) -> tuple[float, float]:
        """Where the values of a dial stand, in rows, and where the last one ends."""
        x, found = left, []
        for code in self.setting.codes(dial):
            width = width_of(code, 12, True) + 2 * PAD
            if x > left and x + width > WIDTH - LEFT:
                x, y = left, y + PITCH
            found.append((x, y + (PITCH - CHIP) / 2, width))
            x += width + GAP
        self.chips[dial] = found
        return x, y

    def _boxes(self, dial) -> Iterator[Mark]:
        for i, (x, y, width) in enumerate(self.chips[dial]):
            yield rect(x, y, width, CHIP, "area", 6, link=f"{dial} {i}")

    def _values(self, dial) -> Iterator[Mark]:
        for i, ((x, y, width), code) in enumerate(zip(self.chips[dial], self.setting.codes(dial), strict=True)):
            states = ["" if k == i else "dim" for k in range(len(self.chips[dial]))]
            words = text(x + width / 2, y + CHIP / 2 + 4, code, "code", "middle", link=f"{dial} {i}")
            yield words.varying(dial, state=changes(states))

    def _chosen(self) -> Iterator[Mark]:
        """A frame below the words of the value that is taken, filled, which goes along."""
        for dial, places in self.chips.items():
            xs, ys, widths = zip(*places, strict=True)
            frame = rect(0, 0, 10, CHIP, "taken", 6).following(dial, x=xs, y=ys, width=widths)
            for turned in (dial, "example"):
                for name in ("x", "y", "width"):
                    frame = frame.moving(turned, 0.0, ARRIVES, name)
            yield frame

    def _given(self) -> list[str]:
        """What goes in and what the network itself gives, in words."""
        s = self.setting
        given = [*zip(s.inputs, s.args, strict=True), *((p.name, p) for p in s.parameters[:4])]
        values = ", ".join(f"{name} = {leaf(name, '', value, '').value}" for name, value in given)
        more = [f"and {len(s.parameters) - 4} more parameters"] if len(s.parameters) > 4 else []
        outputs = s.output if isinstance(s.output, tuple) else (s.output,)
        shown = ", ".join(leaf("", "", value, "").value for value in outputs)
        return [values, *more, f"{s.name}({', '.join(s.inputs)}) returns {', '.join(s.outputs)} = {shown}"]

    def grips(self, panels: Sequence[str]) -> Iterator[Grip]:
        """The frame around each value that is taken, dragged to another."""
        for dial, places in self.chips.items():
            spots = [(x + width / 2, y + CHIP / 2) for x, y, width in places]
            for panel in panels:
                yield Grip(dial, panel, NAMES.get(dial, dial), dial, spots, "xy", bare=True)

    def links(self) -> dict[str, Link]:
        """A click on a value takes it; it lights up with the gradients that it asks for, and each of these with it."""
        s, lights = self.setting, dict[str, list[str]]((f"leaf gradient for {name}", []) for name in self.setting.named)
        chips = {}
        for dial, values in self.values.items():
            for i, value in enumerate(values):
                asked = [f"leaf gradient for {name}" for name in s.asking(dial, i)]
                chips[f"{dial} {i}"] = Link(f"{NAMES.get(dial, dial)}: {value}", go={dial: i}, lights=asked)
                for name in asked:
                    lights[name].append(f"{dial} {i}")
        return chips | {key: Link(key.removeprefix("leaf "), lights=found) for key, found in lights.items()}


NAMES = {"position": "grad_position"}
