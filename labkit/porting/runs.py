"""One observed run of a model: the inputs and outputs of each module, and the gradients."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

Call = tuple[str, int]  # the path of a module, and which of its calls


class Event(NamedTuple):
    """What a module got (`kind` "input") or gave ("output"), its tensors in order."""

    kind: str
    call: Call
    values: list[np.ndarray]


@dataclass
class Run:
    """All of it as NumPy arrays.

    `given`: the arguments of each call. `gradients`: of parameters, by path and name, None where there is none. `through`:
    of the tensors that went into each call, by that call alone. `state`: parameters and buffers afterwards. `error`: what
    the model raised, in the call `inside`.
    """

    events: list[Event] = field(default_factory=list)
    given: dict[Call, tuple] = field(default_factory=dict)
    outputs: list[np.ndarray] = field(default_factory=list)
    gradients: dict[tuple[str, str], np.ndarray | None] = field(default_factory=dict)
    to_inputs: list[np.ndarray | None] = field(default_factory=list)
    through: dict[Call, list[np.ndarray | None]] = field(default_factory=dict)
    state: dict[tuple[str, str], np.ndarray] = field(default_factory=dict)
    error: Exception | None = None
    inside: Call | None = None

    def values(self, kind: str, call: Call) -> list[np.ndarray] | None:
        """What `call` got or gave, or None."""
        return next((e.values for e in self.events if e.kind == kind and e.call == call), None)

    def calls(self) -> list[Call]:
        """Every call, in the order in which they began."""
        return [event.call for event in self.events if event.kind == "input"]

    def floats(self) -> list[np.ndarray]:
        """Every floating array that was seen."""
        return [v for event in self.events for v in event.values if v.dtype.kind == "f"]


class Watch:
    """The hooks of a run: what they see goes into its `run`.

    `probe(tensor, note)` is the tensor, whose gradient goes to `note`; `changed(path, output)` is the output as it goes on.
    """

    def __init__(self, side, probe=None, changed=None):
        self.run, self.side, self.probe, self.changed = Run(), side, probe, changed
        self.counts: dict[str, int] = {}
        self.open: list[Call] = []

    def before(self, path, args, kwargs) -> tuple[Any, Any]:
        """What goes into the call that begins."""
        call = path, self.counts.get(path, 0)
        self.counts[path] = call[1] + 1
        self.open.append(call)
        self.run.given[call] = self.side.numbers((args, kwargs))
        slopes = self.run.through[call] = []
        values: list[np.ndarray] = []

        def seen(tensor):
            values.append(self.side.array(tensor))
            slopes.append(None)
            if self.probe is None or values[-1].dtype.kind != "f":
                return tensor
            place = len(slopes) - 1
            return self.probe(tensor, lambda gradient: slopes.__setitem__(place, self.side.array(gradient)))

        args, kwargs = self.side.mapped(seen, (args, kwargs))
        self.run.events.append(Event("input", call, values))
        return args, kwargs

    def after(self, path, output) -> Any:
        """What the call that ends gives on; None where that is what it was."""
        call = self.open.pop()
        values = [self.side.array(t) for t in self.side.leaves(output)]
        self.run.events.append(Event("output", call, values))
        return None if self.changed is None else self.changed(path, output)
