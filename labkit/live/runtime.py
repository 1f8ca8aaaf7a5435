"""The folder that runs labkit in a browser: Pyodide, with labkit and what it needs written into its lock file.

Every file of Pyodide comes from its official distribution, by download or from a local folder, and its SHA-256 is checked.
"""

import gzip
import hashlib
import json
import urllib.request
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from .wheels import installed_wheel, labkit_wheel

VERSION = "0.27.7"
DISTRIBUTION = f"https://cdn.jsdelivr.net/pyodide/v{VERSION}/full"
LOCK = "pyodide-lock.json"
CORE = {
    "pyodide.mjs": "04c052c815abb0bf2981fa38c2dfa58e3120ee5288c956df2b2a15e301782c5f",
    "pyodide.asm.js": "6b4c90de5b7172873f04f21884d0e9d2274e305fe32116558fe3e4fbe3618d51",
    "pyodide.asm.wasm": "a50dd1843f805a0b7c45b61037ee0d7b26dfe85efe0e18ef95a34ad24e401f5f",
    "python_stdlib.zip": "16611534726e5d8ac2bd8f926410b2dcb8d6f49aa24913463533b457a2115c16",
    LOCK: "9c45b916001a750f4102fc287494f3eab215909c7535c626a20db80fd6333e2c",
}
AT_ONCE = ("numpy", "traitlets")  # what labkit needs to run and to show a widget
PLOTS = ("matplotlib",)  # what a notebook with plots needs besides
NOT_TAKEN = {"matplotlib-pyodide", "fonttools", "pytz"}  # matplotlib draws here without them
PURE = {"autograd": ("numpy",)}  # taken from this Python's installation, with what each needs
_OTHER_FILE = "{name} is not the file of Pyodide {version}: its SHA-256 differs. Delete it, or download it again"
_NO_FILE = "expected the files of Pyodide {version}, but there is no {name} in {places}"
_NO_DOWNLOAD = "{distribution}/{name} cannot be downloaded: {error}. If a folder has it: --pyodide DIR"


class RuntimeFileError(Exception):
    """A file of Pyodide that is missing, or is not the one of its official distribution."""


def lay(
    folder: Path,
    sources: Sequence[Path] = (),
    packages: Iterable[str] = (*AT_ONCE, *PLOTS),
    installed: Mapping[str, Iterable[str]] = PURE,
) -> dict[str, Any]:
    """Fill `folder` with Pyodide, some of its packages and what they need, and labkit; returns the lock file.

    `sources`: folders that hold the files of Pyodide's distribution; without any they are fetched from there. `installed`:
    packages that are taken from this Python, with what each needs. Raises RuntimeFileError, which says which file of which
    folder is missing or differs.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name, digest in CORE.items():
        _take(name, digest, sources, folder)
    lock: dict[str, Any] = json.loads((folder / LOCK).read_text(encoding="utf-8"))
    known = lock["packages"]
    lock["packages"] = {name: known[name] for name in needed(known, packages)}
    for entry in lock["packages"].values():
        entry["depends"] = [name for name in entry["depends"] if name not in NOT_TAKEN]
        _take(entry["file_name"], entry["sha256"], sources, folder)
    for name, needs in installed.items():
        lock["packages"][name] = _entry(name, installed_wheel(name, folder), needs)
    lock["packages"]["labkit"] = _entry("labkit", labkit_wheel(folder), [*AT_ONCE, *PURE])
    (folder / LOCK).write_text(json.dumps(lock, separators=(",", ":")), encoding="utf-8")
    return lock


def files_at_once(lock: dict[str, Any]) -> list[str]:
    """The files that a page loads to begin: Pyodide, labkit, and the packages that it needs.

    >>> files_at_once({"packages": {"labkit": {"file_name": "labkit.whl", "depends": []}}})[-2:]
    ['pyodide-lock.json', 'labkit.whl']
    """
    packages = lock["packages"]
    return [*CORE, *(packages[name]["file_name"] for name in ["labkit", *packages["labkit"]["depends"]])]


def needed(known: dict[str, Any], names: Iterable[str]) -> list[str]:
    """These packages of a lock file, each after what it needs.

    >>> needed({"a": {"depends": ["b", "pytz"]}, "b": {"depends": []}, "c": {"depends": []}}, ["a"])
    ['b', 'a']
    """
    found: dict[str, None] = {}
    for name in names:
        depends = [other.replace("_", "-") for other in known[name]["depends"] if other not in NOT_TAKEN]
        found |= dict.fromkeys([*needed(known, depends), name])
    return list(found)


def weight(folder: Path, names: Iterable[str]) -> int:
    """The bytes that a browser receives for these files of `folder`, where the server compresses as usual."""
    return sum(len(gzip.compress((folder / name).read_bytes(), 6)) for name in names)


def _entry(name, wheel, needs):
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    return {
        "name": name, "version": wheel.name.split("-")[1], "file_name": wheel.name, "install_dir": "site", "sha256": digest,
        "package_type": "package", "imports": [name], "depends": list(needs), "unvendored_tests": False,
    }  # fmt: skip


def _take(name, digest, sources, folder):
    """Copy a file from the first of the sources that has it, or fetch it, if it is the right one."""
    content = _content(name, sources)
    if content is None:
        places = " or ".join(map(str, sources))
        raise RuntimeFileError(_NO_FILE.format(version=VERSION, name=name, places=places))
    if hashlib.sha256(content).hexdigest() != digest:
        raise RuntimeFileError(_OTHER_FILE.format(name=name, version=VERSION))
    (folder / name).write_bytes(content)


def _content(name, sources):
    if sources:
        found = next(_there(name, sources), None)
        return found and found.read_bytes()
    try:
        with urllib.request.urlopen(f"{DISTRIBUTION}/{name}") as answer:
            return answer.read()
    except OSError as error:
        raise RuntimeFileError(_NO_DOWNLOAD.format(distribution=DISTRIBUTION, name=name, error=error)) from error


def _there(name: str, sources: Sequence[Path]) -> Iterator[Path]:
    return (source / name for source in sources if (source / name).is_file())
