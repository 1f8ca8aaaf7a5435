"""Inputs that are dragged on their cards."""

from collections.abc import Iterable, Iterator, Mapping
from math import isfinite

from ...kit.grips import Along, Grip
from ...kit.scene import Panel
from .units import Units


def scrubbed(units: Units, layouts: Iterable[Panel], fields: Mapping[str, str]) -> Iterator[Grip]:
    """The inputs on their cards: dragged to the right they grow."""
    numbers = {name: float(words) for name, words in fields.items() if isfinite(float(words))}
    ends = {"step": (units.seed, units.last)} if units.goes_back else {}
    cards = {f"n{u.index}": u.lead for u in units.units if u.lead.leaf and u.lead.title in numbers and not u.chip}
    for panel in layouts:
        boxes = {m.link: m.at for m in panel.marks if m.tag == "rect" and m.link in cards}
        for link, at in boxes.items():
            name, x, whole = cards[link].title, at["x"] + at["width"] / 2, cards[link].value.dtype.kind in "iu"
            free = {"x": Along.scrubbed(name, numbers[name], x, whole)}
            spot = (x, at["y"] + at["height"] - 2)  # its sign is below the card, clear of digits
            yield Grip(
                f"{name} {panel.name}",
                panel.name,
                name,
                at=spot,
                by="x",
                free=free,
                stays=True,
                when=panel.when,
                ends=ends,
                area=(at["x"], at["y"], at["width"], at["height"]),
            )
