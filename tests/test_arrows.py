"""Arrows point one way: no file of labkit imports what imports it, and no room takes private names of another."""

from arrows import arrows, circles, floors, private


def test_no_file_imports_what_imports_it():
    assert circles([(arrow.file, arrow.target) for arrow in arrows()]) == []


def test_no_room_takes_private_names_of_another():
    assert not private(arrows()), "\n".join(map(str, private(arrows())))


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


def test_arrows_that_do_not_belong_are_seen(tmp_path):
    house = {
        "house/__init__.py": "",
        "house/lower/__init__.py": "from .part import one",
        "house/lower/part.py": "def one():\n    from ..upper import two\n    return two",
        "house/upper.py": "from .lower import one\nfrom .lower.part import _hidden\nfrom typing import TYPE_CHECKING\n"
        "if TYPE_CHECKING:\n    from .top import kind\ntwo = 2",
        "house/top.py": "import house.upper",
    }
    for name, text in house.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    found = arrows(tmp_path / "house")
    tied = circles([(arrow.file.as_posix(), arrow.target.as_posix()) for arrow in found])
    assert tied == [["lower/__init__.py", "lower/part.py", "upper.py"]]
    assert [str(arrow) for arrow in private(found)] == ["upper.py:2 -> lower/part.py (_hidden)"]
    assert ("top.py", "upper.py") in {(arrow.file.as_posix(), arrow.target.as_posix()) for arrow in found}
