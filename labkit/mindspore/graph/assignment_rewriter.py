"""Writes in the tree of a function's source as assignments: in graph mode a name has a value, and a write gives it another one.

`y[0] = v` becomes `y = written(y, 0, v)`, and `y.append(v)`, as a statement, `y = changed(y, "append", v)`; see `_control`. So
`z = y` before it keeps what it had, as in the real one. Only names of the function itself are written.
"""

import ast
from copy import deepcopy
from typing import Any

HELPER = "\0labkit control"  # the constant that becomes `_control`
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class Unknown(Exception):
    """The source has something that is not rewritten, such as an outer variable written."""


def assigned(statements):
    """The names that statements assign, but for those of functions inside of them."""
    found: dict[str, None] = {}
    stack = list(reversed(statements))
    while stack:
        node = stack.pop()
        if isinstance(node, (ast.Global, ast.Nonlocal)):
            raise Unknown
        if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)):
            found[node.name] = None
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)):
            found[node.id] = None
        if isinstance(node, ast.ExceptHandler) and node.name:
            found[node.name] = None
        if isinstance(node, ast.alias):
            found[(node.asname or node.name).partition(".")[0]] = None
        if isinstance(node, _COMPREHENSIONS):
            found.update(dict.fromkeys(n.target.id for n in ast.walk(node) if isinstance(n, ast.NamedExpr)))
        elif not isinstance(node, ast.Lambda):
            stack.extend(reversed(list(ast.iter_child_nodes(node))))
    return [*found]


def by_value(function):
    """The tree of a function, and of those inside of it, with writes as assignments. Raises Unknown."""
    arguments = [part.arg for part in ast.walk(function.args) if isinstance(part, ast.arg)]
    writes_of = _Writes({*arguments, *assigned(function.body)})
    function.body = [writes_of.visit(part) for part in function.body]
    return function


def with_own_globals(function):
    """The tree of a function in which a global that it writes is a name of its own, with the global's value to begin with."""
    named = (
        [part for part in getattr(function, "body", ()) if isinstance(part, ast.Global)] if _is_def(function) else []
    )
    names = {name: f"_labkit_own_{name}" for part in named for name in part.names}
    if not names:
        return function
    for part in ast.walk(function):
        if isinstance(part, ast.Name) and part.id in names:
            part.id = names[part.id]
    begun = [ast.Assign([ast.Name(own, ast.Store())], ast.Name(name, ast.Load())) for name, own in names.items()]
    function.body = [*(at(part, named[0]) for part in begun), *(p for p in function.body if p not in named)]
    return function


def _is_def(node):
    return isinstance(node, ast.FunctionDef)


def call(name, node, *args):
    """A call of `_control`'s function of a name, at the place of `node`."""
    return at(ast.Call(ast.Attribute(ast.Constant(HELPER), name, ast.Load()), list(args), []), node)


def at(made, node):
    """New parts of the tree at the place where `node` begins."""
    place: Any
    for place in ast.walk(made):
        if "lineno" in place._attributes and not hasattr(place, "lineno"):
            place.lineno = place.end_lineno = node.lineno  # of a call on many lines Python names the last
            place.col_offset = place.end_col_offset = node.col_offset
    return made


_PLAIN = (ast.Constant, ast.Name, ast.Slice, ast.Tuple, ast.UnaryOp, ast.expr_context, ast.unaryop)


class _Writes(ast.NodeTransformer):
    """The statements of one function. `names`: its own."""

    def __init__(self, names: set[str]):
        self.names = names

    def visit_FunctionDef(self, node):
        return by_value(node)

    def _leave(self, node):
        return node

    visit_AsyncFunctionDef = visit_ClassDef = visit_Lambda = _leave

    def visit_GeneratorExp(self, node):
        return ast.copy_location(
            ast.ListComp(self.visit(node.elt), node.generators), node
        )  # in graph mode it is a list

    def visit_Assign(self, node):
        self.generic_visit(node)
        target = node.targets[0]
        if len(node.targets) > 1 or not self._is_own(target):
            return node
        return self._within(target.value, call("written", node, target.value, _place(target.slice), node.value), node)

    def visit_AugAssign(self, node):
        target = node.target
        if not self._is_own(target):
            return node
        name = ast.Constant(type(node.op).__name__)
        return self._within(
            target.value, call("augmented", node, target.value, _place(target.slice), name, node.value), node
        )

    def _within(self, place, value, node):
        """`place = value`; where that is itself a place in something, such as `y[0]`, the name of that has another value."""
        if isinstance(place, ast.Name):
            return self._named(place, value, node)
        return self._within(place.value, call("written", node, place.value, _place(deepcopy(place.slice)), value), node)

    def visit_Expr(self, node):
        made = node.value
        if not isinstance(made, ast.Call) or not isinstance(made.func, ast.Attribute) or not self._has(made.func.value):
            return node
        name = made.func.value
        changed = call("changed", node, _read(name), ast.Constant(made.func.attr), *made.args)
        changed.keywords = made.keywords
        return self._named(name, changed, node)

    def _has(self, node):
        return isinstance(node, ast.Name) and node.id in self.names

    def _is_own(self, target):
        """Whether a target is a place in what a name has, or a place in such a place that can be read twice."""
        if not isinstance(target, ast.Subscript):
            return False
        inside = target.value
        repeatable = isinstance(inside, ast.Subscript) and all(isinstance(p, _PLAIN) for p in ast.walk(inside.slice))
        return self._has(inside) or (repeatable and self._is_own(inside))

    def _named(self, name, value, node):
        return ast.copy_location(ast.Assign([ast.copy_location(ast.Name(name.id, ast.Store()), node)], value), node)


def writes(node) -> bool:
    """Whether a part of a source's tree may be a write."""
    if isinstance(node, (ast.GeneratorExp, ast.Global)):
        return True
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Attribute)
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AugAssign) else []
    return any(isinstance(target, ast.Subscript) for target in targets)


def _read(name):
    return ast.copy_location(ast.Name(name.id, ast.Load()), name)


def _place(index):
    """An index as an expression: `1:n` as `slice(1, n, None)`."""
    if isinstance(index, ast.Tuple):
        return ast.copy_location(ast.Tuple([_place(part) for part in index.elts], ast.Load()), index)
    if not isinstance(index, ast.Slice):
        return index
    ends = [part or ast.Constant(None) for part in (index.lower, index.upper, index.step)]
    return ast.copy_location(ast.Call(ast.Name("slice", ast.Load()), ends, []), index)
