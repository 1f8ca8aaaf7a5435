"""Build the site: every notebook with widgets that play, search, and the API reference.

    pip install -e ".[site]"
    python .github/site/build.py FOLDER

The notebooks are run anew, with each widget saved as a page of its own that needs neither Python nor network.
"""

import argparse
import os
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
MODULES = [
    "labkit", "labkit.engine", "labkit.program", "labkit.widgets", "labkit.classroom", "labkit.memory", "labkit.precision",
    "labkit.mindspore", "labkit.mindspore.nn", "labkit.mindspore.ops", "labkit.mindspore.amp", "labkit.mindspore.train",
    "labkit.mindspore.dataset", "labkit.torch", "labkit.torch.nn", "labkit.torch.optim", "labkit.torch.amp",
    "labkit.torch.func",
]  # fmt: skip

INDEX = """# labkit

Understand automatic differentiation by running it. The notebooks of the course, with widgets that play on this page, and
the reference of everything a student or teacher calls.

```{{toctree}}
:caption: The course
:maxdepth: 1

{notebooks}
```

```{{toctree}}
:caption: Reference
:maxdepth: 1

{modules}
```
"""


def run_notebook(path, out, pages):
    """Run one notebook into `out`; its widgets become pages in `pages`."""
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    pages.mkdir(parents=True)
    os.environ["LABKIT_PAGES"] = str(pages)
    os.environ["LABKIT_PAGES_ADDRESS"] = f"_static/widgets/{path.stem}"
    NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(path.parent)}}).execute()
    nbformat.write(notebook, out / path.name)


def public_names(module):
    """What a module offers: its `__all__`, else what in it is labkit's own."""
    own = (
        n for n, v in vars(module).items() if n[0] != "_" and str(getattr(v, "__module__", "")).startswith("labkit.")
    )
    return getattr(module, "__all__", None) or list(own)


def write_reference(source):
    """One page for every public module; what several modules offer is described once, in the first of them."""
    (source / "api").mkdir()
    known: dict[str, str] = {}
    for name in MODULES:
        module = import_module(name)
        here, elsewhere = [], []
        for public in sorted(public_names(module)):
            thing = getattr(module, public)
            home = f"{getattr(thing, '__module__', name)}.{getattr(thing, '__qualname__', public)}"
            if home in known:
                elsewhere.append(f"`{public}` (see {known[home]})")
            elif callable(thing):
                known[home] = name
                here.append(public)
        text = f"# {name}\n\n```{{eval-rst}}\n.. automodule:: {name}\n   :members: {', '.join(here)}\n```\n"
        text += f"\nAlso here: {', '.join(elsewhere)}.\n" if elsewhere else ""
        (source / "api" / f"{name}.md").write_text(text, encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="where the site is written; it must not exist yet")
    parser.add_argument("--notebooks", nargs="*", help="build with these notebooks alone, such as 03_*")
    arguments = parser.parse_args()
    if arguments.folder.exists():
        parser.error(f"{arguments.folder} exists already; name a new folder")
    source = arguments.folder / "source"
    (source / "_static").mkdir(parents=True)
    shutil.copy(HERE / "conf.py", source)
    paths = sorted(
        {p for pattern in arguments.notebooks or ["*"] for p in (ROOT / "notebooks").glob(f"{pattern}.ipynb")}
    )
    for path in paths:
        print(path.stem, flush=True)
        run_notebook(path, source, source / "_static" / "widgets" / path.stem)
    write_reference(source)
    index = INDEX.format(notebooks="\n".join(p.stem for p in paths), modules="\n".join(f"api/{m}" for m in MODULES))
    (source / "index.md").write_text(index, encoding="utf-8")
    options = ["-W", "--keep-going", "-q", "-b", "html"]
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", *options, str(source), str(arguments.folder / "html")],
        env={**os.environ, "LABKIT_SITE": str(HERE)},
    )
    if not done.returncode:
        print(f"open {arguments.folder / 'html' / 'index.html'}")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
