"""Labs that compute in the page: the JavaScript that they share, and a page that holds one of them.

A lab is one module whose default export is `{ render({ model, el }) }`, as anywidget defines it. `kit.js` and the module are put
one after the other when they are used, so neither imports anything.
"""

import json
import re
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from ....palette import PALETTES

# Pages that say they are dark: JupyterLab, VS Code, and the course's own site.
DARK = ('[data-jp-theme-light="false"]', ".vscode-dark", '[data-theme="dark"]')
HERE = Path(__file__).parent
_LINE_COMMENT = re.compile(r"""^\s*//.*\n|[ ]+// [^"'`\n]*$""", re.MULTILINE)
_AROUND = re.compile(r"\s*([{};,])\s*")  # of style sheets: spaces without a meaning
_INDENT = re.compile(r"^\s+", re.MULTILINE)
_EXPORT = re.compile(r"^export (?!default)", re.MULTILINE)


@cache
def module(path: Path) -> str:
    """The JavaScript of a lab with that of the kit, without comments and indentation."""
    return "\n".join(map(_shortened, (HERE / "primitives.js", HERE / "kit.js", path)))


def _shortened(path):
    return _EXPORT.sub("", _INDENT.sub("", _LINE_COMMENT.sub("", _read(path))))


@cache
def style(path: Path | None = None) -> str:
    """The style sheet of all labs, and that next to the module of one, if there is any."""
    own = path.with_suffix(".css") if path else HERE / "kit.css"
    more = _read(own) if path and own.exists() else ""
    return _AROUND.sub(r"\1", "\n".join((palettes(), _read(HERE / "kit.css"), more))).replace(": ", ":")


def _read(path):
    return path.read_text(encoding="utf-8")


def document(title: str, path: Path, values: dict[str, Any], still: str, chosen: str = "") -> str:
    """A whole page of a lab: `values` is what its model holds, `still` what readers without scripts see, `chosen` a class."""
    known = json.dumps(values, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
    return _HTML.format(
        title=escape(title), css=style(path), chosen=chosen, values=known, still=still, settle=_shortened(HERE / "framing.js"),
        script=module(path).replace("export default", "const lab ="),
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
<script type="application/json" id="values">{values}</script>
<script type="module">
const file = `<!doctype html>\n${{document.documentElement.outerHTML}}`; // before anything is drawn
{settle}
{script}
const values = JSON.parse(document.getElementById("values").textContent), stage = document.getElementById("stage");
const listening = [];
const model = {{
  get: (name) => values[name],
  set(name, value) {{ values[name] = value; for (const [event, heard] of listening) if (event === `change:${{name}}`) heard(); }},
  on: (event, heard) => listening.push([event, heard]), off() {{}}, save_changes() {{}}, send() {{}},
  page: () => file.replace(/(id="values">)[^]*?(?=<\\/script>)/,
    (_, begun) => begun + JSON.stringify(values).replaceAll("<", "\\u003c")),
}};
settle(stage);
lab.render({{ model, el: stage }});
</script>
</body>
</html>
"""


def palettes() -> str:
    """The palettes as CSS: custom properties, light or dark as the page is."""
    dark = _properties("dark")
    return "\n".join([
        f".labkit, .alone {{{_properties('light')}}}",
        f"{', '.join(f'{page} .labkit' for page in DARK)}, .alone.dark, .alone.dark .labkit {{{dark}}}",
        f"@media (prefers-color-scheme: dark) {{.alone:not(.light), .alone:not(.light) .labkit {{{dark}}}}}",
    ])  # fmt: skip


def _properties(theme):
    return f"color-scheme:{theme};" + "".join(f"--lk-{name}:{colour};" for name, colour in PALETTES[theme].items())
