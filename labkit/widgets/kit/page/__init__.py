"""Plays a scene in a browser: JavaScript, a style sheet, and a page that holds both."""

import json
import re
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from .. import theme
from .packing import packed as packed

PAGE = Path(__file__).parent


IMPORT = re.compile(r"""^import .* from "\./(?P<name>\w+\.js)";\n""", re.MULTILINE)
EXPORT = re.compile(r"^export (?!default)", re.MULTILINE)


@cache
def script(name: str = "render.js") -> str:
    """A module of the page's JavaScript in one text with what it imports, each after those that it needs."""
    found: dict[str, str] = {}
    _collect(name, found)
    return "\n".join(found.values())


def _collect(name: str, found: dict[str, str]) -> None:
    text = (PAGE / name).read_text(encoding="utf-8")
    for imported in IMPORT.finditer(text):
        if imported["name"] not in found:
            _collect(imported["name"], found)
    found[name] = EXPORT.sub("", IMPORT.sub("", text))


@cache
def style() -> str:
    """The page's style sheet."""
    return theme.css() + "\n" + (PAGE / "player.css").read_text(encoding="utf-8")


def document(title: str, data: dict[str, Any], still: str, chosen: str = "") -> str:
    """A whole page that plays a scene: `data` is what it knows, `still` what readers without scripts see, an SVG or text,
    `chosen` a class."""
    known = json.dumps(data, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
    return _HTML.format(
        title=escape(title), css=style(), chosen=chosen, data=known, still=still,
        script=script().replace("export default", "const player ="),
    )  # fmt: skip


_HTML = """<!doctype html>
<html lang="en" class="alone{chosen}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
body {{ margin: 0; }}
{css}
</style>
</head>
<body>
<main id="stage"><noscript>{still}</noscript></main>
<script type="application/json" id="data">{data}</script>
<script type="module">
{script}
const data = JSON.parse(document.getElementById("data").textContent), stage = document.getElementById("stage");
try {{
  if (typeof data.scene === "string") data.scene = await unpacked(data.scene);
  if (data.reach) data.reach = await unpacked(data.reach);
}} catch {{
  stage.innerHTML = stage.textContent; // a browser that cannot unpack it shows the still picture
}}
player.settle(stage);
const values = {{ ...data, live: false, still: "" }};
const model = {{
  get: (name) => values[name], set() {{}}, save_changes() {{}}, on() {{}}, off() {{}}, send() {{}},
}};
if (typeof data.scene !== "string") player.render({{ model, el: stage }});
</script>
</body>
</html>
"""
