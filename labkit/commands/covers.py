"""`labkit covers`: which names of PyTorch and MindSpore the dialects have."""

import argparse
from typing import Any

from ._shared import add_command, refuse


def add_parser(commands: Any) -> None:
    """Add `labkit covers` to the parsers of the other commands."""
    what = "list which names of PyTorch and MindSpore the dialects have"
    parser = add_command(commands, "covers", run, what, "Where labkit lacks one, its error says what there is instead.")
    parser.add_argument(
        "place",
        nargs="?",
        metavar="MODULE",
        help="a module or class, such as torch.nn or torch.Tensor; without it, a table",
    )


def run(arguments: argparse.Namespace) -> int:
    """Print the table, or the names of one module or class."""
    from .. import absent
    from ..lines import wrapped

    if arguments.place is None:
        print("\n".join(table()))
        return 0
    dialect, _, place = arguments.place.partition(".")
    if dialect not in absent.REAL:
        return refuse("covers", f"expected torch or mindspore, or a module of them, but got {arguments.place!r}")
    known = absent.names(dialect)
    place = f"{place}:" if f"{place}:" in known else place
    if place not in known:
        return refuse("covers", f"{absent.REAL[dialect]} has no public module {arguments.place!r}")
    if known[place] == ("*",):
        print(f"{arguments.place}: labkit leaves it out as a whole")
        return 0
    had, lacked = absent.coverage(dialect, place)
    print(f"{arguments.place}: {len(had)} of {len(had) + len(lacked)} names")
    for title, found in (("labkit has", had), ("labkit has not", lacked)):
        print("\n" + wrapped(f"{title}: {', '.join(found) or 'none'}"))
    return 0


def table() -> list[str]:
    """A line for each module that labkit has something of, and for each class whose members are recorded."""
    from .. import absent

    lines = [f"{'module or class':<36}{'has':>6}{'of':>6}"]
    for dialect in absent.REAL:
        for place in absent.names(dialect):
            had, lacked = absent.coverage(dialect, place)
            if had:
                where = ".".join(filter(None, (dialect, place.removesuffix(":"))))
                lines.append(f"{where:<36}{len(had):>6}{len(had) + len(lacked):>6}")
    return lines
