"""The command `labkit`. Every module of `labkit.commands` is one of its commands."""

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from pkgutil import iter_modules
from typing import NoReturn

from . import __version__, commands
from .messages.suggestions import did_you_mean

COMMANDS = [module.name for module in iter_modules(commands.__path__) if not module.name.startswith("_")]


class Parser(argparse.ArgumentParser):
    """Prints the whole help, not only the usage, where an argument is missing."""

    def error(self, message: str) -> NoReturn:
        """Print what is wrong, and exit with 2."""
        if "required" in message:
            self.print_help(sys.stderr)
            self.exit(2, f"\n{self.prog}: {message}\n")
        super().error(message)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one `labkit` command and return its exit status.

    0: fine, 1: something differs or is missing, 2: usage, 130: interrupted.
    """
    _print_what_the_console_can()
    given = _given(list(sys.argv[1:] if argv is None else argv))
    named = next((word for word in given if not word.startswith("-")), None)
    if named is not None and named not in COMMANDS:
        meant = did_you_mean(named, [*COMMANDS, "help", "version"])
        print("labkit: there is no command {named!r}. {meant}".format(named=named, meant=meant), file=sys.stderr)
        return 2
    parser = _parser()
    arguments, rest = parser.parse_known_args(given)
    if rest and "passed_on" not in arguments:
        parser.error(f"unrecognised arguments: {' '.join(rest)}")
    if named is None:
        parser.print_help()
        return 0
    arguments.passed_on = rest
    try:
        return arguments.run(arguments)
    except KeyboardInterrupt:
        print(file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader has seen enough, as in `labkit cases | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _print_what_the_console_can() -> None:
    """Escape a character that the console cannot encode, where printing it would raise."""
    for stream in (sys.stdout, sys.stderr):
        if reconfigure := getattr(stream, "reconfigure", None):  # a notebook's or a test's stream has none
            reconfigure(errors="backslashreplace")


def _given(words: list[str]) -> list[str]:
    """`help`, `help COMMAND` and `version` as the options that they stand for."""
    if words[:1] == ["help"]:
        return [*(word for word in words[1:2] if word not in ("help", "version")), "--help"]
    return ["--version", *words[1:]] if words[:1] == ["version"] else words


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="labkit",
        description="Understand automatic differentiation by running it.",
        epilog="Start with `labkit lab`. `labkit help COMMAND` describes one command.",
    )
    parser.add_argument("--version", action="version", version=f"labkit {__version__}")
    subparsers = parser.add_subparsers(metavar="COMMAND")
    for name in COMMANDS:
        import_module(f"{commands.__name__}.{name}").add_parser(subparsers)
    return parser
