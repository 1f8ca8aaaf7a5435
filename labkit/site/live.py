"""What turns a page into a notebook that runs: the runtime with its scripts, and the data of its cells."""

import hashlib
import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .. import live
from ..live import runtime
from ..widgets import playground

SCRIPTS = Path(str(live.__file__)).parent / "page"
LOADS = (
    "It loads {size:.0f} MB once; after that it runs without a network, too. Python runs in this browser: nothing that "
    "you write is sent anywhere."
)
OFFLINE = "labkit-offline.js"  # at the site's root: it stands between all of its pages and the network
ELEMENT = (
    '<script type="application/json" id="live-page">{data}</script>\n'
    '<link rel="stylesheet" href="{folder}live.css">\n<script type="module" src="{folder}notebook.js"></script>'
)


class LiveSite:
    """The runtime of a site below `source`, in a folder that is named after its content."""

    def __init__(self, source: Path, pyodide: Sequence[Path]) -> None:
        laid = source / "_static" / "live"
        self.lock = runtime.lay(laid, pyodide)
        for script in SCRIPTS.iterdir():
            shutil.copy(script, laid)
        digest = hashlib.sha256()
        for file in sorted(laid.iterdir()):
            digest.update(hashlib.sha256(file.read_bytes()).digest())
        version = digest.hexdigest()[:12]
        self.folder = laid.rename(laid.with_name(f"live-{version}"))
        worker = (self.folder / "offline.js").read_text(encoding="utf-8").replace("@VERSION@", version)
        (self.folder / "offline.js").unlink()
        (source / "extra").mkdir(exist_ok=True)
        (source / "extra" / OFFLINE).write_text(worker, encoding="utf-8")
        self.beside: list[str] = []  # what a page keeps that it does not load itself

    def lay_playground(self, into: Path) -> None:
        """Write the playground, which runs what is typed into it, next to the other pages; a page that runs caches it, too."""
        loads = "Python runs in this browser: {size:.0f} MB are loaded once.".format(size=self.megabytes())
        playground.build(into, f"../_static/{self.folder.name}", "../index.html", loads)
        self.beside = [f"../{into.name}/{file.name}" for file in sorted(into.iterdir())]

    def files(self, plots: bool) -> list[str]:
        """The files that a page loads, with or without what draws plots."""
        all_packages = [entry["file_name"] for entry in self.lock["packages"].values()] if plots else []
        scripts = [script.name for script in SCRIPTS.iterdir() if script.name != "offline.js"]
        return list(dict.fromkeys([*runtime.files_at_once(self.lock), *sorted(all_packages), *sorted(scripts)]))

    def element(self, notebook: dict[str, Any], name: str, exercises: dict[str, list[str]], plots: bool) -> str:
        """What makes the page of a notebook live, as HTML for the end of its body."""
        cells = [
            {
                "id": cell["id"],
                "source": "".join(cell["source"]),
                "raises": "raises-exception" in cell["metadata"].get("tags", []),
            }
            for cell in notebook["cells"]
            if cell["cell_type"] == "code"
        ]
        folder = f"../_static/{self.folder.name}/"
        data = {
            "name": name, "cells": cells, "exercises": exercises, "runtime": folder,
            "loads": LOADS.format(size=self.megabytes(plots)), "packages": ["labkit", *(runtime.PLOTS if plots else ())],
            "files": [*(folder + file for file in self.files(plots)), *self.beside], "offline": f"../{OFFLINE}",
        }  # fmt: skip
        text = json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")
        return ELEMENT.format(data=text, folder=folder)

    def megabytes(self, plots: bool = False) -> float:
        """How much the first page that runs loads."""
        return runtime.weight(self.folder, self.files(plots)) / 1e6
