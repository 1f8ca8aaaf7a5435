"""PyTorch's errors and warnings, from `error_texts.txt`: a name, the class, and a template.

The texts are read when the first of them is needed.
"""

import builtins
import re
from functools import cache
from os.path import dirname, join


@cache
def _texts() -> dict[str, tuple[str, str]]:
    with open(join(dirname(__file__), "error_texts.txt"), encoding="utf-8") as file:
        lines = [line.split(" = ", 1) for line in file.read().splitlines()]
    escaped = {"\\n": "\n", "\\x1b": "\x1b"}
    plain = lambda text: re.sub(r"\\n|\\x1b", lambda found: escaped[found[0]], text)
    return {name: tuple(plain(text).split(": ", 1)) for name, text in lines}  # type: ignore[misc]


def said(name, /, **parts) -> str:
    """The text of this name, with its placeholders filled.

    >>> said("mm_shapes", n=2, k=3, l=4, m=5)
    'mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)'
    """
    return _texts()[name][1].format(**parts)


def error(name, /, **parts) -> Exception:
    """The error of this name, to be raised.

    >>> error("mm_shapes", n=2, k=3, l=4, m=5)
    RuntimeError('mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)')
    """
    return getattr(builtins, _texts()[name][0])(said(name, **parts))
