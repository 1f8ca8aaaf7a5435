"""Cut an edge: `stop_gradient` at one use of a value, which paths it closes, and what becomes of the gradients.

A function is run once, and again with the engine's `stop_gradient` at each use of a value in turn.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ...engine import Reverse, getval, isbox, new_box, new_level, record, reverse_pass, stop_gradient
from ...messages.wrapping import Prose
from ...tracing import plain_function
from ..explorer import Node, Story, of_graph
from ..explorer.run.lines import Lines, lines_of
from ..explorer.run.recorded import Run
from ..kit.flow import HALF, HIGH, WIDE, flow
from ..kit.lab import Lab, plain
from ..kit.module import module, style
from ..kit.reckoning import Const
from ..kit.sketch import Sketch
from ..kit.traits import Trait, traits
from ..kit.words import bracketed, brief, clipped, in_full, joined, listed, number

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
        raise TypeError(WORDS["arguments"].format(came=came))
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
        raise ValueError(WORDS["many"].format(most=MOST_USES, count=len(uses)))


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
    whole = [np.asarray(gradients[i]) if i in gradients else None for i in range(len(found))]
    return Cut(cut, tuple(whole), sent)


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


WORDS = {
    "title": "Stop the gradient at an edge of {name}: what changes?",
    "about": "The graph of {name}: each card has a value and its gradient; the scissors at an edge detach one use of a value.",
    "graph": "Click scissors: stop the gradient at that edge",
    "drag": "Click scissors: stop the gradient at that edge; drag an input",
    "paths": "The gradient of an input: the sum over its open paths",
    "nothing": "No edge is detached: {values}; {gradients}.",
    "changed": "{name} is {now} instead of {before}.",
    "none": "No path is left to {leaf}: its gradient is {now} instead of {before}.",
    "left": "Open paths to {leaf}: {count} of {all}.",
    "same": "To three digits, the gradients of the inputs do not change.",
    "values": "No value changes: {values}.",
    "detach": "detach {edge}",
    "detached": "detached: 0",
    "no path": "no path",
    "ask": "The edge {cut} is detached. Otherwise the gradient of {leaf} would be {before}. What is it now?",
    "right": "The products along the open paths add up to {now}.",
    "before slip": "That is the gradient without the detached edge. At least one path that carried a part of it is closed.",
    "part slip": "That is the part of the closed paths. What is left?",
    "zero slip": "Not all paths are closed: one that does not pass the detached edge still carries its part.",
    "otherwise": "Add up the products along the open paths.",
    "arguments": "CutEdge: expected a function and its arguments, as in CutEdge(f, x), but got {came}",
    "which": "cut: expected one of {cuts}, but got {got!r}",
    "many": "CutEdge: expected at most {most} uses of values, but this function has {count}: take a smaller part of it",
}


class CutEdge(Lab):
    """The graph of `fun(*args)`, in which one use of a value at a time is detached by the engine's `stop_gradient`.

    `fun`: a function, Cell or Module of numbers, arrays or tensors. `gradients[cut][name]` are the gradients of the inputs with
    each cut, each from a run of its own: an array of zeros where no path is left; `cuts` lists the cuts. Numbers that are
    arguments are dragged where the function does not decide by them.

    Traits: `cut`, the use that passes through `stop_gradient`, such as "x → sin", or "nothing"; `inputs`, the numbers that
    were dragged.

    Raises TypeError for what cannot be recorded, ValueError for a function of more than 24 uses and for a cut that there is
    not; an exception of `fun` is passed on.

    >>> picture = CutEdge(lambda x, y: x * y + x, 3.0, 2.0)
    >>> {cut: float(found["x"]) for cut, found in picture.gradients.items()}
    {'nothing': 3.0, 'x → ×': 1.0, 'y → ×': 3.0, '× → +': 1.0, 'x → +': 2.0}
    >>> print(picture.describe(cut="y → ×").splitlines()[-1])
    No path is left to y: its gradient is 0 instead of 3. No value changes: the result of + = 9.
    """

    path = Path(__file__).with_name("cut.js")
    state_names = ("cut", "inputs")
    words: ClassVar = WORDS
    _esm = module(path)
    _css = style(path)
    cut: Trait = traits.Unicode(default_value=NOTHING).tag(sync=True)
    inputs: Trait = traits.Dict(default_value={}).tag(sync=True)

    def __init__(self, fun: Callable, *args: Any):
        found = cuts(fun, args)
        self.found, self.cuts, story = found, [NOTHING, *found.labels], found.story
        self._names = [leaf.title for leaf in story.leaves]
        self._run, self._start = lru_cache(8)(lambda *values: cuts(fun, values)), args
        numbers = all(isinstance(arg, int | float) and not isinstance(arg, bool) for arg in args)
        free = numbers and len(self._names) == len(args)
        name = "a function" if story.name == "<lambda>" else story.name
        super().__init__(WORDS["title"].format(name=name), {
            "about": WORDS["about"].format(name=name), "notice": " ".join(story.notices), "cuts": self.cuts,
            **written(found, lines_of(Run.of(fun, args), story) if free else None),
            "flows": [flow([node.parents for node in story.nodes], *how) for how in ((False, 84.0), (True, 60.0))],
        })  # fmt: skip

    @property
    def gradients(self) -> dict[str, dict[str, np.ndarray]]:
        """The gradients of the inputs, by cut and by name."""
        found = self._found(self.inputs)
        return {
            label: {leaf.title: run.of(leaf) for leaf in found.story.leaves}
            for label, run in zip(self.cuts, found.runs, strict=True)
        }

    def _found(self, inputs: Mapping[str, float]) -> Cuts:
        if not inputs:
            return self.found
        return self._run(*(inputs.get(name, value) for name, value in zip(self._names, self._start, strict=True)))

    def describe(self, **state: Any) -> str:
        """What the cut does to the gradients, in words. `state`: another cut or other inputs."""
        parts = (self.title, self.data["about"], self.data["notice"], sentence(*self._at(state)))
        return Prose("\n".join(filter(None, parts)))

    def _at(self, state: Mapping[str, Any]) -> tuple[Cuts, Cut]:
        at = self.state_with(**state)
        if at["cut"] not in self.cuts:
            raise ValueError(WORDS["which"].format(cuts=", ".join(self.cuts), got=at["cut"]))
        found = self._found(at["inputs"])
        return found, found.runs[self.cuts.index(at["cut"])]

    def svg(self, theme: str = "light", **state: Any) -> str:
        """The graph as a still picture. `state`: another cut or other inputs."""
        (found, run), drawn = self._at(state), self.data["flows"][0]
        sketch = Sketch(theme, drawn["width"], drawn["height"], sentence(found, run))
        for use, wire in zip(found.uses, drawn["wires"], strict=True):
            sketch.path(wire["forward"]["points"], "forward", 1.5)
            sketch.path(wire["back"]["points"], "backward" if use in run.sent else "line", 2, "6 4")
            x, y = wire["spot"]
            if use == run.use:
                sketch.circle(x, y, 13, "bad")
            slope = found.slopes.get(use)
            words = "detach" if use == run.use else "" if slope is None else f"×{bracketed(number(slope))}"
            sketch.text(x, y + 4, words, "page" if use == run.use else "backward-ink")
        for node, gradient, (x, y) in zip(found.story.nodes, run.gradients, drawn["boxes"], strict=True):
            sketch.rect(x, y, WIDE, HALF, "leaf-fill" if node.leaf else "forward-fill")
            sketch.rect(x, y + HALF, WIDE, HIGH - HALF, "panel" if gradient is None else "backward-fill")
            words = WORDS["no path"] if gradient is None else brief(gradient)
            for down, line in ((16, short(node)), (32, brief(node.value)), (65, node.gradient_name), (81, words)):
                sketch.text(x + WIDE / 2, y + down, line, "ink")
        return str(sketch)


def sentence(found: Cuts, run: Cut) -> str:
    """What a cut does, in words."""
    story, before = found.story, found.runs[0]
    values = listed(f"{n.called} = {in_full(n.value)}" for n in story.outputs)
    said = [(leaf, in_full(before.of(leaf)), in_full(run.of(leaf))) for leaf in story.leaves]
    if run.use is None:
        gradients = listed(f"{leaf.gradient_name} = {now}" for leaf, _, now in said)
        return WORDS["nothing"].format(values=values, gradients=gradients)
    changed = [one for one in said if one[1] != one[2]]
    parts = [_change(run, *one) for one in changed] or [WORDS["same"]]
    leaf = changed[0][0] if len(changed) == 1 else None
    if leaf and run.gradients[leaf.index] is not None and (ways := found.paths[leaf.index]):
        count = sum(run.use not in way for way in ways)
        parts.append(WORDS["left"].format(leaf=leaf.title, count=count, all=len(ways)))
    return " ".join((*parts, WORDS["values"].format(values=values)))


def _change(run, leaf, was, now):
    kind = "none" if run.gradients[leaf.index] is None else "changed"
    return WORDS[kind].format(leaf=leaf.title, name=leaf.gradient_name, now=now, before=was)
