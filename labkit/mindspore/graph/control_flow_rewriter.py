"""Branches and loops in the tree of a function's source as calls: `_source` finds the tree and compiles what becomes of it."""

import ast
from copy import deepcopy

from ...program import INNER
from . import control_flow_runtime as _control
from .assignment_rewriter import HELPER, Unknown, assigned, at, by_value, call, writes

_FLOW = (ast.Assert, ast.BoolOp, ast.For, ast.If, ast.IfExp, ast.Not, ast.Raise, ast.While)
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


def flows(part) -> bool:
    """Whether a part of a source's tree is rewritten."""
    if isinstance(part, ast.Call):
        name = getattr(part.func, "id", None) or f".{getattr(part.func, 'attr', '')}"
        return name in (*_control.NAMES, ".item")
    if isinstance(part, ast.Subscript):
        return isinstance(part.slice, (ast.Name, ast.Call, ast.Attribute))
    return isinstance(part, _FLOW) or writes(part) or (isinstance(part, ast.Compare) and len(part.ops) > 1)


_REFUSED = (
    ast.AsyncFor, ast.AsyncFunctionDef, ast.AsyncWith, ast.Await, ast.ClassDef, ast.Delete, ast.Import, ast.ImportFrom, ast.Match,
    ast.NamedExpr, ast.Nonlocal, ast.Set, ast.SetComp, ast.Try, ast.TryStar, ast.Yield, ast.YieldFrom,
)  # fmt: skip


def refused(function) -> str | None:
    """What graph mode says of a function with a statement or expression that it does not know; None if there is none."""
    for node in ast.walk(function):
        if isinstance(node, _REFUSED):
            kind = "expression" if isinstance(node, ast.expr) else "statement"
            name = type(node).__name__
            return (
                f"Unsupported {kind} '{name}'.\nMore details please refer to syntax support at https://www.mindspore.cn"
            )
        if isinstance(node, (ast.For, ast.While)) and node.orelse:
            return f"The '{type(node).__name__.lower()}...else...' statement is not supported now."
    return None


def _leaves(statements, inside=False):
    """Whether statements may leave the list they are in: by `return`, or by `break` and `continue` of the loop around."""
    for node in statements:
        if isinstance(node, ast.Return) or (isinstance(node, (ast.Break, ast.Continue)) and not inside):
            return True
        loop = isinstance(node, (ast.For, ast.While, ast.AsyncFor))
        if not isinstance(node, _SCOPES) and _leaves(list(ast.iter_child_nodes(node)), inside or loop):
            return True
    return False


def _falls(statements):
    """Whether the end of statements may be reached."""
    if not statements:
        return True
    last = statements[-1]
    if isinstance(last, ast.If):
        return _falls(last.body) or _falls(last.orelse)
    return not isinstance(last, (ast.Return, ast.Break, ast.Continue, ast.Raise))


class Rewriting(ast.NodeTransformer):
    """One function being rewritten. `names`: of the loop whose body is, which ends by giving them; None outside of loops."""

    def __init__(self, node):
        self.node, self.first = node, next((a.arg for a in (*node.args.posonlyargs, *node.args.args)), None)
        self.names = None

    def function(self):
        if isinstance(self.node, ast.Lambda):
            self.node.body = self.visit(self.node.body)
        else:
            self.node.body = self.lowered(by_value(self.node).body)
        return self.node

    # ---- statements ----

    def lowered(self, statements):
        """Statements up to the end of the function, or of the body of a loop."""
        made: list[ast.stmt] = []
        for place, node in enumerate(statements):
            rest = statements[place + 1 :]
            if isinstance(node, ast.If) and _leaves([node]):
                return [*made, *self.ending(node, rest)]
            if isinstance(node, (ast.While, ast.For)) and _leaves(node.body, True):
                return [*made, *self.loop(node), *self.lowered([self.returned_from(node), *rest])]
            if isinstance(node, (ast.Return, ast.Break, ast.Continue)):
                return [*made, self.end(node)]
            made += self.statement(node)
        if self.names is not None:
            made.append(self.end(statements[-1] if statements else None))
        return made

    def plain(self, statements):
        """Statements that go on with what follows them."""
        return [made for node in statements for made in self.statement(node)]

    def statement(self, node):
        if isinstance(node, ast.If):
            return (
                [ast.copy_location(ast.If(self.visit(node.test), self.plain(node.body), self.plain(node.orelse)), node)]
                if (_leaves([node]))
                else self.branch(node)
            )
        if isinstance(node, (ast.While, ast.For)) and not _leaves(node.body, True):
            return self.loop(node)
        if isinstance(node, ast.Assert):
            message = [] if node.msg is None else [_later(self.visit(node.msg))]
            return [at(ast.Expr(call("asserted", node, self.visit(node.test), *message)), node)]
        if isinstance(node, ast.Raise) and node.exc is not None:
            node.exc = call("raising", node, self.visit(node.exc))
            return [node]
        if self.names is not None and not isinstance(node, _SCOPES) and _leaves([node]):
            raise Unknown
        if isinstance(node, ast.FunctionDef):
            node.decorator_list = [self.visit(d) for d in node.decorator_list]
            return [Rewriting(node).function()] if not _generates(node) else [node]
        for field in ("body", "orelse", "finalbody"):
            if isinstance(getattr(node, field, None), list) and not isinstance(node, ast.ClassDef):
                setattr(node, field, self.plain(getattr(node, field)))
        for handler in getattr(node, "handlers", ()):
            handler.body = self.plain(handler.body)
        for field, value in ast.iter_fields(node):
            if isinstance(value, ast.expr):
                setattr(node, field, self.visit(value))
            elif isinstance(value, list) and value and isinstance(value[0], (ast.expr, ast.withitem)):
                setattr(node, field, [self.visit(part) for part in value])
        return [node]

    def branch(self, node):
        """An `if` that comes back: both sides give the names that one of them assigns."""
        names = assigned([*node.body, *node.orelse])
        sides = [self.side(kind, names, self.plain(part), node, self.held(names, node))
                 for kind, part in zip(INNER, (node.body, node.orelse), strict=False)]  # fmt: skip
        made = call("branch", node, self.visit(node.test), *map(_read, INNER[:2]), _names(names), _locals())
        return [*sides, *self.naming(names, made, node)]

    def ending(self, node, rest):
        """An `if` that may return, and what follows it."""
        parts = [[*deepcopy(part), *(deepcopy(rest) if _falls(part) else [])] for part in (node.body, node.orelse)]
        names = [*dict.fromkeys([*assigned([*parts[0], *parts[1]]), *(self.names or [])])]
        test = self.visit(node.test)
        sides = [self.side(kind, names, self.lowered(part) or [ast.Pass()], node)
                 for kind, part in zip(INNER, parts, strict=False)]  # fmt: skip
        made = call("ending", node, test, *map(_read, INNER[:2]), _names(names), _locals())
        return [*sides, ast.copy_location(ast.Return(made), node)]

    def loop(self, node):
        """A loop: a function of the names that it assigns for the test, one for the body."""
        names = assigned([node])
        outside, self.names = self.names, names
        body = self.side(INNER[3], names, self.lowered(node.body), node)
        self.names = outside
        if isinstance(node, ast.While):
            test = self.side(INNER[2], names, [ast.Return(self.visit(node.test))], node)
            made, run = [test, body], call("loop", node, *map(_read, INNER[2:4]), _names(names), _locals())
        else:
            taken = deepcopy(node.target)
            body.args.args.append(ast.arg(_ITEM))
            body.body.insert(0, ast.copy_location(ast.Assign([taken], _read(_ITEM)), node))
            made, run = [body], call("each", node, self.visit(node.iter), _read(INNER[3]), _names(names), _locals())
        return [*made, *self.naming([_LEFT, *names], run, node)]

    def returned_from(self, node):
        """`if` the loop was left by a `return`: do."""
        left = ast.Return(ast.Subscript(_read(_LEFT), ast.Constant(1), ast.Load()))
        test = ast.Subscript(_read(_LEFT), ast.Constant(0), ast.Load())
        return at(ast.If(test, [left], []), node)

    def end(self, node):
        """What ends a function; of a loop's body, how it goes on and the names."""
        if self.names is None:
            return self.statement(node)[0]
        left, given = isinstance(node, (ast.Break, ast.Return)), isinstance(node, ast.Return)
        value = [self.visit(node.value) if node.value else ast.Constant(None)] if given else []
        node = node or self.node
        return at(ast.Return(call("goes", node, ast.Constant(left), self.held(self.names, node), *value)), node)

    # ---- pieces ----

    def side(self, kind, names, body, node, end=None):
        unbound = [_unbind(name) for name in names]
        last = [ast.Return(end)] if end is not None else []
        arguments = ast.arguments([], [ast.arg(name) for name in names], None, [], [], None, [])
        return at(ast.FunctionDef(kind, arguments, [*unbound, *body, *last] or [ast.Pass()], []), node)

    def held(self, names, node):
        return call("held", node, _locals(), _names(names))

    def naming(self, names, value, node):
        if not names:
            return [at(ast.Expr(value), node)]
        target = ast.Tuple([ast.Name(name, ast.Store()) for name in names], ast.Store())
        return [at(made, node) for made in (ast.Assign([target], value), *map(_unbind, names))]

    # ---- expressions ----

    def visit_BoolOp(self, node):
        if _binds(node):
            return self.generic_visit(node)
        first, *others = [self.visit(value) for value in node.values]
        name = "both" if isinstance(node.op, ast.And) else "either"
        return call(name, node, first, *map(_later, others))

    def visit_UnaryOp(self, node):
        self.generic_visit(node)
        return call("negated", node, node.operand) if isinstance(node.op, ast.Not) else node

    def visit_IfExp(self, node):
        self.generic_visit(node)
        return node if _binds(node) else call("either_value", node, node.test, _later(node.body), _later(node.orelse))

    def visit_Compare(self, node):
        self.generic_visit(node)
        if len(node.ops) == 1 or _binds(node):
            return node
        arguments = ast.arguments([], [ast.arg("a"), ast.arg("b")], None, [], [], None, [])
        tests = [ast.Lambda(arguments, ast.Compare(_read("a"), [op], [_read("b")])) for op in node.ops]
        return call("compared", node, _tuple(tests), node.left, *map(_later, node.comparators))

    def visit_Call(self, node):
        self.generic_visit(node)
        if isinstance(node.func, ast.Attribute) and node.func.attr == "item" and not (node.args or node.keywords):
            return call("item", node, node.func.value)
        if isinstance(node.func, ast.Name) and node.func.id in _control.NAMES and not node.keywords:
            return call("called", node, node.func, *node.args)
        if isinstance(node.func, ast.Name) and node.func.id == "super" and not node.args and self.first:
            node.args = [at(_read("__class__"), node), at(_read(self.first), node)]
        return node

    def visit_Subscript(self, node):
        self.generic_visit(node)
        plain = isinstance(node.ctx, ast.Load) and isinstance(node.slice, (ast.Name, ast.Call, ast.Attribute))
        return call("picked", node, node.value, node.slice) if plain else node

    def visit_Lambda(self, node):
        return self.generic_visit(node)


_ITEM, _LEFT, LATER = "_labkit_item", "_labkit_left", "_labkit_later"


def _read(name):
    return ast.Name(name, ast.Load())


def _tuple(parts):
    return ast.Tuple(list(parts), ast.Load())


def _names(names):
    return _tuple(map(ast.Constant, names))


def _locals():
    return ast.Call(_read("locals"), [], [])


def _later(node):
    return at(ast.Lambda(ast.arguments([], [], None, [], [], ast.arg(LATER), []), node), node)


def _unbind(name):
    missing = ast.Call(
        ast.Attribute(ast.Constant(HELPER), "missing", ast.Load()), [_read(name), ast.Constant(name)], []
    )
    return ast.If(missing, [ast.Delete([ast.Name(name, ast.Del())])], [])


def _binds(node):
    """Whether an expression assigns a name, or waits: then it stays where it is."""
    return any(isinstance(part, (ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Await)) for part in ast.walk(node))


def _generates(node):
    return any(isinstance(part, (ast.Yield, ast.YieldFrom, ast.Await)) for part in ast.walk(node))
