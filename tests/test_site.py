"""The site is built without a warning: first page, notebook with its widgets, ledger, search, and every public name."""

import ast
import gzip
import io
import json
import os
import pickle
import re
import subprocess
import sys
from contextlib import redirect_stdout
from html import unescape
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import parse_qsl

import numpy as np
import pytest

from labkit.cases import CASES, differences, run
from labkit.cli import main
from labkit.live import runtime
from labkit.widgets import CutEdge

NEEDED = ("furo", "myst_nb", "sphinx")
MISSING = [name for name in NEEDED if find_spec(name) is None]

pytestmark = pytest.mark.skipif(
    bool(MISSING), reason=f'not installed: {", ".join(MISSING)}; pip install -e ".[site]" brings what builds the site'
)


if not MISSING:
    from PIL import Image

    from labkit.site import MODULES, build, faults, landing, ledger, settings, sources
    from labkit.site import differences as pages
    from labkit.site.live import LiveSite
    from labkit.site.reference import public_names
    from labkit.site.sources import Sources
    from labkit.widgets.playground.files import presets

SMALL = ["labkit", "labkit.program", "labkit.torch.func"]


@pytest.fixture(scope="module")
def html(tmp_path_factory):
    """The folder of the finished pages, with one notebook."""
    folder = tmp_path_factory.mktemp("site") / "built"
    command = [
        sys.executable, "-m", "labkit", "site", folder, "--notebooks", "01_*", "--modules", *SMALL,
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | {"GITHUB_REPOSITORY": "a/b"})
    assert not done.stderr, done.stderr
    assert done.returncode == 0, done.stdout
    assert done.stdout.splitlines() == ["01_first_gradient", "ledger", f"open {folder / 'html' / 'index.html'}"]
    return folder / "html"


def test_the_first_page_plays_the_readmes_program_and_says_what_it_is_to_those_who_show_links(html):
    text = (html / "index.html").read_text(encoding="utf-8")
    assert "Understand automatic differentiation by running it." in text
    first = (html / "_static" / "first.html").read_text(encoding="utf-8")
    played = json.loads(re.search('<script type="application/json" id="values">(.*?)</script>', first)[1])["data"]
    assert played["plays"] and "of loss" in played["title"]
    assert 'href="notebooks/01_first_gradient.html"' in text and re.search(r"<td><p>\d+ \+ \d+ min</p></td>", text)
    assert '<meta name="description" content="Understand automatic differentiation by running it.">' in text
    assert '<meta property="og:image" content="https://a.github.io/b/_static/preview.png">' in text
    assert 'href="https://github.com/a/b"' in (html / "start.html").read_text(encoding="utf-8")
    with Image.open(html / "_static" / "preview.png") as preview:
        assert preview.size == (landing.WIDE, landing.HIGH) and len(preview.getcolors()) > 20


def test_the_first_screen_is_light(html):
    loaded = ["index.html", "_static/first.html", *map(str, Path(html, "_static").rglob("furo*.*s"))]
    assert sum(len(gzip.compress(Path(html, name).read_bytes())) for name in loaded) < 150_000


def test_the_gallery_has_each_lab_that_a_notebook_shows_in_their_order_and_loads_it_when_it_is_seen(tmp_path):
    (tmp_path / "notebooks").mkdir()
    readme, html = "<td><code>StepSize</code>: a slope</td>", CutEdge(lambda x: x * x, 2.0).html()
    for lab, shows in {"StepSize": 1, "CutEdge": 1, "Landscape": 0}.items():
        (tmp_path / "_static" / "widgets" / lab).mkdir(parents=True)
        (tmp_path / "_static" / "widgets" / lab / "1.html").write_text(html, encoding="utf-8")
        outputs = [{"data": {"text/html": f'<iframe src="../_static/widgets/{lab}/1.html">'}}] * shows
        cells = [{"source": [f"{lab}(f, 2.0)"], "outputs": outputs}]
        (tmp_path / "notebooks" / f"{lab}.ipynb").write_text(json.dumps({"cells": cells}), encoding="utf-8")
    first, second = landing.gallery(
        tmp_path, [Path("StepSize.ipynb"), Path("CutEdge.ipynb"), Path("Landscape.ipynb")], readme
    )
    assert "<strong>A slope</strong>" in first and 'href="notebooks/StepSize.html"' in first
    assert "<strong>CutEdge</strong>" in second and 'data-src="_static/gallery/CutEdge.html"' in second
    assert (tmp_path / "_static" / "gallery" / "CutEdge.html").read_text(encoding="utf-8") == html


def test_the_formula_of_the_first_page_is_that_of_its_picture():
    formula = re.search('value="(.*?)"', landing.FORMULA)[1]
    picture = landing.picture_of((build.clone() / "README.md").read_text(encoding="utf-8"))
    value = eval(formula, {"tanh": np.tanh, "x": 1.5, "w": 0.6})
    assert f"{value:.3g}" in picture.describe(step=4)


def test_a_page_that_runs_names_its_buttons_and_not_the_menus_of_jupyterlab():
    menus = []
    for path in (build.clone() / "notebooks").glob("*.ipynb"):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            text = " ".join("".join(cell["source"]).split())
            menus += [re.split(r"[.|]", text[: menu.end()])[-1] for menu in re.finditer(r"\*\w+ →[^*]+\*", text)]
    assert menus and all("JupyterLab" in menu or "→" not in sources.with_buttons(menu) for menu in menus)


def test_the_page_of_differences_has_both_outputs(html):
    text = unescape((html / "notebooks" / "differences.html").read_text(encoding="utf-8"))
    for one in differences.differences():
        assert f"<th><code>{one.call}</code></th>" in text
        assert all(words.strip().splitlines()[0] in text for words in one.prints.values()), one
    assert 'href="ledger.html#accumulation"' in text and "ops.stop_gradient(x)" in text
    assert "playground/index.html#" not in text  # these pages were not built to run


def test_where_pages_run_a_difference_leads_to_the_playground(tmp_path):
    pages.write_differences(tmp_path / "differences.md", live=True)
    text = (tmp_path / "differences.md").read_text(encoding="utf-8")
    links = re.findall(r'href="\.\./playground/index\.html#(.*?)"', text)
    asked = [dict(parse_qsl(unescape(link))) for link in links]
    assert len(asked) == sum(len(one.alike) for one in differences.differences())
    std = next(one for one in differences.differences() if one.call == "std([3.0, 1.0, 2.0])")
    assert {"code": std.programs["torch"], "dialect": "torch"} in asked


def test_the_ledger_tells_every_case_with_both_outputs(html):
    text = (html / "notebooks" / "ledger.html").read_text(encoding="utf-8")
    assert all(f'id="{case.name}"' in text for case in CASES)
    assert "an error in the document; correct is" in text and "PyTorch" in text and "MindSpore (graph)" in text
    assert "Run it here" not in text and "live-page" not in text  # these pages were not built to run


@pytest.mark.parametrize(
    "case",
    [case for case in CASES if case.name in ("grad-first-input", "no-grad", "accumulation")],
    ids=lambda case: case.name,
)
def test_a_cell_of_the_ledger_gives_what_the_case_gives(case):
    for one in run(case):
        if one.mode in ("eager", "pynative"):
            names = {"__name__": "__main__", "np": np}
            *before, last = ast.parse(ledger.cell_of(case, one.dialect, case.programs[one.dialect])).body
            with redirect_stdout(io.StringIO()) as printed:
                exec(compile(ast.Module(before, []), case.name, "exec"), names)
                given = eval(compile(ast.Expression(last.value), case.name, "eval"), names)
            assert printed.getvalue() if given is None else set(given) == set(one.obtained)


def test_a_page_that_runs_knows_its_cells_and_what_it_loads(tmp_path, monkeypatch):
    monkeypatch.setattr(runtime, "lay", little)
    site = LiveSite(tmp_path, [])
    site.lay_playground(tmp_path / "playground")
    cell = {"cell_type": "code", "id": "a", "source": ["x = '<b>'\n", "x"], "metadata": {"tags": ["raises-exception"]}}
    element = site.element({"cells": [cell]}, "one", {"one": []}, plots=True)
    data = json.loads(re.search(r"<script[^>]*>(.*?)</script>", element)[1])
    assert data["cells"] == [{"id": "a", "source": "x = '<b>'\nx", "raises": True}] and "<b>" not in element
    assert "It loads 5 MB once" in data["loads"] and data["packages"] == ["labkit", "matplotlib"]
    assert {"../playground/index.html", "../playground/worker.js"} <= set(data["files"])
    for file in (*data["files"], data["runtime"] + "worker.js"):
        assert (tmp_path / "notebooks" / file).resolve().is_file(), file
    assert re.search(r'"labkit-[0-9a-f]{12}"', (tmp_path / "extra" / "labkit-offline.js").read_text(encoding="utf-8"))


def test_the_playground_finds_the_runtime_of_the_site_and_leads_back_to_its_first_page(tmp_path, monkeypatch):
    monkeypatch.setattr(runtime, "lay", little)
    site = LiveSite(tmp_path, [])
    site.lay_playground(tmp_path / "playground")
    (tmp_path / "index.html").write_text(f'<h2 id="the-course"></h2>{landing.FORMULA}', encoding="utf-8")
    page = (tmp_path / "playground" / "index.html").read_text(encoding="utf-8")
    laid = tmp_path / "playground" / re.search('data-runtime="(.*?)"', page)[1]
    assert laid.resolve() == site.folder.resolve() and '<a href="../index.html">' in page
    assert (tmp_path / re.search('data-to="(.*?)"', landing.FORMULA)[1]).is_file()
    assert faults(tmp_path) == []


def test_the_ledger_of_a_site_that_runs_leads_to_each_program_and_to_its_graph(tmp_path):
    ledger.write_ledger(tmp_path / "ledger.ipynb", live=True)
    cells = json.loads((tmp_path / "ledger.ipynb").read_text(encoding="utf-8"))["cells"]
    programs = {cell["id"] for cell in cells if cell["cell_type"] == "code"}
    text = "".join(cell["source"] for cell in cells if cell["cell_type"] == "markdown")
    assert set(re.findall(r'href="\?run=(.*?)#', text)) == programs
    linked = re.findall(r'href="\.\./playground/index\.html#case=(.*?)&amp;dialect=(.*?)"', text)
    offered = {(preset["name"], preset["dialect"]) for preset in presets()}
    assert {f"{case}-{dialect}" for case, dialect in linked} == programs and set(linked) <= offered


def little(folder, sources):
    """A runtime of which labkit takes 2 MB, and what draws plots 3 MB more."""
    folder.mkdir(parents=True)
    for name in runtime.CORE:
        (folder / name).write_bytes(b"")
    (folder / "labkit.bin").write_bytes(os.urandom(2_000_000))
    (folder / "matplotlib.whl").write_bytes(os.urandom(3_000_000))
    files = {"labkit": "labkit.bin", "matplotlib": "matplotlib.whl"}
    return {"packages": {name: {"file_name": file, "depends": []} for name, file in files.items()}}


def test_a_notebook_shows_its_widgets_as_pages_that_play(html):
    text = (html / "notebooks" / "01_first_gradient.html").read_text(encoding="utf-8")
    shown = re.findall(r'<iframe title="[^"]+" src="([^"]+)"', text)
    widgets = "../_static/widgets/01_first_gradient/{}.html"  # as their cells are called: links rely on it
    assert shown == [widgets.format(cell) for cell in ("first", "widget-graph", "widget-two-paths")]
    for address in shown:
        assert 'id="stage"' in (html / "notebooks" / address).read_text(encoding="utf-8")


def folded(page):
    """What stands in each folded answer of a page."""
    return re.findall(r'<details class="answer"><summary>[^<]+</summary>(.*?)</details>', page, re.DOTALL)


def test_what_answers_a_prediction_is_folded_and_nothing_else(html):
    page = (html / "notebooks" / "01_first_gradient.html").read_text(encoding="utf-8")
    answers = folded(page)
    assert "finite difference 64.0" in "".join(answers) and any("<iframe" in answer for answer in answers)
    assert all('class="cell_output' in answer for answer in answers)
    open_text = re.sub(r"<details.*?</details>", "", page, flags=re.DOTALL)
    assert "profit</span>" in open_text and "<strong>Explain" not in open_text
    assert "There is no answer yet" not in page  # nobody has answered


def test_cells_between_a_prompt_and_its_answer_and_the_answer_are_folded():
    from nbformat.v4 import new_code_cell, new_markdown_cell

    from labkit.site.answers import fold, mark_answers

    nodes = pytest.importorskip("docutils.nodes")
    cells = [
        new_code_cell("1", id="before"), new_markdown_cell("**Predict.**", metadata={"tags": ["predict"]}),
        new_code_cell("predict()", id="predict-x"), new_code_cell("2", id="shows"), new_code_cell("3", id="shows-more"),
        new_markdown_cell("Six.\n\nAnd why.", metadata={"tags": ["answer"]}), new_code_cell("4", id="after"),
    ]  # fmt: skip
    mark_answers(cells)
    tagged = [cell.id for cell in cells if cell.cell_type == "code" and "answer" in cell.metadata.get("tags", [])]
    assert tagged == ["shows", "shows-more"] and cells[5].source.endswith("\n\nSix.\n\nAnd why.\n\n</details>")

    def cell(*classes):
        return nodes.container("", nodes.container("", classes=["cell_output"]), classes=["cell", *classes])

    page = nodes.section("", cell(), cell("tag_answer"), cell("tag_answer"))
    fold(page)
    assert [len(each) for each in page] == [1, 3, 3]


def test_the_reference_of_all_modules_has_every_public_name_and_no_warning(tmp_path):
    source = tmp_path / "source"
    Sources(build.clone(), source, print).write_reference(MODULES)
    build.run_sphinx(source, tmp_path / "out", "dummy")
    described = pickle.loads((source / ".doctrees" / "environment.pickle").read_bytes()).domaindata["py"]["objects"]
    for module in MODULES:
        text = (source / "api" / f"{module}.md").read_text(encoding="utf-8")
        for name in public_names(import_module(module)):
            assert f"{module}.{name}" in described or f"`{name}" in text, f"{module}.{name}"


def test_the_reference_is_read_before_a_notebook_runs_and_a_warning_stops_the_build(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "write_reference", lambda *given: None)  # its pages are missing
    monkeypatch.setattr(Sources, "write", lambda *given: pytest.fail("notebooks run before the reference is read"))
    with pytest.raises(build.SiteError, match="warnings"):
        build.build_site(tmp_path / "built", ["01_*"])


def test_code_in_a_docstring_may_go_on_in_the_next_line():
    lines = ["Calls `f(a,", "b)` of *x* and `g`.", "", ">>> `kept`"]
    settings.as_rst(lines)
    assert lines == ["Calls ``f(a,", r"b)`` of \*x\* and ``g``.", "", ">>> `kept`"]


def test_links_that_lead_nowhere_and_loads_from_elsewhere_are_found(tmp_path):
    (tmp_path / "b.html").write_text('<p id="there">', encoding="utf-8")
    (tmp_path / "a.html").write_text(
        '<a href="b.html#there"></a><a href="b.html#shown=1"></a>'
        '<a href="https://labkit.example"></a><img src="data:image/png;base64,">'
        '<a href="c.html"></a><a href="b.html#nowhere"></a><script src="https://labkit.example/a.js"></script>',
        encoding="utf-8",
    )
    assert faults(tmp_path) == [
        "a.html: there is no c.html",
        "a.html: the link b.html#nowhere is broken",
        "a.html: script loads https://labkit.example/a.js",
    ]


def test_a_notebook_that_is_not_there_is_named(tmp_path, capsys):
    assert main(["site", str(tmp_path / "built"), "--notebooks", "99_*"]) == 2
    assert "no notebook matches 99_*" in capsys.readouterr().err
    assert not (tmp_path / "built").exists()


def test_a_refused_live_site_leaves_no_folder_behind(tmp_path, capsys):
    empty = tmp_path / "empty"
    empty.mkdir()
    arguments = ["--live", "--pyodide", str(empty), "--notebooks", "01_*", "--modules"]
    assert main(["site", str(tmp_path / "built"), *arguments]) == 2
    assert "expected the files of Pyodide" in capsys.readouterr().err
    assert not (tmp_path / "built").exists()
