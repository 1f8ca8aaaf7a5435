"""The commands that install what is missing, for the place where they are printed; a browser cannot install anything."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

DISTRIBUTION = "labkit-autodiff"  # the name for pip; `labkit` at PyPI is another project
ROOT = Path(__file__).parents[2]


def in_browser() -> bool:
    """Whether this is the Python of a web page, which has one process, one thread, and the packages that the page brings.

    >>> in_browser()
    False
    """
    return sys.platform == "emscripten"


def how_to_install(extra: str = "", *options: str) -> str:
    """The command that installs labkit with an extra, or in a browser why there is none: the end of a sentence.

    It names this Python, and the clone that labkit is imported from, if it is one.

    >>> how_to_install("notebooks").startswith(shlex.quote(sys.executable))
    True
    """
    if in_browser():
        return "a web page cannot install it; install labkit on a computer"
    brackets = f"[{extra}]" if extra else ""
    in_clone = (ROOT / "pyproject.toml").is_file()
    what = ["-e", f"{ROOT}{brackets}"] if in_clone else [f"{DISTRIBUTION}{brackets}"]
    return command_line([sys.executable, "-m", "pip", "install", *options, *what])


def command_line(words: list[str]) -> str:
    """The words as this system's shell reads them."""
    return subprocess.list2cmdline(words) if os.name == "nt" else shlex.join(words)
