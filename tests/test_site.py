"""The site is built without a warning: the notebook with its widgets, the search, and every public name."""

import os
import re
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
NEEDED = ("furo", "myst_nb", "sphinx")
MISSING = [name for name in NEEDED if find_spec(name) is None]

pytestmark = pytest.mark.skipif(
    bool(MISSING), reason=f'not installed: {", ".join(MISSING)}; pip install -e ".[site]" brings what builds the site'
)


@pytest.fixture(scope="module")
def build():
    """The module `.github/site/build.py`."""
    sys.path.insert(0, str(ROOT / ".github" / "site"))
    yield import_module("build")
    sys.path.remove(str(ROOT / ".github" / "site"))
    del sys.modules["build"]


SMALL = ["labkit", "labkit.program", "labkit.torch.func"]


@pytest.fixture(scope="module", params=["small", pytest.param("whole", marks=pytest.mark.slow)])
def reference(request, build):
    """The modules whose reference is built."""
    return SMALL if request.param == "small" else build.MODULES


@pytest.fixture(scope="module")
def html(tmp_path_factory, reference):
    """The folder of the finished pages, with one notebook."""
    folder = tmp_path_factory.mktemp("site") / "built"
    command = [
        sys.executable,
        ROOT / ".github" / "site" / "build.py",
        folder,
        "--notebooks",
        "00_*",
        "--modules",
        *reference,
    ]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | {"GITHUB_REPOSITORY": "a/b"})
    assert not done.stderr, done.stderr
    assert done.returncode == 0, done.stdout
    assert done.stdout.splitlines() == ["00_start_here", f"open {folder / 'html' / 'index.html'}"]
    return folder / "html"


def test_the_front_page_is_the_beginning_of_the_readme(html):
    text = (html / "index.html").read_text(encoding="utf-8")
    picture = re.search(r'<img [^>]*src="(\S+)" alt="A computation graph', text)[1]
    assert "Understand automatic differentiation by running it." in text and (html / picture).is_file()
    assert 'href="notebooks/00_start_here.html"' in text and 'href="https://github.com/a/b"' in text


def test_a_notebook_shows_its_widgets_as_pages_that_play(html):
    text = (html / "notebooks" / "00_start_here.html").read_text(encoding="utf-8")
    frames = re.findall(r'<iframe title="[^"]+" src="([^"]+)"', text)
    assert frames
    for address in frames:
        assert 'id="stage"' in (html / "notebooks" / address).read_text(encoding="utf-8")


def folded(page):
    """What stands in each folded answer of a page."""
    return re.findall(r'<details class="answer"><summary>[^<]+</summary>(.*?)</details>', page, re.DOTALL)


def test_what_answers_a_prediction_is_folded_and_nothing_else(html):
    page = (html / "notebooks" / "00_start_here.html").read_text(encoding="utf-8")
    answers = folded(page)
    assert "<iframe" in answers[0] and "<strong>Explain.</strong> 6." in answers[0]
    assert all('class="cell_output' in answer for answer in answers)
    open_text = re.sub(r'<details class="answer">.*?</details>', "", page, flags=re.DOTALL)
    assert "def bill" not in "".join(answers) and "<strong>Explain" not in open_text
    assert "start-slope: not yet." in open_text


@pytest.mark.parametrize(
    "bold, folds", [("Predict", 1), ("Predict.", 1), ("Predict:", 1), ("Predict first", 0), ("A prediction", 0)]
)
def test_an_answer_is_known_by_the_words_above_it(build, bold, folds):
    from answers import fold

    nodes = pytest.importorskip("docutils.nodes")

    def cell():
        return nodes.container("", nodes.container("", classes=["cell_output"]), classes=["cell"])

    def paragraph(words):
        return nodes.paragraph("", "", nodes.strong(text=words), nodes.Text(" and so on"))

    page = nodes.section("", paragraph(bold), cell(), paragraph("Explain."), cell())
    fold(page)
    assert [type(node).__name__ for node in page] == [
        "paragraph",
        "container",
        *["paragraph"] * (not folds),
        "container",
    ]
    assert len(list(page.findall(nodes.raw))) == 2 * folds


def test_the_search_knows_the_words_of_the_notebook_and_of_the_reference(html):
    index = (html / "searchindex.js").read_text(encoding="utf-8")
    for word in ("kernel", "cotang"):  # stems: what is searched for is stemmed as well
        assert re.search(rf'\b{word}"?:', index), word


def test_every_public_name_has_its_place_in_the_reference(build, html, reference):
    for module in reference:
        text = (html / "api" / f"{module}.html").read_text(encoding="utf-8")
        names = set(re.findall(r'id="[\w.]+\.(\w+)"', text)) | set(re.findall(r'<span class="pre">(\w+)</span>', text))
        assert set(build.public_names(import_module(module))) <= names, module


def test_links_that_lead_nowhere_and_loads_from_elsewhere_are_found(build, tmp_path):
    (tmp_path / "b.html").write_text('<p id="there">', encoding="utf-8")
    (tmp_path / "a.html").write_text(
        '<a href="b.html#there"></a><a href="https://labkit.example"></a><img src="data:image/png;base64,">'
        '<a href="c.html"></a><a href="b.html#nowhere"></a><script src="https://labkit.example/a.js"></script>',
        encoding="utf-8",
    )
    assert build.faults(tmp_path) == [
        "a.html: there is no c.html",
        "a.html: there is no such place as b.html#nowhere",
        "a.html: script loads https://labkit.example/a.js",
    ]


def test_a_notebook_that_is_not_there_is_named(tmp_path):
    command = [sys.executable, ROOT / ".github" / "site" / "build.py", tmp_path / "built", "--notebooks", "99_*"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2 and "there is no such notebook as 99_*" in done.stderr
    assert not (tmp_path / "built").exists()
