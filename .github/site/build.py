"""Build the site: every notebook with widgets that play, search, and the API reference.

    pip install -e ".[site]"
    python .github/site/build.py FOLDER

The notebooks are run anew, with each widget saved as a page of its own that needs neither Python nor network.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tomllib
from html.parser import HTMLParser
from importlib import import_module
from pathlib import Path
from types import ModuleType
from urllib.parse import unquote, urlsplit

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
MODULES = [
    "labkit", "labkit.engine", "labkit.program", "labkit.widgets", "labkit.classroom", "labkit.grading.grader",
    "labkit.jail.jail", "labkit.cases", "labkit.memory",
    "labkit.precision", "labkit.parallel", "labkit.mindspore", "labkit.mindspore.nn", "labkit.mindspore.ops",
    "labkit.mindspore.amp", "labkit.mindspore.train", "labkit.mindspore.dataset", "labkit.mindspore.dataset.transforms",
    "labkit.mindspore.dataset.vision", "labkit.mindspore.common.initializer", "labkit.mindspore.communication",
    "labkit.torch", "labkit.torch.autograd", "labkit.torch.nn", "labkit.torch.nn.functional", "labkit.torch.nn.utils",
    "labkit.torch.optim", "labkit.torch.optim.lr_scheduler", "labkit.torch.amp", "labkit.torch.func",
]  # fmt: skip

INDEX = """```{{include}} README.md
:end-before: "<!-- address: clone -->"
```

On these pages every widget plays. To change the code and to answer the exercises, [run the notebooks yourself](start.md){origin}.

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


def run_notebook(path, out, pages):
    """Run one notebook into `out`; its widgets become pages in `pages`."""
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    pages.mkdir(parents=True)
    os.environ["LABKIT_PAGES"] = str(pages)
    os.environ["LABKIT_PAGES_ADDRESS"] = f"../_static/widgets/{path.stem}"
    NotebookClient(
        notebook, timeout=120, extra_arguments=["--log-level=ERROR"], resources={"metadata": {"path": str(path.parent)}}
    ).execute()
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            words = output.get("metadata", {}).get("image/png", {}).get("alt")
            if words:
                cell.metadata["mystnb"] = {"image": {"alt": words}}  # where MyST-NB looks for them
    nbformat.write(notebook, out / path.name)


def public_names(module):
    """What a module offers: its `__all__`, else what in it is labkit's own, loaded already or not."""
    if hasattr(module, "__all__"):
        return module.__all__
    homes = {n: str(getattr(getattr(module, n), "__module__", "")) for n in dir(module) if n[0] != "_"}
    return [n for n, home in homes.items() if home.startswith("labkit.")]


def write_reference(source, modules):
    """One page for each of these modules; what several modules offer is described once, in the first of them."""
    (source / "api").mkdir()
    known: dict[int, str] = {}  # what is described, by identity: where
    for name in modules:
        module = import_module(name)
        described, bare, others = [], [], []
        for public in sorted(public_names(module)):
            thing, full = getattr(module, public), f"{name}.{public}"
            if isinstance(thing, ModuleType) and thing.__name__ in modules:
                others.append(f"[`{public}`]({thing.__name__}.md)")
            elif not callable(thing):
                others.append(f"`{public}`")
            elif id(thing) in known:
                others.append(f"{{py:obj}}`{public} <{known[id(thing)]}>`")
            else:
                known[id(thing)] = full
                (described if thing.__doc__ else bare).append(public)
        members = f"   :members: {', '.join(described)}\n" if described else ""  # without names it would be all of them
        text = f"# {name}\n\n```{{eval-rst}}\n.. automodule:: {name}\n{members}\n"
        text += "".join(f".. autofunction:: {name}.{public}\n" for public in bare) + "```\n"
        text += f"\nAlso here: {', '.join(others)}.\n" if others else ""
        (source / "api" / f"{name}.md").write_text(text, encoding="utf-8")


class Page(HTMLParser):
    """The names of the places in a page, and where it leads or what it loads: `(tag, address)`."""

    def __init__(self, path):
        super().__init__()
        self.places, self.addresses = set(), []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.places |= {given.get("id"), given.get("name")}
        self.addresses += [(tag, given[key]) for key in ("href", "src", "srcset") if given.get(key)]


def faults(html):
    """Links that lead nowhere, and what would be loaded from another host, as lines of text."""
    pages = {path: Page(path) for path in sorted(html.rglob("*.html"))}
    found = []
    for path, page in pages.items():
        for tag, address in page.addresses:
            parts = urlsplit(address)
            there = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if parts.scheme == "data" or (tag == "a" and parts.netloc):
                continue
            if parts.netloc:
                found.append(f"{path.name}: {tag} loads {address}")
            elif not there.is_file():
                found.append(f"{path.name}: there is no {address}")
            elif parts.fragment and there in pages and unquote(parts.fragment) not in pages[there].places:
                found.append(f"{path.name}: there is no such place as {address}")
    return found


def origin():
    """Words that say where the repository is: as it is set, else where this is built, else none."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    built = os.environ.get("GITHUB_REPOSITORY")
    address = project.get("urls", {}).get("Repository") or (built and f"https://github.com/{built}")
    return f", from [the repository]({address})" if address else ""


def without_absent(text, paths):
    """A text whose links to notebooks that are not built, where only some are, are their words."""
    built = {path.name for path in paths}
    return re.sub(
        r"\[([^\]]*)\]\(([^)/]+\.ipynb)\)", lambda link: link[0] if link[2] in built else link[1], text
    )  # fmt: skip


def write_sources(source, paths, modules):
    """All that Sphinx needs, with these notebooks and modules, laid out as in the repository, so that links hold."""
    for folder in ("_static", "notebooks"):
        (source / folder).mkdir(parents=True)
    texts = sorted((ROOT / "notebooks").glob("*.md"))
    around = [ROOT / f"{name}.md" for name in ("README", "CONTRIBUTING", "CHANGELOG", "SECURITY")]
    placed = {"": [HERE / "conf.py", *around], "notebooks": texts}
    placed["_static"] = [HERE / name for name in ("site.css", "site.js", "icon.svg")]
    for folder, files in placed.items():
        for file in files:
            shutil.copy(file, source / folder)
    for text in texts:
        placed_text = source / "notebooks" / text.name
        placed_text.write_text(without_absent(placed_text.read_text(encoding="utf-8"), paths), encoding="utf-8")
    figures = source / "extra" / "notebooks" / "figures"
    shutil.copytree(ROOT / "notebooks" / "figures", figures, ignore=shutil.ignore_patterns("*.py"))
    for path in paths:
        print(path.stem, flush=True)
        run_notebook(path, source / "notebooks", source / "_static" / "widgets" / path.stem)
    write_reference(source, modules)
    lists = {
        "notebooks": [f"notebooks/{path.stem}" for path in paths],
        "texts": [f"notebooks/{path.stem}" for path in texts],
        "modules": [f"api/{module}" for module in modules],
    }
    index = INDEX.format(origin=origin(), **{key: "\n".join(pages) for key, pages in lists.items()})
    (source / "index.md").write_text(index, encoding="utf-8")
    (source / "start.md").write_text(START, encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="where the site is written; it must not exist yet")
    parser.add_argument("--notebooks", nargs="*", default=["*"], help="build with these notebooks alone, such as 03_*")
    parser.add_argument("--modules", nargs="*", default=MODULES, help="with the reference of these modules alone")
    arguments = parser.parse_args()
    if arguments.folder.exists():
        parser.error(f"{arguments.folder} exists already; name a new folder")
    paths = sorted({path for name in arguments.notebooks for path in (ROOT / "notebooks").glob(f"{name}.ipynb")})
    if not paths:
        parser.error(f"there is no such notebook as {', '.join(arguments.notebooks)}")
    source, html = (arguments.folder.resolve() / part for part in ("source", "html"))
    write_sources(source, paths, arguments.modules)
    options = ["-W", "--keep-going", "-q", "-b", "html", "-d", source / ".doctrees"]
    command = [sys.executable, "-m", "sphinx", *options, source, html]
    done = subprocess.run(command, env=os.environ | {"LABKIT_SITE": str(HERE)})
    if done.returncode:
        return done.returncode
    wrong = faults(html)
    print("\n".join(wrong) if wrong else f"open {html / 'index.html'}")
    return len(wrong) > 0


if __name__ == "__main__":
    sys.exit(main())
