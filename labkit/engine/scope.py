"""Where in a network a recorded op ran: in which calls of its cells or modules.

A part of a network is known by what it can do: `__engine_parts__` gives the pairs `(name, part)` of what is in it. When it
is called, it asks `current.scopes`, which is None unless a graph is being recorded in this thread:

    if current.scopes is not None and current.scopes.part is not self:
        return current.scopes.call(self, self.run, args, kwargs)
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from inspect import unwrap
from typing import Any, NamedTuple

from .per_thread import PerThread


class Scope(NamedTuple):
    """One call of a part: its `name` in the part that called it (its class's where it is not in there), its class's name
    `kind`, and which `call` of that name there it is, from 1."""

    name: str
    kind: Any
    call: int


class Scopes:
    """Where a run is: in `part`, the innermost part (or the function) being called, by way of `path`, a tuple of `Scope`."""

    def __init__(self, root):
        self.part = root
        self.path: tuple[Scope, ...] = ()
        self._counts: Counter[tuple] = Counter()

    def call(self, part, run, args, kwargs) -> Any:
        """`run(*args, **kwargs)`, as a call of `part`."""
        outside = self.part, self.path
        inside: Iterable[tuple[str, Any]] = getattr(self.part, "__engine_parts__", tuple)()
        kind = type(part).__name__
        name = next((name for name, known in inside if known is part), kind)
        self._counts[self.path, name] += 1
        self.part, self.path = part, (*self.path, Scope(name, kind, self._counts[self.path, name]))
        try:
            return run(*args, **kwargs)
        finally:
            self.part, self.path = outside


class _Current(PerThread):
    """`scopes` knows where in a network this thread's recorded run is; None while no graph is recorded."""

    scopes: Scopes | None = None


current = _Current()


@contextmanager
def scopes_of(fun) -> Iterator[None]:
    """While open, calls of cells and modules in this thread are scopes; the one that `fun` is, or belongs to, is not."""
    root, outer = unwrap(fun), current.scopes
    current.scopes = Scopes(getattr(root, "__self__", root))
    try:
        yield
    finally:
        current.scopes = outer
