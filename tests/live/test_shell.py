"""The shell of a page: what cells print and show, as messages; IPython's and anywidget's names; packages loaded when imported."""

import json
import sys
import textwrap
from pathlib import Path

import pytest

import labkit
from labkit import check
from labkit.live import standins
from labkit.live.kernel import answer
from labkit.live.shell import NOT_PYTHON, Shell


@pytest.fixture
def shell(monkeypatch, tmp_path):
    """A shell that has taken this Python's place of IPython; `said` is what it has said."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    for name in ("IPython", "IPython.core", "IPython.core.pylabtools", "IPython.display", "anywidget", "__main__"):
        monkeypatch.setitem(sys.modules, name, sys.modules.get(name))
    for name in [name for name in sys.modules if name.startswith("labkit.widgets")]:
        monkeypatch.delitem(sys.modules, name)  # imported again, they find what stands for anywidget
    for name in ("show", "widgets"):
        monkeypatch.delattr(labkit, name, raising=False)
    said = []
    shell = Shell(lambda message: said.append(json.loads(json.dumps(message))))
    shell.said = said
    standins.install(shell)
    shell.start()
    yield shell
    for name in [name for name in sys.modules if name.startswith("labkit.widgets")]:
        del sys.modules[name]
    for name in ("show", "widgets"):
        vars(labkit).pop(name, None)


def run(shell, source, cell="a"):
    """What is said while a cell runs."""
    shell.said.clear()
    answer(shell, {"run": textwrap.dedent(source), "cell": cell})
    return list(shell.said)


def test_what_is_printed_and_the_last_value_are_said_in_their_order(shell):
    said = run(shell, "x = 3\nprint('one')\nx * 2")
    assert [one["type"] for one in said] == ["stream", "display", "done"]
    assert said[0]["text"] == "one\n" and said[1]["data"] == {"text/plain": "6"} and said[2]["ok"]
    assert run(shell, "_ + x")[0]["data"] == {"text/plain": "9"}


@pytest.mark.parametrize("source", ["5;", "5; # it is hushed", "x = 5", "", "# nothing"])
def test_what_shows_nothing(shell, source):
    assert [one["type"] for one in run(shell, source)] == ["done"]


def test_an_error_is_told_from_the_learners_line_on(shell):
    said = run(shell, "def half(x):\n    return x / 0\n\n1 + half(2)")
    assert said[0]["text"].splitlines()[:4] == [
        "Traceback (most recent call last):", "  Cell In[1], line 4, in <module>", "    1 + half(2)", "        ^^^^^^^",
    ]  # fmt: skip
    assert said[0]["text"].endswith("ZeroDivisionError: division by zero") and not said[-1]["ok"]


def test_a_slip_of_spelling_is_told_without_pythons_own_lines(shell):
    text = run(shell, "def f(:\n    pass")[0]["text"]
    assert text.splitlines()[0] == "  Cell In[1], line 1" and text.endswith("SyntaxError: invalid syntax")


@pytest.mark.parametrize("line", ["%timeit 1 + 1", "!ls", "print?"])
def test_lines_of_ipython_say_that_they_are_not_python(shell, line):
    assert run(shell, line)[0]["text"].endswith(NOT_PYTHON)


def test_a_right_answer_is_recorded_and_known_after_a_restart(shell):
    wrong, right = (
        run(shell, f"from labkit import check\ncheck('start-shapes', {answer})")
        for answer in ([(1,)] * 4, [(2, 3), (3,), (2, 3), ()])
    )
    assert "record" not in [one["type"] for one in wrong] and "not yet" in wrong[0]["data"]["text/plain"]
    assert "start-shapes" in json.loads(right[-2]["text"])["answers"] and check.__module__
    again = Shell(shell.said.append)
    again.start(right[-2]["text"])
    assert "start-shapes" in json.loads(Path(".labkit-progress.json").read_text())["answers"]


def test_a_widget_follows_the_page_and_the_page_follows_it(shell):
    said = run(shell, "import labkit\nlabkit.show(lambda x: x * x, 3.0)")
    opened = next(one for one in said if one["type"] == "open")
    assert "render" in opened["esm"] and opened["state"]["data"]["ways"]
    assert {"model_id": opened["model"], "version_major": 2, "version_minor": 0} in [
        one["data"].get(standins.WIDGET) for one in said if one["type"] == "display"
    ]
    shell.said.clear()
    model = standins.AnyWidget.models[opened["model"]]
    answer(shell, {"model": opened["model"], "state": {"step": 2, "inputs": {"x": 5.0}}})
    assert model.step == 2 and shell.said == []  # what the page says is not told to it again
    assert "25" in model.describe(step=1)


def test_a_widget_made_without_a_page_has_only_its_values(monkeypatch):
    monkeypatch.setattr(standins.AnyWidget, "shell", None)
    monkeypatch.setattr(standins.AnyWidget, "models", {})
    assert standins.AnyWidget().comm is None and not standins.AnyWidget.models


def test_a_cell_that_runs_again_closes_the_widget_of_before(shell):
    first = next(
        one["model"] for one in run(shell, "import labkit\nlabkit.show(lambda x: x * x, 3.0)") if "model" in one
    )
    again = run(shell, "labkit.show(lambda x: x * x, 4.0)")
    assert [one["model"] for one in again if one["type"] == "close"] == [first]
    assert first not in standins.AnyWidget.models


def test_anybodys_widget_has_its_messages(shell):
    run(shell, """
        import anywidget, traitlets
        class Counter(anywidget.AnyWidget):
            _esm = "export default { render() {} }"
            value = traitlets.Int(1).tag(sync=True)
        counter = Counter(value=2)
        heard = []
        counter.on_msg(lambda widget, content, buffers: heard.append(content))
    """)  # fmt: skip
    opened = shell.said[0]
    assert opened["state"] == {"value": 2}
    answer(shell, {"model": opened["model"], "content": "ping"})
    said = run(shell, "counter.value += 1\ncounter.send('pong')\nheard")
    assert [one.get("state") or one.get("content") for one in said[:2]] == [{"value": 3}, "pong"]
    assert said[2]["data"]["text/plain"] == "['ping']"


def test_matplotlib_draws_without_jupyter_and_what_pyplot_drew_is_shown(shell):
    said = run(shell, "import matplotlib.pyplot as plt\n_ = plt.plot([1, 2])")
    assert [one["type"] for one in said] == ["display", "done"] and said[0]["data"]["image/png"]
    said = run(shell, "from labkit.widgets import plot\nwith plot('A line.') as ax:\n    _ = ax.plot([1, 2])")
    assert said[0]["data"]["text/plain"] == "A line." and "data-labkit" in said[0]["data"]["text/html"]
