"""Names of a package that are loaded on first use."""

from importlib import import_module
from typing import Any


def load(space, table, name) -> Any:
    """The object that a package with the globals `space` has under `name`, and keeps from now on.

    `table`: the name of the module inside the package that has it, or "" where it is that module itself.
    """
    home = import_module(f".{table[name] or name}", space["__name__"])
    space[name] = found = getattr(home, name) if table[name] else home
    return found
