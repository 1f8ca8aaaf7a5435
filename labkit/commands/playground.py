"""`labkit playground`: writes the page that draws the graph of the code you type, as files for any web server."""

import argparse
from pathlib import Path
from typing import Any

from ._shared import add_command, refuse

WROTE = "Wrote {page}. Serve it with: python -m http.server --directory {output}"


def add_parser(commands: Any) -> None:
    """Add `labkit playground` to the parsers of the other commands."""
    what = "write the playground, a web page that draws the graph of the code you type"
    parser = add_command(
        commands, "playground", run, what, "The folder holds everything that the page needs, Python included."
    )
    parser.add_argument("output", type=Path, metavar="FOLDER", help="the folder to write")
    parser.add_argument(
        "--pyodide", type=Path, nargs="+", default=[], metavar="DIR",
        help="folders with the files of Pyodide's distribution; default: download them",
    )  # fmt: skip


def run(arguments: argparse.Namespace) -> int:
    """Write the page and the browser's Python, and say how to see it."""
    from ..live import RuntimeFileError, lay
    from ..widgets.playground import build

    try:
        lay(arguments.output / "runtime", arguments.pyodide, packages=("numpy", "traitlets"))
        page = build(arguments.output / "playground", "../runtime")
    except (RuntimeFileError, OSError) as error:
        return refuse("playground", error)
    print(WROTE.format(page=page, output=arguments.output))
    return 0
