"""Fill a folder with the files of Pyodide that the tests under the browser's Python need, each checked by its SHA-256.

    python tests/tools/pyodide_files.py FOLDER
    LABKIT_PYODIDE=FOLDER pytest -m pyodide

They are fetched from Pyodide's distribution (about 30 MB). Files that are in the folder already are kept.
"""

import hashlib
import json
import sys
import urllib.request
from pathlib import Path

from labkit.live.runtime import CORE, DISTRIBUTION, LOCK, needed

PACKAGES = ("numpy", "traitlets", "matplotlib", "ipython")


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for name, digest in CORE.items():
        have(folder / name, digest)
    known = json.loads((folder / LOCK).read_text(encoding="utf-8"))["packages"]
    for name in needed(known, PACKAGES):
        have(folder / known[name]["file_name"], known[name]["sha256"])
    print(f"LABKIT_PYODIDE={folder.resolve()}")


def have(path, digest):
    """Fetch a file that is not there yet; ends where it is not the right one."""
    content = path.read_bytes() if path.exists() else urllib.request.urlopen(f"{DISTRIBUTION}/{path.name}").read()
    if hashlib.sha256(content).hexdigest() != digest:
        sys.exit(f"{path.name} is not the file of Pyodide's distribution: its SHA-256 differs")
    path.write_bytes(content)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
