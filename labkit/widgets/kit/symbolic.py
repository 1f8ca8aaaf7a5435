"""Numbers of a scene that follow from its inputs: in Python they have a value, in a saved page a line that computes it anew.

A scene is built with a `Quantity` where a number stands, `Words` where a text or a path has numbers in it, and `Either` where
one of two stands; `resolved` is the scene with their values, and what a saved page makes them of (`page/reckoning.js`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, cast

import numpy as np

from .formats import FORMATS
from .reckoning import PRIMITIVES, Const, Program
from .scene import altered


class Inputs:
    """The inputs by name, where quantities begin.

    >>> of = Inputs({"x": 3.0, "y": 4.0})
    >>> length = of.of("hypot", of["x"], of["y"])
    >>> length.value, (2 * length - 1).value, words("length ", (length, "f1")).value
    (5.0, 9.0, 'length 5.0')
    """

    def __init__(self, inputs: Mapping[str, float]):
        self.program = Program(list(inputs))
        self._inputs = {name: Quantity(self, i, float(v)) for i, (name, v) in enumerate(inputs.items())}

    def __getitem__(self, name: str) -> "Quantity":
        return self._inputs[name]

    def of(self, primitive: str, *args: "Quantity | float") -> "Quantity":
        """What a primitive (`reckoning.PRIMITIVES`) makes of quantities and numbers."""
        places = [a.place if isinstance(a, Quantity) else Const(float(a)) for a in args]
        with np.errstate(all="ignore"):
            value = PRIMITIVES[primitive](*(np.float64(_value(a)) for a in args))
        return Quantity(self, self.program.line(primitive, *places), float(value))


@dataclass(frozen=True, eq=False)
class Quantity:
    """A number that follows from the inputs: its `value` here, and its `place` in the program."""

    among: Inputs
    place: int | Const
    value: float

    def __add__(self, other):
        return self.among.of("add", self, other)

    def __sub__(self, other):
        return self.among.of("subtract", self, other)

    def __mul__(self, other):
        return self.among.of("multiply", self, other)

    def __truediv__(self, other):
        return self.among.of("divide", self, other)

    def __radd__(self, other):
        return self.among.of("add", other, self)

    def __rsub__(self, other):
        return self.among.of("subtract", other, self)

    def __rmul__(self, other):
        return self.among.of("multiply", other, self)

    def __neg__(self):
        return self.among.of("negative", self)

    def made(self) -> Any:
        """As a page makes it."""
        return None if isinstance(self.place, Const) else {"level": [self.place, "6"]}


@dataclass(frozen=True)
class Words:
    """Texts, and between them `(quantity, format)` or other words, one of two for instance."""

    parts: Sequence[Any]

    @property
    def value(self) -> str:
        """As it is here."""
        return "".join(_said(part) for part in self.parts)

    def made(self) -> Any:
        """As a page makes it."""
        found = [_part(part) for part in self.parts]
        return {"words": found} if any(not isinstance(part, str) for part in found) else None


@dataclass(frozen=True)
class Either:
    """One of two, as a quantity is above 0 or not."""

    condition: Quantity
    yes: Any
    no: Any

    @property
    def value(self) -> Any:
        """The one that holds here."""
        return resolved(self.yes if self.condition.value > 0 else self.no)[0]

    def made(self) -> Any:
        """As a page makes it."""
        if isinstance(self.condition.place, Const):
            return resolved(self.yes if self.condition.value > 0 else self.no)[1]
        tests = ([">", self.condition.place, [0.0]], None)
        return {"one of": [[test, *resolved(one)] for test, one in zip(tests, (self.yes, self.no), strict=True)]}


def words(*parts: Any) -> Any:
    """`Words` of texts with quantities between them, as `(quantity, format)`."""
    return Words(parts)


def either(condition: Quantity, yes: Any, no: Any) -> Any:
    """One of two, as a quantity is above 0 or not (`Either`)."""
    return Either(condition, yes, no)


def through(points: Sequence[Any], closed: bool = False) -> Any:
    """A path through points of quantities or numbers."""
    parts: list[Any] = []
    for i, (x, y) in enumerate(points):
        parts += ["ML"[i > 0], (x, "px"), " ", (y, "px")]
    return Words([*parts, "Z"] if closed else parts)


def placed(mark: Any, text: Any = None, **at: Any) -> Any:
    """A mark whose text and attributes are quantities, words, or one of two."""
    return altered(mark, at={**mark.at, **at}, text=mark.text if text is None else text)


def resolved(thing: Any) -> tuple[Any, Any]:
    """The same with values in it, and what a page makes them of: None where nothing of it follows from inputs."""
    if isinstance(thing, Quantity):
        return float(f"{thing.value:.6g}"), thing.made()  # Python and a page differ in the last digits
    if isinstance(thing, (Words, Either)):
        return thing.value, thing.made()
    if isinstance(thing, (str, int, float, type(None))):
        return thing, None
    if isinstance(thing, Mapping):
        return _inside(thing, dict(thing).items(), dict)
    if isinstance(thing, (list, tuple)):
        return _inside(thing, [(str(i), one) for i, one in enumerate(thing)], lambda kept: type(thing)(kept.values()))
    if is_dataclass(thing) and not isinstance(thing, type):
        every = [(field.name, getattr(thing, field.name)) for field in fields(thing)]
        return _inside(thing, every, lambda kept: altered(cast(Any, thing), **kept))
    return thing, None


def _inside(thing, items, build):
    kept, made, same = {}, {}, True
    for key, one in items:
        kept[key], how = resolved(one)
        same &= kept[key] is one
        if how is not None:
            made[key] = how
    return (thing if same else build(kept)), ({"in": made} if made else None)


def _value(one):
    return one.value if isinstance(one, Quantity) else one


def _said(part):
    if isinstance(part, (Words, Either)):
        return part.value
    return part if isinstance(part, str) else FORMATS[part[1]](_value(part[0]))


def _part(part):
    """As a page makes it: words, `[place, format]`, or what makes words."""
    if isinstance(part, (Words, Either)):
        return part.made() or part.value
    if isinstance(part, str):
        return part
    one, form = part
    if not isinstance(one, Quantity) or isinstance(one.place, Const):
        return FORMATS[form](_value(one))
    return [one.place, form]
