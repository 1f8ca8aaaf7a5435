"""The notebooks as data, for the tests: cells, text, sections, and the labkit names that their code uses."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import nbformat

import labkit

ROOT = Path(__file__).parent.parent.parent
FOLDER = ROOT / "notebooks"
NOTEBOOKS = sorted(path for path in FOLDER.glob("**/*.ipynb") if ".ipynb_checkpoints" not in path.parts)
NUMBERS = [path.stem.split("_")[0] for path in NOTEBOOKS]  # of the whole course: 04, then 04b, then 05
NUMBER = r"\d\d[b-e]?"
SHORT = {  # as the notebooks write it
    "labkit.mindspore.nn": "nn", "labkit.mindspore.ops": "ops", "labkit.mindspore": "ms", "labkit.torch": "torch",
}  # fmt: skip


class Part(NamedTuple):
    """A piece of a notebook: a code cell, or the text between two headings. `section` counts `#` and `##` headings."""

    section: int
    kind: str
    cell: str
    text: str


@cache
def load(path):
    """A notebook as it is in its file, read once: nobody changes it."""
    return nbformat.v4.reads(path.read_text(encoding="utf-8"))


def number_of(path):
    """The number of a notebook in the course, as its file's name begins: `04`, `04b`."""
    return path.stem.split("_")[0]


def code_cells(path):
    return [cell for cell in load(path).cells if cell.cell_type == "code"]


def markdown(path):
    return "\n\n".join(cell.source for cell in load(path).cells if cell.cell_type == "markdown")


def without_fences(text):
    return re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)


def without_links(text):
    """Without the words of links and their addresses: they are titles of other people's documents."""
    return re.sub(r"\[[^\]]*\]\([^)]*\)|<https?:[^>]*>", "", text)


@cache
def parts(path) -> tuple[Part, ...]:
    """A notebook from top to bottom."""
    found, section = [], 0
    for cell in load(path).cells:
        if cell.cell_type == "code":
            found.append(Part(section, "code", cell.id, cell.source))
            continue
        for i, text in enumerate(re.split(r"^(?=##? )", cell.source, flags=re.MULTILINE)):
            section += i > 0
            found.append(Part(section, "markdown", cell.id, text))
    return tuple(found)


LIST = rf"({NUMBER}(?:(?:,| and| or| to|,? and|-|–) ?{NUMBER})*)\b"


def numbers_named(text: str) -> set[str]:
    """The notebooks that a text names: "notebook 03", "notebooks 01 to 05", "09 · Title", a row "| 03 |" of a table."""
    lists = re.findall(rf"\b[Nn]otebooks? {LIST}", text)
    named = set(re.findall(rf"\b{NUMBER}(?= · )|(?<=^\| ){NUMBER}(?= \|)", text, re.MULTILINE))
    named |= {number for numbers in lists for number in re.findall(NUMBER, numbers)}
    for first, last in (
        ends for numbers in lists for ends in re.findall(rf"({NUMBER})(?: to |-|–)({NUMBER})", numbers)
    ):
        named |= {number for number in NUMBERS if first <= number <= last}
    return named & set(NUMBERS)


# ---- labkit names in code ----


def names_used(path) -> Iterator[tuple[str, int, str]]:
    """`(name, section, cell)` for every use of a labkit name in a code cell, in order; imports count."""
    bound: dict[str, str] = {}
    for part in parts(path):
        if part.kind == "code":
            tree = ast.parse(re.sub(r"^[%!].*$", "", part.text, flags=re.MULTILINE))
            bound |= imported(tree)
            dotted = [*imported(tree).values(), *chains(tree, bound)]
            yield from ((name, part.section, part.cell) for name in map(canonical, dotted) if name)


def imported(tree) -> dict[str, str]:
    """Local names and the labkit names that they stand for."""
    names = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                names[alias.asname or alias.name.split(".")[0]] = (
                    alias.name if alias.asname else alias.name.split(".")[0]
                )
        elif isinstance(node, ast.ImportFrom):
            names |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
    return {local: full for local, full in names.items() if full.split(".")[0] == "labkit"}


def chains(tree, bound) -> Iterator[str]:
    """Each `a.b.c` that starts with a bound name, in full."""
    for node in ast.walk(tree):
        attributes = []
        while isinstance(node, ast.Attribute):
            attributes.append(node.attr)
            node = node.value
        if isinstance(node, ast.Name) and node.id in bound:
            yield ".".join([bound[node.id], *reversed(attributes)])


@cache
def canonical(dotted: str) -> str | None:
    """The one way to write a labkit name: `ms.grad`, `nn.Dense`, `torch.no_grad`, `labkit.trace`; None for a module."""
    value, path = labkit, ["labkit"]
    for part in dotted.split(".")[1:]:
        if not isinstance(value, ModuleType):
            break
        path.append(part)
        try:
            value = getattr(value, part)
        except AttributeError:
            try:
                value = import_module(".".join(path))
            except ImportError:
                return None
    if isinstance(value, ModuleType):
        return None
    home, name = ".".join(path[:-1]), path[-1]
    if labkit._HOMES.get(name) and getattr(labkit, name) is value:
        home = "labkit"
    for long, short in SHORT.items():
        if f"{home}.".startswith(f"{long}."):
            return f"{short}{home.removeprefix(long)}.{name}"
    return f"{home}.{name}"
