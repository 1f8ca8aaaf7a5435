"""What Sphinx builds the site from: the notebooks, run anew, the texts, and the reference."""

import json
import os
import re
import shutil
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from .live import LiveSite
from .reference import write_reference

ASSETS = Path(__file__).parent / "assets"
ANSWER = "answer-"  # the id of an exercise's cell begins so
DREW = "__import__('sys').modules.keys() >= {'matplotlib'}"

INDEX = """```{{include}} README.md
:end-before: "<!-- address: clone -->"
```

On these pages every widget plays. To change the code and to answer the exercises, {how}{origin}.

```{{toctree}}
:hidden:

start
```

```{{toctree}}
:caption: The course
:maxdepth: 1

{notebooks}
```

```{{toctree}}
:caption: To read
:maxdepth: 1

{texts}
CONTRIBUTING
CHANGELOG
SECURITY
```

```{{toctree}}
:caption: Reference
:maxdepth: 1

{modules}
```
"""
START = """# How to start

```{include} README.md
:start-after: "</picture>"
:end-before: "## The notebooks"
```

```{include} README.md
:start-after: "<!-- end of the notebooks -->"
:end-before: "## More"
```
"""


class Sources:
    """The sources of a site below `source`, laid out as in the repository `root`, so that links hold."""

    def __init__(self, root: Path, source: Path, tell: Callable[[str], None]) -> None:
        self.root, self.source, self.tell = root, source, tell

    def write(self, paths: Sequence[Path], modules: Sequence[str], live: bool, pyodide: Sequence[Path]) -> None:
        """Write all of them, with these notebooks and modules."""
        for folder in ("_static", "notebooks"):
            (self.source / folder).mkdir(parents=True)
        site = LiveSite(self.source, pyodide) if live else None
        texts = self._copy_texts(paths)
        drawn = {path.stem: self._run(path) for path in paths}
        if site:
            self._make_live(site, drawn)
        write_reference(self.source, modules)
        lists = {
            "notebooks": [f"notebooks/{path.stem}" for path in paths],
            "texts": [f"notebooks/{path.stem}" for path in texts],
            "modules": [f"api/{module}" for module in modules],
        }
        own = "[run the notebooks yourself](start.md)"
        how = f"press *Run this page here* at the top of a notebook, or {own}" if live else own
        filled = {key: "\n".join(pages) for key, pages in lists.items()}
        index = INDEX.format(how=how, origin=origin(self.root), **filled)
        (self.source / "index.md").write_text(index, encoding="utf-8")
        (self.source / "start.md").write_text(START, encoding="utf-8")
        (self.source / "conf.py").write_text("from labkit.site.settings import *\n", encoding="utf-8")

    def _copy_texts(self, paths):
        texts = sorted((self.root / "notebooks").glob("*.md"))
        for name in ("README", "CONTRIBUTING", "CHANGELOG", "SECURITY"):
            shutil.copy(self.root / f"{name}.md", self.source)
        for asset in ASSETS.iterdir():
            shutil.copy(asset, self.source / "_static")
        for text in texts:
            words = without_absent(text.read_text(encoding="utf-8"), paths)
            (self.source / "notebooks" / text.name).write_text(words, encoding="utf-8")
        figures = self.source / "extra" / "notebooks" / "figures"
        shutil.copytree(self.root / "notebooks" / "figures", figures, ignore=shutil.ignore_patterns("*.py"))
        return texts

    def _run(self, path):
        self.tell(path.stem)
        return run_notebook(path, self.source / "notebooks", self.source / "_static" / "widgets" / path.stem)

    def _make_live(self, site, drawn):
        """Note for each page what makes it live; `drawn` says of a notebook's name whether it draws plots."""
        course = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in self._course()}
        exercises = {
            name: [cell["id"].removeprefix(ANSWER) for cell in notebook["cells"] if cell["id"].startswith(ANSWER)]
            for name, notebook in course.items()
        }
        elements = {
            f"notebooks/{name}": site.element(course[name], name, exercises, plots) for name, plots in drawn.items()
        }
        (self.source / "live.json").write_text(json.dumps(elements), encoding="utf-8")

    def _course(self):
        return sorted((self.root / "notebooks").glob("*.ipynb"))


def run_notebook(path: Path, out: Path, pages: Path) -> bool:
    """Run one notebook into `out`; its widgets become pages in `pages`. Returns whether it draws with matplotlib."""
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
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            words = output.get("metadata", {}).get("image/png", {}).get("alt")
            if words:
                cell.metadata["mystnb"] = {"image": {"alt": words}}  # where MyST-NB looks for them
    nbformat.write(notebook, out / path.name)
    return drew["text/plain"] == "True"


def origin(root: Path) -> str:
    """Words that say where the repository is: as it is set, else where this is built, else none."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    built = os.environ.get("GITHUB_REPOSITORY")
    address = project.get("urls", {}).get("Repository") or (built and f"https://github.com/{built}")
    return f", from [the repository]({address})" if address else ""


def without_absent(text: str, paths: Sequence[Path]) -> str:
    """A text whose links to notebooks that are not built, where only some are, are their words."""
    built = {path.name for path in paths}
    return re.sub(
        r"\[([^\]]*)\]\(([^)/]+\.ipynb)\)", lambda link: link[0] if link[2] in built else link[1], text
    )  # fmt: skip
