"""What a saved page shows when an input is dragged and there is no Python: scenes for values around those of the inputs.

Written is what differs; `page/reaching.js` finds the nearest values and makes their scene of the first one.
"""

import contextlib
import io
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, product
from math import floor, isfinite, log10
from time import process_time
from typing import Any

from .grips import Along
from .page import packed
from .scene import Scene, to_json

MOST = 13_000  # marks of all scenes together
EACH, LEAST = (41, 9), 5  # values of an input, where there are so many inputs: each with each
ALONE = 9  # where there are more, or marks are many: each alone, the others being as they were given
WIDE = 2.0  # times its size, of 1 at least, that a value goes down and up
SPREAD = (0.12, 0.5, 0.88)  # of an axis on which a handle is dragged
LETTERS = 600_000
SLOW = 0.5  # s that a scene takes at most

SceneAt = Callable[[Mapping[str, float]], Scene | None]


def reached(scene: Scene, inputs: Mapping[str, float], scene_at: SceneAt) -> str:
    """`{"fields": names, "points": rows of values, "varying": how the scenes differ}`, packed; "" where nothing can be reached.

    Nothing can where handles set no inputs, where scenes are large or slow, and where the same inputs give another scene.
    """
    handles = [grip for grip in scene.grips if not grip.dial]
    along = {a.field: a for grip in handles for a in grip.free.values() if a.field in inputs}
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        began = process_time()
        first = scene_at(inputs) if along else None
        if first is None or process_time() - began > SLOW or to_json(first)["panels"] != to_json(scene)["panels"]:
            return ""
        marks = sum(len(panel.marks) for panel in first.panels)
        values, on_axes = {name: inputs[name] for name in along}, not any(grip.stays for grip in handles)
        whole = {name: a.whole for name, a in along.items()}
        rows = spread(values, along) if on_axes else list(points(values, whole, MOST // marks))
        found = list(_scenes(rows, inputs, scene_at)) if len(rows) > 1 else []
    return _packed(list(along), [list(row.values()) for row, _ in found], [to_json(other) for _, other in found])


def _packed(fields, rows, scenes) -> str:
    """Of too many letters only what lies further inside."""
    while len(rows) > 1:
        written = str(packed({"fields": fields, "points": rows, "varying": varying(scenes)}))
        if len(written) <= LETTERS:
            return written
        ends = [(min(axis), max(axis)) for axis in zip(*rows, strict=True)]
        kept = [
            i
            for i, row in enumerate(rows)
            if not any(v in end for v, end in zip(row, ends, strict=True) if end[0] < end[1])
        ]
        rows, scenes = [rows[i] for i in kept], [scenes[i] for i in kept]
    return ""


def _scenes(rows, inputs, scene_at) -> Iterator[tuple[Mapping[str, float], Scene]]:
    """The values for which there is a scene, and it: what a function raises is not a scene."""
    for row in rows:
        with contextlib.suppress(Exception):
            found = scene_at({**inputs, **row})
            if found is not None:
                yield row, found


def spread(values: Mapping[str, float], along: Mapping[str, Along]) -> list[Mapping[str, float]]:
    """Values over all the axes that handles are dragged on; the given ones take the place of the nearest.

    >>> spread({"x": 0.3}, {"x": Along("x", -2.0, 2.0, 0.0, 100.0)})
    [{'x': 0.3}, {'x': -1.52}, {'x': 1.52}]
    """
    axes = [[valued(a, a.low + part * (a.high - a.low)) for part in SPREAD] for a in along.values()]
    rows = [dict(zip(along, row, strict=True)) for row in product(*axes)]
    wide = {name: valued(a, a.high) - valued(a, a.low) for name, a in along.items()}
    near = min(rows, key=lambda row: sum(((row[name] - values[name]) / wide[name]) ** 2 for name in along))
    return [values, *(row for row in rows if row is not near)]


def valued(along: Along, level: float) -> float:
    """What a level of an axis stands for, in three digits."""
    found = float(f"{10.0**level if along.log else level:.3g}")
    return round(found) if along.whole else found


def points(values: Mapping[str, float], whole: Mapping[str, bool], most: int) -> Iterator[dict[str, float]]:
    """Values around some, at most so many rows; the given ones are among them. The inputs vary each with each, or each alone.

    >>> [point["x"] for point in points({"x": 0.3}, {"x": False}, 5)]
    [-1.7, -0.7, 0.3, 1.3, 2.3]
    >>> [list(point.values()) for point in points({"x": 3, "y": 1}, {"x": True, "y": True}, 8)]
    [[3, 1], [2, 1], [4, 1], [3, 0], [3, 2]]
    """
    if any(not isfinite(value) for value in values.values()):
        return
    count = len(values)
    together = [n for n in range(EACH[count - 1], LEAST - 1, -2) if n**count <= most] if count <= len(EACH) else []
    alone = [n for n in range(ALONE, 0, -2) if count * (n - 1) + 1 <= most]
    axes = [around(value, [*together, *alone, 1][0], whole[name]) for name, value in values.items()]
    if together:
        yield from (dict(zip(values, row, strict=True)) for row in product(*axes))
        return
    yield dict(values)
    for name, axis in zip(values, axes, strict=True):
        yield from ({**values, name: value} for value in axis if value != values[name])


def around(value: float, count: int, whole: bool = False) -> list[float]:
    """So many values in round steps, the given one in their middle.

    >>> around(1.5, 9), around(3, 3, whole=True)
    ([-0.5, 0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5], [2, 3, 4])
    """
    half = (count - 1) // 2
    if whole:
        return [value + k for k in range(-half, half + 1)]
    step = _round(WIDE * max(abs(value), 1.0) / max(half, 1))
    return [round(value + k * step, 12) if k else value for k in range(-half, half + 1)]


def _round(step):
    """The nearest of 1, 2 and 5 times a power of ten."""
    power = 10.0 ** floor(log10(step))
    return min((1, 2, 5, 10), key=lambda k: abs(k * power - step)) * power


# ---- what differs ----


def varying(values: Sequence[Any]) -> Any:
    """What differs among values of JSON: by key or place, where all are objects, or lists of one length; else `[one of each
    kind, which kind each is, what differs within each kind]`. What an object does not have is None.

    >>> varying([{"a": 1, "b": [1, 2]}, {"a": 1, "b": [1, 5]}, {"a": 1, "b": [1, 2], "c": 7}])
    {'b': {'1': [[2, 5], [0, 1, 0], []]}, 'c': [[None, 7], [0, 0, 1], []]}
    >>> varying([[1], [1, 2], [3]])
    [[[1], [1, 2]], [0, 1, 0], [{'0': [[1, 3], [0, 1], []]}, {}]]
    """
    kinds: dict[Any, list[int]] = {}
    for i, value in enumerate(values):
        kinds.setdefault(_kind(value), []).append(i)
    if len(kinds) == 1:
        return _inside(values)
    which = [0] * len(values)
    for k, members in enumerate(kinds.values()):
        for i in members:
            which[i] = k
    inside = [_inside([values[i] for i in members]) for members in kinds.values()]
    return [[values[members[0]] for members in kinds.values()], which, inside if any(inside) else []]


def _inside(values):
    """What differs among values of one kind."""
    first, found = values[0], list[tuple[str, list[Any]]]()
    if isinstance(first, dict):
        found = [(key, [value.get(key) for value in values]) for key in dict.fromkeys(chain(*values))]
    elif isinstance(first, list):
        found = [(str(i), list(parts)) for i, parts in enumerate(zip(*values, strict=True))]
    return {key: varying(parts) for key, parts in found if any(part != parts[0] for part in parts)}


def _kind(value):
    """What values have in common that differ inside alone."""
    return "object" if isinstance(value, dict) else len(value) if isinstance(value, list) else (type(value), value)
