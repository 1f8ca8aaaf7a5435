"""The graph explorer: `labkit.show(fn, *args)`."""

import sys
from collections.abc import Iterable, Mapping
from functools import partial
from inspect import CO_OPTIMIZED
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar

from ...engine import argument_names
from ...messages.wrapping import Prose
from ...realtape import installed, is_real_module, is_real_tensor, reached, tape_of, tape_of_run, tensors_in
from ..kit.lab import Lab
from ..kit.module import module, style
from ..kit.traits import Trait, traits
from ..kit.words import listed, paragraph
from . import still
from .graph.said import Left, Said
from .graph.units import Units
from .graph.way import Way, key_of, number_of_boxes, opened_by, without
from .run import real
from .run.folding import WHOLE, Parts, folded, open_while_few, paths, visible
from .run.lines import lines_of
from .run.recorded import UPSTREAM, Run, ran
from .run.rules import written
from .run.story import Story
from .run.tape import Known, is_taped, of_tensor

VIEWS = {"chain": "chain rule", "tape": "PyTorch tape"}
MOST_ALTERNATIVES = 80  # boxes in the other ways of folding that the page holds
WORDS = {
    "about": "A graph of cards. Each has a value and, once the backward pass has reached it, its gradient. {description}",
    "bad": "Here the first {what} comes from {title}.",
    "otherwise": "No. The upstream gradient is multiplied by the local gradient.",
    "norms": "Norm of the gradient of each weight, in the order of the forward pass",
    "norm": "gradient norm",
    "weights": "All weights",
    "graph": "Values, below each its gradient; ×… is a local gradient",
    "dragged": "Values, below each its gradient; drag a disc",
    "taped": "Values, below each its node on PyTorch's tape",
    "row": "Drag a disc, and the graph follows",
    "seeded row": "Drag a disc, and the graph follows; the upstream gradient weights the elements of the result",
    "gradient": "gradient {value}",
}
_NO_STEP = "step: expected a number from 0 to {last}, but got {step!r}"
_NO_BLOCK = "expected the key of a block, one of {known}, but got {key!r}"
_NO_VIEW = "view: expected one of {views}, but got {view!r}"


class Explorer(Lab):
    """A run, step by step: values forwards, the chain rule backwards.

    `story`: what happened (`labkit.widgets.explorer.Story`). `most_boxes`: as many are seen at first, at most. `tape`: of
    tensors of the installed PyTorch what was read, as plain data; print it, or ask its `nodes` and what they have `saved`.

    Traits: `step`; `view` ("chain", "tape"); `opened`, the keys of the blocks that are unfolded, as one text;
    `inputs`, the numbers that were changed, by name.
    """

    path = Path(__file__).with_name("graph.js")
    state_names = ("step", "view", "opened", "inputs")
    words: ClassVar = WORDS
    _esm = module(path)
    _css = style(path)
    step: Trait = traits.Int(default_value=0).tag(sync=True)
    view: Trait = traits.Enum(list(VIEWS), default_value="chain").tag(sync=True)
    opened: Trait = traits.Unicode().tag(sync=True)
    inputs: Trait = traits.Dict().tag(sync=True)

    def __init__(
        self, story: Story, view: str = "chain", most_boxes: int | None = None, again: Run | None = None, plays: bool = False,
    ):  # fmt: skip
        self.story, self._again, self.tape = story, again, None
        self.parts: Parts = folded(story.nodes, story.taped)
        opened = open_while_few(self.parts, WHOLE if most_boxes is None else most_boxes)
        self._program = lines_of(again, story) if again and again.inputs else None
        self._speech, self._plays = Left(story, self._program) if self._program else Said(story), plays
        data, step = self._data_of(opened), Units(story, visible(self.parts, opened)).last if story.retained else 0
        super().__init__(
            story.heading or _titled(story), data, step=step, view=known(view), opened=key_of(opened), inputs={}
        )
        if hasattr(self, "observe"):
            self.observe(self._answer, "opened")

    # ---- folding ----

    def unfold(self, *keys: str) -> None:
        """Unfold the blocks with these keys, such as "conv1"; those around them too. Raises KeyError for an unknown one."""
        self._show(self.unfolded | {around for key in keys for around in self._path_of(key)})

    def fold(self, *keys: str) -> None:
        """Fold the blocks with these keys, and what is in them. Raises KeyError for an unknown one."""
        opened = self.unfolded
        for key in keys:
            opened = without(opened, self._path_of(key)[-1], self.parts)
        self._show(opened)

    @property
    def unfolded(self) -> frozenset[str]:
        """The keys of the blocks that are unfolded."""
        return opened_by(self.opened, self.parts)

    def _path_of(self, key):
        known = paths(self.parts)
        if key not in known:
            raise KeyError(_NO_BLOCK.format(known=", ".join(known) or "none", key=key))
        return known[key]

    def _show(self, opened: Iterable[str]):
        key = key_of(frozenset(opened))
        if key not in self.data["ways"]:
            self.data = self._data_of(opened_by(key, self.parts))
        self.step, self.opened = min(self.step, self.data["ways"][key]["last"]), key

    def _answer(self, change):
        """The page asks for a way of folding that it does not hold."""
        self._show(opened_by(change["new"], self.parts))

    # ---- what the page is given ----

    def _data_of(self, opened) -> dict[str, Any]:
        offered = self._offered(opened)
        ways = {key: Way(self.story, self.parts, way, self._speech).written() for key, way in offered.items()}
        units = Units(self.story, visible(self.parts, opened))
        found: dict[str, Any] = {
            "title": self.story.heading or _titled(self.story), "words": dict(self.words), "description": description(units),
            "views": VIEWS, "notice": paragraph(*self.story.notices), "more": paragraph(*self.story.about[1:]),
            "source": self.story.program, "why": self.story.no_program,
            "ways": ways, "arrays": self._speech.arrays, "plays": self._plays, "inputs": [], "weights": [],
        }  # fmt: skip
        if self._program and self._again:
            found |= self._program.written()
            found["inputs"] = [{"node": i, "name": name, "entries": entries} for i, name, entries in self._again.inputs]
            if self._again.weights:
                found["inputs"].append({"name": UPSTREAM, "entries": self._again.weights, "seed": True})
            several = [node.index for node in self.story.leaves if "." in node.title and len(node.shape) > 1]
            found["weights"] = [entries for i, _, entries in self._again.inputs if i in several]
        return found

    def _offered(self, opened) -> dict[str, frozenset[str]]:
        """Ways of folding that the page holds, by how they are written: of few boxes altogether, but what is seen first."""
        known, ways, boxes = paths(self.parts), {key_of(opened): opened}, 0
        outer_first = sorted((key for key in known if key not in opened), key=lambda key: len(known[key]))
        folded_again = (without(opened, key, self.parts) for key in known if key in opened)
        for way in chain([frozenset[str]()], folded_again, (opened | set(known[key]) for key in outer_first)):
            boxes += len(visible(self.parts, way)) if key_of(way) not in ways else 0
            if boxes > MOST_ALTERNATIVES:
                break
            ways[key_of(way)] = way
        return ways

    # ---- in words, and standing still ----

    @property
    def notice(self) -> str:
        """What a reader should read first; "" for nothing."""
        return str(self.data["notice"])

    def _resting(self, **state: Any) -> dict[str, Any]:
        """The state that is described or drawn: the last step, where no other is asked for; with a tape the middle of the
        backward pass."""
        at = self.state_with(**state)
        known(at["view"])
        units = Units(self.story, visible(self.parts, opened_by(at["opened"], self.parts)))
        if "step" not in state and not self.step:
            taped = at["view"] == "tape" and units.goes_back
            at["step"] = (units.seed + units.last + 1) // 2 if taped else units.last
        if not 0 <= at["step"] <= units.last:
            raise ValueError(_NO_STEP.format(last=units.last, step=at["step"]))
        return at

    def _way(self, at: Mapping[str, Any]) -> Way:
        """A way of folding with its numbers written out, of a run with other inputs where these are given."""
        story = (
            self._again.beside(at["inputs"]).story(bool(self.story.program))
            if at["inputs"] and self._again
            else self.story
        )
        parts = self.parts if story is self.story else folded(story.nodes, story.taped)
        return Way(story, parts, opened_by(at["opened"], parts), Said(story))

    def describe(self, **state: Any) -> str:
        """The picture in words: title, description, notice, and the sentence of the step. `state`: other values of some traits.

        Raises KeyError for a trait that there is not, ValueError for a step or a view that there is not; an exception of the
        function, run with other `inputs`, is passed on.
        """
        at = self._resting(**state)
        way, end = self._way(at), "" if self.title.endswith("?") else "."
        more = paragraph(*way.story.about[1:])
        told = (paragraph(*way.story.notices), way.told(at["view"], at["step"]), more)
        return Prose("\n".join(filter(None, (f"{self.title}{end}", description(way.units), *told))))

    def svg(self, theme: str = "light", **state: Any) -> str:
        """The graph at a step as plain SVG; `theme` is "light" or "dark"."""
        return still.svg(self._drawn(state), theme)

    def png(self, theme: str = "light", scale: float = 2.0, **state: Any) -> bytes:
        """The same as PNG, `scale` pixels to a px. Raises ImportError without matplotlib."""
        return still.png(self._drawn(state), theme, scale)

    def _drawn(self, state):
        """A way of folding without open numbers, the state, the title, the picture in words, and what is said below it."""
        at = self._resting(**state)
        way = self._way(at)
        return way.written(), at, [self.title, self.describe(**state)[:], way.told(at["view"], at["step"])]

    def images(self) -> dict[str, Any]:
        """The still picture as PNG, where it can be painted and is not too large."""
        return still.images(self)

    @property
    def writers(self) -> dict[str, Any]:
        """What writes a file, by its ending."""
        return {".svg": self.svg, ".png": self.png, ".html": self.html}


def known(view: str) -> str:
    """The name of a view. Raises ValueError for another one."""
    if view not in VIEWS:
        raise ValueError(_NO_VIEW.format(views=", ".join(map(repr, VIEWS)), view=view))
    return view


def description(units: Units) -> str:
    """What the picture shows, in two sentences."""
    story = units.story
    if story.about:
        return story.about[0]
    ops = sum(not n.leaf for n in story.nodes)
    folding = f", folded into {number_of_boxes(units)}," if len(units.ops) < ops else ""
    leaves = f" from {listed(n.title for n in story.leaves)}" if story.leaves else ""
    steps = len(story.steps)
    back = "1 step of the chain rule leads" if steps == 1 else f"{steps or 'no'} steps of the chain rule lead"
    return f"A graph of {ops} op{'' if ops == 1 else 's'}{folding}{leaves} to the result; {back} back."


def _titled(story):
    name = story.name
    if name == "<lambda>":
        given = listed([leaf.title for leaf in story.leaves if "." not in leaf.title], 3)
        name = written(story) or (f"a function of {given}" if given else "a function")
    return f"The gradient of {name}, step by step"


# ---- the front door ----


def show(
    fun: Any, *args: Any, view: str | None = None, fold: int | None = None, program: bool = True,
    play: bool = True, model: Any = None, backward: bool = False,
) -> Explorer:  # fmt: skip
    """Show a run of `fun(*args)`: its graph, its values, and the chain rule step by step.

    `fun`: a function, a Cell or Module, called with numbers, arrays or tensors; or, alone, a tensor of the PyTorch dialect,
    whose tape is shown. The parameters of networks that a function uses are inputs, too.
    `view`: "chain" (chain rule) or "tape" (PyTorch), which is what a tensor begins with. `fold`: graphs with more boxes than
    this are folded into layers and stretches; where nothing is said, those with more than 20 are. `program`: whether the
    program that graph mode would run is shown below it (the function is then run a second time, to write it). `play`:
    whether it plays once when it comes into view; a reader whose system asks for less motion presses play, and sees the end
    of a real tape at first.

    It shows the tape of the installed PyTorch, too. `show(loss)`, or of several tensors, only reads what is there: the nodes,
    what they save, shapes, dtypes, bytes, and values; it says what is freed, what a hook has packed (this is never unpacked),
    and what the tape does not keep. `model`: a torch.nn.Module, or several in a list or a dict by name; their parameters are
    called by name, and it says which are frozen, and which no path leads to. `show(module, x)` runs the module, folds the
    modules in it as layers, and puts everything back: buffers, modes, random numbers. `backward`: run an extra backward, for
    the gradients and their norms; hooks of yours run with it, and what a checkpoint computes again. `.grad` and the tape
    stay as they are. What was read is `.tape` of the picture, as plain data that keeps no tensor alive.

    In a notebook the last expression of a cell shows it; `.save("x.svg")` and `.save("x.png")` write a still picture,
    `.save("x.html")` a page that plays in any browser without Python. There, and in a notebook, the arguments and the parameters
    of networks are dragged, one number or a whole array, and all weights together, if they are at most 256 numbers; and of a
    result that is a short vector its upstream gradient. Ops that only arrange numbers are drawn with the op that they belong
    to, and attention as Q, K, V, scores, softmax and output. Raises TypeError for what cannot be recorded, ValueError for a
    tensor without a history; an exception of your function is passed on.

    >>> picture = show(lambda x, y: x**2 + y, 3.0, 2.0)
    >>> print(picture.describe())
    The gradient of x² + y, step by step.
    A graph of 2 ops from x and y to the result; 2 steps of the chain rule lead
    back.
    Backward: the upstream gradient of pow 2 is 1. x gets 1 × 6 = 6. If x changes by
    a small h, the result changes by about 6 h.
    """
    if _is_real(fun, args):
        picture = _of_real(partial(Explorer, plays=play), fun, args, view, fold, model, backward)
    elif model is not None or backward:
        raise TypeError(
            "show: model= and backward= are for tensors of the installed PyTorch; here every run has a backward pass"
        )
    elif is_taped(fun) and not args:
        story = of_tensor(fun, Known.among(variables_outside()))
        picture = Explorer(story, view or "tape", fold, plays=play)
    elif callable(fun):
        run, story = ran(fun, args, program)
        picture = Explorer(story, view or "chain", fold, run, plays=play)
    else:
        raise TypeError(
            "show: expected a function and its arguments, or a tensor, but got {kind}. Write show(f, x), not "
            "show(f(x)).".format(kind=type(fun).__name__)
        )
    return picture


def _is_real(fun, args):
    """Whether it is of the installed PyTorch: a module, tensors, or a function that takes some, or without any uses some."""
    if installed() is None or is_taped(fun):
        return False
    return is_real_module(fun) or any(tensors_in([fun, *args])) or (not args and callable(fun) and bool(reached(fun)))


def _of_real(made, fun, args, view, fold, model, backward):
    """The picture of what is of the installed PyTorch: tensors, or a module or function and its arguments."""
    variables = variables_outside(3)
    tensors = [fun, *args]
    if all(map(is_real_tensor, tensors)):
        tape = tape_of(tensors, model, variables if model is None else _tensors_alone(variables), backward)
    elif callable(fun):
        called = dict(zip(argument_names(getattr(fun, "forward", fun), len(args)), args, strict=True))
        named = {f"{name}{place}": t for name, value in called.items() for place, t in tensors_in(value)}
        name = type(fun).__name__ if is_real_module(fun) else getattr(fun, "__name__", type(fun).__name__)
        others = {} if is_real_module(fun) else {k: v for k, v in variables.items() if is_real_module(v)}
        tape = tape_of_run(fun, args, name, {**named, **others}, backward, model)
    else:
        raise TypeError(
            "show: expected tensors, or a module or function and its arguments, but got {kind} with a tensor in it. "
            "Write show(loss), show(loss_a, loss_b) or show(module, x).".format(kind=type(fun).__name__)
        )
    picture = made(real.of_tape(tape), view or "tape", fold)
    picture.tape = tape
    return picture


def _tensors_alone(variables):
    return {name: value for name, value in variables.items() if is_real_tensor(value)}


def variables_outside(up: int = 2) -> dict[str, Any]:
    """The variables where `show` was called, `up` frames above; that frame keeps no copy of them."""
    frame = sys._getframe(up)
    found = {**frame.f_globals, **frame.f_locals}
    if sys.version_info < (3, 13) and frame.f_code.co_flags & CO_OPTIMIZED:
        copy = frame.f_locals  # of what a function has; it would live as long as the call
        if sys.getrefcount(copy) <= 3:  # the frame, `copy`, and the call that counts: nobody else looks at it
            copy.clear()
    return found
