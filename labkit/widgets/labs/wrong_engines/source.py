"""The engine's own lines, and those by which the right engine differs."""

import ast
import inspect
import textwrap
from collections.abc import Callable
from difflib import SequenceMatcher
from functools import cache

from .broken import right

MOST_LINES, MOST_MENDED = 40, 2


@cache
def source(engine: Callable) -> tuple[list[tuple[int, str]], str]:
    """The lines of an engine as `(number, line)` without its docstring, and its file; no lines where there is no source.

    >>> source(right)[0][0][1]
    'def right(nodes: Nodes, output: Node) -> None:'
    """
    try:
        lines, start = inspect.getsourcelines(engine)
        tree = ast.parse(textwrap.dedent("".join(lines))).body[0]
    except (OSError, TypeError, SyntaxError, IndexError):
        return [], ""
    hidden: set[int] = set()
    body = getattr(tree, "body", [])
    if body and isinstance(body[0], ast.Expr) and isinstance(getattr(body[0].value, "value", None), str):
        hidden = set(range(body[0].lineno - 1, body[0].end_lineno or 0))
    shown = textwrap.dedent("".join(lines)).splitlines()
    kept = [(start + i, row) for i, row in enumerate(shown) if i not in hidden]
    return kept[:MOST_LINES], getattr(getattr(inspect.unwrap(engine), "__code__", None), "co_filename", "")


def mended(engine: Callable) -> tuple[int, list[str]]:
    """`(row, lines)`: the lines that the right engine has before that row of `source`; no lines unless the two differ in
    one place alone, by a line or two.

    >>> from .broken import overwrite
    >>> mended(overwrite)
    (9, ['            parent.grad = parent.grad + g'])
    """
    mine, theirs = ([row for _, row in source(f)[0][1:]] for f in (engine, right))
    differ = [op for op in SequenceMatcher(None, mine, theirs, autojunk=False).get_opcodes() if op[0] != "equal"]
    if len(differ) != 1:
        return 0, []
    _, first, stop, start, end = differ[0]
    return (stop + 1, theirs[start:end]) if max(stop - first, end - start) <= MOST_MENDED else (0, [])
