"""Replacements for IPython and anywidget on a page without Jupyter.

`IPython.get_ipython` and `IPython.display.display` are those of the page's shell. `anywidget.AnyWidget` is a model whose
traits with `sync=True` follow the page's copy of it: the page runs its JavaScript as Jupyter would.
"""

import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import traitlets

from .shell import Shell

VERSION = 9, 0, 0  # of the IPython whose names these are; matplotlib asks
WIDGET = "application/vnd.jupyter.widget-view+json"


def install(shell: Shell) -> None:
    """Make `import IPython` and `import anywidget` find what stands for them on this page."""
    ipython, display = _module("IPython"), _module("IPython.display")
    vars(ipython).update(get_ipython=lambda: shell, display=display, __path__=[], version_info=VERSION)
    vars(display).update(display=shell.display, **{kind.__name__: kind for kind in (HTML, SVG, Image, Markdown)})
    core, tools = _module("IPython.core"), _module("IPython.core.pylabtools")  # matplotlib looks for what they have not
    vars(core).update(__path__=[], pylabtools=tools)
    vars(tools).update(backend2gui={})
    AnyWidget.shell = shell
    vars(_module("anywidget")).update(AnyWidget=AnyWidget)


def _module(name):
    from importlib.machinery import ModuleSpec

    module = sys.modules[name] = ModuleType(name, "Its replacement on a page without Jupyter.")
    module.__spec__ = ModuleSpec(name, None)  # importlib.util.find_spec asks for it
    return module


class _Shown:
    """Data of one MIME type, to be shown."""

    kind = "text/plain"

    def __init__(self, data: Any) -> None:
        self.data = data

    def _repr_mimebundle_(self) -> dict[str, Any]:
        import base64

        return {self.kind: base64.b64encode(self.data).decode() if isinstance(self.data, bytes) else self.data}


class HTML(_Shown):
    """Text that is HTML."""

    kind = "text/html"


class Markdown(_Shown):
    """Text that is Markdown; the page shows it as it is written."""

    kind = "text/markdown"


class SVG(_Shown):
    """Text that is an SVG picture."""

    kind = "image/svg+xml"


class Image(_Shown):
    """A PNG picture, as bytes."""

    kind = "image/png"


class AnyWidget(traitlets.HasTraits):
    """A model with a view in the page: `_esm` is its JavaScript, `_css` its style, each a text or a file.

    Without the shell of a page, it only has its values.
    """

    shell: Any = None
    models: dict[str, "AnyWidget"] = {}
    _numbers = count(1)
    _esm: Any = ""
    _css: Any = ""

    def __init__(self, **values: Any) -> None:
        super().__init__(**values)
        self.comm: object | None = None
        if self.shell is None:
            return
        self.model_id, self.layout = f"model-{next(self._numbers)}", SimpleNamespace(close=lambda: None)
        self.comm = object()
        self._told: dict[str, Any] = {}
        self._listeners: list[Callable[[Any, Any, list[Any]], None]] = []
        self._cell = self.shell.cell
        self.models[self.model_id] = self
        state = {name: getattr(self, name) for name in self.traits(sync=True)}
        self._say("open", esm=_text(self._esm), css=_text(self._css), state=state)
        self.observe(self._changed, names=list(state))

    def _say(self, kind, **more):
        self.shell.say(kind, model=self.model_id, **more)

    def _changed(self, change):
        if self.comm is not None and self._told.get(change["name"]) != change["new"]:
            self._say("update", state={change["name"]: change["new"]})

    def on_msg(self, callback: Callable[[Any, Any, list[Any]], None], remove: bool = False) -> None:
        """Call `callback(self, content, buffers)` when the page sends something."""
        if remove:
            self._listeners.remove(callback)
        else:
            self._listeners.append(callback)

    def send(self, content: Any, buffers: Any = None) -> None:
        """Send something to the page's copy of this model."""
        self._say("custom", content=content)

    def close(self) -> None:
        """End it: the page forgets it."""
        if self.comm is not None:
            self.comm = None
            self.models.pop(self.model_id, None)
            self._say("close")

    def told(self, message: dict[str, Any]) -> None:
        """What the page's copy says: new values of traits, or a message of its own."""
        self.shell.cell = self._cell
        if "state" in message:
            self._told = message["state"]
            for name, value in self._told.items():
                setattr(self, name, value)
            self._told = {}
        else:
            for listener in list(self._listeners):
                listener(self, message["content"], [])

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        return {WIDGET: {"model_id": self.model_id, "version_major": 2, "version_minor": 0}}


def _text(given):
    is_file = isinstance(given, Path) or (
        isinstance(given, str) and "\n" not in given and given.endswith((".js", ".css"))
    )
    return Path(given).read_text(encoding="utf-8") if is_file else str(given)
