"""What the page of a cut graph is given: its nodes, uses and paths, and the program or the texts of their numbers."""

from typing import Any

import numpy as np

from ...explorer.run.lines import Lines
from ...kit.lab import plain
from ...kit.reckoning import Const
from ...kit.words import brief, in_full, joined, number
from .run import Cuts, Use, short


def written(found: Cuts, lines: Lines | None) -> dict[str, Any]:
    """The numbers are those of `lines`, else as they are; of arrays every run has its texts, in `runs`."""
    story, sent = found.story, found.runs[0].sent
    scalars = all(np.ndim(node.value) == 0 for node in story.nodes) and None not in [found.slopes[use] for use in sent]

    def place(known: Any, *what: Any) -> Any:
        if known is None or not scalars:
            return None
        one = np.ravel(lines.numbers[what])[0] if lines and what in lines.numbers else Const(float(known))
        return [plain(one.value)] if isinstance(one, Const) else int(one)

    nodes = [
        {"title": short(n), "called": n.called, "gradient": n.gradient_name, "leaf": n.leaf, "output": n.output,
         "value": brief(n.value), "said": in_full(n.value), "at": place(n.value, "value", n.index),
         "seed": float(np.ravel(n.seed)[0]) if n.output else None} for n in story.nodes
    ]  # fmt: skip
    uses = [
        {"node": use.node, "parent": story.nodes[use.node].parents[use.place], "slope": "" if slope is None else number(slope),
         "at": place(slope, "slope", use.node, _rank(story, use))} for use in found.uses for slope in [found.slopes.get(use)]
    ]  # fmt: skip
    program = lines.program.written() if lines else {"inputs": [], "lines": []}
    return {
        "nodes": nodes, "uses": uses, "paths": _paths(found), "runs": None if scalars else _runs(found),
        "program": program, "start": lines.start if lines else [],
    }  # fmt: skip


def _rank(story, use: Use) -> int:
    """Which of the local gradients of its node that of a use is."""
    sent = story.step_of[use.node].sent if use.node in story.step_of else ()
    return next((k for k, one in enumerate(sent) if one.place == use.place), -1)


def _paths(found: Cuts) -> list[dict[str, Any]]:
    nodes, spots = found.story.nodes, {use: k for k, use in enumerate(found.uses)}
    return [
        {"leaf": leaf, "uses": [spots[use] for use in way], "said": _product_words(found, way),
         "words": " ← ".join(short(nodes[k]) for k in (leaf, *(use.node for use in way)))}
        for leaf, ways in found.paths.items() for way in ways or ()
    ]  # fmt: skip


def _product_words(found, way):
    """The product of the local gradients on a path: `3 × 1 = 3`; "open" where they are no numbers."""
    value = found.product(way)
    factors = [number(slope) for use in way if (slope := found.slopes.get(use)) is not None]
    if value is None:
        return "open"
    return number(value) if len(factors) == 1 else f"{joined(factors, ' × ')} = {number(value)}"


def _runs(found: Cuts) -> list[dict[str, Any]]:
    """The texts of every run."""
    return [
        {"cards": [None if g is None else brief(g) for g in run.gradients], "alive": [use in run.sent for use in found.uses],
         "said": {leaf.index: in_full(run.of(leaf)) for leaf in found.story.leaves}} for run in found.runs
    ]  # fmt: skip
