"""The user's code while it runs: the current line, the variable that a result is assigned to, and which files are the user's."""

import contextlib
import dis
import os
import sys
import threading
from functools import lru_cache
from itertools import count, pairwise
from types import FrameType

import autograd
import numpy as np

_calls = count()


class _LastCall(threading.local):
    """The library call of the last op, held so that no later one can be mistaken for it, and the place it was made from.
    The recorder clears `frame` at the end."""

    frame: FrameType | None = None
    site: tuple | None = None


last_call = _LastCall()
_STORES = ("STORE_FAST", "STORE_NAME", "STORE_GLOBAL", "STORE_DEREF")


def _folder(file):
    return os.path.dirname(os.path.abspath(file)).replace("\\", "/") + "/"


_LIBRARY = (  # the last entry is the file name of code that labkit generates
    _folder(autograd.__file__), _folder(np.__file__), _folder(os.path.dirname(__file__)), "<labkit ",
)  # fmt: skip
_STANDARD = tuple(
    {_folder(module.__file__) for module in (os, contextlib)}
)  # Python's library has two folders if part of it is in a zip


@lru_cache(maxsize=4096)
def is_library(filename) -> bool:
    """Whether code in this file is labkit's, autograd's or NumPy's own."""
    return filename.replace("\\", "/").startswith(_LIBRARY)


@lru_cache(maxsize=4096)
def is_own(filename: str) -> bool:
    """Whether code in this file is the user's: it is not part of Python and was not installed.

    >>> is_own("<cell 3>"), is_own(np.__file__), is_own(contextlib.__file__)
    (True, False, False)
    """
    path = filename.replace("\\", "/")
    installed = "/site-packages/" in path or "/dist-packages/" in path or is_library(filename)
    return not installed and not path.startswith(("<frozen", *_STANDARD))


def user_site() -> tuple[str, int]:
    """`(file, line)` of the user's code now running."""
    _, site = assignment_target()
    return site[:2] if site else ("<unknown>", 0)


def assignment_target() -> tuple[str | None, tuple | None]:
    """`(name, (file, line, call))` of the user's code now running: `h = x @ w` names the product `h`.

    Read from the bytecode: the first frame outside labkit, autograd and NumPy, and the variable that the instruction
    after the one running stores to. Several ops may run inside one call from there; the last of them owns the name.
    """
    frame: FrameType | None = sys._getframe(2)
    call = None
    while frame is not None and is_library(frame.f_code.co_filename):
        frame, call = frame.f_back, frame
    if frame is None:
        return None, None
    code = frame.f_code
    if call is None or last_call.frame is not call:
        last_call.frame, last_call.site = call, (code.co_filename, frame.f_lineno, next(_calls))
    return _stores(code).get(frame.f_lasti), last_call.site


@lru_cache(maxsize=1024)
def _stores(code):
    """`{offset: name}` for every offset in an instruction whose result is stored at once in a plain variable."""
    found, steps = {}, list(dis.get_instructions(code))
    for step, following in pairwise(steps):
        if following.opname.startswith(_STORES):
            name = following.argval[0] if isinstance(following.argval, tuple) else following.argval
            found.update(dict.fromkeys(range(step.offset, following.offset), name))
    return found
