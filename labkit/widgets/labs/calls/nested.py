"""Nested results, as boxes in boxes: tuples and lists around tensors, with the index that leads to each."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from ...kit.scene import Mark, When, rect, text, width_of
from ...kit.still import wrapped

PAD, LEAF, LINE = 8.0, 46.0, 16.0
MANY = 6  # parts of one tuple that are drawn


@dataclass(frozen=True)
class Leaf:
    """A value in a result: its short name, what it is, the value and its kind in words; `role`: its look."""

    name: str
    what: str
    value: str
    kind: str
    role: str


@dataclass(frozen=True)
class Branch:
    """A tuple or list (its `kind`) of `parts`, or `parts` under another heading, which is then their `kind`."""

    kind: str
    parts: tuple["Tree", ...]


@dataclass(frozen=True)
class Failure:
    """An exception instead of a result, its `kind` and `message`, and `when` it came."""

    kind: str
    message: str
    when: str


Tree = Leaf | Branch
Value = TypeVar("Value")


def skeleton(tree: Tree) -> str:
    """The structure in Python's notation; of many parts only the first two and the last.

    >>> leaf = Leaf("dx", "gradient for x", "6", "shape [], Float32", "back")
    >>> skeleton(Branch("tuple", (leaf, Branch("tuple", (leaf,)))))
    '(dx, (dx,))'
    """
    if isinstance(tree, Leaf):
        return tree.name
    parts = [skeleton(part) for part in tree.parts]
    inner = ", ".join(parts if len(parts) <= MANY else [*parts[:2], "…", parts[-1]])
    if tree.kind == "list":
        return f"[{inner}]"
    return f"({inner},)" if len(tree.parts) == 1 else f"({inner})"


def leaves_of(tree: Tree) -> tuple[Leaf, ...]:
    """The leaves, in order."""
    return (tree,) if isinstance(tree, Leaf) else tuple(leaf for part in tree.parts for leaf in leaves_of(part))


def drawn(tree: Tree, width: float, path: str = "", x: float = 0.0, y: float = 0.0) -> tuple[list[Mark], float]:
    """The marks of a tree with its left upper corner at (x, y), and its height; `path` is what the whole is called."""
    if isinstance(tree, Leaf):
        return list(_leaf(tree, width, path, x, y)), LEAF
    indexed = tree.kind in ("tuple", "list")
    head = f"{tree.kind} of {len(tree.parts)}" if indexed else tree.kind
    inner, at = [], y + 26
    for i, part in enumerate(tree.parts[:MANY]):
        marks, height = drawn(part, width - 2 * PAD, f"{path}[{i}]" if indexed and path else "", x + PAD, at)
        inner += marks
        at += height + 6
    if len(tree.parts) > MANY:
        inner.append(text(x + PAD, at + 12, f"… and {len(tree.parts) - MANY} more", "note"))
        at += 20
    height = max(at + 4 - y, 30)
    frame = rect(x, y, width, height, "area", r=1 if tree.kind == "list" else 9)
    named = [text(x + width - PAD, y + 17, path, "tick", "end")] if path else []
    return [frame, text(x + PAD, y + 17, head, "plain"), *named, *inner], height


def _leaf(leaf, width, path, x, y) -> Iterator[Mark]:
    end, room = x + width - 8, width - 16 - width_of(path, 11, True)
    name = fitted(leaf.name, room, 14)
    after = x + 18 + width_of(name, 14)
    yield rect(x, y, width, LEAF, leaf.role)
    yield text(x + 8, y + 17, name, "name")
    if width_of(leaf.what, 11.5) <= room - (after - x):
        yield text(after, y + 17, leaf.what, "note")
    yield text(end, y + 17, path, "tick", "end")
    yield text(x + 8, y + 37, leaf.value, "value")
    yield text(end, y + 37, leaf.kind, "note", "end")


def fitted(words: str, room: float, size: float) -> str:
    """Words cut to `room` px at a font size, with an ellipsis where something is missing.

    >>> fitted("gradient for w", 60, 12), fitted("gradient for w", 600, 12)
    ('gradien…', 'gradient for w')
    """
    fits = max(int(room / width_of("m", size)), 1)
    return words if len(words) <= fits else words[: fits - 1] + "…"


def failed(failure: Failure, width: float, y: float = 2.0) -> tuple[list[Mark], float]:
    """The marks of an exception whose box begins at y, and where it ends."""
    lines = wrapped(failure.message, width - 24)
    height = 50 + LINE * len(lines)
    box = [rect(2, y, width - 4, height, "bad"), text(12, y + 19, failure.kind, "name")]
    said = [text(12, y + 39 + LINE * i, line) for i, line in enumerate(lines)]
    return [*box, *said, text(12, y + 41 + LINE * len(lines), failure.when, "note")], y + height + 2


def places(names: Sequence[str], cells: Mapping[Any, Value]) -> list[tuple[Value, When]]:
    """The cells of a table gathered into few blocks of equal values: `(value, the positions of the dials `names`)`.

    >>> places(["x", "y"], {(0, 0): "a", (0, 1): "a", (1, 0): "b", (1, 1): "a"})
    [('a', {'x': [0], 'y': [0]}), ('a', {'x': [0, 1], 'y': [1]}), ('b', {'x': [1], 'y': [0]})]
    """
    found = {tuple((i,) for i in cell): value for cell, value in cells.items()}
    for axis in range(len(names)):
        merged = defaultdict(list)
        for place, value in found.items():
            merged[place[:axis], place[axis + 1 :], value].append(place[axis])
        found = {
            (*before, tuple(sorted(i for span in spans for i in span)), *after): value
            for (before, after, value), spans in merged.items()
        }
    return [(value, dict(zip(names, map(list, place), strict=True))) for place, value in found.items()]
