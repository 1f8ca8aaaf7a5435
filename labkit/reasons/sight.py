"""An observed run: which tensors were computed from the given one, and where its gradient was cut off.

The watcher says of every call that the user's code makes its arguments and its result. How it sees these calls is its business:
by Python's profiler for the MindSpore dialect, by a function mode for the real PyTorch.
"""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ..dialects.provenance import (
    AFTER,
    DETACHED,
    GRADIENT,
    INTEGER,
    LEAF,
    NO_GRAD,
    NUMBERS,
    OPEN,
    RECORDED,
    UNTRACED,
    Exit,
    Trail,
    is_same,
)

_PLAIN = (bool, int, float, str, bytes, type(None), np.bool_)


class Sight:
    """What was seen of a run. `array(tensor)` gives a tensor's numbers, `alive(tensor)` whether a gradient goes on from it,
    `memory(tensor)` its memory, where that is known.

    `exits`: values that left the tensors. `seen`: the calls whose results a gradient goes on from, `(op, place, tensor)`.
    """

    def __init__(
        self, w: Any, is_tensor: Callable, alive: Callable, array: Callable, memory: Callable = lambda tensor: None
    ) -> None:
        self.is_tensor, self.alive, self.array, self.memory = is_tensor, alive, array, memory
        self.target = Trail("leaf", None, LEAF)
        self.exits: list[Exit] = []
        self.lost: list[Trail] = []  # cuts in a run of arrays, which are not followed any further
        self.off: Any = None  # where recording was switched off
        self._notes: dict[int, Trail] = {id(w): self.target}
        self._written: dict[int, Trail] = {}  # by memory, of what was cut off and written to somebody's tensor
        self._kept: list = [w]  # so that no id is used twice
        self._known: set[int] = set()

    def ends(self, outputs: Iterable) -> list[Trail]:
        """The notes of the results."""
        return [note for leaf in outputs if (note := self.note_of(leaf)) is not None]

    def begins(self, value: Any) -> None:
        """This stands for the one that is asked about."""
        self._note(value, self.target)

    def note_of(self, value: Any) -> Trail | None:
        """The note of a tensor that was made of the one asked about, or of numbers after some had left."""
        known = self._notes.get(id(value))
        if known is None and self._written and self.is_tensor(value) and not self.alive(value):
            return self._written.get(self.memory(value))
        return known

    def saw(
        self, op: str, where: Any, given: Iterable, results: Iterable, recording: bool = True, changed: Any = None
    ) -> None:
        """A call of `op` took `given` and gave `results`, values and tensors; it may have `changed` a tensor in place."""
        given, results = list(given), list(results)
        tensors = [v for v in given if self.is_tensor(v)]
        self.refresh(tensors)
        notes = [note for v in tensors if (note := self.note_of(v)) is not None]
        numbers = [v for v in given if not self.is_tensor(v) and not callable(v)]
        entered = self._entered(op, where, numbers)
        for value in results:
            if self.is_tensor(value):
                self._made(op, where, tensors, notes, entered, value, recording, changed is value)
            elif notes and not isinstance(value, (bool, np.bool_, str, type(None))) and _is_numbers(value):
                self.exits.append(Exit(notes[-1], op, value, where))
        if changed is not None and not any(changed is value for value in results):
            self._made(op, where, tensors, notes, entered, changed, recording, True)

    def _entered(self, op, where, numbers):
        """The notes of numbers that had left, and of others that may have been made of these, in a list of none or one."""
        known = [e.trail for e in self.exits if any(is_same(e.value(), v) for v in numbers)]
        literal = where[0].co_consts if isinstance(where, tuple) else ()
        unknown = self.exits and any(_is_numbers(v) and not any(v is c for c in literal) for v in numbers)
        return [Trail(op, where, NUMBERS, known)] if known or unknown else []

    def refresh(self, tensors: Iterable) -> None:
        """A tensor that had been cut off may have got a history since, as what a function with a rule of its own returns."""
        for value in tensors:
            note = self._notes.get(id(value))
            if note is not None and note.kind not in OPEN and self.alive(value):
                self._note(value, Trail(note.op, note.place, RECORDED, _open_before(note)))

    def _made(self, op, where, tensors, notes, entered, value, recording, changed):
        if id(value) in self._known and not changed:
            return
        if any(value is t for t in tensors) and not changed:
            return
        self._known.add(id(value))
        self._kept.append(value)
        if self.alive(value):
            self._note(value, Trail(op, where, RECORDED, [*notes, *entered]))
        elif entered and not notes:
            self._note(value, entered[0])
        elif notes and (changed or not self._is_of_another(value, tensors)):
            alive = [
                t for t in tensors if (n := self.note_of(t)) and (self.alive(t) or (t is value and n.kind in OPEN))
            ]
            kind = self._kind(op, value, alive, recording)
            self._note(value, Trail(op, where, kind, [*notes, *entered], off=self.off if kind == NO_GRAD else None))
            if changed and (memory := self.memory(value)) is not None:
                self._written[memory] = self._notes[id(value)]

    def _is_of_another(self, value, tensors):
        """Whether it is a view of a tensor that was not made of the one asked about, as one of `broadcast_tensors(a, b)`."""
        others = [t for t in tensors if self.note_of(t) is None]
        return any(np.may_share_memory(self.array(value), self.array(t)) for t in others)

    def _kind(self, op, value, alive, recording):
        if not alive:
            return AFTER
        if not recording:
            return NO_GRAD
        if op == "grad":
            return GRADIENT
        mine = self.array(value)
        if mine.dtype.kind in "iub":
            return INTEGER
        theirs = np.concatenate([self.array(t).ravel() for t in alive])
        return DETACHED if np.isin(mine, theirs).all() else UNTRACED

    def _note(self, value, note):
        self._notes[id(value)] = note
        if isinstance(value, (np.ndarray, np.generic)) and note.kind in (DETACHED, INTEGER, UNTRACED):
            self.lost.append(note)
        self._kept.append(value)


def _open_before(note):
    """Of what a function with a rule of its own returns: what it was made of before it came there, where nothing was recorded."""
    found, waiting = {}, [note]
    while waiting:
        for earlier in waiting.pop().before:
            if earlier.kind in OPEN:
                found[id(earlier)] = earlier
            else:
                waiting.append(earlier)
    return list(found.values())


def _is_numbers(value):
    """Whether it is numbers, of Python or NumPy, and not a mere count such as a length or a shape."""
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "fiub" or value.dtype.kind == "V"
    if isinstance(value, (list, tuple)):
        return any(isinstance(v, (float, np.floating)) or (isinstance(v, list) and _is_numbers(v)) for v in value[:8])
    return isinstance(value, (float, np.floating))
