"""Networks as trees of named parts: what they contain, and how they print."""

from collections.abc import Iterator
from typing import Any


def named_leaves(parts, table, once=True) -> Iterator[tuple[str, Any]]:
    """Pairs of dotted name and value of the `(path, part)` in `parts`; `table(part)` has those of one part.

    Each value comes `once`, or as often as it is there.
    """
    seen = set()
    for path, part in parts:
        for name, value in table(part).items():
            if value is not None and id(value) not in seen:
                if once:
                    seen.add(id(value))
                yield dotted(path, name), value


def dotted(path, name) -> str:
    """The name of what a part at `path` has under `name`."""
    return f"{path}.{name}" if path else name


def tree_text(name, own, parts) -> str:
    """A network on lines of its own: `own` lines of text, then every one of its `(name, part)`; on one line without parts."""
    lines = [*own, *(f"({key}): " + repr(part).replace("\n", "\n  ") for key, part in parts)]
    if not parts and len(own) <= 1:
        return f"{name}({''.join(own)})"
    return f"{name}(\n  " + "\n  ".join(lines) + "\n)"
