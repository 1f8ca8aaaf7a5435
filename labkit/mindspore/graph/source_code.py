"""The source that a function is recorded from, with each write as an assignment, or an error for what graph mode lacks.

Every line number stays as it was.
"""

import ast
import linecache
import threading
import types
from contextlib import contextmanager
from copy import deepcopy
from functools import lru_cache

from ...program import is_user
from . import assigned_values
from .assignments import HELPER, by_value, with_own_globals, writes

_OWN_NAME = "_labkit_function"
_lock = threading.Lock()
_open: dict[int, list] = {}  # id of a function -> it, its own code, how many blocks in all threads it is rewritten for


@contextmanager
def rewritten(functions):
    """While open, each of the user's functions runs as its `first_code`, no matter who calls it."""
    wanted = {id(fn): fn for fn in functions if id(fn) in _open or first_code(fn.__code__) is not None}
    with _lock:
        for key, fn in wanted.items():
            _open.setdefault(key, [fn, fn.__code__, 0])[2] += 1
            fn.__code__ = first_code(_open[key][1])
    try:
        yield
    finally:
        with _lock:
            for key, fn in wanted.items():
                _open[key][2] -= 1
                if not _open[key][2]:
                    fn.__code__ = _open.pop(key)[1]


_REFUSED = (
    ast.AsyncFor, ast.AsyncFunctionDef, ast.AsyncWith, ast.Await, ast.ClassDef, ast.Delete, ast.Import, ast.ImportFrom, ast.Match,
    ast.NamedExpr, ast.Nonlocal, ast.Set, ast.SetComp, ast.Try, ast.TryStar, ast.Yield, ast.YieldFrom,
)  # fmt: skip


def _refused(function) -> tuple[str, str] | None:
    """The error, its class and its words, of graph mode for a function that it does not know; None if there is none."""
    names = [decorator.id for decorator in getattr(function, "decorator_list", ()) if isinstance(decorator, ast.Name)]
    if "classmethod" in names:
        count = len(function.args.args)
        words = (
            f"The parameters number of the function is {count}, but the number of provided arguments is {count - 1}."
        )
        return "TypeError", words
    for node in ast.walk(function):
        if isinstance(node, _REFUSED):
            kind = "expression" if isinstance(node, ast.expr) else "statement"
            more = "More details please refer to syntax support at https://www.mindspore.cn"
            return "RuntimeError", f"Unsupported {kind} '{type(node).__name__}'.\n{more}"
        if isinstance(node, (ast.For, ast.While)) and node.orelse:
            return "RuntimeError", f"The '{type(node).__name__.lower()}...else...' statement is not supported now."
    return None


@lru_cache(maxsize=1024)
def first_code(code):
    """The code that a user's function is recorded as; None where that is its own."""
    node = definition(code) if is_user(code) else None
    if node is None or isinstance(node, ast.Lambda):
        return None
    if (refused := _refused(node)) is not None:
        kind, words = refused
        error = ast.Call(ast.Name(kind, ast.Load()), [ast.Constant(words)], [])
        kept = [] if code.co_flags & 0x2A0 else node.body  # generators and coroutines
        node.body = [ast.copy_location(ast.Raise(error), node.body[0]), *kept]
    elif any(map(writes, ast.walk(node))):
        node = by_value(with_own_globals(node))
    else:
        return None
    inner = _compiled(node, code)
    return inner if inner is not None and inner.co_freevars == code.co_freevars else None


@lru_cache(maxsize=64)
def _tree(filename, lines):
    try:
        return ast.parse("".join(lines))
    except SyntaxError:
        return None


def definition(code):
    """The part of the source's tree that a function's code was compiled from."""
    tree = _tree(code.co_filename, tuple(linecache.getlines(code.co_filename)))
    if tree is None:
        return None
    found = [node for node in ast.walk(tree) if _matches(node, code)]
    if len(found) > 1:
        found = [node for node in found if (made := _compiled(deepcopy(node), code)) and made.co_code == code.co_code]
    return deepcopy(found[0]) if found else None


def _matches(node, code):
    if isinstance(node, ast.Lambda):
        named = code.co_name == "<lambda>" and node.lineno == code.co_firstlineno
    else:
        named = isinstance(node, ast.FunctionDef) and node.name == code.co_name
        named = named and min([node.lineno, *(d.lineno for d in node.decorator_list)]) == code.co_firstlineno
    return named and [a.arg for a in (*node.args.posonlyargs, *node.args.args)] == [
        *code.co_varnames[: code.co_argcount]
    ]


def _compiled(node, like):
    """The code of a definition, with the free variables that `like` has."""
    if isinstance(node, ast.FunctionDef):
        node.decorator_list, node.args.defaults, node.returns = [], [], None
        node.name = _OWN_NAME  # or it would be a variable of `around`, for a function that calls itself
        node.args.kw_defaults = [None] * len(node.args.kwonlyargs)
        body: list[ast.stmt] = [node]
    else:
        node.args.defaults, node.args.kw_defaults = [], [None] * len(node.args.kwonlyargs)
        body = [ast.copy_location(ast.Expr(node), node)]
    if "." in like.co_qualname and (owner := like.co_qualname.split(".")[-2]) != "<locals>":  # for its private names
        body = [ast.ClassDef(owner, [], [], body, [])]
    around = ast.FunctionDef(
        "around", ast.arguments([], [ast.arg(name) for name in like.co_freevars], None, [], [], None, []), body, []
    )
    for part in (*body, around):
        ast.copy_location(part, node)
    module = ast.fix_missing_locations(ast.Module([around], []))
    found = _codes(compile(module, like.co_filename, "exec", dont_inherit=True))
    while found and found[0].co_name != _name(node):
        found = _codes(found[0])
    return _with_helper(found[0]).replace(co_name=like.co_name, co_qualname=like.co_qualname) if found else None


def _name(node):
    return "<lambda>" if isinstance(node, ast.Lambda) else node.name


def _codes(code):
    return [part for part in code.co_consts if isinstance(part, types.CodeType)]


def _with_helper(code):
    constants = [
        _with_helper(c) if isinstance(c, types.CodeType) else assigned_values if c == HELPER else c
        for c in code.co_consts
    ]
    return code.replace(co_consts=tuple(constants))
