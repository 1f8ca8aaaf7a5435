"""Grips: dragging a mark of a picture turns a dial, or sets fields of the program."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

Spot = tuple[float, float]  # a place in px of the panel
BY = ("x", "y", "xy", "r")


@dataclass(frozen=True)
class Along:
    """A field that a place sets: `low` at `start` px to `high` at `end` px; with `log` these are powers of ten.

    `whole`: only whole numbers.
    """

    field: str
    low: float
    high: float
    start: float
    end: float
    log: bool = False
    whole: bool = False

    @classmethod
    def scrubbed(cls, field: str, value: float, x: float, whole: bool = False) -> "Along":
        """A number that is scrubbed, from a handle at `x`: a px of the window is a hundredth of its size, of 1 at least.

        With `whole` it is a fifth.

        >>> Along.scrubbed("x", 30.0, 100.0).low, Along.scrubbed("x", 0.5, 100.0).high
        (-270.0, 10.5)
        """
        reach = 200.0 if whole else 10 * max(abs(value), 1.0)
        return cls(field, value - reach, value + reach, x - 1000.0, x + 1000.0, whole=whole)


@dataclass(frozen=True)
class Grip:
    """Something in a `panel` that is dragged with the mouse, by touch, or by the arrow keys; `label` is what it is called.

    `dial` and `spots`: the dial that it turns, and where it stands at each of its positions (None: nowhere); it goes to the
    nearest. `by`: what counts of a place, "x", "y", "xy", or "r", its distance from `around`. `free`: by "x", "y" or "r" the
    fields that it sets to any number, where Python listens; a saved page has the dial's positions only, or without a dial the
    values that the picture can reach (`reach.py`); where there are none, no handle. `at`: where it stands if it has no dial.

    Grips of one `name` are one thing; `when` says which of them is seen. `area`: x, y, width and height of a part of the
    panel that may be taken hold of, too. `stays`: the handle does not follow, as with a number that is scrubbed. `moves`:
    the link of marks that are moved at once, before Python has answered. `bare`: what it stands on looks like a handle
    already, so a ring is drawn around it only when it is pointed at, focused or held. `jumps`: pressed somewhere in its area, it
    comes to the pointer. `ends`: `{dial: (first, last)}`, a dial
    that stands before the first goes to the last when it is dragged, so that all that comes of it is seen; not while the reader
    predicts.
    """

    name: str
    panel: str
    label: str
    dial: str = ""
    spots: Sequence[Spot | None] = ()
    by: str = "xy"
    around: Spot | None = None
    free: Mapping[str, Along] = field(default_factory=dict)
    at: Spot | None = None
    when: Mapping[str, Sequence[int]] = field(default_factory=dict)
    area: Sequence[float] = ()
    stays: bool = False
    moves: str = ""
    bare: bool = False
    jumps: bool = False
    ends: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    def __post_init__(self):
        if self.by not in BY or (self.by == "r") != (self.around is not None):
            raise ValueError(
                f"grip {self.name!r}: expected to go by one of {BY}, by 'r' with a point around which it goes"
            )
        if bool(self.dial) != bool(self.spots) or not (self.spots or (self.free and self.at)):
            raise ValueError(
                f"grip {self.name!r}: expected a dial and its spots, or free fields and a place to stand at"
            )
        if not set(self.free) <= set(self.by):
            raise ValueError(
                f"grip {self.name!r}: expected free fields by {', '.join(self.by)}, but got {set(self.free)}"
            )
