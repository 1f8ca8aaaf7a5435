"""The observers of a thread: they see which gradient was asked for, and each step of a backward pass."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from .per_thread import PerThread


class Watch(PerThread):
    """`observe` sees each step of a reverse pass that has no observer of its own; `node` is the one whose rule is running.

    `left(what)` is called when a value leaves the record as a plain number, such as in an `if`, and the dialect raises no error.
    `asked(what, args)` is called with what is differentiated: a function and its arguments, or a tensor and no arguments.
    """

    observe = node = None
    asked: Callable[[Any, tuple], None] | None = None
    left: Callable[[str], None] | None = None

    def asks(self, what: Any, args: tuple) -> None:
        """Report that the user asks for a backward pass through `what`."""
        if self.asked:
            self.asked(what, args)

    @contextmanager
    def walk(self) -> Iterator[None]:
        """A backward pass; after it, `node` is again that of the backward pass around it."""
        node = self.node
        try:
            yield
        finally:
            self.node = node

    @contextmanager
    def refusing(self) -> Iterator[None]:
        """Raise TypeError if a number leaves the recorded program inside this context."""

        def refuse(what):
            raise TypeError("{name} reads numbers out of the recorded program".format(name=what))

        before, self.left = self.left, refuse
        try:
            yield
        finally:
            self.left = before

    @contextmanager
    def unseen(self) -> Iterator[None]:
        """Do not observe the backward passes inside this context: the user did not ask for them."""
        observe, self.observe = self.observe, None
        try:
            yield
        finally:
            self.observe = observe


watch = Watch()
