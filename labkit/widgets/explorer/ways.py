"""Ways of folding: how each is written, and the row of names where what is unfolded is folded again."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from ..kit.scene import Link, Mark, Panel, text, width_of
from .panels import narrow
from .run.folding import Part, blocks, paths
from .view.placing import NARROW
from .view.units import Units

MOST_NAMED = 12  # unfolded blocks
WIDEST = 900.0  # px, of a row
Bar = tuple[list[Panel], dict[str, Link]]  # a row, if there is one, and what is behind its names


def key_of(opened: frozenset[str]) -> str:
    """A way of folding as one text, which is not empty; `opened_by` is the way back."""
    return "|".join(sorted(opened)) or "|"


def opened_by(key: str, parts: Sequence[Part]) -> frozenset[str]:
    """The keys in a text, those that there are, each with the blocks around it."""
    known = paths(parts)
    return frozenset(around for part in key.split("|") for around in known.get(part, ()))


def without(opened: frozenset[str], key: str, parts: Sequence[Part]) -> frozenset[str]:
    """What stays unfolded when a block is folded."""
    known = paths(parts)
    return frozenset(o for o in opened if key not in known.get(o, ()))


def number_of_boxes(units: Units) -> str:
    """In words."""
    return "1 box" if len(units.ops) == 1 else f"{len(units.ops)} boxes"


def bar(units: Units, parts: Sequence[Part], opened: frozenset[str], leads_to: Callable[[str], bool]) -> Bar:
    """A row with the names of what is unfolded, to fold it again; nothing where nothing is folded and nothing can be.

    `leads_to`: whether there is a way of folding.
    """
    titles = {b.key: b.title for b in blocks(parts) if b.key in opened}
    ops = sum(not n.leaf for n in units.story.nodes)
    folded = any(unit.block for unit in units.units)
    words = f"{ops} ops, folded into {number_of_boxes(units)}; click a pile to unfold it." if folded else ""
    several, single = len(titles) > 1, titles if len(titles) <= MOST_NAMED else {}
    ways = {f"fold {key}": (f"▾ {title}", without(opened, key, parts)) for key, title in single.items()}
    if several:
        ways["fold all"] = ("▾ all", frozenset())
    ways = {name: (label, opened) for name, (label, opened) in ways.items() if leads_to(key_of(opened))}
    if not ways and not words:
        return [], {}
    panel, found = _placed_bar(words, ways, WIDEST)
    return [
        replace(panel, narrow=narrow(_placed_bar(words, ways, NARROW)[0])) if panel.width > NARROW else panel
    ], found


def _placed_bar(words, ways, widest):
    marks: list[Mark] = [text(4, 14, words, "note")] if words else []
    x, y, found = (width_of(words, 11.5) + 20 if words else 4.0), 14.0, {}
    for name, (label, opened) in ways.items():
        width = width_of(label, 12, bold=True)
        if x + width > widest and x > 4:
            x, y = 4.0, y + 18
        marks.append(text(x, y, label, "forwardtext", link=name))
        found[name] = Link(f"Fold {label[2:]}", [f"Fold {label[2:]}"], opens=key_of(opened))
        x += width + 18
    return Panel("fold", "", widest if y > 14 else x, y + 6, marks, live=True), found
