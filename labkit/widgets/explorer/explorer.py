"""The graph explorer: `labkit.show(fn, *args)`."""

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from ...engine import argument_names
from ...realtape import Tape, installed, is_real_module, is_real_tensor, tape_of, tape_of_run, tensors_in
from ..kit.picture import NotANumber, Picture, Still
from ..kit.reckoning import Program
from ..kit.scene import Scene, holds
from .called import spelled, variables_outside
from .panels import VIEWS
from .run import real
from .run.folding import Parts, folded, paths, visible
from .run.reckoned import reckoned
from .run.recorded import of_function
from .run.rerun import Rerun
from .run.story import Story
from .run.tape import Known, is_taped, of_tensor
from .run.unfolding import grown, in_pieces, layers, open_while_few, overview
from .scene import FoldedStory
from .ways import key_of, opened_by, without

MOST_COLOURED = 16  # boxes of a run whose gradients shrink or grow, so that all are seen at once
LONGEST_NAME = 44  # letters of an expression that a picture is named after
FEWEST_SEEN = 5  # boxes
MOST_MEASURED = 2000  # nodes of a run of which as much is unfolded as fits
MOST_ALTERNATIVES = 150  # boxes in the other ways of folding that a saved page holds


class Explorer(Picture):
    """A run, step by step: values forwards, the chain rule backwards, in three views over one slider.

    `story`: what happened (`labkit.widgets.explorer.Story`). `opened`: the keys of the blocks that are unfolded. `most_boxes`:
    as many are seen at first, at most; None: an overview, or with `calls` the outermost calls of modules. A picture that stands
    still shows the last step, where no other is asked for; with a tape in it the way back half done. `tape`: of
    tensors of the installed PyTorch what was read, as plain data: print it, or ask its `nodes` and what they have `saved`.
    """

    def __init__(
        self, story: Story, view: str = "chain", most_boxes: int | None = None, again: Rerun | None = None,
        calls: bool = False,
    ):  # fmt: skip
        offered = ["chain", "tape"] if story.taped else list(VIEWS)
        if view not in offered:
            raise ValueError(f"view: expected one of {', '.join(map(repr, offered))}, but got {view!r}")
        self.story, self.view, self._again = story, view, again
        self.tape: Tape | None = None
        self._reach = ""  # while a page is saved
        self.parts: Parts = folded(story.nodes)
        if most_boxes is None and story.coloured:
            most_boxes = MOST_COLOURED
        if most_boxes is not None:
            self.opened = open_while_few(self.parts, most_boxes)
        else:
            self.opened = self._opened_at_first(layers(self.parts) if calls else overview(self.parts), calls)
        super().__init__(self._scene_of(self.opened))

    # ---- folding ----

    def _opened_at_first(self, opened, calls):
        """As much as fits; of what does not fit, calls and equal rounds folded, where there still is something to see."""
        if len(self.story.nodes) > MOST_MEASURED:
            return opened
        if calls or self._fits(opened):
            return grown(self.parts, opened, self._fits, calls)
        fewer = grown(self.parts, in_pieces(self.parts, opened), self._fits)
        return fewer if len(visible(self.parts, fewer)) >= FEWEST_SEEN else opened

    def _fits(self, opened):
        return FoldedStory(self.story, self.parts, opened, self.view).fits()

    def unfold(self, *keys: str) -> None:
        """Unfold the blocks with these keys, such as "conv1"; those around them too. Raises KeyError for an unknown one."""
        self._show(self.opened | {around for key in keys for around in self._path(key)})

    def fold(self, *keys: str) -> None:
        """Fold the blocks with these keys, and what is in them. Raises KeyError for an unknown one."""
        opened = self.opened
        for key in keys:
            opened = without(opened, self._path(key)[-1], self.parts)
        self._show(opened)

    def _path(self, key):
        known = paths(self.parts)
        if key not in known:
            raise KeyError(f"expected the key of a block, one of {', '.join(known) or 'none'}, but got {key!r}")
        return known[key]

    # ---- what the reader does ----

    def respond(self, message: Mapping[str, Any]) -> None:
        """Fold or unfold a block, or run again with another input."""
        if "open" in message:
            self._show(opened_by(str(message["open"]), self.parts))
        for name, words in dict(message.get("set", {})).items():
            self._run_again(str(name), str(words))

    @property
    def inputs(self) -> Mapping[str, float]:
        """The arguments that are one number."""
        return self._again.values if self._again else {}

    def fill(self, inputs: Mapping[str, float], at: Mapping[str, int] | None = None) -> None:
        """Run again with other inputs. An exception of the function is passed on."""
        if self._again:
            self._tell(self._again.beside(inputs))

    def scene_at(self, inputs: Mapping[str, float]) -> Scene | None:
        """The scene of a run with other inputs, without other ways of folding; None where something is folded."""
        if self._again is None or set(paths(self.parts)) > self.opened:
            return None
        again = self._again.beside(inputs)
        story = again.story()
        parts = folded(story.nodes)
        opened = opened_by(key_of(self.opened), parts)
        return FoldedStory(story, parts, opened, self.view, ways=()).scene(fields=_written(again))

    def program_of(self, inputs: Sequence[str]) -> Program | None:
        """All numbers of the run, line by line."""
        return self._again and reckoned(self._again.fun, self._again.args, inputs)

    def _tell(self, again):
        """Show another run."""
        story = again.story()
        self.story, self.parts, self._again = story, folded(story.nodes), again
        self._show(opened_by(key_of(self.opened), self.parts))

    def _get_state(self) -> dict[str, Any]:
        """As of any picture; with the keys of the unfolded blocks as "opened", where there are blocks."""
        return super()._get_state() | ({"opened": sorted(self.opened)} if paths(self.parts) else {})

    def _set_state(self, state: Mapping[str, Any]) -> None:
        opened, before = state.get("opened", self.opened), self.opened
        self._show({around for key in opened for around in self._path(key)})
        try:
            super()._set_state({k: v for k, v in state.items() if k != "opened"})
        except Exception:
            self._show(before)
            raise

    def _run_again(self, name, words):
        if self._again is None or name not in self._again.values:
            return
        try:
            self._tell(self._again.beside({name: words}))
        except Exception as error:  # the reader's function: whatever it raises is shown in place
            self._show(self.opened, _excuse(name, words, error))

    def html(self, theme: str = "auto", **dials: int | str) -> str:
        """As of any picture. Where nothing is folded the inputs can be dragged; else it holds other ways of folding, as far as
        they are few, and only these can be clicked."""
        live, folds = self._scene, bool(paths(self.parts))
        self._scene = self._scene_of(self.opened, ways=()) if folds else live
        try:
            self._reach = super().reach()
            if folds and not self._reach:
                self._scene = self._scene_of(self.opened, ways=self._ways())
            return super().html(theme, **dials)
        finally:
            self._scene, self._reach = live, ""

    def reach(self) -> str:
        """What was found before the page is written."""
        return self._reach

    def alternatives(self) -> dict[str, Scene]:
        """For a saved page: the scene as it is, with a block unfolded, and with an unfolded one folded."""
        ways = {} if self._reach else self._ways()
        others = {key: way for key, way in ways.items() if way != self.opened}
        found = {key: self._scene_of(way, base=self.opened, ways=ways) for key, way in others.items()}
        return {key_of(self.opened): self._scene, **found} if ways else {}

    def rest_at(self, part: str) -> dict[str, Any]:
        """The blocks that are unfolded in the scene of `part`."""
        return {"opened": sorted(opened_by(part, self.parts))}

    def _ways(self):
        """Ways of folding, by how they are written, of at most so many boxes altogether; {} where nothing can be folded."""
        known, ways, boxes = paths(self.parts), {key_of(self.opened): self.opened}, 0
        outer_first = sorted((key for key in known if key not in self.opened), key=lambda key: len(known[key]))
        folded = (without(self.opened, key, self.parts) for key in known if key in self.opened)
        for way in chain([frozenset[str]()], folded, (self.opened | set(known[key]) for key in outer_first)):
            boxes += len(visible(self.parts, way)) if key_of(way) not in ways else 0
            if boxes > MOST_ALTERNATIVES:
                break
            ways[key_of(way)] = way
        return ways if known else {}

    # ---- the scene ----

    def _show(self, opened, notice=""):
        self.opened = frozenset(opened)
        self.scene = self._scene_of(self.opened, notice)

    def _scene_of(self, opened, notice="", base=None, ways=None) -> Scene:
        return FoldedStory(self.story, self.parts, opened, self.view, base, ways).scene(notice, _written(self._again))

    # ---- standing still ----

    def still_state(self, **dials: int | str) -> dict[str, int]:
        """The last step, where none is asked for; half the way back where a tape is seen."""
        steps, state = self.scene.dials[0], self.scene.state(**dials)
        last, seed = len(steps.values) - 1, len(self.story.nodes)
        taped = any(panel.name == "tape" and holds(panel.when, state) for panel in self.scene.panels)
        if taped and seed in steps.places:
            last = (list(steps.places).index(seed) + last + 1) // 2
        moved = "step" in dials or state["step"] != 0
        return state if moved else {**state, "step": last}


class StillExplorer(Still, Explorer):
    """The same as a picture, without controls."""


def _written(again):
    """The inputs as fields have them."""
    return {name: f"{value:.6g}" for name, value in again.values.items()} if again else {}


def _excuse(name, words, error):
    """What to say when a rerun failed."""
    if isinstance(error, NotANumber):
        return f"{name}: {error}."
    return f"With {name} = {words} your function raised {type(error).__name__}: {error}"


# ---- the front door ----


def show(
    fun: Any, *args: Any, view: str | None = None, static: bool = False, fold: int | None = None, program: bool = True,
    play: bool = True, model: Any = None, backward: bool = False,
) -> Explorer:  # fmt: skip
    """Show a run of `fun(*args)`: its graph, its values, and the chain rule step by step.

    `fun`: a function, a Cell or Module, called with numbers, arrays or tensors; or, alone, a tensor of the PyTorch dialect,
    whose tape is shown. `view`: "chain" (chain rule), "tape" (PyTorch), "graph" (MindSpore), or "both" of the last two; of
    a tensor the first two, "tape" unless another is asked for. `static`: a picture without controls. `fold`: graphs with
    more boxes than this are folded into layers and repeated blocks; where nothing is said, those with more than 20 are, or
    whose rounds and calls are not in sight otherwise: into a few boxes, and as much is unfolded as a wide page holds.
    `program`: whether the program that graph mode would run is offered beside it (the function is then run a second time,
    to write it). `play`: whether it plays once when it comes into view; a reader
    whose system asks for less motion presses play, and sees the end of a real tape at first.

    It shows the tape of the installed PyTorch, too. `show(loss)`, or of several tensors, only reads what is there: the nodes,
    what they save, shapes, dtypes, bytes, and values; it says what is freed, what a hook has packed (this is never unpacked),
    and what the tape does not keep. `model`: a torch.nn.Module, or several in a list or a dict by name; their parameters are
    called by name, and it says which are frozen, and which no path leads to. `show(module, x)` runs the module, folds the
    modules in it as layers, and puts everything back: buffers, modes, random numbers. `backward`: run an extra backward, for
    the gradients and their norms; hooks of yours run with it, and what a checkpoint computes again. `.grad` and the tape
    stay as they are. What was read is `.tape` of the picture, as plain data that keeps no tensor alive.

    In a notebook the last expression of a cell shows it; `.save("x.svg")` and `.save("x.png")` write a still picture,
    `.save("x.gif")` one that moves, `.save("x.html")` a page that plays in any browser without Python; there a function's
    numbers can be dragged, so it is run for values around them. Raises TypeError for
    what cannot be recorded, ValueError for a tensor without a history; an exception of your function is passed on.

    >>> picture = show(lambda x, y: x**2 + y, 3.0, 2.0)
    >>> print(picture.describe())
    The gradient of x² + y, step by step.
    A graph of 2 ops from x and y to the result; 2 steps of the chain rule lead
    back.
    Backward: 1 arrives at the result of pow 2. x gets 1 × 6 = 6. A nudge of x moves
    the result ×6.
    """
    made = StillExplorer if static else Explorer
    if is_real_module(fun) or (installed() and any(tensors_in([fun, *args]))):
        picture = _of_real(made, fun, args, view, fold, model, backward)
    elif model is not None or backward:
        raise TypeError(
            "show: model= and backward= are for tensors of the installed PyTorch; here every run has its way back"
        )
    elif is_taped(fun) and not args:
        story = of_tensor(fun, Known.among(variables_outside()))
        picture = made(story, view or "tape", fold, calls=any(node.scope for node in story.nodes))
    elif callable(fun):
        picture = made(of_function(fun, args, program), view or "chain", fold, Rerun(fun, args, program))
    else:
        raise TypeError(
            f"show: expected a function and its arguments, or a tensor, but got {type(fun).__name__}. "
            "Write show(f, x), not show(f(x))."
        )
    picture.plays_at_once = play
    return picture


def _of_real(made, fun, args, view, fold, model, backward):
    """The picture of what is of the installed PyTorch: tensors, or a module or function and its arguments."""
    variables = variables_outside(3)
    tensors = [fun, *args]
    if all(map(is_real_tensor, tensors)):
        tape = tape_of(tensors, model, variables if model is None else _tensors_alone(variables), backward)
        tape.name = _named(tape, spelled(variables, 3))
    elif callable(fun):
        called = dict(zip(argument_names(getattr(fun, "forward", fun), len(args)), args, strict=True))
        named = {f"{name}{place}": t for name, value in called.items() for place, t in tensors_in(value)}
        name = type(fun).__name__ if is_real_module(fun) else getattr(fun, "__name__", type(fun).__name__)
        others = {} if is_real_module(fun) else {k: v for k, v in variables.items() if is_real_module(v)}
        tape = tape_of_run(fun, args, name, {**named, **others}, backward, model)
    else:
        raise TypeError(
            f"show: expected tensors, or a module or function and its arguments, but got {type(fun).__name__} with a tensor in "
            "it. Write show(loss), show(loss_a, loss_b) or show(module, x)."
        )
    picture = made(real.of_tape(tape), view or "tape", fold, calls=tape.ran or any(node.scope for node in tape.nodes))
    picture.tape = tape
    return picture


def _named(tape, written):
    """What a tape leads to: the user's variables, or how they are `written` where `show` is called, if that is short."""
    if len(written) != len(tape.roots):
        return tape.name
    labels = [tape.nodes[i].label for i, _ in tape.roots]
    name = ", ".join(label or words for label, words in zip(labels, written, strict=True))
    return name if len(name) <= LONGEST_NAME else tape.name


def _tensors_alone(variables):
    return {name: value for name, value in variables.items() if is_real_tensor(value)}
