"""One run of a function, and the same run again with the engine's `stop_gradient` at each use of a value in turn."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ....engine import Reverse, getval, isbox, new_box, new_level, record, reverse_pass, stop_gradient
from ....tracing import plain_function
from ...explorer import Story, of_graph

MOST_USES = 24
MOST_PATHS = 10  # that are listed one by one


class Use(NamedTuple):
    """The node that uses a value, and which of its parents is meant: `place` counts them from 0."""

    node: int
    place: int


@dataclass(frozen=True)
class Cut:
    """A run in which `use` was cut (None: nothing was). `gradients[i]`: what arrives at node i, None where no path leads to
    it; `sent`: of the uses along which something goes back, what that is, and the sum that it makes at the value used."""

    use: Use | None
    gradients: tuple[np.ndarray | None, ...]
    sent: Mapping[Use, tuple[np.ndarray, np.ndarray]]

    @property
    def open(self) -> frozenset[Use]:
        """The uses along which something goes back."""
        return frozenset(self.sent)


@dataclass(frozen=True)
class Cuts:
    """All of them. `uses`: the uses of values, in the order they ran; `runs`: nothing cut, then each use in turn;
    `paths[leaf]`: the ways back from the outputs to that leaf, each as the uses on it, from the leaf on; None where there are
    more than `MOST_PATHS`."""

    story: Story
    uses: tuple[Use, ...]
    runs: tuple[Cut, ...]
    paths: Mapping[int, tuple[tuple[Use, ...], ...] | None]


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
        runs = tuple(rerun(graph, story, use) for use in (None, *uses))
    return Cuts(story, uses, runs, {leaf.index: paths_to(story, leaf.index) for leaf in story.leaves})


def _check_number(uses):
    if not uses:
        raise ValueError("CutEdge: expected a function that computes with its arguments, but there is no use to cut")
    if len(uses) > MOST_USES:
        raise ValueError(
            f"CutEdge: expected at most {MOST_USES} uses of values, but this function has {len(uses)}: "
            "take a smaller part of it"
        )


def rerun(graph: Any, story: Story, cut: Use | None) -> Cut:
    """The recorded ops run again and walked back, the value at the use `cut` passing through `stop_gradient`."""
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
    return _walked_back(story, cut, found, places)


def _walked_back(story, cut, found, places):
    index = {value._node: i for i, value in enumerate(found) if isbox(value)}
    gradients: dict[int, Any] = {}
    sent: dict[Use, tuple[np.ndarray, np.ndarray]] = {}

    def observe(node, gradient, contributions):
        i = index[node]
        gradients[i] = gradient
        for place, (_, value, total) in zip(places[i], contributions, strict=True):
            sent[Use(i, place)] = np.asarray(value), np.asarray(total)

    ends = [node for node in story.outputs if isbox(found[node.index])]
    totals = {}
    if ends:
        totals = reverse_pass([found[n.index]._node for n in ends], [np.asarray(n.seed) for n in ends], observe)
    gradients |= {index[root]: total for root, total in totals.items()}
    arrived = [np.asarray(gradients[i]) if i in gradients else None for i in range(len(found))]
    return Cut(cut, tuple(arrived), sent)


def paths_to(story: Story, leaf: int) -> tuple[tuple[Use, ...], ...] | None:
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
