"""Cut an edge: `stop_gradient` at one use of a value, which paths vanish by it, and what becomes of the gradients."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ...kit.joint import key_of
from ...kit.picture import Picture
from ...kit.scene import Ask, Caption, Dial, Scene, changes
from ...kit.words import capital, in_full, listed, number, paragraph
from .names import gradient_name, short, use_labels
from .paths import paths_panel
from .run import Cut, Cuts, cuts
from .view import Graph
from .walk import WALK

NOTHING = "nothing"


class CutEdge(Picture):
    """The graph of `fun(*args)`, in which one use of a value at a time is cut by the engine's `stop_gradient`.

    `fun`: a function, Cell or Module of numbers, arrays or tensors. The dial "cut" says which use passes through
    `stop_gradient`: "nothing", or a use such as "x → sin"; each is a run of its own. `gradients[cut][name]` are the
    gradients of the inputs then, an array of zeros where no path is left. Raises TypeError for what cannot be recorded,
    ValueError for a function of more than 24 uses; an exception of `fun` is passed on. The dial "walk" walks back step by step.

    >>> picture = CutEdge(lambda x, y: x * y + x, 3.0, 2.0)
    >>> {cut: float(found["x"]) for cut, found in picture.gradients.items()}
    {'nothing': 3.0, 'x → ×': 1.0, 'y → ×': 3.0, '× → +': 1.0, 'x → +': 2.0}
    """

    plays_at_once = True

    def __init__(self, fun: Callable, *args: Any):
        self._fun, self._args = fun, args
        self._hold(cuts(fun, args))
        super().__init__(self._scene_of(self.found))

    def _hold(self, found: Cuts) -> None:
        self.found, self.cuts = found, [NOTHING, *use_labels(found)]
        self.gradients = {
            label: {leaf.title: _or_zeros(run, leaf) for leaf in found.story.leaves}
            for label, run in zip(self.cuts, found.runs, strict=True)
        }

    @property
    def inputs(self) -> Mapping[str, float]:
        """The arguments, where all of them are plain numbers: these are dragged."""
        plain = all(isinstance(arg, (int, float)) and not isinstance(arg, bool) for arg in self._args)
        names = [leaf.title for leaf in self.found.story.leaves]
        return dict(zip(names, map(float, self._args), strict=True)) if plain and len(names) == len(self._args) else {}

    def fill(self, inputs: Mapping[str, float], at: Mapping[str, int] | None = None) -> None:
        """The same for other numbers. Raises what the function raises."""
        found = cuts(self._fun, list(inputs.values()))
        self._args = tuple(inputs.values())
        self._hold(found)
        self.scene = self._scene_of(found)

    def scene_at(self, inputs: Mapping[str, float]) -> Scene:
        """The scene for other numbers. Raises what the function raises."""
        return self._scene_of(cuts(self._fun, list(inputs.values())), inputs)

    def _scene_of(self, found, inputs: Mapping[str, float] | None = None):
        labels = [NOTHING, *use_labels(found)]
        story, graph = found.story, Graph(found, labels[1:])
        walk, values = graph.walk, self.inputs if inputs is None else inputs
        said = [self._sentence(found, walk, run, at) for run, at in walk.each()]
        asks = {i: ask for i, run in enumerate(found.runs) if (ask := question(found, labels[i], run))}
        steps = ["start", *(f"at {short(story.nodes[i])}" for i in walk.order), "sums"]
        dials = [
            Dial(WALK, "Walk back", steps, start=walk.last),
            Dial("cut", "stop_gradient at", labels, "choice", asks=asks, resets={WALK: 0}, shows={WALK: walk.last}),
        ]
        return Scene(
            "Cut an edge" + ("" if story.name == "<lambda>" else f" of {story.name}"),
            f"The graph of {story.name}, with every value and its gradient. One use of a value can be cut by stop_gradient.",
            dials,
            [graph.panel(), *filter(None, [paths_panel(found)])],
            [Caption(key_of(walk.joint), changes(said))],
            graph.links(),
            " ".join(story.notices),
            fields={name: number(value) for name, value in values.items()},
            grips=[graph.grip(), *graph.scrubs(values)],
        )

    def _sentence(self, found, walk, run, at):
        if walk.over(at):
            return sentence(found, run)
        if not at:
            return "The walk back begins at the output. Which gradients will arrive?"
        node = found.story.nodes[walk.order[at - 1]]
        gradient = run.gradients[node.index]
        if gradient is None:
            return f"Nothing has arrived at {short(node)}: nothing goes back from it."
        return f"{short(node)}: {in_full(gradient)} has arrived, and goes on times the slope of each edge."


def _or_zeros(run: Cut, leaf) -> np.ndarray:
    found = run.gradients[leaf.index]
    return np.zeros(leaf.shape, leaf.dtype) if found is None else found


def sentence(found: Cuts, run: Cut) -> str:
    """What a cut does, in words."""
    story, before = found.story, found.runs[0]
    values = listed(f"{n.called} = {in_full(n.value)}" for n in story.outputs)
    if run.use is None:
        told = listed(f"{gradient_name(leaf)} = {in_full(_or_zeros(run, leaf))}" for leaf in story.leaves)
        return f"Nothing is cut. {capital(values)}; {told}."
    changed = [words for leaf in story.leaves if (words := _change_words(found, leaf, before, run))]
    ways = [left for _, left in changed] if len(changed) == 1 else []
    what = paragraph(*(words for words, _ in changed), *ways) or "No gradient of an input changes."
    return f"{what} {capital(values)} as without the cut."


def _change_words(found, leaf, before, run):
    """What becomes of the gradient of one input, and how many paths are left to it; None where it stays."""
    old, new = _or_zeros(before, leaf), _or_zeros(run, leaf)
    if np.array_equal(old, new, equal_nan=True):
        return None
    ways = found.paths[leaf.index]
    count = sum(run.use not in way for way in ways or ())
    left = f"{count} of {len(ways)} paths {'is' if count == 1 else 'are'} open." if ways else ""
    if run.gradients[leaf.index] is None:
        return f"No path is left to {leaf.title}: {in_full(new)} instead of {in_full(old)}.", ""
    return f"{gradient_name(leaf)} is {in_full(new)} instead of {in_full(old)}.", left


def question(found: Cuts, label: str, run: Cut) -> Ask | None:
    """What becomes of the first gradient that changes; None where that is no single number."""
    for leaf in found.story.leaves:
        old, new = (np.ravel(_or_zeros(r, leaf)) for r in (found.runs[0], run))
        if run.use is None or new.size != 1 or not np.isfinite([old[0], new[0]]).all() or old[0] == new[0]:
            continue
        was, now = float(f"{old[0]:.6g}"), float(f"{new[0]:.6g}")
        slips = [
            (was, "That is the gradient without the cut. At least one path that carried a part of it is gone."),
            (was - now, "That is the part that is gone. What is left?"),
            (0.0, "Not all paths are gone: one that does not pass the cut still carries its part."),
        ]
        kept = tuple((value, words) for value, words in slips if abs(value - now) > 0.03 * max(abs(now), 1e-12))
        asked = f"{label} is cut. Without the cut, the gradient of {leaf.title} is {number(was)}. What is it now?"
        return Ask(asked, now, f"The parts of the open paths add up to {number(now)}.", kept)
    return None
