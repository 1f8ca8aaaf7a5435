"""`labkit cases`: the ledger of documented cases."""

import argparse
from typing import Any

from ._shared import add_command


def add_parser(commands: Any) -> None:
    """Add `labkit cases` to the parsers of the other commands."""
    what = "run the documented cases and compare the results with the documents"
    parser = add_command(commands, "cases", run, what, "The exit status is 1 if a result differs.")
    parser.add_argument(
        "name", nargs="?", metavar="NAME", help="show one case: its code, the documented values and the computed ones"
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--list", action="store_true", help="list the cases without running them")
    form.add_argument("--json", action="store_true", help="print the results as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Run the ledger of documented cases, show one case, or list them."""
    from ..cases import report

    chosen = report.find(arguments.name)
    if not chosen:
        return 2
    if arguments.list:
        print(report.listing(chosen))
        return 0
    return report.run(chosen, arguments.name is not None, as_json=arguments.json)
