"""A learner who has no working copy yet, and what `labkit lab` would do for them."""

import sys

import pytest
from small_course import Learner

from labkit.working_copy import places, server


@pytest.fixture
def learner(tmp_path, monkeypatch):
    made = Learner(tmp_path)
    monkeypatch.setattr(places, "originals", lambda: made.course)
    monkeypatch.setenv(places.HOME, str(made.folder))
    monkeypatch.chdir(tmp_path)
    return made


@pytest.fixture
def opened(monkeypatch):
    """What `labkit lab` would open, in place of JupyterLab: (folder, notebook, options)."""
    calls = []
    monkeypatch.setattr(server, "start_jupyterlab", lambda *call: calls.append(call) or 0)
    return calls


@pytest.fixture
def terminal(monkeypatch):
    """Somebody sits at a terminal: `terminal("y")` answers every question from now on, and keeps the questions."""
    asked = []

    def answers(text):
        monkeypatch.setattr(sys, "stdin", type("Terminal", (), {"isatty": lambda self: True})())
        monkeypatch.setattr("builtins.input", lambda question: asked.append(question) or text)
        return asked

    return answers
