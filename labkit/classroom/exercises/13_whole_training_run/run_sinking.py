"""# 10 x 1000 is not 10 x 1875 (3 points)

The data set has [[batches]] batches. There are three training runs in graph mode, on a device that supports sinking:

- A: `model.train([[epochs]], data, dataset_sink_mode=True, sink_size=[[size]])`
- B: `model.train([[epochs]], data, dataset_sink_mode=True, sink_size=-1)`
- C: `model.train([[epochs]], data, dataset_sink_mode=False, sink_size=[[size]])`

Answer with a list of seven numbers: the steps of A, B and C; the round trips between host and device of A, B and C; and the
number of *whole* passes over the data in A.
"""

import numpy as np

from labkit.classroom.writing import drawn, either, judged, wrong


def _drawn(rng):
    units, size = int(rng.integers(13, 20)), int(rng.integers(6, 11))
    return int(rng.choice([6, 8, 12])), size * UNIT, units * UNIT


UNIT = 125
epochs, size, batches = drawn((10, 1000, 1875), _drawn)
steps, whole = epochs * size, epochs * batches

answer = [steps, whole, whole, epochs, epochs, whole, steps // batches]
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
    "A sink size of -1 means the whole data set, in each epoch.",
    "Without sinking the sink size is ignored: every epoch goes through the data set.",
    "With sinking the host waits once for each epoch.",
    "With sinking the host waits once for each epoch, however long it is.",
    "Without sinking the host waits for every step.",
    "All steps of A, divided by the number of batches: count only whole passes.",
)
hints = (
    "Steps with sinking: epoch x sink_size; -1 stands for the number of batches. Without: epoch x batches.",
    "Round trips: one per epoch with sinking, one per step without.",
    f"{steps} // {batches} for the last one.",
)


def _small_run(sink, size):
    """The counts of a run, one unit of batches standing for each step."""
    from labkit import mindspore as ms

    before = {name: ms.get_context(name) for name in ("mode", "device_target")}
    ms.set_context(mode=ms.GRAPH_MODE, device_target="Ascend")
    try:
        x = np.ones((batches // UNIT, 1), np.float32)
        rows = ms.dataset.NumpySlicesDataset((x, x), ["x", "y"], shuffle=False).batch(1)
        layer = ms.nn.Dense(1, 1)
        model = ms.train.Model(layer, ms.nn.MSELoss(), ms.nn.SGD(layer.trainable_params(), 0.01))
        with ms.train.counting() as count:
            model.train(epochs, rows, dataset_sink_mode=sink, sink_size=size)
        return count
    finally:
        ms.set_context(**before)


def reference():
    sunk, all_of_it, off = _small_run(True, size // UNIT), _small_run(True, -1), _small_run(False, size // UNIT)
    return [
        sunk.steps * UNIT, all_of_it.steps * UNIT, off.steps * UNIT, sunk.round_trips, all_of_it.round_trips,
        off.round_trips * UNIT, sunk.steps * UNIT // batches,
    ]  # fmt: skip


an_epoch_is_a_pass = wrong(
    f"With a sink_size an epoch is sink_size steps, not a pass over the data: A makes {epochs} x {size}.", {0: whole}
)

size_without_sinking = wrong(
    f"Without sinking sink_size has no meaning: C makes {'ten' if epochs == 10 else epochs} whole passes.", {2: steps}
)

a_trip_per_step = wrong(
    "With sinking the host starts an epoch and waits once, for its last result.",
    {3: either(steps, whole, 0), 4: either(whole, steps, 0)},
)

no_sinking_is_free = wrong("Without sinking the host waits for every step.", {5: either(epochs, 1, 0)})

begins_anew = wrong(
    f"The next epoch goes on where the last one ended. So {steps} steps are {steps // batches} passes, and "
    f"{steps % batches} batches more.",
    {6: either(0, epochs)},
)

short = judged("structure", answer[:3])

passes_not_whole = wrong(
    "Only whole passes count.",
    {6: lambda expected, got: expected < got < expected + 1},
    answer={6: answer[6] + 0.25},
)

size_for_trips = wrong(
    "sink_size is the number of steps between two round trips, not the number of round trips.",
    {3: size, 4: batches},
)

one_trip_in_all = wrong(
    "A sink size of -1 means one pass over the data, not the whole training: there is a round trip for each epoch.",
    {4: 1},
)

one_epoch = wrong(
    "You counted one epoch. There are more.",
    {0: size, 1: batches, 2: batches, 3: 1, 4: 1, 5: batches},
)

trips_of_whole_passes = wrong(
    f"An epoch of A is one launch of {size} steps, with one round trip. It does not matter where a pass over the data ends.",
    {3: either(-(-whole // size), epochs * -(-batches // size))},
)

rounded_up = wrong("Only whole passes count: round down.", {6: answer[6] + 1})

sizes_of_no_use = wrong(
    "Without sinking, sink_size is ignored: the host waits for every step of all passes.",
    {5: either(steps, -(-whole // size), epochs * -(-batches // size))},
)
rounds_multiplied = wrong(
    f"A makes {epochs} epochs of {size} steps each.", {0: either(batches * size, epochs * size * batches)}
)

launches_for_steps = wrong(
    "That is the number of launches, one for each epoch. Each launch has many steps.",
    {0: epochs, 1: epochs, 2: epochs},
)
minus_one_for_size = wrong("B has a sink_size of -1, the whole data set, and not that of A.", {1: steps})
both_ways = wrong(
    "Sending the batch and getting the result is one round trip, not two.",
    {4: 2 * epochs, 5: 2 * whole},
)
