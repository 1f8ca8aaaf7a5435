"""Files of which nothing is lost: written completely or not at all, and kept under another name before they are replaced."""

import os
import time
from itertools import count
from pathlib import Path

DAMAGED = (
    ValueError,
    KeyError,
    TypeError,
    AttributeError,
    RecursionError,
)  # what JSON raises that is not as we wrote it


def write_whole(file: Path, content: bytes) -> Path:
    """Write a file in one step: a reader sees the old content or the new one, never half of it.

    Makes the folders above. Raises OSError where the folder cannot be written.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    unfinished = file.with_name(f".{file.name[:40]}.{os.getpid()}-{time.monotonic_ns()}.unfinished")
    try:
        unfinished.write_bytes(content)
        os.replace(unfinished, file)
    finally:
        unfinished.unlink(missing_ok=True)
    return file


def put_aside(file: Path) -> Path | None:
    """Give a file another name that is free, and return it; None where there is no file."""
    aside = next(other for i in count(1) if not (other := file.with_name(f"{file.stem}.old-{i}{file.suffix}")).exists())
    try:
        os.replace(file, aside)
    except FileNotFoundError:
        return None
    return aside
