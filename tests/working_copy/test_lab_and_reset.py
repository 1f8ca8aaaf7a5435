"""`labkit lab` and `labkit reset`, up to the moment when JupyterLab would start."""

import json
import os
import sys
from pathlib import Path

import pytest
from small_course import text

from labkit import cli
from labkit.messages.install_hints import how_to_install
from labkit.working_copy import places, server
from labkit.working_copy.server import CONFIG, IN_HOME, arguments, variables

WRITTEN = 'answer = 7\ncheck("sum", answer)'


def answered(learner, **dates):
    entries = {name: {"points": 1, "date": f"2026-01-{day:02}", "hints": 0} for name, day in dates.items()}
    (learner.folder / places.RECORD).write_text(json.dumps({"answers": entries}))


def edited_and_newer(learner):
    learner.copy().lay()
    learner.answer("00_start.ipynb", "sum", WRITTEN)
    learner.publish("00_start", text("# Better"), *json.loads((learner.course / "00_start.ipynb").read_text())["cells"])


# ---- lab ----


def test_lab_opens_the_first_notebook_of_a_new_working_copy(learner, opened):
    assert cli.main(["lab", "--no-browser"]) == 0
    assert opened == [(learner.folder, "00_start.ipynb", ["--no-browser"])]
    assert (learner.folder / "01_more.ipynb").is_file()


@pytest.mark.parametrize(
    "dates, notebook",
    [
        ({"sum": 1}, "00_start.ipynb"),
        ({"sum": 1, "product": 2}, "01_more.ipynb"),
        ({"slope": 1}, "00_start.ipynb"),
        ({"sum": 1, "product": 2, "slope": 3}, "00_start.ipynb"),
        ({"of-tomorrow": 9}, "00_start.ipynb"),
    ],
)
def test_lab_opens_the_next_notebook_that_is_not_finished(learner, opened, dates, notebook):
    learner.copy().lay()
    answered(learner, **dates)
    assert cli.main(["lab"]) == 0 and opened[0][1] == notebook


def test_a_damaged_record_is_told_and_kept_aside(learner, opened, capsys):
    learner.copy().lay()
    (learner.folder / places.RECORD).write_text("half")
    assert cli.main(["lab"]) == 0 and opened[0][1] == "00_start.ipynb"
    assert "was damaged" in capsys.readouterr().out
    assert learner.content()[".labkit-progress.old-1.json"] == b"half"


def test_another_folder_is_another_working_copy(learner, opened, tmp_path):
    assert cli.main(["lab", "--folder", str(tmp_path / "other")]) == 0
    assert opened[0][0] == tmp_path / "other" and not learner.folder.exists()


def test_a_newer_course_is_told_where_nobody_can_be_asked(learner, opened, capsys, monkeypatch):
    edited_and_newer(learner)
    before = learner.content()
    monkeypatch.setattr("builtins.input", lambda question: pytest.fail("asked"))
    assert cli.main(["lab"]) == 0 and opened
    assert "labkit reset 00_start --keep-answers" in capsys.readouterr().out
    assert learner.content() == before


def test_a_newer_course_is_taken_with_the_answers(learner, opened, terminal):
    edited_and_newer(learner)
    before = learner.content()["00_start.ipynb"]
    assert len(terminal("y")) == 0 and cli.main(["lab"]) == 0
    assert "".join(learner.read("00_start.ipynb")["cells"][0]["source"]) == "# Better"
    assert WRITTEN in [cell["source"] for cell in learner.read("00_start.ipynb")["cells"]]
    assert learner.content()["00_start.old-1.ipynb"] == before


def test_a_newer_course_that_is_not_wanted_is_asked_about_once(learner, opened, terminal, capsys):
    edited_and_newer(learner)
    before, asked = learner.content(), terminal("")
    assert [cli.main(["lab"]) for _ in range(2)] == [0, 0]
    assert len(asked) == 1 and learner.content() == before
    assert capsys.readouterr().out.count("labkit reset 00_start --keep-answers") == 2


def test_ctrl_c_at_the_question_changes_nothing(learner, opened, terminal, monkeypatch):
    edited_and_newer(learner)
    terminal("y")
    monkeypatch.setattr("builtins.input", lambda question: (_ for _ in ()).throw(KeyboardInterrupt))
    before = learner.content()
    assert cli.main(["lab"]) == 130 and not opened and learner.content() == before


def test_what_cannot_be_read_is_told(learner, opened, capsys):
    learner.copy().lay()
    (learner.folder / "01_more.ipynb").write_text("{")
    assert cli.main(["lab"]) == 0 and opened
    printed = capsys.readouterr().out
    assert "01_more.ipynb is damaged" in printed and "labkit reset 01_more" in printed


@pytest.mark.parametrize("command", [["lab"], ["reset", "0"]])
def test_a_folder_that_cannot_be_one_is_refused_with_its_name(learner, opened, tmp_path, capsys, command):
    (tmp_path / "file").write_text("text")
    for folder in (tmp_path / "file", tmp_path / "file" / "inner", learner.course):
        assert cli.main([*command, "--folder", str(folder)]) == 2
        assert str(folder) in capsys.readouterr().err and not opened
    assert (tmp_path / "file").read_text() == "text"


def test_a_folder_that_cannot_be_written_is_refused(learner, opened, capsys, monkeypatch):
    def refuse(source, target):
        raise PermissionError(13, "Permission denied", str(target))

    monkeypatch.setattr(os, "replace", refuse)
    assert cli.main(["lab"]) == 2 and not opened
    said = capsys.readouterr().err
    assert "00_start.ipynb' cannot be used: Permission denied" in said and "--folder FOLDER" in said
    assert learner.content() == {}


def test_lab_without_notebooks_or_without_jupyterlab_says_what_to_do(learner, opened, capsys, monkeypatch):
    monkeypatch.setattr(places, "originals", lambda: None)
    assert cli.main(["lab"]) == 2 and "Clone the repository" in capsys.readouterr().err
    monkeypatch.setattr(places, "originals", lambda: learner.course)
    monkeypatch.setattr("labkit.commands._shared.find_spec", lambda name: None)
    assert cli.main(["lab"]) == 2 and how_to_install("notebooks") in capsys.readouterr().err
    assert not opened and not learner.folder.exists()


@pytest.mark.parametrize("name", ["1", "01", "more", "01_more", "some/where/01_more.ipynb"])
def test_lab_opens_the_notebook_that_is_named(learner, opened, name):
    assert cli.main(["lab", name]) == 0 and opened[0][1] == "01_more.ipynb"


@pytest.mark.parametrize("command", ["lab", "progress"])
def test_a_misspelt_notebook_gets_a_suggestion(learner, opened, capsys, command):
    learner.copy().lay()
    assert cli.main([command, "moer"]) == 2 and "Did you mean 'more'" in capsys.readouterr().err and not opened


def test_a_value_of_an_option_of_jupyterlab_is_no_notebook(learner, opened, capsys):
    assert cli.main(["lab", "--port", "9999"]) == 2 and "--port=9999" in capsys.readouterr().err
    assert cli.main(["lab", "--port=9999", "1"]) == 0 and opened == [(learner.folder, "01_more.ipynb", ["--port=9999"])]


def test_a_folder_with_other_files_is_refused_and_left_as_it_is(learner, opened, tmp_path, capsys):
    (tmp_path / "theses").mkdir()
    (tmp_path / "theses" / "mine.tex").touch()
    assert cli.main(["lab", "--folder", str(tmp_path / "theses")]) == 2 and not opened
    assert "holds other files, such as 'mine.tex'" in capsys.readouterr().err
    assert os.listdir(tmp_path / "theses") == ["mine.tex"]


def test_a_working_copy_that_cannot_be_written_any_more_is_refused(learner, opened, capsys, monkeypatch):
    learner.copy().lay()
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    assert cli.main(["lab"]) == 2 and not opened
    assert f"'{learner.folder}' cannot be written. Choose another folder with --folder" in capsys.readouterr().err


# ---- reset ----


@pytest.mark.parametrize("name", ["0", "00", "00_start", "00_start.ipynb", "some/where/00_start.ipynb"])
def test_reset_knows_a_notebook_by_number_name_and_path(learner, name, capsys):
    learner.copy().lay()
    learner.answer("00_start.ipynb", "sum", WRITTEN)
    answered(learner, sum=1)
    assert cli.main(["reset", name]) == 0
    assert "kept as 00_start.old-1.ipynb" in capsys.readouterr().out
    assert WRITTEN not in (learner.folder / "00_start.ipynb").read_text()
    assert "sum" in (learner.folder / places.RECORD).read_text()


def test_reset_carries_answers_over_when_asked(learner, capsys):
    edited_and_newer(learner)
    assert cli.main(["reset", "0", "--keep-answers"]) == 0
    assert "Answers carried over: sum\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    "name, words",
    [("00_strat", "Did you mean '00_start'"), ("7", "`labkit progress` lists them."), ("²", "lists them.")],
)
def test_reset_of_an_unknown_notebook_changes_nothing(learner, name, words, capsys):
    learner.copy().lay()
    before = learner.content()
    assert cli.main(["reset", name]) == 2 and words in capsys.readouterr().err
    assert learner.content() == before


def test_reset_where_there_is_no_working_copy(learner, capsys):
    assert cli.main(["reset", "0"]) == 2 and "To create one: labkit lab" in capsys.readouterr().err
    assert not learner.folder.exists()


# ---- what JupyterLab is started with ----


def test_jupyterlab_opens_the_notebook_on_a_free_port_and_prints_warnings_only(tmp_path):
    given = arguments(tmp_path, "01 more.ipynb")
    assert "--LabApp.default_url=/lab/workspaces/labkit/tree/01%20more.ipynb" in given
    assert any(part.startswith("--port=") for part in given) and "--Application.log_level=WARN" in given


@pytest.mark.parametrize("option", ["--port=8899", "--ServerApp.port=8899", "--LabApp.default_url=/lab"])
def test_what_the_learner_says_is_said_once(tmp_path, option):
    name = option.split("=")[0].split(".")[-1].lstrip("-")
    assert [part for part in arguments(tmp_path, "a.ipynb", [option]) if name in part] == [option]


def test_terminals_and_kernels_find_labkit_and_this_python_first(tmp_path):
    told = variables(tmp_path, {"PATH": "/usr/bin", "JUPYTER_CONFIG_PATH": "/etc/mine", "LANG": "C"})
    path = told["PATH"].split(os.pathsep)
    assert path[0] == os.path.dirname(sys.executable) and path[-1] == "/usr/bin"
    assert told["JUPYTER_CONFIG_PATH"] == f"{CONFIG}{os.pathsep}/etc/mine"
    assert (told["LANG"], told[places.HOME]) == ("C", str(tmp_path.resolve()))


def test_where_the_home_folder_cannot_be_written_jupyter_writes_into_the_working_copy(tmp_path):
    given = variables(tmp_path, {"HOME": str(tmp_path / "none"), "IPYTHONDIR": "/mine"})
    assert given["IPYTHONDIR"] == "/mine"
    assert all(tmp_path in Path(given[name]).parents for name in IN_HOME.keys() - {"IPYTHONDIR"})
    assert not IN_HOME.keys() & variables(tmp_path, {"HOME": str(tmp_path)}).keys()


def test_a_second_lab_opens_the_notebook_in_the_one_that_runs(tmp_path, monkeypatch, capsys):
    """Not in one on another folder, nor in one that was killed and has left its file."""
    running = [("http://other/", tmp_path / "other"), ("http://killed/", tmp_path), ("http://localhost/", tmp_path)]
    found = [{"root_dir": str(folder), "url": url, "token": "t"} for url, folder in running]
    seen = []
    monkeypatch.setattr(server, "answers", lambda url: url != "http://killed/")
    monkeypatch.setattr(server.webbrowser, "open", seen.append)
    monkeypatch.setattr("jupyter_server.serverapp.list_running_servers", lambda: found)
    monkeypatch.setattr(os, "environ", {**os.environ})
    assert server.start_jupyterlab(tmp_path, "01_more.ipynb") == 0
    (url,) = seen
    assert url == "http://localhost/lab/workspaces/labkit/tree/01_more.ipynb?token=t"
    assert f"already running on this folder: {url}\n" in capsys.readouterr().out
    assert server.start_jupyterlab(tmp_path, "01_more.ipynb", ["--no-browser"]) == 0 and seen == [url]


def test_without_a_path_none_is_made_up(tmp_path):
    assert "" not in variables(tmp_path, {})["PATH"].split(os.pathsep)
