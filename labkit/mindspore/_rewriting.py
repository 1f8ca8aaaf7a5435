"""Branches and loops in the tree of a function's source as calls: `_source` finds the tree and compiles what becomes of it."""

import ast
from copy import deepcopy
from typing import Any

from ..program import INNER
from . import _control

HELPER = "\0labkit control"  # the constant that becomes `_control`
_FLOW = (ast.Assert, ast.BoolOp, ast.For, ast.If, ast.IfExp, ast.Not, ast.Raise, ast.While)
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def flows(part) -> bool:
    """Whether a part of a source's tree is rewritten."""
    if isinstance(part, ast.Call):
        name = getattr(part.func, "id", None) or f".{getattr(part.func, 'attr', '')}"
        return name in (*_control.NAMES, ".item")
    if isinstance(part, ast.Subscript):
        return isinstance(part.slice, (ast.Name, ast.Call, ast.Attribute))
    return isinstance(part, _FLOW) or (isinstance(part, ast.Compare) and len(part.ops) > 1)


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


class Unknown(Exception):
    """The source has something that is not rewritten, such as an outer variable written."""


def _assigned(statements):
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
            _assigned(self.node.body)
            self.node.body = self.lowered(self.node.body)
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
            return [_at(ast.Expr(self.call("asserted", node, self.visit(node.test), *message)), node)]
        if isinstance(node, ast.Raise) and node.exc is not None:
            node.exc = self.call("raising", node, self.visit(node.exc))
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
        names = _assigned([*node.body, *node.orelse])
        sides = [self.side(kind, names, self.plain(part), node, self.held(names, node))
                 for kind, part in zip(INNER, (node.body, node.orelse), strict=False)]  # fmt: skip
        call = self.call("branch", node, self.visit(node.test), *map(_read, INNER[:2]), _names(names), _locals())
        return [*sides, *self.assigned(names, call, node)]

    def ending(self, node, rest):
        """An `if` that may return, and what follows it."""
        parts = [[*deepcopy(part), *(deepcopy(rest) if _falls(part) else [])] for part in (node.body, node.orelse)]
        names = [*dict.fromkeys([*_assigned([*parts[0], *parts[1]]), *(self.names or [])])]
        test = self.visit(node.test)
        sides = [self.side(kind, names, self.lowered(part) or [ast.Pass()], node)
                 for kind, part in zip(INNER, parts, strict=False)]  # fmt: skip
        call = self.call("ending", node, test, *map(_read, INNER[:2]), _names(names), _locals())
        return [*sides, ast.copy_location(ast.Return(call), node)]

    def loop(self, node):
        """A loop: a function of the names that it assigns for the test, one for the body."""
        names = _assigned([node])
        outside, self.names = self.names, names
        body = self.side(INNER[3], names, self.lowered(node.body), node)
        self.names = outside
        if isinstance(node, ast.While):
            test = self.side(INNER[2], names, [ast.Return(self.visit(node.test))], node)
            made, call = [test, body], self.call("loop", node, *map(_read, INNER[2:4]), _names(names), _locals())
        else:
            taken = deepcopy(node.target)
            body.args.args.append(ast.arg(_ITEM))
            body.body.insert(0, ast.copy_location(ast.Assign([taken], _read(_ITEM)), node))
            made, call = (
                [body],
                self.call("each", node, self.visit(node.iter), _read(INNER[3]), _names(names), _locals()),
            )
        return [*made, *self.assigned([_LEFT, *names], call, node)]

    def returned_from(self, node):
        """`if` the loop was left by a `return`: do."""
        left = ast.Return(ast.Subscript(_read(_LEFT), ast.Constant(1), ast.Load()))
        test = ast.Subscript(_read(_LEFT), ast.Constant(0), ast.Load())
        return _at(ast.If(test, [left], []), node)

    def end(self, node):
        """What ends a function; of a loop's body, how it goes on and the names."""
        if self.names is None:
            return self.statement(node)[0]
        left, given = isinstance(node, (ast.Break, ast.Return)), isinstance(node, ast.Return)
        value = [self.visit(node.value) if node.value else ast.Constant(None)] if given else []
        call = self.call("goes", node, ast.Constant(left), self.held(self.names, node), *value)
        return _at(ast.Return(call), node or self.node)

    # ---- pieces ----

    def side(self, kind, names, body, node, end=None):
        unbound = [_unbind(name) for name in names]
        last = [ast.Return(end)] if end is not None else []
        arguments = ast.arguments([], [ast.arg(name) for name in names], None, [], [], None, [])
        return _at(ast.FunctionDef(kind, arguments, [*unbound, *body, *last] or [ast.Pass()], []), node)

    def held(self, names, node):
        return self.call("held", node, _locals(), _names(names))

    def call(self, name, node, *args):
        return _at(ast.Call(ast.Attribute(ast.Constant(HELPER), name, ast.Load()), list(args), []), node or self.node)

    def assigned(self, names, call, node):
        if not names:
            return [_at(ast.Expr(call), node)]
        target = ast.Tuple([ast.Name(name, ast.Store()) for name in names], ast.Store())
        return [_at(made, node) for made in (ast.Assign([target], call), *map(_unbind, names))]

    # ---- expressions ----

    def visit_BoolOp(self, node):
        if _binds(node):
            return self.generic_visit(node)
        first, *others = [self.visit(value) for value in node.values]
        name = "both" if isinstance(node.op, ast.And) else "either"
        return self.call(name, node, first, *map(_later, others))

    def visit_UnaryOp(self, node):
        self.generic_visit(node)
        return self.call("negated", node, node.operand) if isinstance(node.op, ast.Not) else node

    def visit_IfExp(self, node):
        self.generic_visit(node)
        return (
            node if _binds(node) else self.call("either_value", node, node.test, _later(node.body), _later(node.orelse))
        )

    def visit_Compare(self, node):
        self.generic_visit(node)
        if len(node.ops) == 1 or _binds(node):
            return node
        arguments = ast.arguments([], [ast.arg("a"), ast.arg("b")], None, [], [], None, [])
        tests = [ast.Lambda(arguments, ast.Compare(_read("a"), [op], [_read("b")])) for op in node.ops]
        return self.call("compared", node, _tuple(tests), node.left, *map(_later, node.comparators))

    def visit_Call(self, node):
        self.generic_visit(node)
        if isinstance(node.func, ast.Attribute) and node.func.attr == "item" and not (node.args or node.keywords):
            return self.call("item", node, node.func.value)
        if isinstance(node.func, ast.Name) and node.func.id in _control.NAMES and not node.keywords:
            return self.call("called", node, node.func, *node.args)
        if isinstance(node.func, ast.Name) and node.func.id == "super" and not node.args and self.first:
            node.args = [_at(_read("__class__"), node), _at(_read(self.first), node)]
        return node

    def visit_Subscript(self, node):
        self.generic_visit(node)
        plain = isinstance(node.ctx, ast.Load) and isinstance(node.slice, (ast.Name, ast.Call, ast.Attribute))
        return self.call("picked", node, node.value, node.slice) if plain else node

    def visit_Lambda(self, node):
        return self.generic_visit(node)


_ITEM, _LEFT, LATER = "_labkit_item", "_labkit_left", "_labkit_later"


def _at(made, node):
    """New parts of the tree at the place where `node` begins."""
    place: Any
    for place in ast.walk(made):
        if "lineno" in place._attributes and not hasattr(place, "lineno"):
            place.lineno = place.end_lineno = node.lineno  # of a call on many lines Python names the last
            place.col_offset = place.end_col_offset = node.col_offset
    return made


def _read(name):
    return ast.Name(name, ast.Load())


def _tuple(parts):
    return ast.Tuple(list(parts), ast.Load())


def _names(names):
    return _tuple(map(ast.Constant, names))


def _locals():
    return ast.Call(_read("locals"), [], [])


def _later(node):
    return _at(ast.Lambda(ast.arguments([], [], None, [], [], ast.arg(LATER), []), node), node)


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
