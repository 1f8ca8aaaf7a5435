"""Data sinking: the steps that `epoch` and `sink_size` make, the data that they see, and how often the host waits."""

from copy import copy
from itertools import product

import numpy as np

from ....mindspore import GRAPH_MODE, dataset, get_context, nn, set_context, train
from ....mindspore.train import Transfers
from ...kit.joint import key_of
from ...kit.picture import Picture
from ...kit.scene import Ask, Caption, Dial, Scene, changes, only
from ...kit.words import counted
from .view import data_panel, grips, steps_panel

BATCHES = 8
EPOCHS = (1, 2, 3, 4, 5, 6)
SIZES = {str(size): size for size in range(1, 13)} | {"−1": -1, "off": None}
WHOLE = ("−1", "off")  # an epoch is a pass over the data
JOINT = {"size": len(SIZES), "epochs": len(EPOCHS)}


class SinkCalculator(Picture):
    """A data set of 8 batches, trained for some epochs with some `sink_size`: which steps are run, and in how many launches.

    Every number is counted in a run of `Model.train` on the simulated device. Dials: `epochs` ("1" to "6"), `size` ("1" to
    "12"; "−1": the whole data set; "off": without sinking). `runs` holds the counts, `{(epochs, size): Transfers}`, with the
    names of sizes.

    >>> runs = SinkCalculator().runs
    >>> print(runs[6, "5"], "/", runs[6, "off"])
    30 steps, 6 round trips between host and device / 48 steps, 48 round trips between host and device
    """

    plays_at_once = True

    def __init__(self):
        self.runs = _count_runs()
        super().__init__(_scene(self.runs))


def _count_runs() -> dict[tuple[int, str], Transfers]:
    """What `train.counting` has counted after each epoch of a run with each size; the contexts are put back."""
    before = {name: get_context(name) for name in ("mode", "device_target")}
    set_context(mode=GRAPH_MODE, device_target="Ascend")
    try:
        return {(epochs, name): n for name, size in SIZES.items() for epochs, n in enumerate(_counts(size), 1)}
    finally:
        set_context(**before)


class _Counts(train.Callback):
    """What is counted at the end of each epoch."""

    def __init__(self, count):
        self.count, self.found = count, []

    def on_train_epoch_end(self, run_context):
        self.found.append(copy(self.count))


def _counts(size) -> list[Transfers]:
    x = np.ones((BATCHES, 1), np.float32)
    rows = dataset.NumpySlicesDataset((x, x), ["x", "y"], shuffle=False).batch(1)
    layer = nn.Dense(1, 1)
    model = train.Model(layer, nn.MSELoss(), nn.SGD(layer.trainable_params(), 0.01))
    with train.counting() as count:
        counts = _Counts(count)
        model.train(len(EPOCHS), rows, counts, dataset_sink_mode=size is not None, sink_size=size or -1)
    return counts.found


def _scene(runs) -> Scene:
    words = (
        "Each row is an epoch: sink_size steps, launched at once. Each tile is a step, with the number of the batch that it "
        "reads, and a dot is where the host waits. "
        f"Beside it how often each of {BATCHES} batches is read; the line is as many whole passes as epochs."
    )
    dials = [
        Dial("epochs", "epoch", [str(epochs) for epochs in EPOCHS], start=len(EPOCHS) - 1, asks=_asks(runs)),
        Dial("size", "sink_size", list(SIZES), "choice", start=list(SIZES).index("5"), resets={"epochs": 0}),
    ]
    counts = {name: [runs[epochs, name] for epochs in EPOCHS] for name in SIZES}
    panels = [steps_panel(counts, BATCHES, JOINT), data_panel(counts, BATCHES, JOINT)]
    said = (_sentence(epochs, runs[epochs, name]) for name, epochs in product(SIZES, EPOCHS))
    return Scene(
        f"Sink calculator: are {len(EPOCHS)} epochs {len(EPOCHS)} passes over the data?",
        words,
        dials,
        panels,
        [Caption(key_of(JOINT), changes(said))],
        grips=list(grips(counts, BATCHES)),
    )


def _asks(runs) -> dict[int, list[Ask]]:
    """Before more epochs are run: how many steps with a size, how many round trips where the size says nothing."""
    asks: dict[int, list[Ask]] = {EPOCHS.index(epochs): [] for epochs in EPOCHS[1:]}
    for epochs, (i, name) in product(EPOCHS[1:], enumerate(SIZES)):
        ask = _trips_ask if name in WHOLE else _steps_ask
        asks[EPOCHS.index(epochs)] += only({"size": [i]}, [ask(name, epochs, runs[epochs, name])])
    return asks


def _steps_ask(name, epochs, count):
    passes = epochs * BATCHES
    slips = ((passes, f"That is {epochs} times over the data. When it is sunk, an epoch is sink_size steps."),
             (epochs, "That is how often it is launched. Each launch runs sink_size steps."),
             (int(name), "That is one epoch."))  # fmt: skip
    return Ask(
        f"epoch {epochs}, sink_size {name}, {BATCHES} batches: how many steps are run?",
        count.steps, f"{epochs} × {name} = {count.steps}.",
        tuple({value: (value, words) for value, words in slips if value != count.steps}.values()),
        otherwise="Not that: epoch times sink_size.",
    )  # fmt: skip


def _trips_ask(name, epochs, count):
    off, steps = name == "off", epochs * BATCHES
    because = "Without sinking the host waits after every step." if off else "The host waits once for each launch."
    return Ask(
        f"{steps} steps{', without sinking' if off else ', sunk with sink_size −1: an epoch is one launch'}. "
        "How many round trips between host and device?",
        count.round_trips, because, ((epochs if off else steps, because), (1, because)), otherwise=f"Not that. {because}",
    )  # fmt: skip


def _sentence(epochs, count) -> str:
    whole = zip(divmod(count.steps, BATCHES), ("whole pass", "batch"), strict=True)
    seen = " and ".join(counted(number, thing) for number, thing in whole if number)
    steps = f"{counted(epochs, 'epoch')} × {count.steps // epochs} = {counted(count.steps, 'step')}"
    return f"{steps}: {seen} of the data, in {counted(count.round_trips, 'round trip')}."
