"""Arrows point one way: no file of labkit imports what imports it, and a room is entered through its face."""

from arrows import arrows, circles, floors, past_the_face, private


def test_no_file_imports_what_imports_it():
    assert circles([(str(arrow.file), str(arrow.target)) for arrow in arrows()]) == []


def test_no_room_takes_private_names_of_another():
    assert not private(arrows()), "\n".join(map(str, private(arrows())))


def test_no_room_reaches_past_the_face_of_another():
    own = ("widgets", "labs"), ("widgets", "playground")  # each lab has a face of its own, and so has the playground
    past = [a for a in past_the_face(arrows()) if a.target.parts[:2] not in own]
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


def test_arrows_that_do_not_belong_are_seen(tmp_path, monkeypatch):
    house = {
        "house/__init__.py": "",
        "house/lower/__init__.py": "from .part import one\n__all__ = ['one']",
        "house/lower/part.py": "def one():\n    from ..upper import two\n    return two",
        "house/upper.py": "from .lower import one\nfrom .lower.part import _hidden\nfrom typing import TYPE_CHECKING\n"
        "if TYPE_CHECKING:\n    from .top import kind\ntwo = 2",
        "house/top.py": "import house.upper\nfrom .tall import stairs\nfrom .tall.stairs import up\n"
        "from .tall.cellar import one\nfrom .tall.lift import down",
        "house/tall/__init__.py": "from .lift import down as lift\n__all__ = ['lift', 'stairs']",
        "house/tall/lift.py": "down = 3",
        "house/tall/stairs.py": "up = 4",
        "house/tall/cellar.py": "one = 1",
    }
    for name, text in house.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    found = arrows(tmp_path / "house")
    tied = circles([(arrow.file.as_posix(), arrow.target.as_posix()) for arrow in found])
    assert tied == [["lower/__init__.py", "lower/part.py", "upper.py"]]
    assert [str(arrow) for arrow in private(found)] == ["upper.py:2 -> lower/part.py (_hidden)"]
    monkeypatch.syspath_prepend(tmp_path)
    assert [str(arrow) for arrow in past_the_face(found, tmp_path / "house")] == [
        "top.py:4 -> tall/cellar.py (one)",
        "top.py:5 -> tall/lift.py (down)",
        "upper.py:2 -> lower/part.py (_hidden)",
    ]
    assert ("top.py", "upper.py") in {(arrow.file.as_posix(), arrow.target.as_posix()) for arrow in found}
