"""What a saved page computes scenes with, found from scenes at many inputs."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from random import Random
from typing import Any

from .fitting import Fit
from .grips import Along
from .quantities import Quantities, finite
from .reckoning import Program
from .scene import Scene, to_json

TRIED, OTHERS = (0.0, 1.0, -1.0), 12  # values of an input at which something may be otherwise; rows of others
POOL, ROUNDS = 400, 4  # rows among which doubts are cleared up, and how often
SIZES = (3.0, 3.0, 3.0, 3.0, 30.0, 1e-5)  # of those

Row = Mapping[str, float]
Scenes = Callable[[Iterable[Row]], Iterator[tuple[Row, Scene]]]  # those that there are


def computed(program: Program, values: Row, along: Mapping[str, Along], scenes: Scenes) -> dict[str, Any] | None:
    """The program, what is made of its numbers, and the panels that do not follow, by number; None where something outside of
    panels, or in the first one, does not."""
    rows, others = list[Row](tried(values, along)), list[Row](tried(values, along, POOL))
    found, fit, made = list[tuple[Row, Any]](), Fit(Quantities(program, [values])), None
    for _ in range(ROUNDS):
        known = [rows[i] for i in finite(program, rows)]
        found += ((row, _undrawn(to_json(scene), program.curves)) for row, scene in scenes(known))
        found = [(row, scene) for row, scene in found if _named(scene) == _named(found[0][1])]
        if len(found) < len(rows) / 2 or found[0][0] != values:
            return None
        fit = Fit(Quantities(program, [row for row, _ in found]))
        made = fit.of([scene for _, scene in found])
        rows = fit.telling.asked_for([others[i] for i in finite(program, others)])
        if fit.left or not rows:
            break
    without = sorted({int(path[1]) if path[0] == "panels" and path[1:] else 0 for path in fit.left})
    return None if 0 in without else {"program": program.written(), "made": made, "without": without}


def _undrawn(scene, curves):
    """A scene as JSON without what the page draws itself: close-ups of curves that it knows."""
    for panel in scene["panels"]:
        while panel:
            for drawn in panel.get("closeups", ()):
                for mark in panel["marks"][drawn["first"] : drawn["first"] + 5 * (drawn["curve"] in curves)]:
                    mark["at"] = {key: value for key, value in mark["at"].items() if key not in ("d", "cx", "cy")}
            panel = panel.get("narrow")
    return scene


def _named(scene):
    return [panel["name"] for panel in scene["panels"]]


def tried(values: Mapping[str, float], along: Mapping[str, Along], more: int = 0) -> Iterator[dict[str, float]]:
    """Values at which scenes are compared, the given ones first: random ones of several sizes, and those at which something may
    be otherwise; always the same. `more`: so many of both.

    >>> rows = list(tried({"x": 0.5}, {"x": Along("x", 0, 1, 0, 1)}))
    >>> rows[0], {"x": 0.0} in rows, rows == list(tried({"x": 0.5}, {"x": Along("x", 0, 1, 0, 1)}))
    ({'x': 0.5}, True, True)
    """
    draw = Random(0)

    def drawn(size):
        found = {name: float(f"{draw.uniform(-size, size):.3g}") for name in values}
        return {name: float(round(v)) if along[name].whole else v for name, v in found.items()}

    yield dict(values)
    yield from (drawn(SIZES[i % len(SIZES)]) for i in range(OTHERS + len(SIZES)))
    for level in TRIED:
        yield dict.fromkeys(values, level)
        if len(values) > 1:
            yield from ({**drawn(SIZES[0]), name: level} for name in values)
    for _ in range(more):
        row = drawn(SIZES[0])
        yield {name: draw.choice((*TRIED, *row.values(), value, value)) for name, value in row.items()}
