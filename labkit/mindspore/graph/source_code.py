"""A function's source with its branches and loops as calls of `_control`, so that a test may be known only when a program runs.

`if`, `while`, `for`, `and`, `or`, `not`, `a if t else b` and `a < b < c` become calls: sides and bodies are functions of the
names they assign. What follows an `if` that may return goes into both of its sides. All else, and
every line number, stays as it was.
"""

import ast
import linecache
import threading
import types
from contextlib import contextmanager
from copy import deepcopy
from functools import lru_cache

from ...program import INNER, is_user
from . import control_flow_runtime as _control
from .assignment_rewriter import HELPER, Unknown, by_value, with_own_globals, writes
from .control_flow_rewriter import LATER, Rewriting, flows, refused

_OWN_NAME = "_labkit_function"
_lock = threading.Lock()
_open: dict[int, list] = {}  # id of a function -> it, its own code, how many blocks in all threads it is rewritten for


@contextmanager
def run_as(made_of, functions):
    """While open, each of the user's functions runs as the code that is made of its own, whoever calls it; None leaves it."""
    wanted = {id(fn): fn for fn in functions if made_of(fn.__code__) is not None}
    with _lock:
        for key, fn in wanted.items():
            _open.setdefault(key, [fn, fn.__code__, 0])[2] += 1
            fn.__code__ = made_of(_open[key][1]) or _open[key][1]
    try:
        yield
    finally:
        with _lock:
            for key, fn in wanted.items():
                _open[key][2] -= 1
                if not _open[key][2]:
                    fn.__code__ = _open.pop(key)[1]


@lru_cache(maxsize=1024)
def rewritten_code(code):
    """The code of a user's function with its control flow as calls; None where there is none, or no source to be had."""
    if not is_user(code) or code.co_flags & 0x2A0:  # generators and coroutines
        return None
    node = definition(code)
    if node is None or not any(map(flows, ast.walk(node))):
        return None
    try:
        made = Rewriting(with_own_globals(node)).function()
    except Unknown:
        return None
    inner = _compiled(made, code)
    return inner if inner is not None and inner.co_freevars == code.co_freevars else None


@lru_cache(maxsize=1024)
def refusing_code(code):
    """Code that raises RuntimeError, for a user's function with a statement that graph mode does not know; None for any other."""
    node = definition(code) if is_user(code) else None
    if node is None or isinstance(node, ast.Lambda) or (words := refused(node)) is None:
        return None
    error = ast.Call(ast.Name("RuntimeError", ast.Load()), [ast.Constant(words)], [])
    kept = [] if code.co_flags & 0x2A0 else node.body
    node.body = [ast.copy_location(ast.Raise(error), node.body[0]), *kept]
    inner = _compiled(node, code)
    return inner if inner is not None and inner.co_freevars == code.co_freevars else None


@lru_cache(maxsize=1024)
def first_code(code):
    """What a user's function is recorded as at first: `refusing_code`, or its own with each write a value of its own; None
    where that is its code as it is."""
    if (refusing := refusing_code(code)) is not None:
        return refusing
    node = definition(code) if is_user(code) and not code.co_flags & 0x2A0 else None
    if node is None or isinstance(node, ast.Lambda) or not any(map(writes, ast.walk(node))):
        return None
    try:
        inner = _compiled(by_value(with_own_globals(node)), code)
    except Unknown:
        return None
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
        _with_helper(c) if isinstance(c, types.CodeType) else _control if c == HELPER else c for c in code.co_consts
    ]
    name = INNER[0] if code.co_name == "<lambda>" and LATER in code.co_varnames else code.co_name
    return code.replace(co_consts=tuple(constants), co_name=name)
