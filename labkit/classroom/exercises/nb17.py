"""Notebook 17, predictions: the shapes inside LeNet-5, and what data sinking really runs."""

import numpy as np

from ..compare import same
from ..exercise import Exercise, Misconception, WrongAnswer

NOTEBOOK = "17_whole_training_run"


# ---- run-shapes ----


def _shapes():
    from ... import mindspore as ms

    nn, ops = ms.nn, ms.ops
    pool = nn.MaxPool2d(2, 2)
    x = ms.Tensor(np.zeros((32, 1, 32, 32), np.float32))
    first = nn.Conv2d(1, 6, 5, pad_mode="valid")(x)
    half = pool(ops.relu(first))
    second = nn.Conv2d(6, 16, 5, pad_mode="valid")(half)
    quarter = pool(ops.relu(second))
    return [tuple(v.shape) for v in (first, half, second, quarter, nn.Flatten()(quarter))]


SHAPES = Exercise(
    name="run-shapes",
    notebook=NOTEBOOK,
    title="The shapes inside LeNet-5",
    points=2,
    statement="""A batch of shape `(32, 1, 32, 32)` goes through LeNet-5. Which shape comes out of each layer?
Answer with a list of five tuples.

0. `nn.Conv2d(1, 6, 5, pad_mode="valid")`
1. `nn.MaxPool2d(2, 2)`
2. `nn.Conv2d(6, 16, 5, pad_mode="valid")`
3. `nn.MaxPool2d(2, 2)`
4. `nn.Flatten()`""",
    reference=_shapes,
    misconceptions=(
        Misconception(
            "padded",
            "With pad_mode='valid' nothing is padded: a window of 5 has 32 - 5 + 1 = 28 places in a row of 32.",
            lambda inputs, expected, got: tuple(got[0])[-1] == 32,
        ),
        Misconception(
            "window-subtracted",
            "32 - 5 is the last place, counted from 0. So there are 32 - 5 + 1 places.",
            lambda inputs, expected, got: tuple(got[0])[-1] == 27,
        ),
        Misconception(
            "channels-last",
            "The order is batch, channels, height, width: the channels stand second.",
            lambda inputs, expected, got: tuple(got[0]) == (32, 28, 28, 6),
        ),
        Misconception(
            "batch-flattened",
            "Flatten keeps the first axis: every sample of the batch becomes a row of its own.",
            lambda inputs, expected, got: same(expected[:4], got[:4]) and len(got[4]) == 1,
        ),
    ),
    rules=(
        "A window of 5 has 5 - 1 places less than the row is long. The batch stays, and the channels are those of the output.",
        "Pooling by 2 with stride 2 takes one of two, in both directions; batch and channels stay.",
        "A window of 5 has 5 - 1 places less than the row is long. The batch stays, and the channels are those of the output.",
        "Pooling by 2 with stride 2 takes one of two, in both directions; batch and channels stay.",
        "Flatten keeps the batch, and puts all that a sample has into one row.",
    ),
    hints=(
        "A window of 5 has 32 - 5 + 1 places in a row of 32. The second number is the number of output channels.",
        "Pooling halves height and width: 28 becomes 14. Then 14 - 5 + 1 = 10.",
        "At the end every sample has 16 channels of 5 by 5.",
    ),
    solution="answer = [(32, 6, 28, 28), (32, 6, 14, 14), (32, 16, 10, 10), (32, 16, 5, 5), (32, 400)]",
    wrong_answers=(
        WrongAnswer(
            "padded",
            "answer = [(32, 6, 32, 32), (32, 6, 16, 16), (32, 16, 16, 16), (32, 16, 8, 8), (32, 1024)]",
            "padded",
        ),
        WrongAnswer(
            "one less",
            "answer = [(32, 6, 27, 27), (32, 6, 13, 13), (32, 16, 8, 8), (32, 16, 4, 4), (32, 256)]",
            "window-subtracted",
        ),
        WrongAnswer(
            "channels last",
            "answer = [(32, 28, 28, 6), (32, 14, 14, 6), (32, 10, 10, 16), (32, 5, 5, 16), (32, 400)]",
            "channels-last",
        ),
        WrongAnswer(
            "all flat",
            "answer = [(32, 6, 28, 28), (32, 6, 14, 14), (32, 16, 10, 10), (32, 16, 5, 5), (12800,)]",
            "batch-flattened",
        ),
        WrongAnswer(
            "pooled by one",
            "answer = [(32, 6, 28, 28), (32, 6, 27, 27), (32, 16, 10, 10), (32, 16, 5, 5), (32, 400)]",
            "value",
        ),
    ),
)


# ---- run-sinking ----

UNIT = 125  # 1875 batches and a sink_size of 1000 are 15 and 8 of these: a small run counts the same


def _small_run(sink, size):
    """The counts of a run of ten epochs, one unit of batches standing for each step."""
    from ... import mindspore as ms

    before = {name: ms.get_context(name) for name in ("mode", "device_target")}
    ms.set_context(mode=ms.GRAPH_MODE, device_target="Ascend")
    try:
        x = np.ones((1875 // UNIT, 1), np.float32)
        rows = ms.dataset.NumpySlicesDataset((x, x), ["x", "y"], shuffle=False).batch(1)
        layer = ms.nn.Dense(1, 1)
        model = ms.train.Model(layer, ms.nn.MSELoss(), ms.nn.SGD(layer.trainable_params(), 0.01))
        with ms.train.counting() as count:
            model.train(10, rows, dataset_sink_mode=sink, sink_size=size)
        return count
    finally:
        ms.set_context(**before)


def _sinking():
    thousand, whole, off = _small_run(True, 1000 // UNIT), _small_run(True, -1), _small_run(False, 1000 // UNIT)
    return [
        thousand.steps * UNIT, whole.steps * UNIT, off.steps * UNIT, thousand.round_trips, whole.round_trips,
        off.round_trips * UNIT, thousand.steps * UNIT // 1875,
    ]  # fmt: skip


SINKING = Exercise(
    name="run-sinking",
    notebook=NOTEBOOK,
    title="10 x 1000 is not 10 x 1875",
    points=3,
    statement="""The data set has 1875 batches. Three trainings, in graph mode on a device that can sink:

- A: `model.train(10, data, dataset_sink_mode=True, sink_size=1000)`
- B: `model.train(10, data, dataset_sink_mode=True, sink_size=-1)`
- C: `model.train(10, data, dataset_sink_mode=False, sink_size=1000)`

Answer with a list of seven numbers: the steps of A, of B and of C; the round trips between host and device of A, of B and of C;
and how many *whole* passes over the data A makes.""",
    reference=_sinking,
    places=(
        "steps of A",
        "steps of B",
        "steps of C",
        "round trips of A",
        "round trips of B",
        "round trips of C",
        "whole passes of A",
    ),
    misconceptions=(
        Misconception(
            "an-epoch-is-a-pass",
            "With a sink_size an epoch is sink_size steps, not a pass over the data: A makes 10 x 1000.",
            lambda inputs, expected, got: got[0] == expected[1],
        ),
        Misconception(
            "size-without-sinking",
            "Without sinking sink_size has no meaning: C makes ten whole passes.",
            lambda inputs, expected, got: got[2] == expected[0],
        ),
        Misconception(
            "a-trip-per-step",
            "With sinking the host starts an epoch and waits once, for its last result.",
            lambda inputs, expected, got: got[3] == got[0] or got[4] == got[1],
        ),
        Misconception(
            "no-sinking-is-free",
            "Without sinking every step comes back to the host.",
            lambda inputs, expected, got: got[5] == expected[3] and same(expected[:5], got[:5]),
        ),
        Misconception(
            "begins-anew",
            "The next epoch goes on where the last one ended. So 10000 steps are 5 passes, and 625 batches more.",
            lambda inputs, expected, got: got[6] in (0, 10) and same(expected[:6], got[:6]),
        ),
    ),
    rules=(
        "With sinking an epoch has as many steps as the sink size.",
        "A sink size of -1 stands for the whole data set, in each epoch.",
        "Without sinking the sink size does not count: every epoch goes through the data set.",
        "With sinking the host waits once for each epoch.",
        "With sinking the host waits once for each epoch, however long it is.",
        "Without sinking the host waits for every step.",
        "All steps of A, divided by the number of batches: whole passes alone count.",
    ),
    hints=(
        "Steps with sinking: epoch x sink_size; -1 stands for the number of batches. Without: epoch x batches.",
        "Round trips: one per epoch with sinking, one per step without.",
        "10000 // 1875 for the last one.",
    ),
    solution="answer = [10000, 18750, 18750, 10, 10, 18750, 5]",
    wrong_answers=(
        WrongAnswer("passes", "answer = [18750, 18750, 18750, 10, 10, 18750, 10]", "an-epoch-is-a-pass"),
        WrongAnswer("size anyway", "answer = [10000, 18750, 10000, 10, 10, 10000, 5]", "size-without-sinking"),
        WrongAnswer("trips", "answer = [10000, 18750, 18750, 10000, 18750, 18750, 5]", "a-trip-per-step"),
        WrongAnswer("free", "answer = [10000, 18750, 18750, 10, 10, 10, 5]", "no-sinking-is-free"),
        WrongAnswer("anew", "answer = [10000, 18750, 18750, 10, 10, 18750, 0]", "begins-anew"),
        WrongAnswer("six", "answer = [10000, 18750, 18750, 10, 10, 18750, 6]", "value"),
        WrongAnswer("short", "answer = [10000, 18750, 18750]", "structure"),
    ),
)

EXERCISES = (SHAPES, SINKING)
