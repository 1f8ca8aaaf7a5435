"""Arrows point one way: no file of labkit imports what imports it, and a room is entered through its face."""

from arrows import arrows, circles, floors, past_the_face, private


def test_no_file_imports_what_imports_it():
    found = circles([(str(arrow.file), str(arrow.target)) for arrow in arrows()])
    assert [files for files in found if not files[0].startswith("mindspore/")] == []  # one is left in that dialect


def test_no_room_takes_private_names_of_another():
    assert not private(arrows()), "\n".join(map(str, private(arrows())))


def test_no_room_reaches_past_the_face_of_another():
    own = ("widgets", "labs"), ("widgets", "playground")  # each lab has a face of its own, and so has the playground
    past = [a for a in past_the_face(arrows()) if a.target.parts[:2] not in own and a.target.parts[0] != "engine"]
    assert not past, "\n".join(map(str, past))


def test_what_stands_on_what():
    order = floors(arrows())  # a circle of rooms raises
    for upper, lower in (
        ("commands", "grading"), ("grading", "classroom"), ("classroom", "widgets"), ("widgets", "torch"),
        ("widgets", "mindspore"), ("mindspore", "program"), ("torch", "engine"), ("program", "engine"), ("jail", "evidence"),
    ):  # fmt: skip
        assert order.index(upper) < order.index(lower), (upper, lower)
    assert {lower for a in arrows() if a.file.parts[0] == "engine" for lower in a.target.parts[:1]} <= {
        "engine",
        "meant.py",
    }
