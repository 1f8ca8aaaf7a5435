"""What a page's Python begins with: the packages that are needed at once in one file, and its memory once they are imported.

Without the image a page starts Python and imports labkit, which takes a browser several times as long.
"""

import gzip
import json
import shutil
import subprocess
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .runtime import LOCK

FILES, MEMORY = "packages.bin", "memory.bin"
SCRIPT = Path(__file__).with_suffix(".mjs")
NOT_RUN = (".pyi", ".h", ".a", ".lib", ".exe")  # what belongs to compilers and checkers, not to who imports a package


class ImageError(Exception):
    """The memory image could not be made: what Node said."""


def make_image(folder: Path) -> dict[str, Any]:
    """Put what labkit needs at once, of a folder that `lay` has filled, into one file, and make the memory image with Node.

    Returns the lock file, whose `at_once` names both. Without Node there is no image: pages then start Python as ever, more
    slowly. Raises ImageError where Node fails.
    """
    lock: dict[str, Any] = json.loads((folder / LOCK).read_text(encoding="utf-8"))
    entries = [lock["packages"].pop(name) for name in ["labkit", *lock["packages"]["labkit"]["depends"]]]
    files = {name: content for entry in entries for name, content in _unpacked(folder / entry["file_name"])}
    listed = json.dumps([[name, len(content)] for name, content in files.items()]).encode()
    held = b"".join([len(listed).to_bytes(4, "little"), listed, *files.values()])
    (folder / FILES).write_bytes(gzip.compress(held, 9, mtime=0))
    for entry in entries:
        (folder / entry["file_name"]).unlink()
    lock["at_once"] = {"files": FILES, **_image(folder)}
    (folder / LOCK).write_text(json.dumps(lock, separators=(",", ":")), encoding="utf-8")
    return lock


def files_at_once(lock: dict[str, Any]) -> list[str]:
    """The files of packages that a page loads at first, by a lock file.

    >>> files_at_once({"at_once": {"files": "packages.bin", "libraries": []}})
    ['packages.bin']
    """
    return [lock["at_once"][kind] for kind in ("files", "memory") if kind in lock["at_once"]]


def _unpacked(wheel: Path) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(wheel) as held:
        for name in held.namelist():
            foreign = not name.startswith("labkit/")
            if not name.endswith("/") and not (foreign and name.endswith(NOT_RUN)):
                yield name, held.read(name)


def _image(folder):
    node = shutil.which("node")
    if node is None:
        return {"libraries": []}
    done = subprocess.run([node, str(SCRIPT), str(folder)], capture_output=True, text=True)
    if done.returncode:
        raise ImageError(f"the memory image could not be made: {done.stderr[-2000:]}")
    return {"memory": MEMORY, **json.loads(done.stdout)}
