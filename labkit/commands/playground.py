"""`labkit playground`: the page that shows the graph of what is typed into it, as files for any web server."""

import argparse
from pathlib import Path
from typing import Any

from ._shared import add_command, refuse


def add_parser(commands: Any) -> None:
    """Add `labkit playground` to the parsers of the other commands."""
    what = "write the playground: a page that shows the graph of what is typed into it"
    parser = add_command(
        commands, "playground", run, what, "Everything it needs, Python included, is in the same folder."
    )
    parser.add_argument("output", type=Path, metavar="FOLDER", help="where the page is written")
    parser.add_argument(
        "--pyodide", type=Path, nargs="+", default=[], metavar="DIR",
        help="folders that hold the files of Pyodide's distribution; without them they are fetched from there",
    )  # fmt: skip


def run(arguments: argparse.Namespace) -> int:
    """Write the page and the browser's Python, and say how to see it."""
    from ..live import ImageError, RuntimeFileError, lay, make_image
    from ..widgets.playground import build

    try:
        lay(arguments.output / "runtime", arguments.pyodide, packages=("numpy", "traitlets"))
        make_image(arguments.output / "runtime")
        page = build(arguments.output / "playground", "../runtime")
    except (ImageError, RuntimeFileError, OSError) as error:
        return refuse("playground", error)
    print(f"{page} is to be served: python -m http.server --directory {arguments.output}")
    return 0
