"""What is missing is told with how to get it; in a browser, where nothing can be installed, no command is advised."""

import ast
import sys
from pathlib import Path

import pytest

import labkit
from labkit import parallel
from labkit.cli import main
from labkit.getting import how_to_get
from labkit.precision import FORMATS
from labkit.widgets.kit import picture, plots

ROOT = Path(labkit.__file__).parent
ANOTHER_MACHINE = {"grading/cluster.py"}  # says what to run there


@pytest.fixture
def browser(monkeypatch):
    """The platform of a web page, and none of the packages that are not there."""
    monkeypatch.setattr(sys, "platform", "emscripten")
    missing = {"ml_dtypes", "matplotlib", "mpi4py", "resource"}
    for name in missing | {loaded for loaded in sys.modules if loaded.split(".")[0] in missing}:
        monkeypatch.setitem(sys.modules, name, None)
    picture.paints_png.cache_clear()
    yield
    picture.paints_png.cache_clear()


def said(file):
    """The texts in a file that are no docstrings."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    return [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in docs]


def test_how_to_install_an_extra_is_said_in_one_place():
    files = [path for path in ROOT.rglob("*.py") if 'pip install "labkit' in path.read_text(encoding="utf-8")]
    telling = {f.relative_to(ROOT).as_posix() for f in files if any('pip install "labkit' in str(t) for t in said(f))}
    assert telling == {"getting.py"} | ANOTHER_MACHINE


@pytest.mark.parametrize(
    "missing",
    [
        lambda: FORMATS["bfloat16"].dtype,
        lambda: plots.plot("A line.").__enter__(),
        lambda: labkit.show(lambda x: x**2, 2.0).png(),
        lambda: parallel.Group(lambda: 1.0),
    ],
)
def test_no_command_is_advised_in_a_browser(browser, missing):
    with pytest.raises(ImportError) as raised:
        missing()
    assert "pip" not in str(raised.value) and "a web page" in str(raised.value)


def test_no_command_is_advised_out_of_place():
    assert how_to_get("parallel") == 'pip install "labkit[parallel]"' and how_to_get() == "pip install labkit"


def test_the_doctor_of_a_web_page_looks_at_what_is_there(browser, capsys):
    assert main(["doctor"]) == 0
    told = capsys.readouterr().out
    assert "numpy" in told and "The engine works." in told
    assert "pip" not in told and "A web page has what it came with." in told


def test_a_web_page_paints_no_png(browser, monkeypatch):
    monkeypatch.delitem(sys.modules, "matplotlib")
    assert not picture.paints_png()
    data, _ = labkit.show(lambda x: x**2, 2.0).still_bundle()
    assert set(data) == {"text/plain", "text/html"}
