"""Calls a student's function once, and returns whatever it does: return, raise, print, or run without end."""

import inspect
import linecache
import traceback
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import dataclass
from io import StringIO
from typing import Any

import numpy as np

from .limit import TimeUp, time_limit

LONGEST = 20_000  # characters of what is printed
_TIMEOUT = "it ran for more than {seconds:g} s"


@dataclass(frozen=True)
class CallOutcome:
    """What one call did: `kind` is "value", "error" or "timeout"; `printed` is what it wrote to stdout.

    `error` is the error with its words and the last line of the student's own code; `error_place` is without its words.
    """

    kind: str
    value: Any = None
    error: str = ""
    error_place: str = ""
    printed: str = ""


def call(function: Callable, args: tuple, seconds: float = 5.0, wall: float | None = None) -> CallOutcome:
    """Run `function(*args)` for at most `seconds`; NumPy's error state, stdout, signals and trace are put back.

    With `wall`, these are seconds of CPU time, and it may take `wall` seconds on the clock.
    """
    out, file = Printed(), source_file(function)
    try:
        with redirect_stdout(out), np.errstate(), time_limit(seconds, file, wall):
            return CallOutcome("value", function(*args), printed=out.getvalue())
    except TimeUp:
        return CallOutcome("timeout", error=_TIMEOUT.format(seconds=seconds), printed=out.getvalue())
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return CallOutcome("error", None, *error_text(error, file), printed=out.getvalue())


def source_file(function: Callable) -> str | None:
    """The file (or notebook cell) that the function's code comes from; None for what has no Python code."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    return code.co_filename if code else None


class Printed(StringIO):
    """Keeps the first characters that are printed, and lets the rest go by."""

    def write(self, text: str) -> int:
        """Keep what still fits; returns the length of `text`, as if all of it did."""
        super().write(text[: max(LONGEST - self.tell(), 0)])
        return len(text)


def error_text(error: BaseException, file: str | None) -> tuple[str, str]:
    """`ValueError: message (line 2: return x / y)`, with the last line of the code in `file`; the same without message."""
    name = type(error).__name__
    try:
        first = str(error).strip().splitlines()[:1]
    except Exception:  # an error of the student's own, which fails at telling
        first = []
    lines = [number for frame, number in traceback.walk_tb(error.__traceback__) if frame.f_code.co_filename == file]
    code = linecache.getline(file, lines[-1]).strip() if lines and file else ""
    place = f" (line {lines[-1]}{': ' + code if code else ''})" if lines else ""
    return ": ".join([name, *first]) + place, name + place
