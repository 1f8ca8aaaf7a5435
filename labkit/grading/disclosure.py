"""What a student may be told about an error after hidden inputs were used: known names and the student's own lines.

A student who names a class of errors after an input, or writes the input where the lines of code are looked up, learns nothing.
"""

import builtins
import re
from collections.abc import Iterable

import numpy as np

_TO_THE_INSTRUCTOR = re.compile(  # what the notes on a file say is to be done; a student does something else
    r"(?:^|(?<=[.:] ))(?:Ask for|Give yourself|Put|Rename|Remove|Move|If the notebook is inside)\b[^.]*(?:\.\w[^.]*)*\.(?: |$)"
)
LATE = "Not shown to the student, whose code had hidden inputs before: "  # how a note begins that no student is told
OWN_ERROR = "an error of its own class"
_ERRORS = {
    name
    for module in (builtins, np.exceptions, np.linalg)
    for name, value in vars(module).items()
    if isinstance(value, type) and issubclass(value, BaseException)
}
_PLACE = re.compile(r"([^\s(]*)(?: \(line (\d{1,6})(?:: (.*))?\))?")


def note_told(note: str) -> str:
    """A note on a file without what it tells the instructor to do; empty where it is for the instructor alone.

    >>> note_told("The file is a PDF, not a notebook. Ask for the .ipynb file.")
    'The file is a PDF, not a notebook.'
    """
    return "" if note.startswith(LATE) else _TO_THE_INSTRUCTOR.sub("", note).strip()


def error_told(name: str) -> str:
    """The name of a class of errors, where it is one that everybody knows.

    >>> error_told("ValueError"), error_told("Input3point7")
    ('ValueError', 'an error of its own class')
    """
    return name if name in _ERRORS else OWN_ERROR


def place_told(place: str, sources: Iterable[str]) -> str:
    """Where an error was raised, in words that `sources`, the student's cells, already hold.

    >>> place_told("ValueError (line 2: raise ValueError(x))", ["y = 1\\nraise ValueError(x)"])
    'ValueError (line 2: raise ValueError(x))'
    >>> place_told("Input3point7 (line 2: 3.7)", ["y = 1\\nraise ValueError(x)"])
    'an error of its own class (line 2)'
    """
    found = _PLACE.fullmatch(place)
    if not found:
        return OWN_ERROR
    name, number, line = found.groups()
    name = error_told(name)
    lines = [source.splitlines() for source in sources]
    if not number or not any(0 < int(number) <= len(some) for some in lines):
        return name
    own = [some[int(number) - 1].strip() for some in lines if 0 < int(number) <= len(some)]
    return f"{name} (line {number}{f': {line}' if line and line in own else ''})"
