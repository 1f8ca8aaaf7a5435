"""Cuts a definition, and what it needs, out of the text of a Python file, as a program of its own."""

import ast
import re
from collections.abc import Iterator
from functools import cached_property

KNOWN = {  # what every notebook has imported: a solution does not import it again
    "import numpy as np", "from labkit import mindspore as ms", "from labkit import torch", "import labkit.mindspore as ms",
    "import labkit.torch as torch",
}  # fmt: skip

MARKS = ("wrong", "judged")  # the decorators that say that a function is a wrong answer


class Source:
    """The text of a file: any of its definitions, with all that it needs from the file, as a program of its own."""

    def __init__(self, text: str):
        self._lines, self._tree = text.splitlines(), ast.parse(text)

    @cached_property
    def _nodes(self) -> dict[str, ast.stmt]:
        """What each name at the top of the file is bound by."""
        return {name: node for node in self._tree.body for name in _bound(node)}

    def functions(self) -> Iterator[str]:
        """The names of functions that are not private, and no wrong answers."""
        for node in self._tree.body:
            if isinstance(node, ast.FunctionDef) and len(_kept(node)) == len(node.decorator_list):
                yield from [node.name] * (not node.name.startswith("_"))

    def drawn(self) -> tuple[str, ...]:
        """The names of numbers that may be drawn: those that a call of `drawn` gives."""
        calls = (node for node in self._tree.body if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call))
        return tuple(n for node in calls if getattr(node.value.func, "id", "") == "drawn" for n in _bound(node))  # type: ignore[attr-defined]

    def text(self, name: str) -> str:
        """A definition as it is in the file, without what says that it is a wrong answer."""
        return self._cut(self._nodes[name])

    def _cut(self, node: ast.stmt) -> str:
        parts = [(d.lineno, d.end_lineno) for d in _kept(node)] + [(node.lineno, node.end_lineno)]
        return "\n".join("\n".join(self._lines[first - 1 : last]) for first, last in parts)

    def program(self, name: str, solution: str = "") -> str:
        """What defines `answer` by the definition `name`, in the order of the file.

        Where it needs the `solution`, that gets another name: a learner's notebook gives this one to the answer.
        """
        needed = self._needed(name)
        parts = [(line, "") for node in self._tree.body if (line := _import_of(node, needed))]
        used = [node for node in self._tree.body if needed & {*_bound(node)} and _kind(node)]
        apart = re.compile(rf"(?<![.\w]){solution}\b" if solution in needed - {name} else r"(?!)")
        parts += [(apart.sub(f"right_{solution}", self._cut(node)), _kind(node)) for node in used]
        parts += [] if name == "answer" else [(f"answer = {name}", "end")]
        before, program = "", ""
        for text, kind in parts:
            program += ("\n" if kind == before and kind != "definition" else "\n\n\n") * bool(program) + text
            before = kind
        return program

    def _needed(self, name: str) -> set[str]:
        found: set[str] = set()
        open_ = [name]
        while open_:
            if (name := open_.pop()) in self._nodes and name not in found:
                found.add(name)
                node = self._nodes[name]
                parts = (
                    [*_kept(node), node.args, *node.body]
                    if isinstance(node, ast.FunctionDef)
                    else [*ast.iter_child_nodes(node)]
                )
                open_ += [n.id for part in parts for n in ast.walk(part) if isinstance(n, ast.Name)]
        return found


def _kept(node: ast.stmt) -> list[ast.expr]:
    """The decorators that belong to a function itself."""
    marks = [getattr(getattr(d, "func", None), "id", "") for d in getattr(node, "decorator_list", [])]
    return [d for d, mark in zip(getattr(node, "decorator_list", []), marks, strict=True) if mark not in MARKS]


def _bound(node: ast.stmt) -> list[str]:
    """The names that a statement at the top of a file binds."""
    match node:
        case ast.FunctionDef() | ast.ClassDef():
            return [node.name]
        case ast.Import() | ast.ImportFrom():
            return [alias.asname or alias.name.split(".")[0] for alias in node.names]
        case ast.Assign():
            return [n.id for target in node.targets for n in ast.walk(target) if isinstance(n, ast.Name)]
        case ast.AnnAssign(target=ast.Name(id=name)):
            return [name]
    return []


def _kind(node: ast.stmt) -> str:
    """Of what a program is made of: "definition" or "value"; nothing for an import."""
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return ""
    return "definition" if isinstance(node, (ast.FunctionDef, ast.ClassDef)) else "value"


def _import_of(node: ast.stmt, needed: set[str]) -> str:
    """An import as far as it is needed, and not known in every notebook."""
    if not isinstance(node, (ast.Import, ast.ImportFrom)):
        return ""
    aliases = [a for a in node.names if (a.asname or a.name.split(".")[0]) in needed and _only(node, [a]) not in KNOWN]
    return _only(node, aliases) if aliases else ""


def _only(node: ast.Import | ast.ImportFrom, aliases: list[ast.alias]) -> str:
    if isinstance(node, ast.Import):
        return ast.unparse(ast.Import(aliases))
    return ast.unparse(ast.ImportFrom(node.module, aliases, node.level))
