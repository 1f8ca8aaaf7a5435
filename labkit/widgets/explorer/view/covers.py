"""What a large graph shows from afar: for each unfolded block one shape with its name over all its boxes. Nearer, the blocks
inside it have shapes of their own; at last the boxes are seen."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from ...kit.scene import Changes, Link, Mark, Panel, path, text, width_of
from ...kit.strokes import Point, polyline
from ...kit.words import number
from ..run.folding import Block, blocks
from .colours import MEMORY, NORM, Colours, size
from .shared import View
from .units import Unit, Units

NEAR = 0.45  # the scale from which on the boxes themselves are seen
SEEN = 6.5  # px on the screen: the letters of a name
PAD = 8.0
Band = tuple[float, float, float, float]  # left, top, right, bottom
MANY = 1500  # marks: the page draws all those of a panel with fewer


def covered(view: View, panel: Panel) -> Panel:
    """A panel of very many marks with the shapes and names, outer blocks first; each says at which scales it is seen."""
    outer = _several(view.units) if len(panel.marks) > MANY else []
    far = [mark for block in outer for mark in _from(_Cover(view, block), 0.0)]
    return replace(panel, far=[*_alone(view), *far], near=NEAR) if far else panel


def _several(units: Units) -> list[Block]:
    """The outermost unfolded blocks; those inside of one that is alone."""
    found = units.opened
    while len(found) == 1 and units.opened_inside[found[0].key]:
        found = units.opened_inside[found[0].key]
    return found


def _alone(view):
    """The boxes that are in no unfolded block, at every scale."""
    inside = {unit for block in view.units.opened for unit in (view.units.home[i] for i in block.ops)}
    names = {f"n{unit.index}" for unit in view.units.ops if unit not in inside}
    return [replace(mark, scale=(0.0, NEAR)) for mark in view.marks if mark.tag == "rect" and mark.link in names]


class _Cover:
    """A block's shape: a box around its boxes in each row of the drawing."""

    def __init__(self, view: View, block: Block):
        self.view, self.block = view, block
        opened = view.units.opened_inside.get(block.key, ())
        self.inside = [_Cover(view, other) for other in opened]
        self.units = sorted({view.units.home[i] for i in block.ops}, key=lambda unit: unit.index)
        self.bands = _bands(view, [*self.units, *_leaves(view.units, self.units)])
        left, top, right, bottom = _widest(self.bands)
        self.middle = (left + right) / 2, (top + bottom) / 2
        room = (bottom - top) * 0.45, (right - left) * 0.9 / max(width_of(block.title, 1.0, bold=True), 1.0)
        self.letters = max(min(room), 1.0)
        self.legible = SEEN / self.letters

    def marks(self, scale: tuple[float, float]) -> Iterator[Mark]:
        units, colours, link = self.view.units, self.view.colours, f"c{self.block.key}"
        shape = path(_outline(self.bands), "cover", link=link, scale=scale)
        yield shape.varying("step", state=self._states())
        norms = [colours.norms[unit] for unit in self.units if unit in colours.norms]
        if norms:
            yield from colours.over(shape, NORM, max(value for _, value in norms), max(when for when, _ in norms))
        if colours.kept:
            kept = sum(colours.kept[unit] for unit in self.units)
            yield from colours.over(shape, MEMORY, kept / len(self.units), units.ran[self.units[-1]])
        x, y = self.middle
        words = text(x, y + self.letters * 0.35, self.block.title, "covername", "middle", link=link, scale=scale)
        yield replace(words, at={**words.at, "font-size": round(self.letters, 1)})

    def _states(self) -> Changes:
        """Something happens while its boxes run, and while they are walked back."""
        units = self.view.units
        ran, walked = ([found[u] for u in self.units if u in found] for found in (units.ran, units.walked))
        found: Changes = [(0, "pending"), (min(ran), "now"), (max(ran) + 1, "")]
        return [*found, (min(walked), "now"), (max(walked) + 1, "")] if walked else found


def _from(cover: _Cover, scale: float) -> Iterator[Mark]:
    """A block's marks from a scale on, then those of the blocks inside it, from where half of these can be read."""
    readable = sorted(inside.legible for inside in cover.inside)
    below = min(NEAR, readable[len(readable) // 2]) if readable else NEAR
    if below > scale:
        yield from cover.marks((round(scale, 4), round(below, 4)))
    for inside in cover.inside if below < NEAR else ():
        yield from _from(inside, max(scale, below))


def links(units: Units, names: Collection[str]) -> dict[str, Link]:
    """What is behind the shapes with these names."""
    colours, found = Colours(units), {}
    for block in blocks(units.opened):
        if f"c{block.key}" in names:
            found[f"c{block.key}"] = _link(block, [units.home[i] for i in block.ops], colours)
    return found


def _link(block: Block, units: Iterable[Unit], colours: Colours) -> Link:
    boxes, lines = list(dict.fromkeys(units)), [f"{len(block.ops)} ops"]
    found = [colours.norms[unit] for unit in boxes if unit in colours.norms]
    norms, known = [value for _, value in found], max((when for when, _ in found), default=0)
    if norms:
        lines.append(f"Gradient norms from {number(min(norms))} to {number(max(norms))}.")
    if colours.kept:
        lines.append(f"{size(sum(colours.kept[unit] for unit in boxes))} kept for the way back.")
    label, tip = f"{block.title}: {lines[0]}", [block.title, *lines, "Click to go nearer."]
    return Link(label, tip, name=block.title, known={"step": known})


def _leaves(units: Units, boxes: Sequence[Unit]) -> list[Unit]:
    """The leaves that no other boxes use."""
    users, inside = units.users, set(boxes)
    near = dict.fromkeys(edge.start for unit in boxes for edge in units.into.get(unit, ()) if edge.start.lead.leaf)
    return [leaf for leaf in near if users[leaf] <= inside]


def _bands(view: View, units: Sequence) -> list[Band]:
    """`(left, top, right, bottom)` around the boxes, row by row."""
    rows: dict[int, list[Band]] = {}
    for unit in units:
        x, y, w = view.box(unit)
        row, high = view.placing.row(unit.index)
        rows.setdefault(row, []).append((x - PAD, y - PAD, x + w + PAD, y + high + PAD))
    return [
        (min(b[0] for b in boxes), min(b[1] for b in boxes), max(b[2] for b in boxes), max(b[3] for b in boxes))
        for _, boxes in sorted(rows.items())
    ]


def _outline(bands: Sequence[Band]) -> str:
    """A path around the bands; those right below one another, in part, are one shape."""
    groups: list[list[Band]] = []
    for band in bands:
        if groups and groups[-1][-1][0] < band[2] and band[0] < groups[-1][-1][2]:
            groups[-1].append(band)
        else:
            groups.append([band])
    return "".join(polyline([*_side(group, 2), *reversed(_side(group, 0))]) + "Z" for group in groups)


def _side(bands: Sequence[Band], side: int) -> list[Point]:
    """The points down the left side (0) or the right (2), where each band reaches halfway to the next."""
    ends = [bands[0][1], *((above[3] + below[1]) / 2 for above, below in pairwise(bands)), bands[-1][3]]
    return [(band[side], y) for band, pair in zip(bands, pairwise(ends), strict=True) for y in pair]


def _widest(bands: Sequence[Band]) -> Band:
    """The place for a name: the rows that are about as wide as the widest, together."""
    most = max(right - left for left, _, right, _ in bands)
    wide = [band for band in bands if band[2] - band[0] >= 0.8 * most]
    if wide[-1][3] - wide[0][1] > sum(bottom - top for _, top, _, bottom in bands) * 1.5:  # with others in between
        wide = wide[:1]
    return min(b[0] for b in wide), wide[0][1], max(b[2] for b in wide), wide[-1][3]
