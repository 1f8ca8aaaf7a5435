"""Sphinx settings of the site; `build.py` prepares the sources and runs Sphinx.

The site's `conf.py` takes all of them.
"""

import json
import re
from pathlib import Path
from typing import Any

from docutils import nodes

from .. import __version__
from ..palette import PALETTES
from .answers import fold
from .landing import meta
from .reference import MODULES, load

project, author, release = "labkit", "the authors of labkit", __version__
extensions = ["myst_nb", "sphinx.ext.autodoc"]
html_theme = "furo"
html_title = "labkit"
html_static_path = ["_static"]
html_css_files, html_js_files = ["site.css"], ["site.js"]
html_extra_path = ["extra"]  # the README's pictures, where it says that they are
html_favicon = "_static/icon.svg"
html_copy_source = html_show_sourcelink = html_show_copyright = False
html_theme_options = {
    f"{name}_css_variables": {"color-background-primary": PALETTES[name]["page"]} for name in ("light", "dark")
}
exclude_patterns = ["README.md", ".ledger"]
smartquotes = False  # what stands in quotes is often to be typed

nb_execution_mode = "off"  # build.py has run them
nb_mime_priority_overrides = [("html", "text/html", 0)]
myst_heading_anchors = 3
suppress_warnings = ["mystnb.unknown_mime_type"]
myst_enable_extensions = ["dollarmath"]

autodoc_member_order = "bysource"
autodoc_typehints = "none"
autodoc_inherit_docstrings = False
autodoc_default_options = {"imported-members": True}


def as_rst(lines: list[str]) -> None:
    """A docstring in labkit's plain style as reStructuredText: indented text and what is in backticks is code."""
    out: list[str] = []
    in_example = in_code = False
    for before, line in zip(["", *lines], lines, strict=False):
        in_example = line.lstrip().startswith(">>>") or (in_example and bool(line.strip()))
        indented = line.startswith("    ") and not in_example
        if indented and not before.strip() and not any(text.strip() == "::" for text in out[-2:]):
            out += ["::", ""]
        if in_example or indented or not line.strip():
            out.append(line)
            in_code = False
            continue
        pieces = []
        for piece in line.replace("``", "`").split("`"):  # code may go on in the next line
            pieces.append(piece if in_code else escaped(piece))
            in_code = not in_code
        in_code = not in_code  # there is one piece more than there are marks
        out.append("``".join(pieces))
    lines[:] = out


def escaped(words: str) -> str:
    """Words of which no letter means anything to reStructuredText."""
    words = words.replace("\\", "\\\\").replace("*", r"\*").replace("|", r"\|")
    return re.sub(r"(\w)_(?=\W|$)", r"\1\\_", words)


def without_far_pictures(app: Any, doctree: nodes.document) -> None:
    """A page loads nothing from other hosts: of a picture there, its words stay."""
    for picture in list(doctree.findall(nodes.image)):
        if "://" in picture["uri"]:
            picture.replace_self(nodes.Text(picture["alt"]))


def put_around(app: Any, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """A page says what it is where a link to it is shown, and has at its end what makes it live."""
    around = json.loads((Path(app.srcdir) / "around.json").read_text(encoding="utf-8"))
    if "body" in context:
        context["body"] += around["bodies"].get(page, "")
        title = re.sub("<.*?>", "", context.get("title", project))
        context["metatags"] += meta(title, around["said"].get(page, ""), around["site"])


def setup(app: Any) -> None:
    """Take part in what Sphinx does."""
    app.connect("doctree-read", without_far_pictures)
    app.connect("doctree-read", lambda app, doctree: fold(doctree))
    app.connect("builder-inited", lambda app: load(MODULES))
    app.connect("html-page-context", put_around)
    app.connect("autodoc-process-docstring", lambda app, what, name, thing, options, lines: as_rst(lines))
