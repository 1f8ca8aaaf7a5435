"""A chain of layers on PyTorch's tape, in checkpoints: which results are held at each moment, according to weak references."""

import weakref
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import numpy as np
from autograd.extend import defvjp, primitive

from .... import torch
from ....memory import checkpoint, garbage_left_alone, value_on_tape
from ....tracing import wrapped_like

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
