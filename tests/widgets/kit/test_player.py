"""The Jupyter widget follows its picture, and is closed when no cell shows it any more."""

import pytest
from widget_examples import Demo, demo_scene

from labkit.widgets.kit import player as module
from labkit.widgets.kit.player import close_previous
from labkit.widgets.kit.scene import to_json


class Shell:
    """A notebook's shell while a cell runs."""

    def __init__(self, cell=None, execution="1"):
        self.parent = {"header": {"msg_id": execution}, "metadata": {"cellId": cell} if cell else {}}

    def get_parent(self):
        return self.parent


@pytest.fixture(autouse=True)
def no_cells(monkeypatch):
    monkeypatch.setattr(module, "_shown", {})


def show(picture, cell, execution):
    """What displaying a picture in a cell does."""
    close_previous(picture.player, Shell(cell, execution))
    return picture.player


def test_a_player_has_the_scene_and_stands_at_its_start():
    picture = Demo()
    assert picture.player.scene == to_json(picture.scene)
    assert picture.player.state == picture.scene.start()
    assert picture.player is picture.player and picture.player.live


def test_what_the_reader_turns_is_the_state_of_the_picture():
    picture = Demo()
    picture.player.state = picture.state | {"step": 2}  # as the page sends it
    assert picture.state["step"] == 2


def test_what_the_reader_fills_in_is_answered_with_a_new_scene():
    picture = Demo()
    picture.player._handle_custom_msg({"set": {"x": "3"}}, [])
    assert picture.scene == demo_scene(3.0)
    assert picture.player.scene == to_json(demo_scene(3.0))


def test_a_still_picture_is_hidden_by_no_other_widget():
    assert len({Demo().player.still for _ in range(20)}) == 20


def test_running_a_cell_again_closes_what_it_has_shown():
    first, second = Demo(), Demo()
    old = show(first, "a", "1")
    show(second, "a", "2")
    assert old.closed and old.layout.comm is None
    assert not second.player.closed


def test_one_run_of_a_cell_may_show_several():
    players = [show(Demo(), "a", "1") for _ in range(3)]
    assert not any(player.closed for player in players)
    show(Demo(), "a", "2")
    assert all(player.closed for player in players)


def test_what_another_cell_shows_stays():
    picture = Demo()
    show(picture, "a", "1")
    show(picture, "b", "2")
    show(Demo(), "a", "3")
    assert not picture.player.closed


def test_showing_the_same_picture_again_keeps_it():
    picture = Demo()
    player = show(picture, "a", "1")
    assert show(picture, "a", "2") is player and not player.closed


def test_a_closed_picture_that_is_shown_again_plays_again():
    picture = Demo()
    old = show(picture, "a", "1")
    show(Demo(), "a", "2")
    assert picture.player is not old and not picture.player.closed
    assert picture.player.state == picture.scene.start()


def test_a_notebook_that_does_not_name_its_cells_closes_nothing():
    players = [show(Demo(), None, str(i)) for i in range(2)]
    assert not any(player.closed for player in players)
