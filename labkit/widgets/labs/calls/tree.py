"""Nested results: tuples and lists around tensors, as plain data too."""

from dataclasses import dataclass
from typing import Any

MANY = 6  # parts of one tuple that are written out


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


def plain(tree: "Tree | Failure") -> Any:
    """A result as the page reads it: a leaf is a list, a branch or a failure a dict."""
    if isinstance(tree, Failure):
        return {"error": tree.kind, "message": tree.message, "when": tree.when}
    if isinstance(tree, Leaf):
        return [tree.name, tree.value, tree.kind, tree.source, tree.role]
    return {"kind": tree.kind, "parts": [plain(part) for part in tree.parts]}
