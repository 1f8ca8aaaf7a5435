"""Memory against time: which results of a chain of layers are held in its forward and backward pass, with checkpoints or not.

The chain is on PyTorch's tape; what is held at each moment is known from weak references.
"""

import weakref
from collections import Counter
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from autograd.extend import defvjp, primitive

from ... import torch
from ...memory import checkpoint, garbage_left_alone, value_on_tape
from ...messages.wrapping import Prose
from ...tracing import wrapped_like
from ..kit.lab import Lab
from ..kit.module import module, style
from ..kit.sketch import Sketch
from ..kit.traits import Trait, traits

LAYERS = 16
RUN, BACK = 1, 2  # the time of a layer's run, and of its walk back


@dataclass(frozen=True)
class Snapshot:
    """What was done to a `layer`, when it was done, and what is held then: the numbers of the layers whose results are alive,
    one for each array. Kinds: "start", "forward", "turn" (all layers have run), "again", "back", "end"."""

    kind: str
    layer: int
    time: int
    held: tuple[int, ...]


class _Log:
    """The moments of a run; `alive` has the layer of every array that is still held."""

    def __init__(self):
        self.alive: dict[int, tuple[int, weakref.ref]] = {}
        self.moments: list[Snapshot] = []
        self.turned, self.time = False, 0
        self.note("start", 0, 0)

    def made(self, array, layer):
        key = id(array)
        self.alive[key] = layer, weakref.ref(array, partial(self._gone, key))
        self.note("again" if self.turned else "forward", layer, RUN)

    def _gone(self, key, _):
        del self.alive[key]

    def note(self, kind, layer, time):
        self.time += time
        self.moments.append(Snapshot(kind, layer, self.time, tuple(sorted(layer for layer, _ in self.alive.values()))))


@primitive
def _layer(h, log, layer):
    result = np.tanh(h)
    log.made(result, layer)
    return result


def _layer_rule(result, h, log, layer):
    def back(g):
        given = g * (1 - result**2)
        log.note("back", layer, BACK)
        return given

    return back


defvjp(_layer, _layer_rule, argnums=(0,))


def moments(segments: int, retain: bool) -> list[Snapshot]:
    """The moments of a run forward and back, in so many checkpoints (0: none), with or without `retain_graph`."""
    log = _Log()

    def piece(first, last):
        def layers(h):
            for layer in range(first, last):
                h = wrapped_like(h, _layer(value_on_tape(h), log, layer))
            return h

        return layers

    cuts = [LAYERS * k // max(segments, 1) for k in range(max(segments, 1) + 1)]
    with garbage_left_alone():
        h = torch.ones(2, requires_grad=True)
        for first, last in pairwise(cuts):
            part = piece(first, last)
            h = (checkpoint(part) if segments else part)(h)
        log.turned = True
        log.note("turn", 0, 0)
        h.backward(torch.ones(2), retain_graph=retain)
        log.note("end", 0, 0)
    return log.moments


SEGMENTS = ("none", "1", "2", "4", "8", "16")
WALKS = ("releases", "retain_graph")
LAST = LAYERS * (2 * RUN + BACK)  # the time of a run with checkpoints
WORDS = {
    "about": "A chain of 16 layers with its forward and backward pass. The box of a layer is filled while its result is held, "
    "and shows 2 while two copies are held; the last box is the output. Below the boxes, the number of results held "
    "against time: a forward pass of a layer takes 1, a backward pass 2. On the right, the largest number held, "
    "for every number of checkpoints.",
    "none": "No checkpoint.",
    "alike": "Checkpoints: {count}, of {least} layers each.",
    "unlike": "Checkpoints: {count}, of {least} or {more} layers each.",
    "retain": "With retain_graph=True.",
    "start": "Time {time}: nothing has run yet.",
    "forward": "Time {time}: layer {layer} runs.",
    "again": "Time {time}: layer {layer} runs again.",
    "back": "Time {time}: the backward pass of layer {layer} runs.",
    "turn": "Time {time}: all layers have run.",
    "held": "Results held: {held}.",
    "plain": "Without checkpoints {most} results are held at once; the time is {time}.",
    "price": "At most {most} results are held at once instead of {plain}, for {slower}% more time.",
    "output": "Results held now: {held}, the output.",
    "all": "Results held now: {held}.",
    "ends": "Results held now: {held}, where checkpoints end. What ran again is not retained.",
    "drag time": "Filled boxes: results that are held. Drag the time",
    "drag count": "The most held at once: drag the number of checkpoints",
    "ask turn": "The last of 16 layers is about to run. How many results are held when it is done?",
    "turn 0": "Every rule saves its result.",
    "turn 1": "Only the result of the last layer.",
    "turn more": "The inputs of all checkpoints but the first, which is x, and the result of the last layer.",
    "turn all": "That is the answer without checkpoints.",
    "turn fewer": "You hold the result of the last layer, too.",
    "turn x": "The first checkpoint saves x, and x is not the result of a layer.",
    "ask worst": "The backward pass begins with {held} results held. How many are held at its peak?",
    "worst": "{count}, plus the {again} of the part that runs again.",
    "worst 0": "Nothing runs again.",
    "worst held": "A checkpoint runs again, and its results are held as well.",
    "worst again": "Those are the new results. What was held before is still there.",
    "otherwise": "Not that. {right}",
}
KINDS = {"start": "s", "forward": "f", "turn": "t", "again": "a", "back": "b", "end": "e"}


class MemoryCurve(Lab):
    """A chain of 16 layers on PyTorch's tape: the results that are held, one array each, in its forward and backward pass.

    It is run in labkit's dialect, and every count is the number of arrays alive then. The forward pass of a layer takes the
    time 1, its backward pass 2. Traits: `time` (0 to 64), `checkpoints` (0 to 16, of equal length where that divides 16),
    `retain` (whether with `retain_graph=True`). `runs` holds the moments of some, `{(checkpoints, walk): [Snapshot, ...]}`.

    >>> runs = MemoryCurve().runs
    >>> for segments in ("none", "1", "4", "16"):
    ...     run = runs[segments, "releases"]
    ...     print(segments, "time", run[-1].time, "most", max(len(moment.held) for moment in run))
    none time 48 most 16
    1 time 64 most 17
    4 time 64 most 8
    16 time 64 most 17
    """

    path = Path(__file__).with_name("memory_curve.js")
    state_names = ("time", "checkpoints", "retain")
    words: ClassVar = WORDS
    _esm = module(path)
    _css = style()
    time: Trait = traits.Float(default_value=float(LAST), min=0.0, max=float(LAST)).tag(sync=True)
    checkpoints: Trait = traits.Float(default_value=4.0, min=0.0, max=float(LAYERS)).tag(sync=True)
    retain: Trait = traits.Bool(default_value=False).tag(sync=True)

    def __init__(self) -> None:
        self._every = {(k, retain): moments(k, retain) for k in range(LAYERS + 1) for retain in (False, True)}
        written = [[_written(self._every[k, retain]) for k in range(LAYERS + 1)] for retain in (False, True)]
        data = {"about": WORDS["about"], "layers": LAYERS, "run": RUN, "back": BACK, "last": LAST, "runs": written}
        super().__init__("Checkpoints: less memory for more time", data)

    @property
    def runs(self) -> dict[tuple[str, str], list[Snapshot]]:
        """The moments with no checkpoint and with those that divide the layers evenly; "releases" or "retain_graph"."""
        return {
            (n, walk): self._every[0 if n == "none" else int(n), walk == WALKS[1]] for n in SEGMENTS for walk in WALKS
        }

    def describe(self, **state: Any) -> str:
        """What is held at a time, and at the end what the checkpoints cost. `state`: other values of some traits."""
        at = self.state_with(**state)
        count, retain = round(at["checkpoints"]), at["retain"]
        run, plain = self._every[count, retain], self._every[0, retain]
        moment = at_time(run, at["time"])
        if moment.kind == "end":
            keys = ["price" if count else "plain", "output" if len(moment.held) == 1 else "ends" if count else "all"]
        else:
            setting = "none" if not count else "unlike" if LAYERS % count else "alike"
            keys = [setting, *["retain"] * retain, moment.kind, "held"]
        least, slower = LAYERS // max(count, 1), f"{100 * (run[-1].time / plain[-1].time - 1):.0f}"
        given = {"count": count, "least": least, "more": least + 1, "time": moment.time, "layer": moment.layer + 1}
        given |= {"held": len(moment.held), "most": most(run), "plain": most(plain), "slower": slower}
        said = " ".join(WORDS[key].format(**given) for key in keys)
        return Prose("\n".join((f"{self.title}.", self.data["about"], said)))

    def svg(self, theme: str = "light", **state: Any) -> str:
        """A small still picture: how many results are held against time, without checkpoints and with. `state`: other ones."""
        at = self.state_with(**state)
        sketch = Sketch(theme, 420, 220, self.describe(**state).splitlines()[-1])
        for count, colour in ((0, "muted"), (round(at["checkpoints"]), "saved")):
            found = self._every[count, at["retain"]]
            corners = [(m.time, len(one.held)) for one, m in pairwise(found)]
            corners = [
                spot
                for (time, before), m in zip(corners, found[1:], strict=True)
                for spot in ((time, before), (time, len(m.held)))
            ]
            sketch.path([(20 + 6 * time, 190 - 9 * held) for time, held in corners], colour)
        sketch.text(210, 212, "results held against time: without checkpoints (grey), with them (green)")
        return str(sketch)


def at_time(run: list[Snapshot], time: float) -> Snapshot:
    """The moment that a run is in at a time."""
    ends = next((moment.time for moment in run if moment.time >= time), run[-1].time)
    return [moment for moment in run if moment.time == ends][-1]


def most(run: list[Snapshot]) -> int:
    """The largest number of arrays held at once."""
    return max(len(moment.held) for moment in run)


def _written(run: list[Snapshot]) -> str:
    """The moments as words, such as "f3+3-2": layer 3 runs, its result is new, and one of layer 2 is gone."""
    words, held = [], Counter[int]()
    for moment in run:
        now = Counter(moment.held)
        signs = "".join(f"+{k}" for k in (now - held).elements()) + "".join(f"-{k}" for k in (held - now).elements())
        words.append(f"{KINDS[moment.kind]}{moment.layer}{signs}")
        held = now
    return " ".join(words)
