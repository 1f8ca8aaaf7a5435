"""What the things of a cut graph are called, its slopes, and what changes with the cut."""

from collections.abc import Iterator
from typing import Any

from ...explorer import Node
from ...kit.scene import Changes, changes
from ...kit.words import clipped
from .run import Cuts, Use


def short(node: Node) -> str:
    """A node in few words: the user's name for it, else its op."""
    return clipped(node.name or node.title, 18)


def gradient_name(node: Node) -> str:
    """What its gradient is called."""
    return f"{short(node)}.grad" if node.leaf else f"∂{short(node)}"


def use_labels(found: Cuts) -> list[str]:
    """A name for each use, `x → sin`; where several have the same, they are counted."""
    nodes, plain = found.story.nodes, []
    for use in found.uses:
        user = nodes[use.node]
        plain.append(f"{short(nodes[user.parents[use.place]])} → {short(user)}")
    return [
        f"{words} ({plain[: i + 1].count(words)} of {plain.count(words)})" if plain.count(words) > 1 else words
        for i, words in enumerate(plain)
    ]


def slopes(found: Cuts) -> dict[Use, float | None]:
    """The local derivative of each use, where it is one number."""
    return {Use(step.node, sent.place): sent.slope for step in found.story.steps for sent in step.sent}


def changing(**lists: list[Any]) -> dict[str, Changes]:
    """What changes with the cut, of each one value for each run, without what is never there."""
    return {name: changes(values) for name, values in lists.items() if any(values)}


def ways(found: Cuts) -> Iterator[tuple[str, str, int, tuple[Use, ...]]]:
    """`(its link, what it is called, the leaf, its uses)` for every path that is listed."""
    for leaf, known in found.paths.items():
        for i, way in enumerate(known or ()):
            yield (
                f"path{leaf}-{i}",
                " ← ".join(short(found.story.nodes[k]) for k in (leaf, *(u.node for u in way))),
                leaf,
                way,
            )
