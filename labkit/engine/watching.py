"""Who looks on in a thread while something is differentiated: told of what was asked for, and of each step of a walk back."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from .threads import PerThread


class Watch(PerThread):
    """`observe` sees each step of a reverse pass that has no observer of its own; `node` is the one whose rule is running.

    `walks` and `pushes` count the reverse and the forward passes, whatever name they were asked for by.
    `left(what)` is told when numbers leave what is recorded, such as into an `if`, where a dialect does not refuse that itself.
    `asked(what, args)` is told what somebody wants walked back: a function and its arguments, or a tensor and none.
    """

    observe = node = None
    asked: Callable[[Any, tuple], None] | None = None
    left: Callable[[str], None] | None = None
    walks = pushes = 0

    def asks(self, what: Any, args: tuple) -> None:
        """Somebody wants a walk back through `what`."""
        if self.asked:
            self.asked(what, args)

    @contextmanager
    def walk(self) -> Iterator[None]:
        """A walk back, counted; after it, `node` is again the one of the walk that it is inside of."""
        self.walks += 1
        node = self.node
        try:
            yield
        finally:
            self.node = node

    @contextmanager
    def refusing(self) -> Iterator[None]:
        """Numbers that leave in here raise TypeError."""

        def refuse(what):
            raise TypeError(f"numbers leave what is recorded, by {what}")

        before, self.left = self.left, refuse
        try:
            yield
        finally:
            self.left = before

    @contextmanager
    def unseen(self) -> Iterator[None]:
        """What is walked in here nobody has asked for: it is neither counted nor observed."""
        walks, observe = self.walks, self.observe
        self.observe = None
        try:
            yield
        finally:
            self.walks, self.observe = walks, observe


watch = Watch()
