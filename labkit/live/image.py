"""The memory image of a page's Python: the packages needed at once in one file, and the memory after importing them.

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

from .runtime import CORE, LOCK

FILES, MEMORY, CODE = "packages.bin", "memory.bin", "code.bin"
WASM = "pyodide.asm.wasm"
SCRIPT = Path(__file__).with_suffix(".mjs")
NOT_RUN = (".pyi", ".pxd", ".h", ".a", ".lib", ".exe", "/RECORD")  # what compilers and checkers read
SPARE = ("numpy/f2py/", "numpy/distutils/", "numpy/_core/include/", "numpy/linalg/lapack_lite.")  # nothing imports it


class ImageError(Exception):
    """The memory image could not be made: what Node said."""


def make_image(folder: Path) -> dict[str, Any]:
    """Put what labkit needs at once, of a folder that `lay` has filled, into one file, and make the memory image with Node.

    Returns the lock file, whose `at_once` names both; Pyodide's compiled code is kept compressed, too. Without Node there is no
    image: pages then start Python as ever, more slowly. Raises ImageError where Node fails.
    """
    lock: dict[str, Any] = json.loads((folder / LOCK).read_text(encoding="utf-8"))
    entries = [lock["packages"].pop(name) for name in ["labkit", *lock["packages"]["labkit"]["depends"]]]
    files = {name: content for entry in entries for name, content in _unpacked(folder / entry["file_name"])}
    listed = json.dumps([[name, len(content)] for name, content in files.items()]).encode()
    held = b"".join([len(listed).to_bytes(4, "little"), listed, *files.values()])
    (folder / FILES).write_bytes(gzip.compress(held, 9, mtime=0))
    for later in lock["packages"].values():  # what it needs of these is there
        later["depends"] = [name for name in later["depends"] if name in lock["packages"]]
    lock["at_once"] = {"files": FILES, "code": CODE, **_image(folder)}
    (folder / CODE).write_bytes(gzip.compress((folder / WASM).read_bytes(), 9, mtime=0))
    for name in (WASM, *(entry["file_name"] for entry in entries)):
        (folder / name).unlink()
    (folder / LOCK).write_text(json.dumps(lock, separators=(",", ":")), encoding="utf-8")
    return lock


def files_at_once(lock: dict[str, Any]) -> list[str]:
    """The files that a page loads to begin, by a lock file that `make_image` has written.

    >>> files_at_once({"at_once": {"files": "packages.bin", "code": "code.bin", "libraries": []}})
    ['pyodide.mjs', 'pyodide.asm.js', 'python_stdlib.zip', 'pyodide-lock.json', 'packages.bin', 'code.bin']
    """
    kept = lock["at_once"]
    return [
        *(name for name in CORE if name != WASM),
        *(kept[kind] for kind in ("files", "code", "memory") if kind in kept),
    ]


def _unpacked(wheel: Path) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(wheel) as held:
        for name in held.namelist():
            foreign = not name.startswith("labkit/")
            if not name.endswith("/") and not (foreign and (name.endswith(NOT_RUN) or name.startswith(SPARE))):
                yield name, held.read(name)


def _image(folder):
    node = shutil.which("node")
    if node is None:
        return {"libraries": []}
    done = subprocess.run([node, str(SCRIPT), str(folder)], capture_output=True, text=True)
    if done.returncode:
        raise ImageError(f"the memory image could not be made: {done.stderr[-2000:]}")
    return {"memory": MEMORY, **json.loads(done.stdout)}
