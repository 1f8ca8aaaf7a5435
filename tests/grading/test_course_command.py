"""`labkit course`: from nothing to a course that is ready, and clear words on the way."""

import os
import subprocess
import sys

import pytest

from labkit.cli import main


@pytest.fixture
def folder(tmp_path):
    assert main(["course", "new", str(tmp_path / "mine")]) == 0
    return tmp_path / "mine"


def test_new_build_check(folder, capsys):
    assert main(["course", "check", str(folder)]) == 1
    assert "Run: labkit course build" in capsys.readouterr().out
    assert main(["course", "build", str(folder)]) == 0
    assert main(["course", "check", str(folder)]) == 0
    assert "Assignments: 5." in capsys.readouterr().out


def test_build_for_students(folder, tmp_path, capsys):
    (tmp_path / "roster.csv").write_text("id\nada\nbob\n")
    toml = (folder / "course.toml").read_text()
    (folder / "course.toml").write_text(toml.replace('# roster = "roster.csv"', 'roster = "../roster.csv"'))
    assert main(["course", "build", str(folder)]) == 0
    assert "one for each of 2 students" in capsys.readouterr().out
    personal = {path.relative_to(folder).as_posix() for path in folder.glob("personal/*/*/*")}
    assert personal == {f"personal/{s}/{a}/{a}.ipynb" for s in ("ada", "bob") for a in ("vectors", "frameworks")}


def test_the_folder_is_here_if_not_given(folder, monkeypatch):
    monkeypatch.chdir(folder)
    assert main(["course", "build"]) == 0
    assert (folder / "release" / "slopes" / "slopes.ipynb").exists()


@pytest.mark.parametrize(
    "arguments, said",
    [
        (["new", "."], "already exists"),
        (["build", "nowhere"], "Make a course: labkit course new FOLDER"),
        (["check", "nowhere"], "Make a course: labkit course new FOLDER"),
    ],
)
def test_what_cannot_be_done_is_told(arguments, said, folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    assert main(["course", *arguments]) == 1
    assert said in capsys.readouterr().err


def test_each_problem_of_course_toml_has_its_line(folder, capsys):
    (folder / "course.toml").write_text('title = ""\nseed = "x"\n')
    assert main(["course", "check", str(folder)]) == 1
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 3 and all(line.startswith("labkit course: course.toml: ") for line in lines)


def test_no_command_waits_for_nbformat(folder):
    """Which imports a validator that takes seconds, where the newest is installed."""
    code = (
        "import sys; sys.modules['nbformat'] = sys.modules['jsonschema'] = None\n"
        "from labkit.cli import main; sys.exit(main(sys.argv[1:]))"
    )
    command = [sys.executable, "-c", code, "course", "build", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ)
    assert done.returncode == 0, done.stderr


def test_an_action_is_needed(capsys):
    with pytest.raises(SystemExit) as caught:
        main(["course"])
    assert caught.value.code == 2 and "ACTION" in capsys.readouterr().err
