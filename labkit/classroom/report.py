"""The answer of `check`, and how it is displayed: once, at the call, in a notebook, a terminal and a script alike."""

import sys
from dataclasses import dataclass, field
from html import escape
from typing import Any

from ..messages.wrapping import wrapped

SIGNS = {"right": ("✓", "#009e73"), "empty": ("…", "#808080"), "unknown": ("?", "#808080")}  # by kind of report
WRONG = "✗", "#d55e00"
HTML = (
    '<div style="border-left: 4px solid {color}; padding-left: 0.8em">'
    '<span aria-hidden="true" style="color: {color}; font-weight: bold">{sign}</span> '
    '<pre style="display: inline; white-space: pre-wrap">{text}</pre></div>'
)


@dataclass(frozen=True, repr=False)
class Report:
    """The answer of `check`: true when right. `check` has displayed it; `print` displays it again.

    `kind` is "right", "unknown", "empty", "type", "arguments", "error", "timeout", "printed", "mutated",
    "forbidden" (right results, by a way that was not to be used), one of the
    stages of a comparison, the name of the misconception that was recognised, or the kind of reason that the tutor gives.

    >>> Report("grad-slip", "right", "grad-slip: right (1 point).", 1)
    Report('grad-slip', right=True)
    """

    name: str
    kind: str
    text: str
    points: int = 0
    _cells: list[int] = field(default_factory=list, compare=False)  # that have displayed it, by execution count

    def __bool__(self) -> bool:
        return self.kind == "right"

    def __str__(self) -> str:
        return wrapped(self.text)

    def __repr__(self) -> str:
        return f"Report({self.name!r}, right={bool(self)})"

    def display(self) -> None:
        """Display the text: with a sign and a colour in a notebook, printed anywhere else."""
        if _shell() is None:
            print(self)
            return
        sign, color = SIGNS.get(self.kind, WRONG)
        html = HTML.format(color=color, sign=sign, text=escape(str(self)))
        sys.modules["IPython.display"].display({"text/plain": str(self), "text/html": html}, raw=True)
        self._cells.append(_cell())

    def _ipython_display_(self) -> None:
        """As the last expression of the cell that called `check`, it is displayed already."""
        if _cell() not in self._cells:
            self.display()


def _shell() -> Any:
    """The notebook or IPython that this runs in; None in plain Python."""
    return sys.modules["IPython"].get_ipython() if "IPython.display" in sys.modules else None


def _cell() -> int:
    return getattr(_shell(), "execution_count", 0)
