"""Warnings about code that runs but is probably a mistake, each once for a line of the user's code."""

import sys
import warnings

from ..engine import is_library


def warn_user(words: str, kind: type[Warning] = UserWarning) -> None:
    """Warn with `words` at the line of the user's code that is running."""
    frame = sys._getframe(1)
    while frame.f_back is not None and is_library(frame.f_code.co_filename):
        frame = frame.f_back
    file = frame.f_code.co_filename
    where = "this cell" if "ipykernel" in file else file  # a notebook's cells are files with passing names
    seen = frame.f_globals.setdefault("__warningregistry__", {})
    warnings.warn_explicit(words, kind, where, frame.f_lineno, registry=seen)
