"""`labkit coverage`: the names of PyTorch and MindSpore that labkit implements."""

import argparse
from typing import Any

from ..dialects.real_names import REAL, names
from ..dialects.unsupported import coverage
from ..messages.suggestions import did_you_mean
from ..messages.wrapping import wrapped
from ._shared import add_command, refuse

NO_FRAMEWORK = "expected torch or mindspore, or a name in them, but got {place!r}. {meant}"
UNKNOWN = "{framework} has no public name '{dialect}.{place}'. {meant}"


def add_parser(commands: Any) -> None:
    """Add `labkit coverage` to the parsers of the other commands."""
    what = "list the names of PyTorch and MindSpore that labkit implements"
    parser = add_command(commands, "coverage", run, what, "Any other name raises an error that says so.")
    parser.add_argument(
        "place",
        nargs="?",
        metavar="MODULE",
        help="a module, a class or one name, such as torch.nn; default: a table of all modules",
    )


def run(arguments: argparse.Namespace) -> int:
    """Print the table, or the names of one module or class."""
    if arguments.place is None:
        print("\n".join(table()))
        return 0
    dialect, _, place = arguments.place.partition(".")
    if dialect not in REAL:
        meant = did_you_mean(dialect, REAL)
        return refuse("coverage", NO_FRAMEWORK.format(place=arguments.place, meant=meant))
    known = names(dialect)
    place = f"{place}:" if f"{place}:" in known else place
    if place not in known:
        return _of_one_name(dialect, place)
    if known[place] == ("*",):
        print("labkit does not implement {name}".format(name=arguments.place))
        return 0
    had, lacked = coverage(dialect, place)
    print("{name}: {had} of {all} names".format(name=arguments.place, had=len(had), all=len(had) + len(lacked)))
    for title, found in (("labkit implements", had), ("labkit does not implement", lacked)):
        print("\n" + wrapped(f"{title}: {', '.join(found) or 'none'}"))
    return 0


def _of_one_name(dialect: str, place: str) -> int:
    """Print whether labkit has a function or class; 2 if the real package has none of this name."""
    known, (above, _, name) = names(dialect), place.rpartition(".")
    above = above if above in known else f"{above}:"
    siblings = known.get(above, ())
    if name in siblings:
        text = "labkit implements {name}" if name in coverage(dialect, above)[0] else "labkit does not implement {name}"
        print(text.format(name=f"{dialect}.{place}"))
        return 0
    others = [*(f"{above.removesuffix(':')}.{sibling}" for sibling in siblings)]
    others += [other.removesuffix(":") for other in known if other]
    full = [f"{dialect}.{name.lstrip('.')}" for name in others]
    meant = did_you_mean(f"{dialect}.{place}", full, "`labkit coverage` lists the modules.")
    return refuse("coverage", UNKNOWN.format(framework=REAL[dialect], dialect=dialect, place=place, meant=meant))


def table() -> list[str]:
    """A line for each module that labkit has something of, and for each class whose members are recorded."""
    lines = [f"{'module or class':<36}{'has':>6}{'of':>6}"]
    for dialect in REAL:
        for place in names(dialect):
            had, lacked = coverage(dialect, place)
            if had:
                where = ".".join(filter(None, (dialect, place.removesuffix(":"))))
                lines.append(f"{where:<36}{len(had):>6}{len(had) + len(lacked):>6}")
    return lines
