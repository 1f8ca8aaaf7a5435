"""The modules of a model, with the parameters and buffers of each."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple


class Held(NamedTuple):
    """A parameter or a buffer of one module: its `name` there, its tensor, whether a gradient is taken with respect to it."""

    name: str
    tensor: Any
    shape: tuple[int, ...]
    trained: bool
    counts: bool  # whole numbers, such as how many batches were seen
    buffer: bool = False  # kept beside the parameters, such as running statistics


@dataclass(frozen=True, eq=False)
class Part:
    """A module at its dotted path: the name of its class, what it holds itself, and whether it has modules in it."""

    path: str
    kind: str
    module: Any
    held: tuple[Held, ...]
    leaf: bool

    @cached_property
    def weighted(self) -> bool:
        return any(not h.counts for h in self.held)

    @cached_property
    def required(self) -> bool:
        """Whether a counterpart has to be found: it has parameters, not buffers alone."""
        return any(not h.counts and not h.buffer for h in self.held)

    @property
    def title(self) -> str:
        return f"{self.path} ({self.kind})" if self.path else self.kind
