"""The answer of `labkit.why`: a few sentences, and the same as fields."""

import linecache
import textwrap
from dataclasses import dataclass
from html import escape
from typing import Any, NamedTuple

from ..engine import is_library, is_own
from ..messages.wrapping import wrapped


class Place(NamedTuple):
    """A line of the user's code.

    >>> print(Place("model.py", 3, "h = h.detach()"))
    model.py, line 3: `h = h.detach()`
    """

    file: str
    line: int
    code: str

    def __str__(self):
        here = self.file.startswith("<") or "ipykernel" in self.file
        name = "" if here else f"{self.file.replace(chr(92), '/').rpartition('/')[2]}, "
        return f"{name}line {self.line}" + (f": `{self.code}`" if self.code else "")


def place_of(where: Any) -> Place | None:
    """The line of `(code, instruction)`, or of `"file:line"`; None if it is unknown."""
    if where is None or isinstance(where, Place):
        return where
    if isinstance(where, str):
        file, _, line = where.rpartition(":")
        return Place(file, int(line), _text(file, int(line)))
    code, instruction = where
    line, last, start, end = list(code.co_positions())[instruction // 2]
    line = line or code.co_firstlineno
    text = _text(code.co_filename, line)
    whole = linecache.getline(code.co_filename, line).encode()
    if len(text) > 100 and last == line and None not in (start, end):
        text = whole[start:end].decode(errors="replace")
    return Place(code.co_filename, line, text)


def _text(file, line):
    text = linecache.getline(file, line).strip()
    return textwrap.shorten(text, 100, placeholder=" ...") if len(text) > 160 else text


def user_frame(frame: Any, libraries: tuple[str, ...] = ()) -> Any:
    """The innermost of the frames that is the user's code, not a library's or Python's, as `(code, instruction)`; or
    None."""
    while frame is not None:
        name = frame.f_code.co_filename
        if not is_library(name) and not name.startswith(libraries) and (is_own(name) or "-packages/" in name):
            return frame.f_code, frame.f_lasti
        frame = frame.f_back
    return None


@dataclass(frozen=True, repr=False)
class Why:
    """Why a gradient is what it is; printed, it is the text.

    Attributes:
        what: "None", "zero", "nan", "small" or "healthy": the gradient, or the `.grad` that was asked about.
        cause: in one or a few words, such as "detached", "dead relu", "lost in float16"; "" for a healthy one.
        where: the `Place` in the user's code (`file`, `line`, `code`), or None.
        next: what to do.
        text: all of it, in sentences.
        possible: what remains possible, where it cannot be decided.
    """

    what: str
    cause: str
    where: Place | None
    next: str
    text: str
    possible: tuple[str, ...] = ()

    def __repr__(self):
        return wrapped(self.text)

    def __str__(self):
        return wrapped(self.text)

    def _repr_html_(self):
        lines = (_marked(line) for line in self.text.splitlines())
        return "<div>" + "".join(f"<p>{line}</p>" for line in lines if line) + "</div>"


def _marked(line):
    """The line in HTML, text between back ticks as code."""
    parts = escape(line).split("`")
    return "".join(f"<code>{part}</code>" if i % 2 else part for i, part in enumerate(parts))
