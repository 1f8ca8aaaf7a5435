"""The kernel of a page: its shell, started in a worker of the browser, which hands messages to and fro as JSON."""

import json
import logging
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from . import standins
from .shell import Shell, set_home

HOME = Path("notebooks")


def start(post: Callable[[str], None], record: str, exercises: Mapping[str, list[str]]) -> Callable[[str], None]:
    """Start a shell in this Python; returns the function that takes what the page says.

    `post` takes a message to the page, `record` is the file of right answers, `exercises` are the names in each notebook. The
    page says `{"run": source, "cell": id}`, or of a model `{"model": id}` with `state` or `content`.
    """
    set_home(HOME, exercises)
    os.environ["MPLBACKEND"] = "agg"
    logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)  # it builds its list of fonts, and says so
    shell = Shell(lambda message: post(json.dumps(message, default=str)))
    standins.install(shell)
    shell.start(record)
    return lambda text: answer(shell, json.loads(text))


def answer(shell: Shell, message: dict[str, Any]) -> None:
    """Do what the page says."""
    if "run" in message:
        shell.run(message["cell"], message["run"])
    elif model := standins.AnyWidget.models.get(message["model"]):
        shell.guarded(lambda: model.told(message))
        for stream in shell.streams:
            stream.flush()
