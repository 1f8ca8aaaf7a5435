"""The sources that Sphinx builds the site from: the notebooks, run again, the texts, and the reference."""

import json
import os
import re
import shutil
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from .answers import mark_answers
from .differences import write_differences
from .landing import about, claim, first_page
from .ledger import PAGE, write_ledger
from .live import LiveSite
from .reference import write_reference

ASSETS = Path(__file__).parent / "assets"
AROUND = "around.json"  # what the settings read: what is put around the text of each page
ANSWER = "answer-"  # the id of an exercise's cell begins so
MENUS = {  # what the page of a notebook that runs has in place of JupyterLab's menus
    "*Kernel → Interrupt Kernel*": "*Restart Python*",
    "*Kernel → Restart Kernel*": "*Restart Python*",
    "*Kernel → Restart Kernel and Run All Cells*": "*Restart Python*, then *Run all*",
    "*Run → Run All Above Selected Cell*": "*Run all to here*",
}
COPY = "*This notebook has been run. [Install labkit](../start.md) to change its cells and run them.*"
DREW = "__import__('sys').modules.keys() >= {'matplotlib'}"

TREES = """```{{toctree}}
:hidden:

start
```

```{{toctree}}
:caption: The course
:hidden:
:maxdepth: 1

{notebooks}
```

```{{toctree}}
:caption: To read
:hidden:
:maxdepth: 1

notebooks/differences
notebooks/ledger
{texts}
CONTRIBUTING
CHANGELOG
SECURITY
```
"""
REFERENCE = """
```{{toctree}}
:caption: Reference
:hidden:
:maxdepth: 1

{modules}
```
"""
START = """# How to start

{origin}
```{{include}} README.md
:start-after: "## Get started"
:end-before: "## The notebooks"
```
"""


class Sources:
    """The sources of a site below `source`, laid out as in the repository `root`, so that links hold."""

    def __init__(self, root: Path, source: Path, tell: Callable[[str], None]) -> None:
        self.root, self.source, self.tell = root, source, tell

    def write_reference(self, modules: Sequence[str]) -> None:
        """Write the reference of these modules and Sphinx's settings, which can be built without the rest."""
        for folder in ("_static", "extra", "notebooks"):
            (self.source / folder).mkdir(parents=True)
        for asset in ASSETS.iterdir():
            shutil.copy(asset, self.source / "_static")
        (self.source / "conf.py").write_text("from labkit.site.settings import *\n", encoding="utf-8")
        self.reference = REFERENCE.format(modules="\n".join(f"api/{module}" for module in modules))
        (self.source / "index.md").write_text(f"# labkit\n\n{self.reference}", encoding="utf-8")
        write_reference(self.source, modules)

    def write(self, paths: Sequence[Path], live: bool, pyodide: Sequence[Path]) -> None:
        """Write the rest, with these notebooks."""
        site = LiveSite(self.source, pyodide) if live else None
        texts = self._copy_texts(paths)
        drawn = {path.stem: self._run(path, live) for path in paths}
        ledger = self.source / ".ledger" / f"{PAGE}.ipynb"
        ledger.parent.mkdir()
        write_ledger(ledger, live)
        drawn[PAGE] = self._run(ledger, live)
        write_differences(self.source / "notebooks" / "differences.md", live)
        if site:
            site.lay_playground(self.source / "extra" / "playground")
        notebooks, read = ("\n".join(f"notebooks/{path.stem}" for path in listed) for listed in (paths, texts))
        trees = TREES.format(notebooks=notebooks, texts=read) + self.reference
        index = first_page(
            self.root, self.source, paths, f"{site.megabytes():.0f} MB are loaded once" if site else "", trees
        )
        (self.source / "index.md").write_text(index, encoding="utf-8")
        (self.source / "start.md").write_text(START.format(origin=origin(self.root)), encoding="utf-8")
        bodies = self._bodies(site, [*paths, ledger], drawn) if site else {}
        around = {"bodies": bodies, "said": said(self.root, paths), "site": home(self.root)}
        (self.source / AROUND).write_text(json.dumps(around), encoding="utf-8")

    def _copy_texts(self, paths):
        texts = sorted((self.root / "notebooks").glob("*.md"))
        for name in ("README", "CONTRIBUTING", "CHANGELOG", "SECURITY"):
            shutil.copy(self.root / f"{name}.md", self.source)
        for text in texts:
            words = without_absent(text.read_text(encoding="utf-8"), paths)
            (self.source / "notebooks" / text.name).write_text(words, encoding="utf-8")
        figures = self.source / "extra" / "notebooks" / "figures"
        shutil.copytree(self.root / "notebooks" / "figures", figures, ignore=shutil.ignore_patterns("*.py"))
        return texts

    def _run(self, path, live):
        self.tell(path.stem)
        return run_notebook(path, self.source / "notebooks", self.source / "_static" / "widgets" / path.stem, live)

    def _bodies(self, site, paths, drawn):
        """What makes each of these pages live; `drawn` says of a notebook's name whether it draws plots."""
        course = sorted((self.root / "notebooks").glob("*.ipynb"))
        known = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in {*course, *paths}}
        exercises = {
            path.stem: [c["id"].removeprefix(ANSWER) for c in known[path.stem]["cells"] if c["id"].startswith(ANSWER)]
            for path in course
        }
        return {
            f"notebooks/{path.stem}": site.element(known[path.stem], path.stem, exercises, drawn[path.stem])
            for path in paths
        }


def run_notebook(path: Path, out: Path, pages: Path, live: bool = False) -> bool:
    """Run one notebook into `out`; its widgets become pages in `pages`. Returns whether it draws with matplotlib.

    Cells for answers have no output. `live`: the page will run, and its text names the page's buttons.
    """
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    pages.mkdir(parents=True)
    os.environ["LABKIT_PAGES"] = str(pages)
    os.environ["LABKIT_PAGES_ADDRESS"] = f"../_static/widgets/{path.stem}"
    notebook.cells.append(nbformat.v4.new_code_cell(DREW))
    NotebookClient(
        notebook, timeout=120, extra_arguments=["--log-level=ERROR"], resources={"metadata": {"path": str(path.parent)}}
    ).execute()
    drew: dict[str, Any] = notebook.cells.pop().outputs[0]["data"]
    mark_answers(notebook.cells)
    for cell in notebook.cells:
        if cell.id.startswith(ANSWER):
            cell.outputs = []
        if live and cell.cell_type == "markdown":
            cell.source = with_buttons(cell.source)
        name_pages(cell, pages)
        for output in cell.get("outputs", []):
            words = output.get("metadata", {}).get("image/png", {}).get("alt")
            if words:
                cell.metadata["mystnb"] = {"image": {"alt": words}}  # where MyST-NB looks for them
    if not live and path.stem != PAGE:
        notebook.cells[0].source = notebook.cells[0].source.replace("\n", f"\n\n{COPY}\n", 1)
    notebook.metadata.pop("widgets", None)  # the state of live widgets, of which the page has saved ones
    nbformat.write(notebook, out / path.name)
    return drew["text/plain"] == "True"


def with_buttons(text: str) -> str:
    """The text of a notebook with the buttons of its page in place of JupyterLab's menus.

    >>> with_buttons("Choose *Kernel → Restart Kernel*.")
    'Choose *Restart Python*.'
    """
    return re.sub(r"\*\w+ →[^*]+\*", lambda menu: MENUS.get(" ".join(menu[0].split()), menu[0]), text)


def name_pages(cell: Any, pages: Path) -> None:
    """The pages of a cell's widgets are called as the cell, whatever precedes it."""
    count = 0
    for output in cell.get("outputs", []):
        html = output.get("data", {}).get("text/html", "")
        found = re.search(r'src="[^"]*/(\d+)\.html"', html)
        if found and (page := pages / f"{found[1]}.html").is_file():
            count += 1
            name = cell.id if count == 1 else f"{cell.id}-{count}"
            page.rename(pages / f"{name}.html")
            output["data"]["text/html"] = html.replace(f"/{found[1]}.html", f"/{name}.html")


def address(root: Path) -> str:
    """Where the repository is: as it is set, else where this is built; empty where it is nowhere."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    built = os.environ.get("GITHUB_REPOSITORY")
    return str(project.get("urls", {}).get("Repository") or (f"https://github.com/{built}" if built else ""))


def home(root: Path) -> str:
    """Where GitHub Pages puts the site; empty where the repository is nowhere."""
    owner, _, name = address(root).removeprefix("https://github.com/").partition("/")
    return f"https://{owner}.github.io/{name}/" if name else ""


def origin(root: Path) -> str:
    """A sentence that leads to the repository, if it is somewhere."""
    return "It is in [the repository]({address}).\n".format(address=address(root)) if address(root) else ""


def said(root: Path, paths: Sequence[Path]) -> dict[str, str]:
    """What each page says of itself where a link to it is shown; of the first page it is the claim of the README."""
    readme = (root / "README.md").read_text(encoding="utf-8")
    claims = {"index": claim(readme)[0]}
    return claims | {f"notebooks/{path.stem}": about(path, readme)[1] for path in paths}


def without_absent(text: str, paths: Sequence[Path]) -> str:
    """A text whose links to notebooks that are not built, where only some are, are their words."""
    built = {path.name for path in paths}
    return re.sub(
        r"\[([^\]]*)\]\(([^)/]+\.ipynb)\)", lambda link: link[0] if link[2] in built else link[1], text
    )  # fmt: skip
