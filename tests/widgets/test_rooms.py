"""The rooms of the widgets: labs stand on the explorer and the kit, never the other way, and none knows another lab."""

from importlib import import_module

import pytest
from arrows import arrows

import labkit.widgets

ROOMS = ("kit", "explorer", "labs")  # each may use those before it


def to_widgets():
    return [arrow for arrow in arrows() if arrow.target.parts[0] == "widgets"]


def floor(path):
    """Which of `ROOMS` a file is in; -1 for the face of them all, and for what is no widget."""
    return ROOMS.index(path.parts[1]) if path.parts[0] == "widgets" and path.parts[1] in ROOMS else -1


def part(path):
    """The lab that a file is in, or the explorer; None elsewhere."""
    parts = path.parts[: 3 if floor(path) == 2 else 2]
    return parts if floor(path) == 1 or (floor(path) == 2 and len(path.parts) > 3) else None


def test_arrows_point_down():
    assert [str(a) for a in to_widgets() if floor(a.target) > floor(a.file) >= 0] == []


def test_no_lab_knows_another():
    labs = [a for a in to_widgets() if floor(a.file) == floor(a.target) == 2]
    assert [str(a) for a in labs if part(a.file) != part(a.target)] == []


def test_who_uses_a_lab_or_the_explorer_goes_through_its_face():
    across = [a for a in to_widgets() if part(a.target) and part(a.target) != part(a.file)]
    assert across
    assert [str(a) for a in across if a.target.parts != (*part(a.target), "__init__.py")] == []


def test_no_widget_takes_a_private_name_from_another_module():
    assert [str(a) for a in to_widgets() if any(name[0] == "_" for name in a.names)] == []


@pytest.mark.parametrize("name", labkit.widgets.__all__)
def test_a_public_widget_is_in_the_face_of_its_room(name):
    home = getattr(labkit.widgets, name).__module__.split(".")
    if home[2] != "kit":
        assert name in import_module(".".join(home[: 4 if home[2] == "labs" else 3])).__all__
