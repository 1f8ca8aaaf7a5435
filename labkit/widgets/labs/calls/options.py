"""The call as it is put together: code in which every value that an argument may have stands side by side, to be clicked."""

from collections.abc import Iterator, Mapping, Sequence

from ...kit.grips import Grip
from ...kit.scene import Link, Mark, Panel, altered, changes, rect, text, width_of
from .nested import fitted
from .run import Setting, leaf

WIDTH, PITCH, CHIP, LINE = 430.0, 32.0, 27.0, 26.0  # px: of the panel, from chips to chips, a chip, a line without any
LEFT, PAD, GAP = 10.0, 9.0, 5.0


class Options:
    """The panel of the call. `values`: the names of the positions of each dial."""

    def __init__(self, setting: Setting, values: Mapping[str, Sequence[str]]):
        self.setting, self.values = setting, values
        self.chips: dict[str, list[tuple[float, float, float]]] = {}  # of each dial: x, y and width of its values
        self.written = list(self._lay_out())

    def panel(self, goal: Mark) -> Panel:
        """The call, what it works on, and what may be looked for."""
        marks = [rect(1, 1, WIDTH - 2, self.bottom - 6, "area"), *self._chosen(), *self.written]
        given = self._given()
        below = self.bottom + 16
        marks += [text(LEFT, below + 18 * i, fitted(said, WIDTH - 20, 11.5), "note") for i, said in enumerate(given)]
        end = below + 18 * len(given) + 4
        return Panel(
            "call",
            "Click or drag a value: the result follows",
            WIDTH,
            end + 12,
            [*marks, altered(goal, at={**goal.at, "y": end})],
        )

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

    def _values(self, dial) -> Iterator[Mark]:
        for i, ((x, y, width), code) in enumerate(zip(self.chips[dial], self.setting.codes(dial), strict=True)):
            link, chosen = f"{dial} {i}", [k == i for k in range(len(self.chips[dial]))]
            box = rect(x, y, width, CHIP, "area", 6, link=link)
            yield box.varying(dial, state=changes("lit" if here else "" for here in chosen))
            words = text(x + width / 2, y + CHIP / 2 + 4, code, "code", "middle", link=link)
            yield words.varying(dial, state=changes("" if here else "dim" for here in chosen))

    def _chosen(self) -> Iterator[Mark]:
        """A frame around the value that is taken, which goes along."""
        for dial, places in self.chips.items():
            xs, ys, widths = zip(*places, strict=True)
            yield rect(0, 0, 10, CHIP, "before", 6).following(dial, x=xs, y=ys, width=widths)

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
        """The frame around each value that is taken, dragged to another."""
        for dial, places in self.chips.items():
            spots = [(x + width / 2, y + CHIP / 2) for x, y, width in places]
            yield Grip(dial, "call", NAMES.get(dial, dial), dial, spots, "xy", bare=True)

    def links(self) -> dict[str, Link]:
        """A click on a value takes it."""
        return {
            f"{dial} {i}": Link(f"{NAMES.get(dial, dial)}: {value}", go={dial: i})
            for dial, values in self.values.items()
            for i, value in enumerate(values)
        }


NAMES = {"position": "grad_position"}
