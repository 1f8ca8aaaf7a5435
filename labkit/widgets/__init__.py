"""Pictures to drive: the graph explorer and the labs. Each is a `Picture`: show it in a notebook, save it, describe it."""

import re
from importlib import import_module
from pathlib import Path
from typing import Any

# the line `from .labs.sink import SinkCalculator as SinkCalculator` is all that a new widget needs; loaded when first used
_LINE = re.compile(r"^from (\S+) import (\w+) as \2$", re.MULTILINE)
_HOMES = {name: home for home, name in _LINE.findall(Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8"))}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"labkit.widgets has no {name!r}; it has {', '.join(__all__)}")
    return getattr(import_module(_HOMES[name], __name__), name)
