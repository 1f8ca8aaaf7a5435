"""Two corresponding modules, and their parameters paired by name and by shape."""

from dataclasses import dataclass, field

from .layouts import Layout, layouts
from .names import common
from .parameters import Held, Part


@dataclass
class Pair:
    """Two modules that belong together, and what each holds: pairs with the layout between them, and what is left over."""

    torch: Part
    mindspore: Part
    held: list[tuple[Held, Held, Layout]]
    torch_only: list[Held] = field(default_factory=list)
    mindspore_only: list[Held] = field(default_factory=list)

    @property
    def strength(self) -> int:
        return 2 * len(self.held) - len(self.torch_only) - len(self.mindspore_only)

    @property
    def kinds(self) -> tuple[str, str]:
        return self.torch.kind, self.mindspore.kind


@dataclass
class Matching:
    """The pairs in the order of the first model, and the modules with parameters that have no counterpart."""

    pairs: list[Pair]
    torch_only: list[Part] = field(default_factory=list)
    mindspore_only: list[Part] = field(default_factory=list)


def paired(a: Part, b: Part) -> Pair | None:
    """What two modules hold, put together by name, then by shape in order; None where nothing fits."""
    left, right = ([h for h in part.held if not h.counts] for part in (a, b))
    held: list[tuple[Held, Held, Layout]] = []

    def put_together(x, y):
        held.append((x, y, layouts(x.shape, y.shape)[0]))
        left.remove(x)
        right.remove(y)

    for x in list(left):
        named = [y for y in right if layouts(x.shape, y.shape) and common(x.name) == common(y.name)]
        if named:
            put_together(x, named[0])
    for kinds in ((False,), (False, True)):  # parameters first, then buffers as well
        for x in [h for h in left if h.buffer in kinds]:
            alike = [
                [h for h in side if h.buffer in kinds and _long(h.shape) == _long(x.shape)] for side in (left, right)
            ]
            fits = [y for y in alike[1] if layouts(x.shape, y.shape)]
            if fits and len(alike[0]) == len(alike[1]):  # so that their order says which is which
                put_together(x, fits[0])
    return Pair(a, b, held, left, right) if held else None


def _long(shape):
    return sorted(n for n in shape if n != 1)
