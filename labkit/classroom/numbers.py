"""Random numbers in a prediction: the same program, with other numbers for each student.

A file says `n, h = drawn((10, 0.5), lambda rng: (int(rng.integers(5, 20)), 0.25))`. The exercise `fd-cost` has the numbers
that stand there; `fd-cost:17` has those that the draw numbered 17 gives, in its statement, its answer and its wrong answers.
"""

import re
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

import numpy as np

Numbers = TypeVar("Numbers")
APART = ":"  # between the name of an exercise and the number of a draw
_NAME = re.compile(r"[^:]+:[1-9]\d{0,5}")
_rng: ContextVar[np.random.Generator | None] = ContextVar("rng", default=None)


def drawn(usual: Numbers, draw: Callable[[np.random.Generator], Numbers]) -> Numbers:
    """Numbers of a prediction: `usual`, or in one of its drawn versions what `draw(rng)` gives, of the same form.

    >>> drawn((10, 0.5), lambda rng: (int(rng.integers(5, 20)), 0.25))
    (10, 0.5)
    """
    rng = _rng.get()
    return usual if rng is None else draw(rng)


@contextmanager
def drawing(name: str) -> Iterator[None]:
    """Inside, `drawn` gives the numbers of the exercise `name`: the usual ones, unless it is a drawn version.

    >>> with drawing("fd-cost:17"):
    ...     drawn(10, lambda rng: int(rng.integers(20, 30)))
    22
    """
    token = _rng.set(np.random.default_rng(zlib.crc32(name.encode())) if is_version(name) else None)
    try:
        yield
    finally:
        _rng.reset(token)


def is_version(name: str) -> bool:
    """True for the name of a drawn version: that of an exercise, and a number.

    >>> is_version("fd-cost:17"), is_version("fd-cost"), is_version("fd-cost:x")
    (True, False, False)
    """
    return _NAME.fullmatch(name) is not None


def base_of(name: str) -> str:
    """The name of the exercise of which `name` may be a drawn version.

    >>> base_of("fd-cost:17"), base_of("fd-cost")
    ('fd-cost', 'fd-cost')
    """
    return name.split(APART)[0] if is_version(name) else name


def filled(text: str, values: Mapping[str, Any]) -> str:
    """A text with the values of names in it.

    >>> filled("f takes [[n]] numbers", {"n": 10})
    'f takes 10 numbers'
    """
    return re.sub(r"\[\[(\w+)\]\]", lambda found: repr(values[found[1]]) if found[1] in values else found[0], text)
