"""The playground's files: a page, its worker, the player of scenes, and the cases to begin with."""

import ast
import inspect
import json
import re
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterator
from html import escape
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from ...cases import CASES
from ..explorer import Explorer
from ..kit.module import HERE as FRAMED
from ..kit.module import module, style
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


MODULE = {"mindspore": "ms", "torch": "torch"}
_ANNOTATED = re.compile(r"\) -> [^:\n]+:$", re.MULTILINE)
FIRST = [
    {"name": "one neuron", "dialect": "numpy", "source": "tanh(x*w + b)**2"},
    {"name": "a name used twice", "dialect": "numpy", "source": "h = tanh(w * x)\nerror = h - x\nerror**2"},
    {"name": "a sum over examples", "dialect": "numpy", "source": "def loss(w, x=np.array([1.0, 2.0]), y=np.array([2.0, 3.0])):\n"
     "    error = w * x - y\n    return np.mean(error**2)"},
]  # fmt: skip


def presets() -> list[dict[str, str]]:
    """What the page offers: `name`, `dialect` and `source` of each.

    >>> [preset["name"] for preset in presets()][:3]
    ['one neuron', 'a name used twice', 'a sum over examples']
    """
    return FIRST + [
        {"name": case.name, "dialect": dialect, "source": whole(program, MODULE[dialect]), "title": case.shows}
        for case in CASES
        for dialect, program in case.programs.items()
    ]


def whole(program: Callable, module: str) -> str:
    """The source of a case's program with all that it needs, and a line that calls it with the dialect's module."""
    parts = list(_needed(program.__name__, program, {}))
    imports = sorted({line for line in parts if line.startswith(("import ", "from "))})
    settings = [text for text in parts if text not in imports and "\n" not in text]
    code = [text for text in parts if "\n" in text]
    head = "\n".join([*imports, *settings])
    return "\n\n\n".join([*filter(None, [head]), *code, f"print({program.__name__}({module}))"])


def _needed(name: str, thing: Any, seen: dict[str, Any]) -> Iterator[str]:
    """The source of what is called `name`, after that of the other names that it uses."""
    seen[name] = thing
    source, space = _source(name, thing), {}
    if "\n" in source:
        space = dict(vars(sys.modules[thing.__module__]))
        if isinstance(thing, FunctionType) and thing.__closure__:
            cells = (cell.cell_contents for cell in thing.__closure__)
            space |= dict(zip(thing.__code__.co_freevars, cells, strict=True))
        for used in dict.fromkeys(node.id for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name)):
            if used in space and used not in seen:
                yield from _needed(used, space[used], seen)
    yield source


def _source(name, thing):
    if isinstance(thing, ModuleType):
        return f"import {thing.__name__} as {name}"
    home = getattr(thing, "__module__", None)
    if home and not home.startswith(("labkit.cases", "labkit.data")):
        return f"from {home} import {name}"
    if isinstance(thing, (FunctionType, type)):
        return _ANNOTATED.sub("):", textwrap.dedent(inspect.getsource(thing)).rstrip())
    return f"{name} = {thing!r}"
