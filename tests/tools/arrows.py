"""The arrows of the house: which file of labkit imports which, imports inside functions included.

An arrow leads to the file that is named: `from ..engine import grad` to the room's face `engine/__init__.py`, `from . import
scene` to `scene.py`. What is imported for type checkers alone is no arrow. A *room* is a folder, or a file, of labkit itself.
"""

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from graphlib import TopologicalSorter
from importlib import import_module
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parents[2] / "labkit"


@dataclass(frozen=True)
class Arrow:
    """`file` imports `names` of `target`, both paths below labkit; `inside`: in a function."""

    file: Path
    target: Path
    line: int
    names: tuple[str, ...]

    def __str__(self):
        return f"{self.file}:{self.line} -> {self.target} ({', '.join(self.names)})"


@cache
def arrows(root: Path = ROOT) -> list[Arrow]:
    """All arrows among the files below `root`, a package."""
    return [arrow for file in sorted(root.rglob("*.py")) for arrow in _of_file(file, root)]


def _of_file(file, root):
    for node in _imports(ast.parse(file.read_bytes()).body):
        package = [root.name, *file.relative_to(root).parts[:-1]]
        if isinstance(node, ast.Import):
            asked = [(alias.name.split("."), ()) for alias in node.names]
        else:
            start = package[: len(package) - node.level + 1] if node.level else []
            path = start + (node.module.split(".") if node.module else [])
            modules = {a.name for a in node.names if _found([*path, a.name], root)}
            asked = [([*path, name], ()) for name in sorted(modules)]
            if names := tuple(a.name for a in node.names if a.name not in modules):
                asked.append((path, names))
        for path, names in asked:
            named = _found(path, root)
            for target in _loaded(path, file, root):
                taken = names if target == named else ()
                yield Arrow(file.relative_to(root), target.relative_to(root), node.lineno, taken)


def _loaded(path, file, root):
    """The file of a module, and those of the packages that it is in and `file` is not: they are loaded before it."""
    ends = [_found(path[:end], root) for end in range(len(path), 1, -1)]
    return [f for i, f in enumerate(ends) if f not in (None, file) and not (i and f.parent in file.parents)]


def _imports(statements: Iterable[ast.AST]) -> Iterator[ast.Import | ast.ImportFrom]:
    """Those among the statements and inside of them; of what is not a statement, none."""
    for node in statements:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            yield node
        elif not (isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)):
            for block in ("body", "orelse", "handlers", "finalbody", "cases"):
                inside = getattr(node, block, [])
                yield from _imports(inside if isinstance(inside, list) else [])


def _found(path, root):
    """The file of a module, given by the parts of its dotted name; None where it is none of the package's."""
    return _file_of(tuple(path[1:]), root) if path[:1] == [root.name] else None


@cache
def _file_of(path, root):
    place = root.joinpath(*path)
    return next((f for f in (place / "__init__.py", place.with_suffix(".py")) if f.is_file()), None)


def circles(pairs: list[tuple]) -> list[list]:
    """The groups of nodes that can reach each other along `pairs` (from, to), each sorted."""
    pairs, tied = _tied(pairs), []
    while len(tied) != len(pairs):
        pairs, tied = _tied(pairs), pairs
    after = defaultdict(set)
    for start, end in pairs:
        after[start].add(end)
    reach = {node: _reachable(node, after) for node in list(after)}
    groups = {frozenset(n for n in found if node in reach.get(n, ())) for node, found in reach.items() if node in found}
    return sorted(sorted(group) for group in groups)


def _tied(pairs):
    """Those between nodes that something leads to and that lead to something: what is in a circle, and what is between two."""
    starts, ends = {start for start, _ in pairs}, {end for _, end in pairs}
    return [(start, end) for start, end in pairs if start in ends and end in starts]


def _reachable(node, after):
    found, stack = set(), [node]
    while stack:
        for follower in after.get(stack.pop(), ()):
            if follower not in found:
                found.add(follower)
                stack.append(follower)
    return found


def room(file: Path) -> str:
    """The room that a file is in: `engine` for `engine/boxes.py`, `memory` for `memory.py`."""
    return file.with_suffix("").parts[0]


def between_rooms(found: list[Arrow]) -> list[Arrow]:
    """The arrows from a room to another."""
    return [a for a in found if room(a.file) != room(a.target) and "__init__" not in (room(a.file), room(a.target))]


def private(found: list[Arrow]) -> list[Arrow]:
    """Those that take a private name, or something of a private module, of another room."""
    hidden = lambda name: name.startswith("_") and not name.startswith("__")
    return [a for a in between_rooms(found) if any(map(hidden, (*a.names, *a.target.with_suffix("").parts)))]


def past_the_face(found: list[Arrow], root: Path = ROOT) -> list[Arrow]:
    """Those that lead to a file inside of another room, and not to a module that its face offers."""
    return [a for a in between_rooms(found) if len(a.target.parts) > 1 and not _offered(a.target, root)]


def _offered(file, root):
    """Whether each step of the way to a file is a module in the `__all__` above it; without one, what is not private."""
    *above, name = file.with_suffix("").parts if file.name != "__init__.py" else file.parts[:-1]
    if not above:
        return True
    package = ".".join([root.name, *above])
    face = import_module(package)
    if name not in getattr(face, "__all__", [name.lstrip("_")]):
        return False
    import_module(f"{package}.{name}")
    return isinstance(getattr(face, name), ModuleType) and _offered(Path(*above, "__init__.py"), root)


def floors(found: list[Arrow]) -> list[str]:
    """The rooms, those that use others first; raises graphlib.CycleError for rooms that use each other."""
    below = {room(a.file): set() for a in found if room(a.file) != "__init__"}
    for a in between_rooms(found):
        below[room(a.file)].add(room(a.target))
    return list(TopologicalSorter(below).static_order())[::-1]
