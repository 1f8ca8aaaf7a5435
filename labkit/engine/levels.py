"""Levels: which run a box belongs to, so that nested derivatives are not mixed up.

`new_level()` numbers a run, above all that there are; `inside(level)` is the block in which that run happens.
"""

from itertools import count

from autograd import tracer

# A level is never used twice, so an exception leaves nothing to restore, and the runs of two threads cannot mix. (autograd
# counts the traces that are open, from 0, in one number for all threads, which an exception leaves too high.) The engine's
# levels begin far above autograd's; while one is open, autograd draws from them, too (the last line of this file), so that
# a derivative by autograd is above those it is inside.
_levels = count(1 << 29)
# The level of a tape that never closes (the torch dialect): below autograd's first, 0, and above its "no box", -1.
TAPE = -0.5
_open: set[int] = set()
_autograds_trace = tracer.trace_stack.new_trace


def new_level() -> int:
    """A level above all that exist.

    An integer; each call gives a higher one, in any thread.

    >>> new_level() < new_level()
    True
    """
    return next(_levels)


def running() -> bool:
    """Whether any function is being run by the engine to be differentiated or recorded, in any thread.

    >>> with inside(new_level()):
    ...     running()
    True
    """
    return bool(_open)


class inside:
    """A block in which values are in boxes of `level`: the run of a function that is differentiated or recorded.

    >>> from labkit.engine import Reverse, new_box
    >>> level = new_level()
    >>> with inside(level):
    ...     y = new_box(2.0, level, Reverse.new_root(2.0)) ** 2
    >>> len(y._node.parents)
    1
    """

    __slots__ = ("level",)

    def __init__(self, level):
        self.level = level

    def __enter__(self):
        _open.add(self.level)
        return self.level

    def __exit__(self, *exc):
        _open.discard(self.level)


tracer.trace_stack.new_trace = lambda: inside(new_level()) if _open else _autograds_trace()
