"""Lines of a notebook's cell that are not Python: magics, shell lines, `?`. They are ignored."""

import ast
import builtins
import re
import sys
from types import ModuleType
from typing import Any

_TIMED = {"time", "timeit", "prun", "capture"}


def python_of(source: str) -> str:
    """`source` as Python: IPython's lines become calls of `get_ipython()`; without IPython they become comments."""
    if _parses(source):
        return source
    try:
        from IPython.core.inputtransformer2 import TransformerManager
    except ImportError:
        return re.sub(r"^(\s*)([%!?].*|.*\?)$", r"\1pass  # \2", source, flags=re.MULTILINE)
    return TransformerManager().transform_cell(source)


def _parses(source):
    try:
        compile(source, "<cell>", "exec", flags=ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def display(*things: Any, **options: Any) -> None:
    """A notebook's `display`, which draws nothing here."""


class Shell:
    """What `get_ipython()` gives in a sandbox: the timing magics run their code once, everything else does nothing."""

    def __init__(self) -> None:
        self.names: dict[str, Any] = {}

    def run_line_magic(self, name: str, line: str = "", *rest: Any) -> Any:
        """The value of the line's expression for a timing magic, else None."""
        return self._run(line) if name in _TIMED else None

    def run_cell_magic(self, name: str, line: str, cell: str) -> Any:
        """Run the cell for a timing magic."""
        return self._run(cell) if name in _TIMED else None

    def _run(self, source: str) -> Any:
        source = re.sub(r"^\s*(-\w+\s*\d*\s+)*", "", source) if source.lstrip().startswith("-") else source
        try:
            return eval(source.strip(), self.names)
        except SyntaxError:
            exec(python_of(source), self.names)

    def getoutput(self, line: str, *rest: Any) -> list[str]:
        """No shell here: no output."""
        return []

    def __getattr__(self, name: str) -> Any:
        return lambda *arguments, **options: None


def names_of_a_notebook() -> dict[str, Any]:
    """The names that a notebook begins with, those of the module `__main__`: what is defined there can be found, to pickle it.

    `display` and `get_ipython` are there, and do what is possible without a browser.
    """
    main, shell = ModuleType("__main__"), Shell()
    names = vars(main)
    names.update(__builtins__=builtins, get_ipython=lambda: shell, display=display, In=[""], Out={}, _="")
    shell.names, sys.modules["__main__"] = names, main
    return names
