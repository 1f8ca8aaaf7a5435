"""What a call returns, as boxes in boxes, and beside it what the equal call in PyTorch gives: equal gradients are joined."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from ...kit.scene import Mark, only, path, text
from ...kit.still import wrapped
from .equal import STYLES, Equal
from .nested import ARRIVES, Box, Branch, Failure, Leaf, failed, fitted, following, placed, places, skeleton
from .run import Call, CallResult

WIDTH, LEFT, RIGHT, TOP, LINE = 455.0, 226.0, 194.0, 34.0, 16.0  # px: of all, of each of two; above the boxes, of words
ALONE = 400.0  # px, where there is nothing to compare with
TURNED = ("function", "position", "weights", "has_aux", "torch", "example")


class Pair:
    """The results of calls, and their equals by call and style; `sizes`: how many positions each dial has."""

    def __init__(
        self,
        outcomes: Mapping[Call, CallResult],
        equals: Mapping[tuple[int, ...], Equal | None],
        sizes: Mapping[str, int],
    ):
        self.results = {call: outcome.result for call, outcome in outcomes.items()}
        self.equals, self.sizes = equals, sizes
        self.width = WIDTH if equals else ALONE
        styles = range(len(STYLES) + 1) if equals else ()
        self.turned = [name for name in TURNED if name in (*sizes, "example")]
        self.ours: dict[tuple[int, ...], list[Box]] = {}
        self.theirs: dict[tuple[int, ...], list[Box]] = {}
        for call, result in self.results.items():
            if isinstance(result, Failure):
                continue
            cells: list[tuple[int, ...]] = [(*call, style) for style in styles]
            for cell in cells or [tuple(call)]:
                equal = equals.get(cell)
                self.ours[cell] = self._ours(result, equal)
                if equal and not isinstance(equal.result, Failure):
                    self.theirs[cell] = self._theirs(equal.result, result)

    def _ours(self, result, equal) -> list[Box]:
        """Boxes of what comes back, narrow where there is another result beside it, and there with what PyTorch does not nest."""
        if not equal:
            return placed(result, self.width - 4, "result", 2, TOP)
        boxes = placed(result, LEFT, "result", 2, TOP, plain=True)
        nests = isinstance(equal.result, Branch) and equal.result.kind == "tuple"
        return [replace(box, state="lit") if nests and box.role == "area" and "[" in box.key else box for box in boxes]

    def _theirs(self, result, ours) -> list[Box]:
        flat = isinstance(result, Branch) and result.kind == "tuple"
        whole, *parts = placed(result, RIGHT, "result" if flat else "all", WIDTH - RIGHT - 2, TOP, plain=True)
        return [replace(whole, state="lit") if flat and isinstance(ours, Leaf) else whole, *parts]

    def marks(self) -> tuple[list[Mark], float, float]:
        """`(marks, width, height)`."""
        marks = [*following(self.ours, self.sizes, self.turned), *following(self.theirs, self.sizes, self.turned)]
        bottoms = [boxes[0].y + boxes[0].height for boxes in (*self.ours.values(), *self.theirs.values())]
        told = [*self._threads(), *self._told(), *self._compared()]
        ends = [float(mark.at["y"]) for mark in told if mark.tag == "text"]
        return [*marks, *told], self.width, max(180.0, *bottoms, *ends) + 4

    def _told(self) -> Iterator[Mark]:
        for result, when in places(list(self.sizes)[: len(Call._fields)], self.results):
            if isinstance(result, Failure):
                yield from only(when, failed(result, self.width, TOP))
            else:
                yield from only(when, [text(4, 20, fitted(skeleton(result), self.width - 70, 16), "place")])

    def _compared(self) -> Iterator[Mark]:
        """What stands in place of the equal call's result, or below it."""
        x = WIDTH - RIGHT
        for equal, when in places(list(self.sizes), self.equals):
            if not equal:
                continue
            yield from only(when, [text(WIDTH - 2, 20, "PyTorch", "name", "end")])
            if isinstance(equal.result, Failure):
                yield from only(when, failed(equal.result, RIGHT, TOP, x - 4))
                continue
            whole = placed(equal.result, RIGHT, y=TOP, plain=True)[0]
            lines = enumerate(wrapped(equal.sentence, RIGHT - 6))
            yield from only(when, [text(x, whole.y + whole.height + 20 + LINE * i, line, "note") for i, line in lines])

    def _threads(self) -> Iterator[Mark]:
        """Lines between a gradient on the left and the same on the right."""
        cells = list(self._cells())
        pairs = [self._joined(cell) for cell in cells]
        for name in dict.fromkeys(name for pair in pairs for name in pair):
            found = [pair.get(name) for pair in pairs]
            thread = path([(0, 0), (1, 1)], "axis", link=f"leaf {name}").following(self.sizes, d=found)
            thread = thread.following(self.sizes, state=["" if one else "hidden" for one in found])
            for dial in self.turned:
                thread = thread.moving(dial, 0.0, ARRIVES, "d").moving(dial, ARRIVES, 0.0, "appears")
            yield thread

    def _cells(self):
        calls = self.results
        return [(*call, style) for call in calls for style in range(len(STYLES) + 1)] if self.equals else []

    def _joined(self, cell):
        left, right = (
            {box.what: box for box in side.get(cell, ()) if box.role == "back"} for side in (self.ours, self.theirs)
        )
        return {
            name: f"M{left[name].x + left[name].width:g} {left[name].y + 14:g}C{WIDTH - RIGHT - 20:g} {left[name].y + 14:g} "
            f"{LEFT + 20:g} {right[name].y + 14:g} {right[name].x:g} {right[name].y + 14:g}"
            for name in left
            if name in right
        }
