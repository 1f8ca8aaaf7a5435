"""Formats texts: lines that fit a notebook and a terminal, and sentences with a number."""

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


def one_or_many(number: float, one: str, many: str, **values: object) -> str:
    """Of two whole sentences the one that fits a number, with the number, as short as it can be, and other values in it.

    >>> one_or_many(2.5, "{number} point", "{number} points")
    '2.5 points'
    """
    return (one if number == 1 else many).format(number=f"{number:g}", **values)


class Prose(str):
    """A text that is printed `wrapped`, and is otherwise as it was written: to be searched and compared."""

    __slots__ = ()

    def __str__(self):
        return encodable(wrapped(self[:]))

    def splitlines(self, keepends=False) -> list[str]:
        """Its lines, each of which is printed wrapped."""
        return [Prose(line) for line in super().splitlines(keepends)]
