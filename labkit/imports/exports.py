"""The public names of a package. They are listed in the stub next to its `__init__.py`.

A line of the stub is what a type checker reads, `from .copy import WorkingCopy as WorkingCopy` or, for a module,
`from . import places as places`. What it names is loaded when it is first used, so a face costs next to nothing.
"""

import re
from collections.abc import Callable
from importlib import import_module
from typing import Any

_LINE = re.compile(r"^from (\S+) import (\w+) as \2$", re.MULTILINE)
_UNKNOWN = "{package} has no {name!r}; it has {names}"


def face(file: str, package: str) -> tuple[list[str], Callable[[str], Any]]:
    """The `__all__` and the `__getattr__` of a package, given its `__file__` and its `__name__`."""
    with open(f"{file.rpartition('.')[0]}.pyi", encoding="utf-8") as stub:  # `file` may be bytecode
        homes = {name: home for home, name in _LINE.findall(stub.read())}

    def load(name: str) -> Any:
        if name not in homes:
            raise AttributeError(_UNKNOWN.format(package=package, name=name, names=", ".join(sorted(homes))))
        if homes[name] == ".":
            return import_module(f".{name}", package)
        return getattr(import_module(homes[name], package), name)

    return sorted(homes), load
