"""The sink calculator shows steps and round trips as they are counted on the simulated device."""

import json
from itertools import pairwise

import numpy as np
import pytest

import labkit.mindspore as ms
from labkit.widgets.kit.scene import holds, looks, to_json
from labkit.widgets.kit.still import visible_marks
from labkit.widgets.kit.strokes import numbers
from labkit.widgets.labs.sink.scene import BATCHES, EPOCHS, SIZES, SinkCalculator


@pytest.fixture(scope="module")
def picture():
    return SinkCalculator()


def visible(picture, role, **dials):
    seen = visible_marks(picture.scene.panels[0], picture.scene.state(**dials))
    return [at for mark, at, _, _ in seen if mark.tag == "rect" and mark.role in role]


def test_steps_are_epochs_times_sink_size(picture):
    for (epochs, name), count in picture.runs.items():
        size = SIZES[name]
        assert count.steps == epochs * (BATCHES if size in (None, -1) else size)


def test_a_round_trip_per_launch_or_per_step_without_sinking(picture):
    for (epochs, name), count in picture.runs.items():
        assert count.round_trips == (count.steps if name == "off" else epochs)


def test_there_is_a_tile_per_step(picture):
    for (epochs, name), count in picture.runs.items():
        assert len(visible(picture, ("op", "leaf"), epochs=str(epochs), size=name)) == count.steps
        assert len(visible(picture, ("outline",), epochs=str(epochs), size=name)) == epochs * BATCHES


def test_an_epoch_counts_what_a_run_of_so_many_epochs_counts(picture):
    for epochs, name in ((1, "5"), (3, "12"), (2, "off")):
        x, layer = np.ones((BATCHES, 1), np.float32), ms.nn.Dense(1, 1)
        before = {key: ms.get_context(key) for key in ("mode", "device_target")}
        ms.set_context(mode=ms.GRAPH_MODE, device_target="Ascend")
        with ms.train.counting() as count:
            rows = ms.dataset.NumpySlicesDataset((x, x), ["x", "y"], shuffle=False).batch(1)
            model = ms.train.Model(layer, ms.nn.MSELoss(), ms.nn.SGD(layer.trainable_params(), 0.01))
            model.train(epochs, rows, dataset_sink_mode=name != "off", sink_size=SIZES[name] or -1)
        ms.set_context(**before)
        assert (count.steps, count.round_trips) == (
            picture.runs[epochs, name].steps,
            picture.runs[epochs, name].round_trips,
        )


def test_the_way_of_the_work_goes_down_once_for_each_round_trip(picture):
    lanes = picture.scene.panels[1]
    (way,) = [mark for mark in lanes.marks if mark.role == "edge"]
    for (epochs, name), count in picture.runs.items():
        ys = numbers(looks(way, picture.scene.state(epochs=str(epochs), size=name))[0]["d"])[1::2]
        downs = sum(a < b for a, b in pairwise(ys))
        assert downs == count.round_trips and ys[0] == ys[-1] == min(ys)


def test_there_is_a_dot_where_each_round_trip_ends(picture):
    lanes = picture.scene.panels[1]
    (way,) = [mark for mark in lanes.marks if mark.role == "edge"]
    for (epochs, name), count in picture.runs.items():
        state = picture.scene.state(epochs=str(epochs), size=name)
        dots = [at["cx"] for mark, at, _, _ in visible_marks(lanes, state) if mark.role == "backbar"]
        path = numbers(looks(way, state)[0]["d"])
        ends = [x for x, y, before in zip(path[2::2], path[3::2], path[1::2]) if y < before]
        assert len(dots) == count.round_trips and dots == pytest.approx(ends, abs=0.11)


def test_the_ring_stands_at_the_end_of_the_first_epoch(picture):
    (grip,) = [g for g in picture.scene.grips if g.name == "size"]
    for name, (x, y) in zip(SIZES, grip.spots, strict=True):
        tiles = visible(picture, ("op", "leaf"), epochs="1", size=name)
        assert x == pytest.approx(tiles[-1]["x"] + tiles[-1]["width"] + 2) and 0 < y - tiles[-1]["y"] < 30


def test_the_caption_tells_of_batches_that_are_missing(picture):
    assert "6 × 5 = 30 steps: 3 whole passes and 6 batches" in picture.describe(epochs="6", size="5")
    assert "6 passes would be 48 steps." in picture.describe(epochs="6", size="5")
    assert "1 × 1 = 1 step: 1 batch of the data, 1 round trip. 1 pass would be 8 steps." in picture.describe(
        epochs=0, size="1"
    )
    assert "would be" not in picture.describe(epochs="6", size="8")


def test_the_question_before_more_epochs_is_about_steps_or_round_trips(picture):
    epochs, size = picture.scene.dials
    for position, name in enumerate(SIZES):
        for at, asked in epochs.asks.items():
            count = picture.runs[EPOCHS[at], name]
            (ask,) = (ask for ask in asked if holds(ask.when, picture.scene.state(size=position)))
            about_trips = "round trips" in ask.question
            assert about_trips == (name in ("off", "−1"))
            assert ask.answer == (count.round_trips if about_trips else count.steps)
            assert ask.slips and all(wrong != ask.answer and words.endswith(".") for wrong, words in ask.slips)
    assert list(epochs.asks) == [1, 2, 3, 4, 5] and size.resets == {"epochs": 0}


def test_the_contexts_are_put_back(picture):
    before = ms.get_context("mode"), ms.get_context("device_target")
    SinkCalculator()
    assert (ms.get_context("mode"), ms.get_context("device_target")) == before


def test_it_is_small_and_can_be_drawn(picture):
    assert len(json.dumps(to_json(picture.scene), allow_nan=False)) < 200_000
    assert picture.svg("dark", size="off").startswith("<svg")
