"""What the commands for learners share: which folder is meant, and a question with yes or no."""

import argparse
import sys
from pathlib import Path

from ..desk import places


def add_folder(parser: argparse.ArgumentParser) -> None:
    """Add the option `--folder`."""
    parser.add_argument(
        "--folder", type=Path, metavar="FOLDER",
        help=f"your working copy of the notebooks; without it: the folder that {places.HOME} names, or the copy you are "
        f"in, or {places.DEFAULT}",
    )  # fmt: skip


def agreed(question: str) -> bool:
    """True if the answer is yes; no answer is a no."""
    try:
        return input(f"{question} [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:  # nobody is there to answer
        print()
        return False


def refused(command: str, why: object) -> int:
    """Say on stderr why a command does nothing, and what to do; returns its exit status."""
    if isinstance(why, OSError):
        why = f"'{why.filename}' cannot be used: {why.strerror}. {places.ELSEWHERE}"
    print(f"labkit {command}: {why}", file=sys.stderr)
    return 2
