"""Pictures to drive: the graph explorer and the labs. Each is a `Picture`: show it in a notebook, save it, describe it."""

import re
from importlib import import_module
from typing import Any

# The face is the stub beside this file: a new widget needs a line there, and is loaded when it is first used.
with open(f"{__file__}i", encoding="utf-8") as _stub:
    _HOMES = {name: home for home, name in re.findall(r"^from (\S+) import (\w+) as \2$", _stub.read(), re.MULTILINE)}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"labkit.widgets has no {name!r}; it has {', '.join(__all__)}")
    return getattr(import_module(_HOMES[name], __name__), name)
