"""A picture saved as GIF plays: a frame for each step, in the theme's own colours, the last one waiting before it begins anew."""

import io
from itertools import pairwise

import numpy as np
import pytest
from widget_examples import Demo

import labkit
from labkit.widgets.kit import moving
from labkit.widgets.kit.picture import Picture
from labkit.widgets.kit.scene import Caption, Dial, Panel, Scene, text
from labkit.widgets.kit.theme import PALETTES

image = pytest.importorskip("PIL.Image", reason='pip install "labkit[notebooks]"')
pytest.importorskip("matplotlib", reason='pip install "labkit[notebooks]"')


def frames_of(content):
    """The frames as arrays of colours, and how long each is seen, in ms."""
    opened, frames, stay = image.open(io.BytesIO(content)), [], []
    for i in range(opened.n_frames):
        opened.seek(i)
        frames.append(np.asarray(opened.convert("RGB")))
        stay.append(opened.info["duration"])
    return frames, stay


@pytest.fixture(scope="module")
def run():
    return labkit.show(lambda x, y: x**2 + y, 3.0, 2.0)


def test_there_is_a_frame_for_each_step_and_each_differs_from_the_one_before(run):
    frames, _ = frames_of(run.gif())
    assert len(frames) == len(run.scene.dials[0].values)
    assert all((before != after).any() for before, after in pairwise(frames))


def test_it_plays_from_where_its_slider_is_turned_to():
    frames, _ = frames_of(Demo().gif(step="square"))
    whole, _ = frames_of(Demo().gif())
    assert len(whole) == 3 and len(frames) == 2
    assert [np.abs(frames[-1] - frame.astype(int)).mean() < 1 for frame in whole] == [False, False, True]


def test_it_begins_anew_for_ever_and_the_last_frame_waits():
    content = Demo().gif()
    *stay, last = frames_of(content)[1]
    assert image.open(io.BytesIO(content)).info["loop"] == 0 and set(stay) == {moving.STAYS}
    assert last == moving.LAST_STAYS > 2 * moving.STAYS


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_colours_are_those_of_the_theme_without_dithering(theme):
    frames, _ = frames_of(Demo().gif(theme))
    page = bytes.fromhex(PALETTES[theme]["page"][1:])
    assert all(bytes(corner) == page for frame in frames for corner in (frame[0, 0], frame[-1, -1]))
    shown = {bytes(pixel) for frame in frames for pixel in np.unique(frame.reshape(-1, 3), axis=0)}
    assert {bytes.fromhex(PALETTES[theme][name][1:]) for name in ("ink", "forward", "forward-fill")} <= shown
    assert len(shown) <= moving.COLOURS


def test_the_same_picture_gives_the_same_bytes(run):
    again = labkit.show(lambda x, y: x**2 + y, 3.0, 2.0)
    assert run.gif("dark", scale=1.5) == again.gif("dark", scale=1.5)


def test_it_is_smaller_than_its_frames_as_pngs(run):
    assert 3 * len(run.gif(scale=2)) < sum(len(run.png(step=i)) for i in range(len(run.scene.dials[0].values)))


def test_it_says_in_words_what_it_shows(run):
    words = image.open(io.BytesIO(run.gif())).info["comment"].decode()
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
