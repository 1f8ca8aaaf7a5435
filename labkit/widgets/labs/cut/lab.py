"""Cut an edge: `stop_gradient` at one use of a value, which paths vanish by it, and what becomes of the gradients."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from ....messages.wrapping import Prose
from ...explorer.run.lines import lines_of
from ...explorer.run.recorded import Run
from ...kit.flow import HALF, HIGH, WIDE, flow
from ...kit.lab import Lab
from ...kit.module import module, style
from ...kit.sketch import Sketch
from ...kit.traits import Trait, traits
from ...kit.words import bracketed, brief, in_full, listed, number
from .run import NOTHING, Cut, Cuts, cuts, short
from .written import written

WORDS = {
    "about": "The graph of {name}: each card has a value and its gradient, each pair of scissors cuts one use of a value.",
    "graph": "Click scissors to cut a wire there",
    "drag": "Click scissors to cut a wire there; drag an input",
    "paths": "The gradient of an input: the sum over its open paths",
    "nothing": "Nothing is cut: {values}; {gradients}.",
    "changed": "{name} is {now} instead of {before}.",
    "none": "No path is left to {leaf}: {now} instead of {before}.",
    "left": "Open paths to {leaf}: {count} of {all}.",
    "same": "To three digits, the gradients of the inputs do not change.",
    "values": "No value changes: {values}.",
    "ask": "{cut} is cut. Without the cut, the gradient of {leaf} is {before}. What is it now?",
    "right": "The parts of the open paths add up to {now}.",
    "before slip": "That is the gradient without the cut. At least one path that carried a part of it is gone.",
    "part slip": "That is the part that is gone. What is left?",
    "zero slip": "Not all paths are gone: one that does not pass the cut still carries its part.",
    "otherwise": "Add up what the paths without a cut bring.",
}


class CutEdge(Lab):
    """The graph of `fun(*args)`, in which one use of a value at a time is cut by the engine's `stop_gradient`.

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
    No path is left to y: 0 instead of 3. No value changes: the result of + = 9.
    """

    path = Path(__file__).with_name("cut.js")
    state_names = ("cut", "inputs")
    words: ClassVar = WORDS
    _esm = module(path)
    _css = style(path)
    cut: Trait = traits.Unicode(default_value=NOTHING).tag(sync=True)
    inputs: Trait = traits.Dict().tag(sync=True)

    def __init__(self, fun: Callable, *args: Any):
        found = cuts(fun, args)
        self.found, self.cuts, story = found, [NOTHING, *found.labels], found.story
        self._names = [leaf.title for leaf in story.leaves]
        self._run, self._start = lru_cache(8)(lambda *values: cuts(fun, values)), args
        numbers = all(isinstance(arg, int | float) and not isinstance(arg, bool) for arg in args)
        free = numbers and len(self._names) == len(args)
        name = "a function" if story.name == "<lambda>" else story.name
        super().__init__(f"Cut a wire of {name}: which gradient is lost?", {
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
            raise ValueError(f"cut: expected one of {', '.join(self.cuts)}, but got {at['cut']!r}")
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
            words = "cut" if use == run.use else "" if slope is None else f"×{bracketed(number(slope))}"
            sketch.text(x, y + 4, words, "page" if use == run.use else "backward-ink")
        for node, gradient, (x, y) in zip(found.story.nodes, run.gradients, drawn["boxes"], strict=True):
            sketch.rect(x, y, WIDE, HALF, "leaf-fill" if node.leaf else "forward-fill")
            sketch.rect(x, y + HALF, WIDE, HIGH - HALF, "panel" if gradient is None else "backward-fill")
            arrived = "no path" if gradient is None else brief(gradient)
            for down, line in ((16, short(node)), (32, brief(node.value)), (65, node.gradient_name), (81, arrived)):
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
