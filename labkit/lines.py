"""Lines that a notebook and a terminal can show: both break longer ones inside words."""

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


class Prose(str):
    """A text that is printed `wrapped`, and is otherwise as it was written: to be searched and compared."""

    __slots__ = ()

    def __str__(self):
        return wrapped(self[:])

    def splitlines(self, keepends=False) -> list[str]:
        """Its lines, each of which is printed wrapped."""
        return [Prose(line) for line in super().splitlines(keepends)]
