"""Who looks on in a thread while something is differentiated: told of what was asked for, and of each step of a walk back."""

from collections.abc import Callable
from typing import Any

from .threads import PerThread


class Watch(PerThread):
    """`observe` sees each step of a reverse pass that has no observer of its own; `node` is the one whose rule is running.

    `walks` and `pushes` count the reverse and the forward passes that were asked for, whatever name they were asked by.
    `asked(what, args)` is told what somebody wants differentiated: a function and its arguments, or a tensor and none.
    """

    observe = node = None
    asked: Callable[[Any, tuple], None] | None = None
    walks = pushes = 0


watch = Watch()
