"""The rooms of the widgets: labs stand on the explorer and the kit, never the other way, and none knows another lab."""

import ast
from graphlib import TopologicalSorter
from importlib import import_module
from pathlib import Path

import pytest

import labkit
import labkit.widgets

ROOT = Path(labkit.__file__).parent.parent
ROOMS = ("labkit.widgets.kit", "labkit.widgets.explorer", "labkit.widgets.labs")  # each may use those before it
OUTSIDE = ("labkit", ".github", "notebooks/figures", "tests/browser", "tests/tools")


def name_of(path):
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = {name_of(path): path for path in Path(labkit.widgets.__file__).parent.rglob("*.py")}


def imported(name, path):
    """`(module, name)` of all that a file imports from labkit, in functions as well."""
    package = name if path.stem == "__init__" else name.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            around = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            for alias in node.names:
                yield ".".join([*around, *filter(None, [node.module])]), alias.name
        elif isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)


ARROWS = {
    name: {f"{home}.{what}" if f"{home}.{what}" in FILES else home for home, what in imported(name, path)} & {*FILES}
    for name, path in FILES.items()
}


def room(name):
    return next((k for k, start in enumerate(ROOMS) if f"{name}.".startswith(f"{start}.")), -1)


def lab(name):
    """The name of the lab, or of the explorer, that a module is in; None elsewhere."""
    start = ".".join(name.split(".")[: 4 if room(name) == 2 else 3])
    return start if (room(name) == 2 and start != ROOMS[2]) or room(name) == 1 else None


def test_there_is_no_circle():
    tuple(TopologicalSorter({name: used - {name} for name, used in ARROWS.items()}).static_order())


def test_arrows_point_down():
    assert [(a, b) for a, used in ARROWS.items() for b in used if room(b) > room(a) >= 0] == []


def test_no_lab_knows_another():
    across = [(a, b) for a, used in ARROWS.items() for b in used if room(a) == room(b) == 2 and lab(a) != lab(b)]
    assert across == []


def test_who_uses_a_lab_or_the_explorer_goes_through_its_face():
    files = {path: name_of(path) for folder in OUTSIDE for path in (ROOT / folder).rglob("*.py")}
    past = [
        (name, home, what)
        for path, name in files.items()
        for home, what in imported(name, path)
        if (inside := lab(home)) and inside != lab(name) and (home != inside or f"{home}.{what}" in FILES)
    ]
    assert past == []


def test_no_widget_takes_a_private_name_from_another_module():
    taken = [
        (name, home, what) for name, path in FILES.items() for home, what in imported(name, path) if what[:1] == "_"
    ]
    assert [(name, home, what) for name, home, what in taken if home.startswith("labkit.widgets")] == []


@pytest.mark.parametrize("name", labkit.widgets.__all__)
def test_a_public_widget_is_in_the_face_of_its_room(name):
    home = import_module(getattr(labkit.widgets, name).__module__)
    inside = lab(home.__name__)
    assert inside is None or name in import_module(inside).__all__
