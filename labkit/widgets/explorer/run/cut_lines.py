"""Where the user's own forward may cut the way back: the statements in it that take a tensor without its history."""

import ast
import inspect
from collections.abc import Iterable, Iterator
from textwrap import dedent
from typing import Any, NamedTuple

CUTS = {"detach", "detach_", "numpy", "item", "tolist"}  # methods
BLOCKS = {"no_grad", "inference_mode"}


class CutLine(NamedTuple):
    """A statement of `where`, such as "Net.forward"."""

    where: str
    line: str


def cut_lines(models: Iterable[Any], names: Iterable[str]) -> list[CutLine]:
    """Of the forwards of the user's classes that hold parameters called so."""
    wanted, found = tuple(names), dict[type, list[CutLine]]()
    for model in models:
        for _, module in model.named_modules():
            kind, own = type(module), [name for name, _ in module.named_parameters()]
            held = any(name == one or name.endswith(f".{one}") for name in wanted for one in own)
            if held and not kind.__module__.startswith("torch."):
                found.setdefault(kind, list(_lines(kind)))
    return [line for lines in found.values() for line in lines]


def _lines(kind: Any) -> Iterator[CutLine]:
    try:
        source = dedent(inspect.getsource(kind.forward))
        tree = ast.parse(source)
    except (OSError, TypeError, SyntaxError):
        return
    where = f"{kind.__name__}.forward"
    for statement in ast.walk(tree):
        if isinstance(statement, ast.With) and any(_blocks(item.context_expr) for item in statement.items):
            yield CutLine(where, source.splitlines()[statement.lineno - 1].strip())
        elif isinstance(statement, ast.Assign | ast.Return | ast.Expr | ast.AugAssign | ast.AnnAssign):
            line = ast.get_source_segment(source, statement) or ""
            if any(map(_cuts, ast.walk(statement))) and "\n" not in line:
                yield CutLine(where, line)


def _cuts(node):
    """A call of a method that gives numbers alone, or `.data`."""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Attribute) and node.func.attr in CUTS
    return isinstance(node, ast.Attribute) and node.attr == "data"


def _blocks(node):
    call = node.func if isinstance(node, ast.Call) else node
    return getattr(call, "attr", getattr(call, "id", "")) in BLOCKS
