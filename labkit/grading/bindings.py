"""The names that a cell's code binds, found without running it, and notebook code converted to plain Python."""

import ast
import re
import warnings
from collections.abc import Iterator
from contextlib import suppress

LONGEST = 100_000  # characters of one cell
DOTS = 5_000  # Python 3.11 takes time quadratic in the dots of `import a.a.a`

MAGIC = re.compile(r"^([ \t]*)(?:[%!?].*|[\w.]+\?\??[ \t]*)$", re.MULTILINE)
WHOLE = re.compile(r"\s*%%(?!time\b|capture\b)\w+")  # the cell is another language, or no part of the notebook's names


def parse(source: str) -> ast.Module | None:
    """The syntax tree of `source`, or None where it is no Python, or too large to be an answer.

    >>> parse("x = 1") is None, parse("x = = 1") is None
    (False, True)
    """
    if len(source) > LONGEST or source.count(".") > DOTS:
        return None
    with warnings.catch_warnings(action="ignore"), suppress(SyntaxError, ValueError, RecursionError, MemoryError):
        return ast.parse(source)
    return None


def without_magics(source: str) -> str:
    r"""The code without IPython's own lines (`%matplotlib`, `!pip`, `name?`); every other line keeps its number.

    A cell that starts with `%%bash` or the like becomes empty. Code that is plain Python stays as it is.

    >>> without_magics("%matplotlib inline\nx = 1")
    'pass\nx = 1'
    """
    if not MAGIC.search(source) or parse(source) is not None:
        return source
    return "" if WHOLE.match(source) else MAGIC.sub(r"\1pass", source)


def is_python(source: str) -> bool:
    """True for code that Python can read, magics of IPython included.

    >>> is_python("%matplotlib inline\\nx = 1"), is_python("def f(x):")
    (True, False)
    """
    return parse(without_magics(source)) is not None


def definitions(source: str) -> dict[str, bool] | None:
    r"""The names that the code binds at top level, each with whether it gets more than the dots to be filled in.

    None where the code is no Python. Definitions inside functions and classes do not count.

    >>> definitions("def f(x): ...\na, (b, c) = 1, (2, 3)\nimport numpy as np")
    {'f': False, 'a': True, 'b': True, 'c': True, 'np': True}
    """
    tree = parse(source)
    if tree is None:
        return None
    found: dict[str, bool] = {}
    for name, filled in _bound(tree):
        found[name] = filled
    return found


def _bound(tree: ast.AST) -> Iterator[tuple[str, bool]]:
    """Names in the order of the text. A loop, because code may be nested deeper than calls can be."""
    waiting: list[tuple[ast.AST, bool]] = [(tree, True)]
    while waiting:
        node, filled = waiting.pop()
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield node.name, not all(map(_is_blank, node.body))
                continue
            case ast.Name(ctx=ast.Store()):
                yield node.id, filled
            case ast.alias():
                yield node.asname or node.name.split(".")[0], True
            case ast.Assign() | ast.AnnAssign():
                filled = not _is_dots(node.value)
        if not isinstance(node, (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
            waiting += [(child, filled) for child in reversed(list(ast.iter_child_nodes(node)))]


def _is_dots(value: ast.expr | None) -> bool:
    return value is None or (isinstance(value, ast.Constant) and value.value in (..., None))


def _is_blank(statement: ast.stmt) -> bool:
    """True for dots, `pass`, a docstring, and nbgrader's `raise NotImplementedError`."""
    match statement:
        case ast.Pass() | ast.Expr(value=ast.Constant()):
            return True
        case ast.Raise(exc=ast.Name(id="NotImplementedError") | ast.Call(func=ast.Name(id="NotImplementedError"))):
            return True
    return False
