"""The playground's files: a page, its worker, the player of scenes, and the cases to begin with."""

import json
import shutil
from html import escape
from pathlib import Path

from ..explorer import Explorer
from ..kit.module import HERE as FRAMED
from ..kit.module import module, style
from .presets import presets
from .session import Session

PAGE = Path(__file__).parent / "page"
HOME = (
    '<nav><a href="{home}">labkit</a> <a href="{home}#the-course">The course</a> '
    '<button type="button" id="theme"></button></nav>'
)


def build(into: Path, runtime: str = "../runtime", home: str = "", loads: str = "") -> Path:
    """Write the playground into a folder; returns its page, `index.html`.

    `runtime` is where the page finds the folder that `labkit.live.lay` has filled, from its own address. `home` is the first page
    of a site that it belongs to: the page leads there, and has the theme that was chosen there. `loads`: what is loaded, as a
    sentence, which the page says. All must come from a server: a page opened as a file may load no modules.
    """
    into.mkdir(parents=True, exist_ok=True)
    for name in ("playground.js", "worker.js", "playground.css"):
        shutil.copyfile(PAGE / name, into / name)
    shutil.copyfile(FRAMED / "framing.js", into / "framing.js")
    (into / "player.js").write_text(module(Explorer.path), encoding="utf-8")
    (into / "player.css").write_text(style(Explorer.path), encoding="utf-8")
    offered = presets()
    (into / "presets.json").write_text(json.dumps(offered), encoding="utf-8")
    first = Session().answer(
        {"run": {**offered[0], "inputs": {}}, "seconds": 600.0}
    )  # it stands there while Python is loaded
    (into / "first.json").write_text(json.dumps(first), encoding="utf-8")
    back = HOME.format(home=escape(home)) if home else ""
    page = (PAGE / "index.html").read_text(encoding="utf-8")
    page = page.replace("{runtime}", escape(runtime)).replace("{home}", back).replace("{loads}", escape(loads))
    (into / "index.html").write_text(page, encoding="utf-8")
    return into / "index.html"
