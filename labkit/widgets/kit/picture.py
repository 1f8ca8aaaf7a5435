"""The base class of widgets: a scene that is displayed in a notebook, saved as a file, and described in words."""

import base64
from collections.abc import Mapping
from dataclasses import replace
from html import escape
from math import isfinite
from typing import Any

from ...messages.install_hints import how_to_install
from ...messages.wrapping import Prose
from . import moving, still
from .page import document, packed
from .reach import reached
from .scene import Scene, holds, to_json
from .shown import Shown, paints_png, player_installed

MAX_PLAIN = 10_000  # letters; a larger scene is compressed in a saved page
MAX_STILL_MARKS = 20_000  # a saved page holds the still picture of a larger one in words: it would be megabytes
MAX_PNG_MARKS = 1500  # a larger picture takes seconds to paint as PNG; its SVG is enough


class Picture(Shown):
    """The base of all widgets. In a notebook the last expression of a cell shows it; elsewhere `save` it.

    `scene` is what is shown. A subclass sets it, and may answer the reader: with `inputs` and `fill` when a field was filled
    in or a handle dragged, with `respond({"open": part})` when a part was clicked.
    """

    plays_at_once = False  # once, when it comes into view, unless the reader wants little motion

    def __init__(self, scene: Scene):
        self._scene = scene
        self._reached: tuple[Scene, dict[str, float], str] | None = None
        self._player: Any = None

    @property
    def title(self) -> str:
        """The title of the scene."""
        return self._scene.title

    @property
    def scene(self) -> Scene:
        """The picture as data (`labkit.widgets.kit.scene`); setting it changes what is shown. Dials stay where they started,
        but for those that it turns."""
        return self._scene

    @scene.setter
    def scene(self, scene: Scene) -> None:
        before = {(dial.name, len(dial.values)): dial.start for dial in self._scene.dials}
        starts = [scene.turned.get(d.name, before.get((d.name, len(d.values)), d.start)) for d in scene.dials]
        dials = [replace(dial, start=start) for dial, start in zip(scene.dials, starts, strict=True)]
        self._scene = scene = replace(scene, dials=dials)
        if self._player is not None:
            self._player.scene = to_json(scene)
            self._player.rest = self.rest

    @property
    def state(self) -> dict[str, Any]:
        """Where the dials stand, `{name: position}`: in the shown widget, or at the start; with `inputs` as "inputs", where
        there are any. It can be written as JSON, and set: a widget of the same function then shows the same.

        Setting it raises KeyError for what is neither a dial nor an input, ValueError for a position or a number that there is
        not; then nothing has changed. What it does not name stays.
        """
        return self._get_state()

    @state.setter
    def state(self, state: Mapping[str, Any]) -> None:
        self._set_state(state)

    def _get_state(self) -> dict[str, Any]:
        shown: dict[str, int] = self._player.state if self._player is not None else {}
        start = self._scene.start()
        dials: dict[str, Any] = start | {k: v for k, v in shown.items() if k in start}
        return dials | ({"inputs": dict(self.inputs)} if self.inputs else {})

    def _set_state(self, state: Mapping[str, Any]) -> None:
        dials, before = {k: v for k, v in state.items() if k != "inputs"}, dict(self.inputs)
        inputs = self._checked_inputs(dict(state.get("inputs", {})))
        if inputs != before:
            self.fill(inputs)
        try:
            wanted = self._scene.state(**dials)
        except (KeyError, ValueError):
            if inputs != before:
                self.fill(before)
            raise
        at = self._scene.turning({name: self.state[name] for name in wanted}, dials)
        self.scene = replace(self._scene, turned=at)
        if self._player is not None:
            self._player.state = at

    @property
    def rest(self) -> dict[str, Any]:
        """What of `state` is not a dial: inputs, and what else a widget adds. Numbers that JSON has not are texts."""
        dials = self._scene.start()
        rest = {name: value for name, value in self._get_state().items() if name not in dials}
        if "inputs" in rest:
            rest["inputs"] = {name: float(v) if isfinite(v) else str(v) for name, v in rest["inputs"].items()}
        return rest

    def rest_at(self, part: str) -> dict[str, Any]:
        """What of `rest` is another one in the scene that a saved page shows for `part`, one of `alternatives`."""
        return {}

    @property
    def inputs(self) -> Mapping[str, float]:
        """The numbers that the reader may change, by the names of fields."""
        return {}

    def fill(self, inputs: Mapping[str, float], at: Mapping[str, int] | None = None) -> None:
        """Show the same for other inputs, all of them given.

        `at`: the reader is still dragging, and the dials stand there: only what is seen then is needed. Whatever is raised is
        told to the reader, and nothing has changed.
        """
        raise NotImplementedError(f"{type(self).__name__} has no inputs")

    def scene_at(self, inputs: Mapping[str, float]) -> Scene | None:
        """The scene for other inputs, all of them given, for a saved page; what is shown stays. None: there is none."""
        return None

    def _checked_inputs(self, given):
        unknown = [name for name in given if name not in self.inputs]
        if unknown:
            raise KeyError(f"inputs: expected some of {', '.join(self.inputs) or 'none'}, but got {unknown[0]!r}")
        return {name: typed(given[name]) if name in given else value for name, value in self.inputs.items()}

    def turn(self, **dials: int | str) -> None:
        """Turn dials of the shown widget, each to a position or to the name of one."""
        self.player.state = self._scene.turning(self.state, dials)

    def respond(self, message: Mapping[str, Any]) -> None:
        """Answer what the reader did: by default `{"set": {field: number or text}}`, with "at" while a handle is dragged."""
        given = {name: value for name, value in dict(message.get("set", {})).items() if name in self.inputs}
        if not given:
            return
        try:
            self.fill(self._checked_inputs(given), message.get("at"))
        except Exception as error:  # the reader's number, or function: whatever it raises is shown in place
            told = ", ".join(f"{name} = {value}" for name, value in given.items())
            said = str(error) if isinstance(error, NotANumber) else f"{type(error).__name__}: {error}"
            self.scene = replace(self._scene, notice=f"{told}: {said}")

    def hear(self, message: Mapping[str, Any]) -> None:
        """Take a message of the page: `{"state": state}`, which a link asks for, or what `respond` answers."""
        if "state" not in message:
            self.respond(message)
            return
        try:
            self.state = {**message["state"], "inputs": dict(message["state"].get("inputs", {}))}
        except Exception as error:  # the link may be of another day, and the reader's function raise anything
            said = error.args[0] if isinstance(error, KeyError) and error.args else error
            self.scene = replace(self._scene, notice=f"The link does not fit this picture: {said}")

    def alternatives(self) -> dict[str, Scene]:
        """Further scenes that a saved page needs, by the part whose click shows them."""
        return {}

    # ---- still pictures and files ----

    def still_state(self, **dials: int | str) -> dict[str, int]:
        """Where the dials stand in a still picture and in its words, with dials turned."""
        return self._scene.resting(**dials)

    def svg(self, theme: str = "light", **dials: Any) -> str:
        """The picture as plain SVG, with dials turned; `theme` is "light" or "dark"."""
        return still.svg(self._scene, self.still_state(**dials), _check_theme(theme))

    def png(self, theme: str = "light", scale: float = 2.0, **dials: int | str) -> bytes:
        """The picture as PNG, `scale` pixels to a px. Raises ImportError without matplotlib."""
        return still.png(self._scene, self.still_state(**dials), _check_theme(theme), scale)

    def gif(self, theme: str = "light", scale: float = 1.0, **dials: int | str) -> bytes:
        """The picture playing, as GIF: a frame for each position of its slider, from where the dials are turned to on; of a
        slider at its end all of them.

        `scale`: pixels to a px. Raises ValueError for a picture without a slider, ImportError without matplotlib.
        """
        return moving.gif(self._scene, self._scene.state(**dials), _check_theme(theme), scale)

    def describe(self, **dials: Any) -> str:
        """The picture in words."""
        return Prose(still.describe(self._scene, self.still_state(**dials)))

    def html(self, theme: str = "auto", **dials: Any) -> str:
        """A page that plays the scene without Python or network, with dials turned at first.

        `theme`: "light", "dark", or "auto" as the reader's.
        """
        chosen = {"auto": "", "light": " light", "dark": " dark"}[_check_theme(theme, "auto")]
        others = self.alternatives().items()
        scenes = {key: "" if other is self._scene else packed(to_json(other)) for key, other in others}
        scene = packed(to_json(self._scene), MAX_PLAIN)
        held: dict[str, Any] = {"scene": scene, "scenes": scenes, "state": self._scene.state(**dials)}
        held |= {"rest": self.rest, "rests": {part: self.rest_at(part) for part in scenes}}
        if reach := self.reach():
            held["reach"] = reach
        return document(self._scene.title, held | {"plays": self.plays_at_once}, self._unplayed(dials), chosen)

    def reach(self) -> str:
        """What a saved page shows when inputs are dragged (`reach.py`)."""
        known, inputs = self._reached, dict(self.inputs)  # of one scene it is found once, however often it is saved
        if known is None or known[0] is not self._scene or known[1] != inputs:
            found = reached(self._scene, self.inputs, self.scene_at)
            self._reached = known = self._scene, inputs, found
        return known[2]

    def _unplayed(self, dials):
        """What a saved page shows to a reader without scripts: the still picture, or of a very large one what it says."""
        marks = sum(len(panel.marks) for panel in self._scene.panels)
        if marks <= MAX_STILL_MARKS:
            return self.svg("light", **dials)
        words = "<br>".join(escape(line) for line in self.describe(**dials).splitlines())
        return (
            f"<p>{words}</p><p>Drawing its {marks:,} marks takes JavaScript, which this browser does not run here.</p>"
        )

    # ---- in a notebook ----

    @property
    def player(self) -> Any:
        """The Jupyter widget that plays the scene. Raises ImportError without anywidget."""
        if not player_installed():
            raise ImportError(f"a widget that plays needs anywidget: {how_to_install('notebooks')}")
        if self._player is None or self._player.closed:
            from .player import Player

            self._player = Player(self)
        return self._player

    @property
    def writers(self) -> dict[str, Any]:
        """What writes a file, by its ending."""
        return {".svg": self.svg, ".png": self.png, ".gif": self.gif, ".html": self.html}

    def images(self) -> dict[str, Any]:
        """The still picture as PNG, where it can be painted and is not too large."""
        seen = [panel for panel in self._scene.panels if holds(panel.when, self._scene.start())]
        if sum(len(panel.marks) for panel in seen) > MAX_PNG_MARKS or not paints_png():
            return {}
        return {"image/png": base64.b64encode(self.png(scale=1.5)).decode()}


class Still(Picture):
    """A picture without the player: `labkit.show(..., static=True)`."""

    shows_player = False

    def _ipython_display_(self) -> None:
        from IPython.display import display

        data, metadata = self.still_bundle()
        display(data, metadata=metadata, raw=True)


class NotANumber(ValueError):
    """What was typed is not a number that the input can be."""


def typed(given: Any) -> float:
    """The number that was typed, or comes from a handle. Raises NotANumber for other words.

    >>> typed("−2,5"), typed(3)
    (-2.5, 3.0)
    """
    try:
        return float(given.strip().replace("−", "-").replace(",", ".") if isinstance(given, str) else given)
    except (TypeError, ValueError):
        raise NotANumber(f"expected a number, such as -2.5, but got {given!r}") from None


def _check_theme(theme, *more):
    if theme not in ("light", "dark", *more):
        raise ValueError(f"theme: expected {', '.join(map(repr, ('light', 'dark', *more)))}, but got {theme!r}")
    return theme
