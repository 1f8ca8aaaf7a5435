"""Changes a right answer by one small slip, and names the slip. It works on syntax trees; nothing runs here.

A slip is described by its kind and by the arguments next to it, never by the code it was made in.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from .mutant_kinds import SLIPS, number_slips


@dataclass(frozen=True)
class Slip:
    """A kind of slip, what it says (after "a right answer in which"), and the code with it."""

    kind: str
    says: str
    code: Any


@dataclass(frozen=True)
class _Spot:
    parent: ast.AST
    field: str
    index: int | None
    node: ast.AST


_WHOLE = (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom, ast.Nonlocal, ast.Pass, ast.Return)


def slips(source: str, arguments: tuple[str, ...] = ()) -> Iterator[Slip]:
    """Every source that differs from `source` by one slip; `arguments` are the names that the learner knows."""
    tree = ast.fix_missing_locations(ast.parse(source))
    names = sorted(
        {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    )
    for spot in list(_spots(tree)):
        for kind, says, new in _instead(spot, arguments, names):
            yield Slip(kind, says + _beside(kind, spot.node, arguments), _compiled(tree, spot, new))
    for node in ast.walk(tree):
        for body in (getattr(node, "body", None), getattr(node, "orelse", None)):
            yield from _exchanged(tree, body if isinstance(body, list) else [])


def _exchanged(tree, body):
    """Two lines that follow each other, the other way round."""
    for i in range(1, len(body)):
        if not isinstance(body[i], (ast.Return, ast.FunctionDef, ast.ClassDef)) and tree.body is not body:
            body[i - 1], body[i] = body[i], body[i - 1]
            try:
                code = compile(tree, "<slip>", "exec")
            except SyntaxError:  # such as a nonlocal after its use
                continue
            finally:
                body[i - 1], body[i] = body[i], body[i - 1]
            yield Slip("order", "two steps are done in the opposite order", code)


def _spots(node):
    for field, value in ast.iter_fields(node):
        for index, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if isinstance(child, ast.AST):
                yield _Spot(node, field, index, child)
                yield from _spots(child)


def _compiled(tree, spot, new):
    """The code with `new` (a list of nodes) instead of the spot's node; the tree is put back."""
    old = getattr(spot.parent, spot.field)
    setattr(
        spot.parent, spot.field, new[0] if spot.index is None else [*old[: spot.index], *new, *old[spot.index + 1 :]]
    )
    try:
        for node in new:
            ast.fix_missing_locations(node)
        return compile(tree, "<slip>", "exec")
    except (SyntaxError, ValueError, TypeError):
        return None
    finally:
        setattr(spot.parent, spot.field, old)


def _beside(kind, node, arguments):
    """ " (next to x)": the arguments in an expression, to say where."""
    if isinstance(node, ast.stmt) or kind in ("another-argument", "results-exchanged"):
        return ""
    known = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
    beside = [name for name in arguments if name in known]
    return f" (next to {' and '.join(beside)})" if 0 < len(beside) <= 2 else ""


def _instead(spot, arguments, names):
    """What may be at a spot: a kind, words, and a list of nodes."""
    node = spot.node
    if isinstance(node, ast.Constant):
        yield from ((kind, says, [new]) for kind, says, new in number_slips(node, spot.parent, spot.field))
    for kinds, slip in SLIPS.items():
        if isinstance(node, kinds):
            yield from ((kind, says, [new]) for kind, says, new in slip(node))
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        yield from _named(node, arguments, names)
    elif isinstance(node, ast.stmt) and not isinstance(node, _WHOLE) and spot.field in ("body", "orelse"):
        yield from _statement(node)


def _named(node, arguments, names):
    if node.id in arguments:
        for other in arguments:
            if other != node.id:
                words = f"{other} is used once instead of {node.id}"
                yield "another-argument", words, [ast.Name(other, ast.Load())]
    elif node.id in names:
        for other in (*arguments, *names):
            if other not in (node.id, "answer"):
                yield (
                    "another-value",
                    "one intermediate value is used instead of another",
                    [ast.Name(other, ast.Load())],
                )


def _statement(node):
    if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "answer":
        return
    yield "step-missing", "a step is left out", [ast.Pass()]
    if isinstance(node, (ast.Expr, ast.AugAssign, ast.For)):
        yield "step-twice", "a step is done twice", [node, node]
    if isinstance(node, ast.With):
        yield "step-missing", "a step is left out", node.body
