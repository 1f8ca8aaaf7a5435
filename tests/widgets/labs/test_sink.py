"""The sink calculator shows steps and round trips as they are counted on the simulated device."""

import json

import pytest

import labkit.mindspore as ms
from labkit.widgets.kit.scene import holds, to_json
from labkit.widgets.labs.sink.scene import BATCHES, EPOCHS, SIZES, SinkCalculator


@pytest.fixture(scope="module")
def picture():
    return SinkCalculator()


def visible(picture, role, **dials):
    state = picture.scene.state(**dials)
    marks = [mark for mark in picture.scene.panels[0].marks if mark.role in role]
    return [mark for mark in marks if all(state[d] in p for d, p in mark.when.items())]


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
    assert list(epochs.asks) == [1, 2, 3, 4] and size.resets == {"epochs": 0}


def test_the_contexts_are_put_back(picture):
    before = ms.get_context("mode"), ms.get_context("device_target")
    SinkCalculator()
    assert (ms.get_context("mode"), ms.get_context("device_target")) == before


def test_it_is_small_and_can_be_drawn(picture):
    assert len(json.dumps(to_json(picture.scene), allow_nan=False)) < 200_000
    assert picture.svg("dark", size="off").startswith("<svg")
