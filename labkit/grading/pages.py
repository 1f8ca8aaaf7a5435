"""The look of the pages that grading writes: one template for all, without scripts and without network."""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from ..classroom import find
from ..messages.install_hints import how_to_install
from ..palette import MONO, PALETTES, SANS
from .files import printable

WORDS = {  # a kind of result in two or three words, for a table
    "right": "right", "missing": "no answer found", "empty": "no answer yet", "type": "not a function, or not a value",
    "arguments": "wrong arguments", "error": "raised an error", "timeout": "took too long", "printed": "returned nothing",
    "mutated": "changed its input", "died": "the process ended", "kind": "wrong type",
    "forbidden": "a method that is not allowed", "structure": "wrong structure", "shape": "wrong shape", "value": "wrong values",
    "tests": "a test failed", "by-hand": "to be graded by hand", "marked": "graded by hand",
}  # fmt: skip

TURNS = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def render(template: str, values: Mapping[str, Any]) -> str:
    """A page from a template of this package, as text that any file can hold. All values are escaped.

    Raises ModuleNotFoundError, with the command that helps, where Jinja is not installed.
    """
    look = {"light": PALETTES["light"], "dark": PALETTES["dark"], "mono": MONO, "sans": SANS}
    return printable(_environment().get_template(template).render({**look, **values}))


@cache
def _environment() -> Any:
    """Jinja with our templates and filters; made once, so that a template is compiled once."""
    try:
        from jinja2 import Environment, FileSystemLoader, StrictUndefined
    except ModuleNotFoundError as error:
        message = "pages with feedback need Jinja: {command}".format(command=how_to_install("classroom"))
        raise ModuleNotFoundError(message, name=error.name) from None
    loader = FileSystemLoader(Path(__file__).parent / "templates")
    environment = Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters.update(display_name=display_name, points=points, prose=prose, words=words)
    return environment


def points(number: float) -> str:
    """A number of points as a person writes it.

    >>> points(3.0), points(2 / 3)
    ('3', '0.67')
    """
    return f"{number:.2f}".rstrip("0").rstrip(".")


def display_name(student: str) -> str:
    """A student's id as a page shows it: never empty, never long, and no mark that turns the direction of reading.

    >>> display_name("ann"), display_name(" "), len(display_name("x" * 5000))
    ('ann', '(no name)', 80)
    """
    student = TURNS.sub(lambda found: found[0].encode("unicode_escape").decode(), student)
    return (student if len(student) <= 80 else f"{student[:79]}…") if student.strip() else "(no name)"


def words(kind: str) -> str:
    """A kind of result in a few words; a misconception by its name.

    >>> words("shape"), words("sum-forgotten")
    ('wrong shape', 'sum forgotten')
    """
    return WORDS.get(kind, kind.replace("-", " "))


def exercise_title(name: str) -> str:
    """The title of an exercise; its name where there is none any more."""
    exercise = find(name)
    return exercise.title if exercise else name


def prose(text: str) -> Any:
    """A text escaped for HTML, with `code` in backticks as code.

    >>> prose("use `a < b`")
    Markup('use <code>a &lt; b</code>')
    """
    from markupsafe import Markup, escape

    return Markup(re.sub(r"`([^`\n]+)`", r"<code>\1</code>", str(escape(text))))
