"""Which names of typed code are its inputs: those that it uses before it has given them a value."""

import ast
import builtins
import symtable
from collections.abc import Iterable, Iterator

FILE = "<playground>"
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def free_names(source: str, tree: ast.Module, known: Iterable[str]) -> list[str]:
    """The names that the code uses without a value of their own, in the order in which they first stand in it.

    A name that is changed before it has a value is one of them. `known`: names that have a value from the start.

    >>> source = "for i in range(3):\\n    x = x * w\\nx"
    >>> free_names(source, ast.parse(source), ["np"])
    ['x', 'w']
    """
    used, defined, tables = set(), set(), [symtable.symtable(source, FILE, "exec")]
    for table in tables:
        top = table.get_type() == "module"
        for symbol in table.get_symbols():
            if symbol.is_referenced() and (top or symbol.is_global()):
                used.add(symbol.get_name())
            if (symbol.is_assigned() or symbol.is_imported()) and (top or symbol.is_declared_global()):
                defined.add(symbol.get_name())
        tables.extend(table.get_children())
    free = (used - defined | _used_early(tree)) - set(known) - set(dir(builtins))
    places = {(n.lineno, n.col_offset): n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id in free}
    return list(dict.fromkeys(places[place] for place in sorted(places)))


def last_given(tree: ast.Module) -> str | None:
    """The name that the last statement gives a value to; None where it gives none.

    >>> last_given(ast.parse("y = 1\\nfor i in range(3):\\n    y = y + i"))
    'y'
    """
    if isinstance(tree.body[-1], (*_SCOPES, ast.Import, ast.ImportFrom)):
        return None
    given = [name for kind, name in _in_turn(tree.body[-1]) if kind == "given"]
    return given[-1] if given else None


def _used_early(tree):
    """Names that the code itself, outside of its functions, uses before it has given them a value, and gives one later."""
    given, early = set(), set()
    for kind, name in _in_turn(tree):
        if kind == "given":
            given.add(name)
        elif name not in given:
            early.add(name)
    return early & given


def _in_turn(node: ast.AST) -> Iterator[tuple[str, str]]:
    """`("used", name)` and `("given", name)` in the order in which Python comes by them; what a function does is left out."""
    if isinstance(node, ast.Name):
        yield ("used" if isinstance(node.ctx, ast.Load) else "given"), node.id
    elif isinstance(node, _SCOPES):
        for part in getattr(node, "decorator_list", []):
            yield from _in_turn(part)
        if hasattr(node, "name"):
            yield "given", node.name
    elif isinstance(node, _COMPREHENSIONS):
        bound = {n.id for generator in node.generators for n in ast.walk(generator.target) if isinstance(n, ast.Name)}
        yield from (
            (kind, name) for part in ast.iter_child_nodes(node) for kind, name in _in_turn(part) if name not in bound
        )
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        yield from (("given", (alias.asname or alias.name).partition(".")[0]) for alias in node.names)
    else:
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            yield "used", node.target.id
        if isinstance(node, ast.ExceptHandler) and node.name:
            yield "given", node.name
        for part in _parts(node):
            yield from _in_turn(part)


def _parts(node):
    """The parts of a statement in the order in which they are evaluated: a value before the name that takes it."""
    first = {ast.Assign: "value", ast.AnnAssign: "value", ast.NamedExpr: "value", ast.For: "iter", ast.AsyncFor: "iter"}
    early = getattr(node, first.get(type(node), ""), None)
    return [*([early] if early else []), *(part for part in ast.iter_child_nodes(node) if part is not early)]
