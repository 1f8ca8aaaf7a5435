"""`labkit site`: the course as web pages, with live cells if requested."""

import argparse
from pathlib import Path
from typing import Any

from ._shared import add_command, not_installed, refuse


def add_parser(commands: Any) -> None:
    """Add `labkit site` to the parsers of the other commands."""
    what = "build the site: notebooks with interactive widgets, the API reference and a search"
    parser = add_command(
        commands, "site", run, what, "It needs a clone of the repository. The exit status is 1 if a link is broken."
    )
    parser.add_argument("output", type=Path, metavar="FOLDER", help="the folder to write; it must not exist yet")
    parser.add_argument("--live", action="store_true", help="let readers run the cells of each page in their browser")
    parser.add_argument(
        "--pyodide", type=Path, nargs="+", default=[], metavar="DIR",
        help="folders with the files of Pyodide's distribution; default: download them",
    )  # fmt: skip
    parser.add_argument(
        "--notebooks", nargs="+", default=["*"], metavar="NAME", help="only these notebooks, such as 03_*"
    )
    parser.add_argument("--modules", nargs="*", metavar="MODULE", help="only the reference of these modules")


def run(arguments: argparse.Namespace) -> int:
    """Build the site, and say where it is."""
    if missing := not_installed(("sphinx", "site"), ("myst_nb", "site"), ("furo", "site")):
        return refuse("site", missing)
    from ..live import RuntimeFileError
    from ..site import MODULES, SiteError, build_site

    modules = MODULES if arguments.modules is None else arguments.modules
    try:
        wrong = build_site(arguments.output, arguments.notebooks, modules, arguments.live, arguments.pyodide)
    except (SiteError, RuntimeFileError, OSError) as error:
        return refuse("site", error)
    html = arguments.output.resolve() / "html"
    print("\n".join(wrong) if wrong else "open {page}".format(page=html / "index.html"))
    if arguments.live and not wrong:
        print("Cells run when it is served: python -m http.server --directory {folder}".format(folder=html))
    return len(wrong) > 0
