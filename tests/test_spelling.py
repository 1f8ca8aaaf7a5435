"""Words are spelled right: codespell (it needs no network) reads the README, the notebooks, and all text in the sources."""

import ast
import os
import re
import subprocess
import sys

import course
import pytest

SOURCES = sorted((course.ROOT / "labkit").rglob("*.py"))


def text_in(path):
    """Docstrings, messages, hints: every text of a Python source, without its code."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return "\n".join(n.value for n in ast.walk(tree) if isinstance(n, ast.Constant) and isinstance(n.value, str))


def misspelled(folder):
    """What codespell finds in the files of a folder: `file: wrong ==> right`."""
    config = course.ROOT / "pyproject.toml"
    done = subprocess.run(
        [sys.executable, "-m", "codespell_lib", "--toml", str(config), "--disable-colors", str(folder)],
        capture_output=True, text=True, env=os.environ | {"PYTHONUTF8": "1"},
    )  # fmt: skip
    assert done.returncode in (0, 65) and not done.stderr, done.stderr
    return [re.sub(r".*?([\w.]+):\d+: ", r"\1: ", line) for line in done.stdout.splitlines()]


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "text"


def write(folder, texts):
    folder.mkdir()
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8", errors="backslashreplace")


def test_readme_and_notebooks(folder):
    notebooks = {f"{path.stem}.md": course.markdown(path) for path in course.NOTEBOOKS}
    write(folder, {"README.md": (course.ROOT / "README.md").read_text(encoding="utf-8"), **notebooks})
    assert misspelled(folder) == []


def test_texts_in_the_sources(folder):
    write(folder, {".".join(p.relative_to(course.ROOT).with_suffix("").parts) + ".py": text_in(p) for p in SOURCES})
    assert misspelled(folder) == []


def test_a_wrong_word_is_found(folder):
    write(folder, {"a.md": "The gradiant of teh loss, recieved.", "b.md": "The colour of a numerical behaviour."})
    assert [line.split(" ==>")[0] for line in misspelled(folder)] == [
        "a.md: gradiant", "a.md: teh", "a.md: recieved",
    ]  # fmt: skip
