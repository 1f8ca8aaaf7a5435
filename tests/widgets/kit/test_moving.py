"""A picture saved as GIF plays: it stays at each step and moves in between, in the theme's own colours, and waits at its end."""

import io
from itertools import pairwise

import numpy as np
import pytest
from PIL import Image
from widget_examples import Demo

from labkit.widgets.kit import moving
from labkit.widgets.kit.picture import Picture
from labkit.widgets.kit.scene import STEP, Caption, Dial, Panel, Scene, rect, text
from labkit.widgets.kit.still import placed
from labkit.widgets.kit.theme import PALETTES


def frames_of(content):
    """The frames as arrays of colours, and how long each is seen, in ms."""
    opened, frames, stay = Image.open(io.BytesIO(content)), [], []
    for i in range(opened.n_frames):
        opened.seek(i)
        frames.append(np.asarray(opened.convert("RGB")))
        stay.append(opened.info["duration"])
    return frames, stay


def resting(content):
    """The frames that stay."""
    return [frame for frame, ms in zip(*frames_of(content)) if ms >= moving.STAYS]


@pytest.fixture(scope="module")
def run():
    return Demo()


@pytest.fixture(scope="module")
def played(run):
    return run.gif()


def test_it_stays_at_each_step_and_moves_in_between(run, played):
    frames, _ = frames_of(played)
    assert len(resting(played)) == len(run.scene.dials[0].values)
    assert all((before != after).any() for before, after in pairwise(frames))


def test_what_is_painted_on_the_way_fits_into_the_whole(run):
    """As much is painted anew as moves; the rest is the picture before or after."""
    look = moving.Look(run.scene, "step", "light", 1.5, 2)
    states = [run.scene.state(step=i) for i in (1, 2)]
    _, end = moving.painted(look, states)
    (patch,) = moving.between(look, *states, 1)
    height, width = patch.pixels.shape
    around = end[patch.top - 1 : patch.top + height + 1, patch.left - 1 : patch.left + width + 1]
    assert 0 < patch.pixels.size < end.size / 2 and (around[[0, -1]] == end[0, 0]).mean() > 0.5
    there = end[patch.top : patch.top + height, patch.left : patch.left + width]
    assert 0.005 < (there != patch.pixels).mean() < 0.2


def test_many_steps_have_fewer_frames_each():
    steps = Dial("step", "Step", [str(i) for i in range(50)])
    mark = text(0, 20, "here").following("step", x=range(0, 400, 8))
    _, stay = frames_of(Picture(Scene("", "", [steps], [Panel("p", "", 420, 50, [mark])])).gif())
    assert 50 + moving.FRAMES >= len(stay) > 100


def test_it_plays_from_where_its_slider_is_turned_to():
    frames, whole = resting(Demo().gif(step="square")), resting(Demo().gif())
    assert len(whole) == 3 and len(frames) == 2
    assert [np.abs(frames[-1] - frame.astype(int)).mean() < 1 for frame in whole] == [False, False, True]


def test_from_the_end_it_plays_as_a_whole_as_in_the_page():
    assert len(resting(Demo().gif(step="square again"))) == 3


def test_it_begins_anew_for_ever_and_the_last_frame_waits(played):
    stay, steps = frames_of(played)[1], len(resting(played)) - 1
    assert Image.open(io.BytesIO(played)).info["loop"] == 0
    assert sum(stay) == (moving.STAYS + moving.MOST * moving.FRAME) * steps + moving.LAST_STAYS
    assert stay[-1] >= moving.LAST_STAYS > 2 * moving.STAYS


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_colours_are_those_of_the_theme_without_dithering(theme):
    frames, _ = frames_of(Demo().gif(theme))
    page = bytes.fromhex(PALETTES[theme]["page"][1:])
    assert all(bytes(corner) == page for frame in frames for corner in (frame[0, 0], frame[-1, -1]))
    whole = [np.unique(frame @ np.array([1 << 16, 1 << 8, 1])) for frame in frames]
    shown = {int(pixel).to_bytes(3, "big") for found in whole for pixel in found}
    assert {bytes.fromhex(PALETTES[theme][name][1:]) for name in ("ink", "forward", "forward-fill")} <= shown
    assert len(shown) <= moving.COLOURS


def test_the_same_picture_gives_the_same_bytes(played):
    assert played == Demo().gif()


def test_it_says_in_words_what_it_shows(run, played):
    words = Image.open(io.BytesIO(played)).info["comment"].decode()
    assert words.startswith(run.describe(step=0))
    assert all(run.describe(step=i).splitlines()[-1] in words for i in range(len(run.scene.dials[0].values)))


def test_a_longer_sentence_moves_nothing_below_it():
    steps = Dial("step", "Step", ["short", "long"])
    said = Caption("step", [(0, "Few words."), (1, "A sentence of many words. " * 8)])
    frames, _ = frames_of(
        Picture(Scene("", "", [steps], [Panel("p", "", 420, 50, [text(5, 20, "here")])], [said])).gif()
    )
    assert frames[0].shape == frames[1].shape and (frames[0][-60:] == frames[1][-60:]).all()


def test_a_picture_without_a_slider_cannot_play():
    still = Picture(Scene("", "", [Dial("on", "On", ["no", "yes"], kind="toggle")], []))
    with pytest.raises(ValueError, match=r"gif: expected a picture with a slider to play, .* of these kinds: toggle"):
        still.gif()


def test_an_unknown_theme_is_refused():
    with pytest.raises(ValueError, match="theme: expected 'light', 'dark', but got 'auto'"):
        Demo().gif("auto")


def test_what_an_example_puts_moves_along():
    examples = Dial("example", "Example", ["low", "high", "yours"], plays=[0, 1], puts=[{"a": 0}, {"a": 1}, {}])
    number = text(10, 20, "").following("a", text=["0", "1"], x=[10, 60])
    scene = Scene(
        "Put", "A number.", [examples, Dial("a", "A", ["0", "1"], "inside")], [Panel("p", "", 90, 30, [number])]
    )
    with Image.open(io.BytesIO(Picture(scene).gif())) as found:
        assert found.n_frames > 3


def test_titles_between_what_moves_stay():
    def panel(name):
        dot = rect(20, 20, 12, 12, "op").following("step", x=[20.0, 380.0]).moving("step", 0.0, STEP, "x")
        return Panel(name, f"Title of {name}", 900, 60, [dot])

    scene = Scene("Two", "", [Dial("step", "Step", ["0", "1"])], [panel("one"), panel("two")])
    frames, _ = frames_of(Picture(scene).gif())
    top = min(y for _, y, words, _ in placed(scene, scene.start(), 1)[3] if words == "Title of two")
    titles = [frame[round(top) - 12 : round(top), :200].tolist() for frame in frames]
    assert len(frames) > 3 and all(title == titles[0] for title in titles)
