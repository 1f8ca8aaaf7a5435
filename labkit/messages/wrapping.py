"""Formats texts: lines that fit a notebook and a terminal, and a number with its noun."""

import sys
import textwrap

WIDTH = 80  # characters


def wrapped(text: str) -> str:
    """The text in lines of at most `WIDTH` characters, broken between words; indented lines are code and stay.

    >>> print(wrapped("A sentence that is longer than the lines of a notebook or terminal goes on in the next line."))
    A sentence that is longer than the lines of a notebook or terminal goes on in
    the next line.
    """
    lines = (
        [line] if line[:1].isspace() else textwrap.wrap(line, WIDTH, break_long_words=False, break_on_hyphens=False)
        for line in text.splitlines()
    )
    return "\n".join("\n".join(parts) for parts in lines)


def encodable(text: str) -> str:
    """The text as the console can print it: in an older code page with ASCII minus signs, and other characters escaped."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return text.replace("−", "-").encode(encoding, "backslashreplace").decode(encoding)
    return text


def counted(number: float, noun: str) -> str:
    """A number, as short as it can be, and its noun.

    >>> counted(1, "point"), counted(2.5, "point")
    ('1 point', '2.5 points')
    """
    return f"{number:g} {noun}{'s' * (number != 1)}"


class Prose(str):
    """A text that is printed `wrapped`, and is otherwise as it was written: to be searched and compared."""

    __slots__ = ()

    def __str__(self):
        return encodable(wrapped(self[:]))

    def splitlines(self, keepends=False) -> list[str]:
        """Its lines, each of which is printed wrapped."""
        return [Prose(line) for line in super().splitlines(keepends)]
