"""The ball and the box: a gradient of two elements that the reader drags, clipped by norm and by value.

All that is seen is made of quantities that follow from the gradient and the limit, so a saved page computes it too.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from ...kit.grips import Along, Grip
from ...kit.scene import Ask, Caption, Dial, Panel, Scene
from ...kit.symbolic import Inputs, Quantity, either, words
from . import ball_view as view
from .ball_view import ACROSS, UP

LEAST, MOST = 0.1, 2.8  # limits
START = {"g1": 3.5, "g2": 1.5, "limit": 1.5}
AROUND = 120  # places on the way around
PACE = 45.0  # ms
TOLD = "turn_told"  # the dial of whether it is told what both rules do
DIRECTIONS = ("along an axis", "along a diagonal", "in between", "nowhere: it is not clipped")


class Clipped:
    """What both rules make of a gradient at a limit, as quantities.

    >>> found = Clipped(Inputs({"g1": 3.0, "g2": 1.0, "limit": 1.0}))
    >>> [q.value for q in found.value], round(found.turned.value, 3), round(found.value_length.value, 3)
    ([1.0, 1.0], 26.565, 1.414)
    """

    def __init__(self, of: Inputs):
        self.of, self.g, self.limit = of, (of["g1"], of["g2"]), of["limit"]
        self.length = of.of("hypot", *self.g)
        self.factor = of.of("minimum", self.limit / of.of("maximum", self.length, 1e-12), 1.0)
        self.norm = (self.g[0] * self.factor, self.g[1] * self.factor)
        self.norm_length = self.length * self.factor
        self.value = (self.cut(self.g[0]), self.cut(self.g[1]))
        self.value_length = of.of("hypot", *self.value)
        self.side = cross(self.g, self.value)  # of g on which it is turned to: above 0 anticlockwise
        self.turned = degrees(of, self.g, self.value)
        self.by_value = of.of("maximum", *(of.of("absolute", a) for a in self.g)) - self.limit  # above 0: it is clipped

    def cut(self, element: Quantity) -> Quantity:
        """An element limited to [-limit, limit]."""
        return self.of.of("maximum", self.of.of("minimum", element, self.limit), -self.limit)


def cross(a: Any, b: Any) -> Any:
    """The area between two vectors, with a sign."""
    return a[0] * b[1] - a[1] * b[0]


def degrees(of: Inputs, a: Any, b: Any) -> Quantity:
    """The angle between two vectors."""
    return of.of("arctan2", of.of("absolute", cross(a, b)), a[0] * b[0] + a[1] * b[1]) * (180 / np.pi)


@lru_cache
def tour() -> tuple[tuple[float, float], ...]:
    """The places on a way once around, from that of `START` back to it: of its length, or as long as there is room for."""
    start = START["g1"], START["g2"]
    whole, first = np.hypot(*start), np.arctan2(start[1], start[0])
    angles = first + np.linspace(0, 2 * np.pi, AROUND + 1)
    reach = [min(whole, 0.95 * UP / max(abs(np.sin(a)), 1e-9)) for a in angles]
    places = [(round(r * np.cos(a), 3), round(r * np.sin(a), 3)) for r, a in zip(reach, angles, strict=True)]
    return tuple((float(x), float(y)) for x, y in places)


def checked(inputs: Mapping[str, float]) -> None:
    """Raises ValueError for what has no place in the picture."""
    for name, low, high in (("g1", -ACROSS, ACROSS), ("g2", -UP, UP), ("limit", LEAST, MOST)):
        if not low <= inputs[name] <= high:
            raise ValueError(f"{name}: expected a number from {low:g} to {high:g}, but got {inputs[name]:g}")


def scene(of: Inputs) -> Scene:
    """The picture, of the inputs "g1", "g2" and "limit"; dial `around` leads the gradient once around."""
    found = Clipped(of)
    told = {TOLD: [1]}
    ball = [
        *view.ground(found),
        *view.traces(found, TOLD),
        *view.gradient(found),
        *view.results(found, TOLD),
        *view.handle(found),
        *view.names(found),
    ]
    panels = [
        Panel("ball", "Drag g, or the circle's edge", *view.SIZE, ball),
        Panel("left", "What is left of g", *view.BESIDE, [*view.left(found, TOLD), *view.turns(found, TOLD)]),
    ]
    fields = {name: words((of[name], "6")) for name in START}
    return Scene(
        "Ball and box",
        "Ball and box: a gradient of two elements, shortened to a ball by norm, cut to a box by value, which turns it.",
        _dials(found), panels, [Caption("around", [(0, _sentence(found))], told), Caption("around", [(0, _rules(found))])],
        fields=fields, grips=list(_grips(found)),
    )  # fmt: skip


def _grips(found) -> Iterator[Grip]:
    free = {"x": view.PLANE.across.sets("g1"), "y": view.PLANE.up.sets("g2")}
    yield Grip("g", "ball", "Gradient g", free=free, at=view.at(found.g), bare=True)
    away = {"r": Along("limit", LEAST, MOST, LEAST * view.UNIT, MOST * view.UNIT)}
    yield Grip(
        "limit", "ball", "Limit, at the circle's edge", free=away, by="r", around=view.MIDDLE, at=view.edge(found)
    )


def _dials(found):
    places = tour()
    values = [f"{np.degrees(np.arctan2(y, x)):.0f}°".replace("-", "−") for x, y in places]
    sets = [{"g1": x, "g2": y} for x, y in places]
    return [
        Dial("around", "Once around", values, start=AROUND, pace=PACE, sets=sets),
        Dial(TOLD, "What both rules do", ["to be predicted", "told"], "told", 1, asks={1: _ask(found)}),
    ]


def _ask(found):
    """Where clipping by value turns a gradient of this length the most."""
    clipped = found.length - found.limit
    longer = found.length - found.limit * np.sqrt(2)
    answer = either(clipped, DIRECTIONS[2], DIRECTIONS[3])
    because = either(
        longer,
        "There its longer element is cut to the limit, and the other just fits.",
        either(
            clipped,
            "On an axis one element is 0, on a diagonal both are cut alike or not at all.",
            "It is inside the box.",
        ),
    )
    return Ask(
        "g goes once around, as long as it is. In which direction does clipping by value turn it most?", answer, because,
        choices=DIRECTIONS, otherwise="Not there. When does cutting both elements to the limit change the direction?",
    )  # fmt: skip


def _rules(found):
    return words(
        "\nLimit ", (found.limit, "3"), ": ops.clip_by_norm keeps g in the ball, ops.clip_by_value in the box. With all "
        "gradients joined in g, the ball is that of ops.clip_by_global_norm.",
    )  # fmt: skip


def _sentence(found):
    """What matters, in a sentence or two, and the numbers."""
    pairs = [("By norm: (", found.norm), (" By value: (", found.value)]
    numbers = [part for head, (a, b) in pairs for part in (head, (a, "3"), ", ", (b, "3"), ").")]
    said = [
        words("By norm: only shorter. By value: turned by ", (found.turned, "f1"), "°.\n", *numbers),
        words("On an axis or a diagonal, both rules keep the direction.\n", *numbers),
        words("By norm: only shorter. By value: inside the box, nothing is clipped.\n", *numbers),
        "This g is inside both: nothing is clipped.",
    ]
    both = either(found.turned - 0.05, said[0], said[1])
    return either(found.length - found.limit, either(found.by_value, both, said[2]), said[3])
