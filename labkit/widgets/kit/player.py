"""The Jupyter widget that plays a scene: an anywidget model whose JavaScript is in `page/`."""

import secrets
from typing import Any

import anywidget
import traitlets

from .page import script, style
from .scene import to_json

_shown: dict[str, tuple[Any, list["Player"]]] = {}  # cell -> its execution, the widgets it shows


class Player(anywidget.AnyWidget):
    """The model behind one picture. `state` follows the dials in the page, and turns them when it is set."""

    _esm = script()
    _css = style()
    scene = traitlets.Dict().tag(sync=True)
    scenes = traitlets.Dict().tag(sync=True)
    state = traitlets.Dict().tag(sync=True)
    rest = traitlets.Dict().tag(sync=True)
    live = traitlets.Bool(True).tag(sync=True)
    plays = traitlets.Bool(False).tag(sync=True)
    still = traitlets.Unicode().tag(sync=True)

    def __init__(self, picture):
        scene = picture.scene
        still = f"still-{secrets.token_hex(8)}"
        super().__init__(
            scene=to_json(scene), state=scene.start(), rest=picture.rest, still=still, plays=picture.plays_at_once
        )
        self.on_msg(lambda _, content, buffers: self._answer(picture, content))  # while it is shown, the picture lives

    def _answer(self, picture, message):
        """Also where the scene stays as it is, the page hears that Python has answered."""
        picture.hear(message)
        self.rest = picture.rest
        self.send({"answered": True})

    @property
    def closed(self) -> bool:
        """Whether it can be shown no more."""
        return self.comm is None

    def close(self) -> None:
        """Close it, and the layout that every Jupyter widget brings along."""
        if not self.closed:
            self.layout.close()
        super().close()

    @property
    def output(self) -> dict[str, Any]:
        """What a notebook output says to show this widget."""
        return {"model_id": self.model_id, "version_major": 2, "version_minor": 0}


def close_previous(player: Player, shell: Any) -> None:
    """Close the widgets that only earlier executions of the running cell have shown: their output is gone."""
    parent = getattr(shell, "parent_header", None) or {}
    parent = shell.get_parent() if hasattr(shell, "get_parent") else parent
    cell, execution = (parent.get("metadata") or {}).get("cellId"), (parent.get("header") or {}).get("msg_id")
    if not cell:
        return
    before, players = _shown.get(cell, (execution, []))
    gone, players = (players, []) if before != execution else ([], players)
    _shown[cell] = execution, [*players, player]
    shown = [player for _, players in _shown.values() for player in players]
    for old in gone:
        if old not in shown:
            old.close()
