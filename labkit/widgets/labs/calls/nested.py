"""Nested results, as boxes in boxes: tuples and lists around tensors, with the index that leads to each."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, TypeVar

from ...kit.scene import Mark, When, rect, text, width_of
from ...kit.still import wrapped

PAD, LEAF, SOURCE, HEAD, LINE = 7.0, 29.0, 18.0, 24.0, 16.0  # px: SOURCE is the line of what a value is made of
MANY = 6  # parts of one tuple that are drawn
ARRIVES = 380.0  # ms of a step: until then what stays goes to its place


@dataclass(frozen=True)
class Leaf:
    """A value in a result: its short name, what it is, the value and its kind in words; `role`: its look; `source`: what it is
    made of, where that is told."""

    name: str
    what: str
    value: str
    kind: str
    role: str
    source: str = ""


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


@dataclass(frozen=True)
class Box:
    """A value or a tuple where it is drawn: `key` tells which one, `words`: x, y, words, role and anchor of each."""

    key: str
    x: float
    y: float
    width: float
    height: float
    role: str
    words: tuple[tuple[float, float, str, str, str], ...]
    round: float = 3.0
    what: str = ""
    state: str = ""


def placed(tree: Tree, width: float, path: str = "", x: float = 0.0, y: float = 0.0, plain: bool = False) -> list[Box]:
    """The boxes of a tree with its left upper corner at (x, y), the outermost first; `path` is what the whole is called.

    `plain`: it is not told where each is and what it is made of."""
    if isinstance(tree, Leaf):
        return [_leaf(replace(tree, source="") if plain else tree, width, "" if plain else path, x, y)]
    indexed = tree.kind in ("tuple", "list")
    head = f"{tree.kind} of {len(tree.parts)}" if indexed else tree.kind
    inner: list[Box] = []
    at = y + HEAD
    for i, part in enumerate(tree.parts[:MANY]):
        first, *rest = placed(part, width - 2 * PAD, f"{path}[{i}]" if indexed and path else "", x + PAD, at, plain)
        inner += [first, *rest]
        at += first.height + 5
    words = [(x + PAD, y + 16, head, "plain", "start")]
    if path and not plain:
        words.append((x + width - PAD, y + 16, path, "tick", "end"))
    if len(tree.parts) > MANY:
        words.append((x + PAD, at + 12, f"… and {len(tree.parts) - MANY} more", "note", "start"))
        at += 20
    height, corner = max(at + 2 - y, 30), 1.0 if tree.kind == "list" else 9.0
    return [Box(path, x, y, width, height, "area", tuple(words), corner), *inner]


def _leaf(leaf, width, path, x, y) -> Box:
    room = width - 22 - width_of(path, 11, True) - width_of(leaf.value, 12, True)
    name = fitted(leaf.name, room, 14)
    below = name != leaf.name and not path and not leaf.source
    if below:
        name, value = fitted(leaf.name, width - 16, 14), (x + 8, y + 37, leaf.value, "value", "start")
    else:
        value = x + 20 + width_of(name, 13), y + 19, leaf.value, "value", "start"
    words = [(x + 8, y + 19, name, "name", "start"), value]
    if path:
        words.append((x + width - 8, y + 19, path, "tick", "end"))
    if leaf.source:
        words.append((x + 8, y + 37, fitted(leaf.source, width - 16, 11), "note", "start"))
    high = LEAF + SOURCE * bool(leaf.source or below)
    return Box(f"{leaf.name} {leaf.role}", x, y, width, high, leaf.role, tuple(words), what=leaf.what)


def following(layouts: Mapping[Any, Sequence[Box]], sizes: Mapping[str, int], turned: Iterable[str]) -> Iterator[Mark]:
    """Marks that go where they are in each layout, by the places of dials: a box stays the same one wherever it goes.

    `turned`: the dials that move them. What was there before is in its place before anything new is seen."""
    cells = list(product(*map(range, sizes.values())))
    found = [{box.key: box for box in layouts.get(cell, ())} for cell in cells]
    tuples = {box.key: box.role == "area" for boxes in layouts.values() for box in boxes}
    for key in sorted(tuples, key=lambda key: (not tuples[key], key.count("["), key)):  # what is inside lies on top
        boxes = [there.get(key) for there in found]
        first = next(filter(None, boxes))
        seen, link = [box.state if box else "hidden" for box in boxes], None if tuples[key] else f"leaf {first.what}"
        spots = {name: [box and getattr(box, name) for box in boxes] for name in ("x", "y", "width", "height")}
        frame = rect(0, 0, 1, 1, first.role, 0).following(sizes, **spots, rx=[box and box.round for box in boxes])
        yield _first_there(replace(frame.following(sizes, state=seen), link=link), turned)
        for k in range(max(len(box.words) for box in boxes if box)):
            said = [box.words[k] if box and k < len(box.words) else None for box in boxes]
            (x, y, words, role, anchor) = next(filter(None, said))
            there = {name: [one and one[i] for one in said] for i, name in enumerate(("x", "y", "text"))}
            mark = text(x, y, words, role, anchor).following(sizes, **there)
            mark = mark.following(sizes, state=["" if one else "hidden" for one in said])
            yield _first_there(replace(mark, link=link), turned)


def _first_there(mark, turned):
    for dial in turned:
        for name in ("x", "y", "width", "height"):
            mark = mark.moving(dial, 0.0, ARRIVES, name)
        mark = mark.moving(dial, ARRIVES, 0.0, "appears")
    return mark


def fitted(words: str, room: float, size: float) -> str:
    """Words cut to `room` px at a font size, with an ellipsis where something is missing.

    >>> fitted("gradient for w", 60, 12), fitted("gradient for w", 600, 12)
    ('gradien…', 'gradient for w')
    """
    fits = max(int(room / width_of("m", size)), 1)
    return words if len(words) <= fits else words[: fits - 1] + "…"


def failed(failure: Failure, width: float, y: float = 2.0, x: float = 0.0) -> list[Mark]:
    """The marks of an exception whose box begins at (x, y)."""
    lines = wrapped(failure.message, width - 24)
    box = [rect(x + 2, y, width - 4, 50 + LINE * len(lines), "bad"), text(x + 12, y + 19, failure.kind, "name")]
    said = [text(x + 12, y + 39 + LINE * i, line) for i, line in enumerate(lines)]
    return [*box, *said, text(x + 12, y + 41 + LINE * len(lines), failure.when, "note")]


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
