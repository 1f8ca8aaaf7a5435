"""Rewrites in-place writes in a function's syntax tree as assignments, because in graph mode a name has one value.

`y[0] = v` becomes `y = written(y, 0, v)`, and `y.append(v)`, as a statement, `y = changed(y, "append", v)`; the functions are
those of `assigned_values`. So `z = y` before it keeps what it had, as in the real one. Only names of the function itself are
written. `a and b`, `not x` and `range(n)` become calls, too.
"""

import ast
from copy import deepcopy
from typing import Any

HELPER = "\0labkit values"  # the constant that becomes the module `assigned_values`


def _assigned(nodes):
    """The names that statements assign, except those of functions inside them."""
    for node in nodes:
        if isinstance(node, ast.FunctionDef):
            yield node.name
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif not isinstance(node, ast.Lambda):
            yield from _assigned(ast.iter_child_nodes(node))


def by_value(function):
    """The tree of a function, and of those inside it, with writes as assignments."""
    arguments = [part.arg for part in ast.walk(function.args) if isinstance(part, ast.arg)]
    writes_of = _Writes({*arguments, *_assigned(function.body)})
    function.body = [writes_of.visit(part) for part in function.body]
    return function


def with_own_globals(function):
    """The tree of a function in which a global that it writes is a name of its own, with the global's value to begin with."""
    named = [part for part in function.body if isinstance(part, ast.Global)]
    names = {name: f"_labkit_own_{name}" for part in named for name in part.names}
    if not names:
        return function
    for part in ast.walk(function):
        if isinstance(part, ast.Name) and part.id in names:
            part.id = names[part.id]
    begun = [ast.Assign([ast.Name(own, ast.Store())], ast.Name(name, ast.Load())) for name, own in names.items()]
    function.body = [*(_at(part, named[0]) for part in begun), *(p for p in function.body if p not in named)]
    return function


def _call(name, node, *args):
    """A call of a function of `assigned_values`, at the place of `node`."""
    return _at(ast.Call(ast.Attribute(ast.Constant(HELPER), name, ast.Load()), list(args), []), node)


def _at(made, node):
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

    def visit_Lambda(self, node):
        return node

    def visit_BoolOp(self, node):
        self.generic_visit(node)
        nothing = ast.arguments([], [], None, [], [], None, [])
        values = [_at(ast.Lambda(nothing, value), value) for value in node.values]
        return _call("combined", node, ast.Constant(isinstance(node.op, ast.And)), *values)

    def visit_UnaryOp(self, node):
        self.generic_visit(node)
        return _call("negated", node, node.operand) if isinstance(node.op, ast.Not) else node

    def visit_Call(self, node):
        self.generic_visit(node)
        return _call("ranged", node, node.func, *node.args) if _is_range(node) else node

    def visit_GeneratorExp(self, node):
        return ast.copy_location(
            ast.ListComp(self.visit(node.elt), node.generators), node
        )  # in graph mode it is a list

    def visit_Assign(self, node):
        self.generic_visit(node)
        target = node.targets[0]
        if len(node.targets) > 1 or not self._is_own(target):
            return node
        return self._within(target.value, _call("written", node, target.value, _place(target.slice), node.value), node)

    def visit_AugAssign(self, node):
        target = node.target
        if not self._is_own(target):
            return node
        name = ast.Constant(type(node.op).__name__)
        return self._within(
            target.value, _call("augmented", node, target.value, _place(target.slice), name, node.value), node
        )

    def _within(self, place, value, node):
        """`place = value`; where that is itself a place in something, such as `y[0]`, the name of that has another value."""
        if isinstance(place, ast.Name):
            return self._named(place, value, node)
        return self._within(
            place.value, _call("written", node, place.value, _place(deepcopy(place.slice)), value), node
        )

    def visit_Expr(self, node):
        self.generic_visit(node)
        made = node.value
        if not isinstance(made, ast.Call) or not isinstance(made.func, ast.Attribute) or not self._has(made.func.value):
            return node
        name = made.func.value
        changed = _call("changed", node, _read(name), ast.Constant(made.func.attr), *made.args)
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
    """Whether a part of a source's tree may be a write, or is rewritten for another reason."""
    if isinstance(node, (ast.BoolOp, ast.GeneratorExp, ast.Global, ast.Not)) or _is_range(node):
        return True
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Attribute)
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AugAssign) else []
    return any(isinstance(target, ast.Subscript) for target in targets)


def _is_range(node):
    """Whether it is a call of `range` by what may be a tensor."""
    named = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range"
    return named and not all(isinstance(limit, ast.Constant) for limit in node.args)


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
