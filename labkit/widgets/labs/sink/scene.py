"""Data sinking: the steps that `epoch` and `sink_size` make, the data that they see, and how often the host waits."""

from collections.abc import Iterator
from itertools import product

import numpy as np

from ....mindspore import GRAPH_MODE, dataset, get_context, nn, set_context, train
from ....mindspore.train import Transfers
from ...kit.picture import Picture
from ...kit.scene import Ask, Caption, Dial, Mark, Panel, Scene, only, rect, text
from ...kit.words import counted

BATCHES = 8
EPOCHS = (1, 2, 3, 4, 6)
SIZES = {"off": None, "−1": -1, "1": 1, "5": 5, "8": 8, "12": 12}
TILE, ROW, LEFT, TOP = 34.0, 27.0, 76.0, 42.0
BARS = 400.0  # where the bars begin


class SinkCalculator(Picture):
    """A data set of 8 batches, trained for some epochs with some `sink_size`: which steps are run, and in how many launches.

    Every number is counted in a run of `Model.train` on the simulated device. Dials: `epochs` ("1", "2", "3", "4", "6"),
    `size` ("off": without sinking; "−1": the whole data set; "1", "5", "8", "12"). `runs` holds the counts,
    `{(epochs, size): Transfers}`, with the names of sizes.

    >>> runs = SinkCalculator().runs
    >>> print(runs[6, "5"], "/", runs[6, "off"])
    30 steps, 6 round trips between host and device / 48 steps, 48 round trips between host and device
    """

    def __init__(self):
        self.runs = _count_runs()
        super().__init__(_scene(self.runs))


def _count_runs() -> dict[tuple[int, str], Transfers]:
    """What `train.counting` counts in each run; the contexts are put back."""
    before = {name: get_context(name) for name in ("mode", "device_target")}
    set_context(mode=GRAPH_MODE, device_target="Ascend")
    try:
        return {(epochs, name): _run(epochs, size) for epochs, (name, size) in product(EPOCHS, SIZES.items())}
    finally:
        set_context(**before)


def _run(epochs, size):
    x = np.ones((BATCHES, 1), np.float32)
    rows = dataset.NumpySlicesDataset((x, x), ["x", "y"], shuffle=False).batch(1)
    layer = nn.Dense(1, 1)
    model = train.Model(layer, nn.MSELoss(), nn.SGD(layer.trainable_params(), 0.01))
    with train.counting() as count:
        model.train(epochs, rows, dataset_sink_mode=size is not None, sink_size=size or -1)
    return count


def _scene(runs) -> Scene:
    words = (
        f"Each row is one pass over a data set of {BATCHES} batches; each tile is a step, with the number of the epoch "
        "that runs it. On the right: the steps that are run, the steps of that many passes, and the round trips."
    )
    dials = [
        Dial("epochs", "epoch", [str(epochs) for epochs in EPOCHS], start=4, asks=_asks(runs)),
        Dial("size", "sink_size", list(SIZES), "choice", start=list(SIZES).index("5"), resets={"epochs": 0}),
    ]
    rows = -(-max(count.steps for count in runs.values()) // BATCHES)
    panel = Panel("steps", "", BARS + 260, TOP + rows * ROW + 8, [*_tiles(runs), *_bars(runs)])
    return Scene("Sink calculator", words, dials, [panel], list(_captions(runs)))


def _when(epochs, name):
    return {"epochs": [EPOCHS.index(epochs)], "size": [list(SIZES).index(name)]}


def _asks(runs) -> dict[int, list[Ask]]:
    """Before more epochs are run: how many steps with a size, how many round trips where the size says nothing."""
    asks: dict[int, list[Ask]] = {EPOCHS.index(epochs): [] for epochs in EPOCHS[1:]}
    for epochs, (i, name) in product(EPOCHS[1:], enumerate(SIZES)):
        ask = _trips_ask if name in ("off", "−1") else _steps_ask
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


def _captions(runs) -> Iterator[Caption]:
    for (epochs, name), count in runs.items():
        whole = zip(divmod(count.steps, BATCHES), ("whole pass", "batch"), strict=True)
        seen = " and ".join(counted(number, thing) for number, thing in whole if number)
        per_epoch, passes = BATCHES if name in ("off", "−1") else int(name), epochs * BATCHES
        steps = f"{epochs} × {per_epoch} = {counted(count.steps, 'step')}: {seen} of the data"
        goal = "" if count.steps == passes else f" {counted(epochs, 'pass')} would be {passes} steps."
        words = f"{steps}, {counted(count.round_trips, 'round trip')}.{goal}"
        when = _when(epochs, name)
        yield Caption("size", [(when["size"][0], words)], when)


def _tiles(runs) -> Iterator[Mark]:
    """One tile per step; two neighbouring epochs differ in their look, and each tile has its epoch's number."""
    yield text(LEFT, 20, f"the data: {BATCHES} batches", "name")
    for column in range(BATCHES):
        yield text(LEFT + (column + 0.5) * TILE - 2, TOP - 6, str(column), "tick", "middle")
    longest = max(EPOCHS)
    for i, name in enumerate(SIZES):
        per_epoch = runs[longest, name].steps // longest
        for step in range(runs[longest, name].steps):
            epoch = step // per_epoch + 1
            later = [k for k, epochs in enumerate(EPOCHS) if epochs >= epoch]
            yield from only({"size": [i], "epochs": later}, _tile(step, epoch))


def _tile(step, epoch) -> Iterator[Mark]:
    row, column = divmod(step, BATCHES)
    x, y = LEFT + column * TILE, TOP + row * ROW
    if not column:
        yield text(8, y + 16, f"pass {row + 1}")
    yield rect(x, y, TILE - 4, ROW - 5, "op" if epoch % 2 else "leaf", 3)
    yield text(x + TILE / 2 - 2, y + 16, str(epoch), "value", "middle")


def _bars(runs) -> Iterator[Mark]:
    scale = 200 / max(count.steps for count in runs.values())
    for (epochs, name), count in runs.items():
        values = (("steps that are run", count.steps, "bar"), (f"epoch × {BATCHES} batches", epochs * BATCHES, "outline"),
                  ("round trips, host and device", count.round_trips, "backbar"))  # fmt: skip
        for k, (label, value, role) in enumerate(values):
            y = TOP + k * 58
            marks = [
                text(BARS, y + 4, label, "name"),
                rect(BARS, y + 12, max(value * scale, 1.0), 18, role, 1),
                text(BARS + value * scale + 7, y + 26, str(value), "value"),
            ]
            yield from only(_when(epochs, name), marks)
