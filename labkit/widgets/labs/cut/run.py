"""One run of a function, and the same run again with the engine's `stop_gradient` at each use of a value in turn."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, NamedTuple

import numpy as np

from ....engine import Reverse, getval, isbox, new_box, new_level, record, reverse_pass, stop_gradient
from ....tracing import plain_function
from ...explorer import Node, Story, of_graph
from ...kit.words import clipped

MOST_USES = 24
MOST_PATHS = 10  # that are listed one by one
NOTHING = "nothing"


class Use(NamedTuple):
    """The node that uses a value, and which of its parents is meant: `place` counts them from 0."""

    node: int
    place: int


@dataclass(frozen=True)
class Cut:
    """A run in which `use` was cut (None: nothing was). `gradients[i]`: that of node i, None where no path leads to it;
    `sent`: what goes back along each use, for the uses along which something does."""

    use: Use | None
    gradients: tuple[np.ndarray | None, ...]
    sent: Mapping[Use, np.ndarray]

    def of(self, node: Node) -> np.ndarray:
        """The gradient of a node: zeros where no path leads to it."""
        found = self.gradients[node.index]
        return np.zeros(node.shape, node.dtype) if found is None else found


@dataclass(frozen=True)
class Cuts:
    """All of them. `uses`: the uses of values, in the order they ran; `labels`: what each is called; `runs`: nothing cut, then
    each use in turn; `paths[leaf]`: the paths from that leaf to the outputs, each as the uses on it; None where there are more
    than `MOST_PATHS`; `slopes`: the local gradient of each use where it is one number."""

    story: Story
    uses: tuple[Use, ...]
    labels: tuple[str, ...]
    runs: tuple[Cut, ...]
    paths: Mapping[int, tuple[tuple[Use, ...], ...] | None]
    slopes: Mapping[Use, float | None]

    def product(self, path: Sequence[Use]) -> float | None:
        """What a path adds to the gradient: its local gradients multiplied, times the seed; None for tensors."""
        seed = np.ravel(self.story.nodes[path[-1].node].seed)
        factors = [float(slope) for use in path if (slope := self.slopes.get(use)) is not None]
        return prod([float(seed[0]), *factors]) if len(factors) == len(path) and len(seed) == 1 else None


def cuts(fun: Callable, args: Sequence[Any]) -> Cuts:
    """Run `fun(*args)` once for each of its uses.

    Raises TypeError for what cannot be recorded, ValueError where no input reaches the output or where there are more than
    24 uses; an exception of `fun` is passed on.

    >>> found = cuts(lambda x: x * x, [3.0])
    >>> [float(run.gradients[0]) for run in found.runs]
    [6.0, 3.0, 3.0]
    """
    if not callable(fun) or not args:
        came = "no arguments" if callable(fun) else type(fun).__name__
        raise TypeError(f"CutEdge: expected a function and its arguments, as in CutEdge(f, x), but got {came}")
    plain, values, names = plain_function(fun, args, {}, None, "CutEdge(f, x)")
    with np.errstate(all="ignore"):
        graph = record(plain, *values, names=names)
        story = of_graph(graph)
        uses = tuple(Use(n.index, place) for n in story.nodes for place in range(len(n.parents)))
        _check_number(uses)
        runs = tuple(_rerun(graph, story, use) for use in (None, *uses))
    slopes = {Use(step.node, sent.place): sent.slope for step in story.steps for sent in step.sent}
    paths = {leaf.index: _paths_to(story, leaf.index) for leaf in story.leaves}
    return Cuts(story, uses, _labels(story, uses), runs, paths, slopes)


def short(node: Node) -> str:
    """A node in few words: the user's name for it, else its op."""
    return clipped(node.name or node.title, 13)


def _check_number(uses):
    if not uses:
        raise ValueError("CutEdge: expected a function that computes with its arguments, but there is no use to cut")
    if len(uses) > MOST_USES:
        raise ValueError(
            f"CutEdge: expected at most {MOST_USES} uses of values, but this function has {len(uses)}: "
            "take a smaller part of it"
        )


def _labels(story, uses):
    """A name for each use, `x → sin`; several of one name are counted."""
    nodes = story.nodes
    plain = [f"{short(nodes[nodes[use.node].parents[use.place]])} → {short(nodes[use.node])}" for use in uses]
    return tuple(
        f"{words} ({plain[: i + 1].count(words)} of {plain.count(words)})" if plain.count(words) > 1 else words
        for i, words in enumerate(plain)
    )


def _rerun(graph: Any, story: Story, cut: Use | None) -> Cut:
    """The recorded ops run forward and backward again, the value at the use `cut` passing through `stop_gradient`."""
    level = new_level()
    found: list[Any] = []
    places: list[list[int]] = []
    for node, op in zip(story.nodes, graph.forward, strict=True):
        if op.fun is None:
            value = getval(op.value)
            found.append(new_box(value, level, Reverse.new_root(value)))
            places.append([])
            continue
        filled = [getval(a) for a in op.args]
        for place, (argnum, parent) in enumerate(zip(op.argnums, node.parents, strict=True)):
            filled[argnum] = stop_gradient(found[parent]) if (node.index, place) == cut else found[parent]
        found.append(op.fun(*filled, **op.kwargs))
        places.append([place for place, argnum in enumerate(op.argnums) if isbox(filled[argnum])])
    return _backward(story, cut, found, places)


def _backward(story, cut, found, places):
    index = {value._node: i for i, value in enumerate(found) if isbox(value)}
    gradients: dict[int, Any] = {}
    sent: dict[Use, np.ndarray] = {}

    def observe(node, gradient, contributions):
        i = index[node]
        gradients[i] = gradient
        for place, (_, value, _) in zip(places[i], contributions, strict=True):
            sent[Use(i, place)] = np.asarray(value)

    ends = [node for node in story.outputs if isbox(found[node.index])]
    totals = {}
    if ends:
        totals = reverse_pass([found[n.index]._node for n in ends], [np.asarray(n.seed) for n in ends], observe)
    gradients |= {index[root]: total for root, total in totals.items()}
    arrived = [np.asarray(gradients[i]) if i in gradients else None for i in range(len(found))]
    return Cut(cut, tuple(arrived), sent)


def _paths_to(story: Story, leaf: int) -> tuple[tuple[Use, ...], ...] | None:
    """Every path from a leaf to an output, or None where there are more than `MOST_PATHS`."""
    users: dict[int, list[Use]] = {}
    for node in story.nodes:
        for place, parent in enumerate(node.parents):
            users.setdefault(parent, []).append(Use(node.index, place))
    unfinished: list[tuple[int, tuple[Use, ...]]] = [(leaf, ())]
    complete: list[tuple[Use, ...]] = []
    while unfinished:
        at, way = unfinished.pop()
        if story.nodes[at].output and way:
            complete.append(way)
        unfinished += [(use.node, (*way, use)) for use in reversed(users.get(at, []))]
        if len(complete) > MOST_PATHS:
            return None
    return tuple(complete)
