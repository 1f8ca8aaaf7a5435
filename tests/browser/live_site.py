"""A site of one live page, served to this machine: real cells and scripts, and Pyodide or a stand-in for it."""

import functools
import json
import re
import threading
from contextlib import contextmanager
from html import escape
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from labkit.live import runtime
from labkit.site.live import LiveSite

ASSETS = Path(__file__).parents[2] / "labkit" / "site" / "assets"
PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Page</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>body {{ --color-background-primary: #fff; --color-background-secondary: #f8f9fb; --color-background-border: #ddd;
--color-brand-primary: #0a4bff; --color-foreground-primary: #000; --color-foreground-secondary: #444;
--color-foreground-muted: #555; margin: 12px; }}</style><link rel="icon" href="../_static/icon.svg">
<link rel="stylesheet" href="../_static/site.css"></head>
<body><main><h1>Page</h1>{cells}</main>{element}</body></html>"""
CELL = (
    '<div class="cell"><div class="cell_input"><pre>{source}</pre></div><div class="cell_output">as it came</div></div>'
)
WORKER = """
const says = (message) => postMessage(JSON.stringify(message));
let count = 0;
onmessage = ({ data }) => {
  if (data.start) return says({ type: "ready", record: data.start.record });
  const { run, cell } = JSON.parse(data.say);
  if (run === undefined || run.includes("for ever")) return;
  if (run.startsWith("print")) says({ type: "stream", cell, name: "stdout", text: `ran ${run}\\n` });
  if (run.startsWith("right")) says({ type: "record", cell, text: JSON.stringify({ answers: { "first-exercise": {} } }) });
  if (run.startsWith("1 / 0")) says({ type: "error", cell, text: "ZeroDivisionError" });
  if (run === "use(x)") says({ type: "error", cell, text: "Traceback ...\\nNameError: name 'x' is not defined" });
  says({ type: "done", cell, ok: !run.startsWith("1 / 0"), count: ++count });
};
"""


class Quiet(SimpleHTTPRequestHandler):
    extensions_map = SimpleHTTPRequestHandler.extensions_map | {".mjs": "text/javascript", ".wasm": "application/wasm"}

    def log_message(self, *words):
        """Nobody listens."""


@contextmanager
def served(folder):
    """The address at which a folder is served."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def cell(name, source, *tags):
    return {"cell_type": "code", "id": name, "source": source.splitlines(keepends=True), "metadata": {"tags": [*tags]}}


def lay_page(folder, cells, monkeypatch):
    """Write a page with these cells below `folder`, with a worker that stands for Python's. Returns its place."""
    monkeypatch.setattr(runtime, "lay", _no_runtime)
    site = LiveSite(folder, [])
    (site.folder / "worker.js").write_text(WORKER, encoding="utf-8")
    element = site.element({"cells": cells}, "page", {"page": ["first-exercise", "second-exercise"]}, False)
    element = re.sub(r'"files":\[.*?\]', '"files":[]', element)
    shown = "".join(CELL.format(source=escape("".join(one["source"]))) for one in cells)
    (folder / "notebooks").mkdir()
    (folder / "notebooks" / "page.html").write_text(PAGE.format(cells=shown, element=element), encoding="utf-8")
    for asset in ASSETS.iterdir():
        (folder / "_static" / asset.name).write_bytes(asset.read_bytes())
    (folder / "labkit-offline.js").write_bytes((folder / "extra" / "labkit-offline.js").read_bytes())
    return "notebooks/page.html"


def _no_runtime(folder, sources):
    folder.mkdir(parents=True)
    for name in (*runtime.CORE, "labkit.bin"):
        (folder / name).write_text(json.dumps(name), encoding="utf-8")
    return {"packages": {"labkit": {"file_name": "labkit.bin", "depends": []}}}
