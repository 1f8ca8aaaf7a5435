"""Ways of folding: how each is written, and what stays unfolded."""

from collections.abc import Sequence

from ..run.folding import Part, paths
from .units import Units


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
