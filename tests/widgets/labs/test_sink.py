"""The sink calculator shows steps and round trips as they are counted on the simulated device."""

import json
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

import labkit.mindspore as ms
from labkit.widgets.kit.scene import holds, to_json
from labkit.widgets.kit.still import visible_marks
from labkit.widgets.labs.sink.lanes import spans
from labkit.widgets.labs.sink.scene import BATCHES, EPOCHS, SIZES, SinkCalculator
from labkit.widgets.labs.sink.view import LEFT


@pytest.fixture(scope="module")
def picture():
    return SinkCalculator()


def visible(picture, panel=0, **dials):
    """The tiles of steps."""
    seen = visible_marks(picture.scene.panels[panel], picture.scene.state(**dials))
    return [at for mark, at, _, _ in seen if mark.tag == "rect" and mark.role in ("op", "leaf") and at["width"] > 10]


def test_steps_are_epochs_times_sink_size(picture):
    for (epochs, name), count in picture.runs.items():
        size = SIZES[name]
        assert count.steps == epochs * (BATCHES if size in (None, -1) else size)


def test_a_round_trip_per_launch_or_per_step_without_sinking(picture):
    for (epochs, name), count in picture.runs.items():
        assert count.round_trips == (count.steps if name == "off" else epochs)


def test_there_is_a_tile_per_step_with_the_batch_that_it_reads(picture):
    for (epochs, name), count in picture.runs.items():
        assert len(visible(picture, epochs=str(epochs), size=name)) == count.steps
        seen = visible_marks(picture.scene.panels[0], picture.scene.state(epochs=str(epochs), size=name))
        tiles = [
            (at["y"], at["x"], words)
            for mark, at, words, _ in seen
            if mark.role == "tiletext" and words and at["x"] > LEFT
        ]
        assert [int(words) for _, _, words in sorted(tiles)] == [step % BATCHES for step in range(count.steps)]


def test_beside_it_a_tile_for_each_time_that_a_batch_is_read(picture):
    for (epochs, name), count in picture.runs.items():
        tiles = visible(picture, 1, epochs=str(epochs), size=name)
        columns = Counter(at["x"] for at in tiles)
        assert [columns[x] for x in sorted(columns)] == [
            len(range(batch, count.steps, BATCHES)) for batch in range(min(BATCHES, count.steps))
        ]


def test_a_line_tells_as_many_whole_passes_as_epochs(picture):
    panel = picture.scene.panels[1]
    for (epochs, name), count in picture.runs.items():
        marks = list(visible_marks(panel, picture.scene.state(epochs=str(epochs), size=name)))
        (line,) = [at["d"].points for mark, at, _, _ in marks if mark.role == "before"]
        assert {y.value for _, y in line} == {epochs}
        (said,) = [words for mark, _, words, _ in marks if mark.role == "plain"]
        more = count.steps - epochs * BATCHES
        assert said == (f"{abs(more)} {'more' if more > 0 else 'fewer'} are run" if more else "as many are run")


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


def test_there_is_a_dot_where_each_round_trip_ends(picture):
    panel = picture.scene.panels[0]
    for (epochs, name), count in picture.runs.items():
        state = picture.scene.state(epochs=str(epochs), size=name)
        dots = [at for mark, at, _, _ in visible_marks(panel, state) if mark.role == "backbar" and mark.tag == "circle"]
        assert len({(at["cx"], at["cy"]) for at in dots}) == len(dots) == count.round_trips
        size = count.steps // epochs
        assert {at["cx"].value for at in dots} == (set(range(1, size + 1)) if name == "off" else {size})


def test_the_rings_stand_at_the_end_of_an_epoch_and_of_all(picture):
    size, epochs = picture.scene.grips
    for name, (x, _) in zip(SIZES, size.spots, strict=True):
        tiles = visible(picture, epochs="6", size=name)
        if SIZES[name] in (None, -1):  # stops beyond the longest epoch
            assert x > max(spot for spot, _ in size.spots[:12])
            continue
        assert 0 < x - max(at["x"] + at["width"] for at in tiles) < 8
    for count, (_, y) in zip(EPOCHS, epochs.spots, strict=True):
        tiles = visible(picture, epochs=str(count), size="5")
        assert abs(y - max(at["y"] + at["height"] for at in tiles)) < 3


def test_the_caption_tells_of_batches_that_are_missing(picture):
    said = "6 epochs × 5 = 30 steps: 3 whole passes and 6 batches of the data, in 6 round trips."
    assert said in picture.describe(epochs="6", size="5")
    assert "1 epoch × 1 = 1 step: 1 batch of the data, in 1 round trip." in picture.describe(epochs=0, size="1")


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
    assert len(json.dumps(to_json(picture.scene), allow_nan=False)) < 580_000
    assert picture.svg("dark", size="off").startswith("<svg")


def test_the_host_gets_a_loss_of_each_round_trip_the_last_one_there(picture):
    for at, count in picture.runs.items():
        every = count.steps // count.round_trips
        assert picture.seen[at] == [picture.losses[k * every + every - 1] for k in range(count.round_trips)]


@pytest.mark.parametrize("name", ["1", "5", "−1", "off"])
def test_losses_are_drawn_where_they_are_and_covered_as_long_as_they_have_not_run(picture, name):
    for epochs in EPOCHS:
        seen = list(visible_marks(picture.scene.panels[2], picture.scene.state(epochs=str(epochs), size=name)))
        line = next(at["d"].points for mark, at, *_ in seen if mark.role == "edge")
        (cover,) = [at for mark, at, *_ in seen if mark.tag == "rect" and mark.when]
        assert cover["x"].value == picture.runs[epochs, name].steps
        dots = [(at["cx"].value, at["cy"].value) for mark, at, *_ in seen if mark.role == "backbar"]
        losses = picture.seen[epochs, name]
        assert [loss for _, loss in dots] == losses and [picture.losses[int(x) - 1] for x, _ in dots] == losses
        assert [y.value for _, y in line] == picture.losses


def test_the_losses_of_the_log_are_joined_and_its_largest_rise_is_of_two_batches(picture):
    panel = picture.scene.panels[2]
    for (epochs, name), seen in picture.seen.items():
        state = picture.scene.state(epochs=str(epochs), size=name)
        marks = list(visible_marks(panel, state))
        (log,) = [at["d"].points for mark, at, *_ in marks if mark.role == "backline"]
        assert [y.value for _, y in log] == seen
        said = [words for mark, _, words, _ in marks if mark.role == "slope" and "in the log" in words]
        rises = [b - a for a, b in pairwise(seen)]
        every = picture.runs[epochs, name].steps // len(seen)
        if said:
            k = rises.index(max(rises))
            assert rises[k] > 0
            assert said[0].endswith(
                f"batch {((k + 1) * every - 1) % BATCHES}, then batch {((k + 2) * every - 1) % BATCHES}"
            )
    assert any("batch 1, then batch 6" in words for *_, words, _ in visible_marks(panel, picture.scene.start()))


def test_lanes_show_the_device_and_the_host_at_work_one_after_the_other(picture):
    for (epochs, name), count in picture.runs.items():
        device, host = spans(count)
        both = sorted([*device, *host])
        assert both[0][0] == 0 and all(end == start for (_, end), (start, _) in pairwise(both))
        assert sum(end - start for start, end in device) == count.steps and len(host) == count.round_trips
        marks = list(visible_marks(picture.scene.panels[0], picture.scene.state(epochs=str(epochs), size=name)))
        boxes = [at["d"].count("M") for mark, at, *_ in marks if mark.tag == "path" and mark.role in ("bar", "backbar")]
        assert boxes == [count.round_trips] * 2
        assert any(f"{count.steps + count.round_trips} steps long" in words for *_, words, _ in marks)


def test_a_step_is_linked_wherever_it_is_drawn_and_a_batch_with_all_its_steps(picture):
    state = picture.scene.state(epochs="2", size="5")
    for panel in picture.scene.panels:
        assert "step 7" in {mark.link for mark, *_ in visible_marks(panel, state)}
    assert picture.scene.links["batch 3"].lights[:2] == ["step 3", "step 11"]
    assert picture.scene.links["step 11"].tip[0] == "Step 12 reads batch 3"
