"""Every printed install command works where it is printed; in a browser, where nothing can be installed, there is none."""

import ast
import re
import shlex
import sys
import tomllib
from pathlib import Path

import address
import course
import pytest

import labkit
from labkit.cli import main
from labkit.messages import install_hints
from labkit.messages.install_hints import DISTRIBUTION, how_to_install
from labkit.precision import FORMATS
from labkit.widgets.kit import plots, shown

PACKAGE = Path(labkit.__file__).parent
PROJECT = tomllib.loads((course.ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
PYTHONS = {".venv/bin/", ".venv\\Scripts\\", "python -m "}  # whose pip is called
DOCUMENTS = [*address.pages(), *course.NOTEBOOKS]


@pytest.fixture
def browser(monkeypatch):
    """The platform of a web page, and none of the packages that are not there."""
    monkeypatch.setattr(sys, "platform", "emscripten")
    missing = {"ml_dtypes", "matplotlib", "resource"}
    for name in missing | {loaded for loaded in sys.modules if loaded.split(".")[0] in missing}:
        monkeypatch.setitem(sys.modules, name, None)
    shown.paints_png.cache_clear()
    yield
    shown.paints_png.cache_clear()


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.stem)
def test_a_documented_command_installs_from_the_clone_by_the_pip_of_its_environment(path):
    text = course.markdown(path) if path.suffix == ".ipynb" else path.read_text(encoding="utf-8")
    for pip, options, what in re.findall(r"((?:python -m |[^\s`(]*))pip3? install((?: --?[a-z-]+)*) ([^\s`]+)", text):
        extra = re.fullmatch(r'"?\.(?:\[(\w+)\])?"?', what)
        assert pip in PYTHONS and (what == "pyseccomp" or (options.endswith(" -e") and extra)), (pip, options, what)
        assert what == "pyseccomp" or extra[1] in (None, *EXTRAS)


def test_the_code_prints_no_command_but_those_of_install_hints():
    for path in set(PACKAGE.rglob("*.py")) - {Path(install_hints.__file__)}:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        documented = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        texts = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in documented]
        assert not [text for text in texts if isinstance(text, str) and "pip install" in text], path


@pytest.mark.parametrize("extra", ["", *EXTRAS])
def test_a_printed_command_is_for_this_python_and_this_installation(monkeypatch, tmp_path, extra):
    monkeypatch.setattr(install_hints.os, "name", "posix")
    brackets = f"[{extra}]" if extra else ""
    pip = [sys.executable, "-m", "pip", "install"]
    assert shlex.split(how_to_install(extra)) == [*pip, "-e", f"{course.ROOT}{brackets}"]
    monkeypatch.setattr(install_hints, "ROOT", tmp_path)  # site-packages
    assert shlex.split(how_to_install(extra)) == [*pip, f"{DISTRIBUTION}{brackets}"]


def test_the_distribution_and_its_extras_have_one_name_which_is_not_the_one_that_another_project_has():
    assert PROJECT["name"] == DISTRIBUTION != "labkit"
    ours = {re.split(r"[\[>=]", need)[0] for needs in EXTRAS.values() for need in needs if need.startswith("labkit")}
    assert ours == {DISTRIBUTION}


@pytest.mark.parametrize(
    "missing",
    [
        lambda: FORMATS["bfloat16"].dtype,
        lambda: plots.plot("A line.").__enter__(),
        lambda: labkit.show(lambda x: x**2, 2.0).png(),
    ],
)
def test_no_command_is_advised_in_a_browser(browser, missing):
    with pytest.raises(ImportError) as raised:
        missing()
    assert "pip" not in str(raised.value) and "a web page" in str(raised.value)


def test_the_doctor_of_a_web_page_looks_at_what_is_there(browser, capsys):
    assert main(["doctor"]) == 0
    told = capsys.readouterr().out
    assert "numpy" in told and "The engine works." in told
    assert "pip" not in told and "A web page cannot install packages." in told


def test_a_web_page_paints_no_png(browser, monkeypatch):
    monkeypatch.delitem(sys.modules, "matplotlib")
    assert not shown.paints_png()
    data, _ = labkit.show(lambda x: x**2, 2.0).still_bundle()
    assert set(data) == {"text/plain", "text/html"}
