"""How to get what is missing: by pip, but not in a browser, where nothing can be installed."""

import sys


def in_browser() -> bool:
    """Whether this is the Python of a web page, which has one process, one thread, and the packages that the page brings.

    >>> in_browser()
    False
    """
    return sys.platform == "emscripten"


def how_to_get(extra: str = "") -> str:
    """What to do for a package that an extra of labkit brings, or labkit itself: the end of a sentence.

    >>> how_to_get("notebooks")
    'pip install "labkit[notebooks]"'
    """
    if in_browser():
        return "a web page cannot install it; labkit on a computer can have it"
    return f'pip install "labkit[{extra}]"' if extra else "pip install labkit"
