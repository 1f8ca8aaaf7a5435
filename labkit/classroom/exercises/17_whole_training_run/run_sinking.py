"""# 10 x 1000 is not 10 x 1875 (3 points)

The data set has 1875 batches. Three trainings, in graph mode on a device that can sink:

- A: `model.train(10, data, dataset_sink_mode=True, sink_size=1000)`
- B: `model.train(10, data, dataset_sink_mode=True, sink_size=-1)`
- C: `model.train(10, data, dataset_sink_mode=False, sink_size=1000)`

Answer with a list of seven numbers: the steps of A, of B and of C; the round trips between host and device of A, of B and of C;
and how many *whole* passes over the data A makes.
"""

import numpy as np

from labkit.classroom.writing import either, judged, wrong

answer = [10000, 18750, 18750, 10, 10, 18750, 5]
places = (
    "steps of A",
    "steps of B",
    "steps of C",
    "round trips of A",
    "round trips of B",
    "round trips of C",
    "whole passes of A",
)
rules = (
    "With sinking an epoch has as many steps as the sink size.",
    "A sink size of -1 stands for the whole data set, in each epoch.",
    "Without sinking the sink size does not count: every epoch goes through the data set.",
    "With sinking the host waits once for each epoch.",
    "With sinking the host waits once for each epoch, however long it is.",
    "Without sinking the host waits for every step.",
    "All steps of A, divided by the number of batches: whole passes alone count.",
)
hints = (
    "Steps with sinking: epoch x sink_size; -1 stands for the number of batches. Without: epoch x batches.",
    "Round trips: one per epoch with sinking, one per step without.",
    "10000 // 1875 for the last one.",
)
UNIT = 125


def _small_run(sink, size):
    """The counts of a run of ten epochs, one unit of batches standing for each step."""
    from labkit import mindspore as ms

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


def reference():
    thousand, whole, off = _small_run(True, 1000 // UNIT), _small_run(True, -1), _small_run(False, 1000 // UNIT)
    return [
        thousand.steps * UNIT, whole.steps * UNIT, off.steps * UNIT, thousand.round_trips, whole.round_trips,
        off.round_trips * UNIT, thousand.steps * UNIT // 1875,
    ]  # fmt: skip


an_epoch_is_a_pass = wrong(
    "With a sink_size an epoch is sink_size steps, not a pass over the data: A makes 10 x 1000.", {0: 18750}
)

size_without_sinking = wrong("Without sinking sink_size has no meaning: C makes ten whole passes.", {2: 10000})

a_trip_per_step = wrong(
    "With sinking the host starts an epoch and waits once, for its last result.", {3: 10000, 4: 18750}
)

no_sinking_is_free = wrong("Without sinking every step comes back to the host.", {5: 10})

begins_anew = wrong(
    "The next epoch goes on where the last one ended. So 10000 steps are 5 passes, and 625 batches more.",
    {6: either(0, 10)},
)

six = judged("value", {6: 6})
short = judged("structure", [10000, 18750, 18750])
