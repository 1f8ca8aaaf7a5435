"""Data sinking: the steps that `epoch` and `sink_size` make, the data that they see, and how often the host waits."""

from itertools import product

import numpy as np

from ..mindspore import GRAPH_MODE, dataset, get_context, nn, set_context, train
from ..mindspore.train import Transfers
from .picture import Picture
from .scene import Caption, Dial, Panel, Scene, rect, text

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
        self.runs = _counted()
        super().__init__(_scene(self.runs))


def _counted() -> dict[tuple[int, str], Transfers]:
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
        Dial("epochs", "epoch", [str(epochs) for epochs in EPOCHS], start=4),
        Dial("size", "sink_size", list(SIZES), "choice", start=list(SIZES).index("5")),
    ]
    rows = -(-max(count.steps for count in runs.values()) // BATCHES)
    panel = Panel("steps", "", BARS + 260, TOP + rows * ROW + 8, [*_tiles(runs), *_bars(runs)])
    return Scene("Sink calculator", words, dials, [panel], list(_captions(runs)))


def _when(epochs, name):
    return {"epochs": [EPOCHS.index(epochs)], "size": [list(SIZES).index(name)]}


def _captions(runs):
    for (epochs, name), count in runs.items():
        passes, rest = divmod(count.steps, BATCHES)
        seen = f"{passes} whole pass{'' if passes == 1 else 'es'}" + (f" and {rest} batches" if rest else "")
        per_epoch = BATCHES if name in ("off", "−1") else int(name)
        steps = f"{epochs} × {per_epoch} = {count.steps} steps: {seen} of the data"
        trips = f"{count.round_trips} round trip{'' if count.round_trips == 1 else 's'}"
        goal = "" if count.steps == epochs * BATCHES else f" {epochs} passes would be {epochs * BATCHES} steps."
        yield Caption("size", [(list(SIZES).index(name), f"{steps}, {trips}.{goal}")], _when(epochs, name))


def _tiles(runs):
    """One tile per step; two neighbouring epochs differ in their look, and each tile has its epoch's number."""
    yield text(LEFT, 20, f"the data: {BATCHES} batches", "name")
    for column in range(BATCHES):
        yield text(LEFT + (column + 0.5) * TILE - 2, TOP - 6, str(column), "tick", "middle")
    longest = max(EPOCHS)
    for i, name in enumerate(SIZES):
        per_epoch = runs[longest, name].steps // longest
        for step in range(runs[longest, name].steps):
            epoch, (row, column) = step // per_epoch + 1, divmod(step, BATCHES)
            when = {"size": [i], "epochs": [k for k, epochs in enumerate(EPOCHS) if epochs >= epoch]}
            x, y = LEFT + column * TILE, TOP + row * ROW
            if not column:
                yield text(8, y + 16, f"pass {row + 1}", "plain", when=when)
            yield rect(x, y, TILE - 4, ROW - 5, "op" if epoch % 2 else "leaf", 3, when=when)
            yield text(x + TILE / 2 - 2, y + 16, str(epoch), "value", "middle", when=when)


def _bars(runs):
    scale = 200 / max(count.steps for count in runs.values())
    for (epochs, name), count in runs.items():
        when = _when(epochs, name)
        values = (("steps that are run", count.steps, "bar"), (f"epoch × {BATCHES} batches", epochs * BATCHES, "outline"),
                  ("round trips, host and device", count.round_trips, "backbar"))  # fmt: skip
        for k, (label, value, role) in enumerate(values):
            y = TOP + k * 58
            yield text(BARS, y + 4, label, "name", when=when)
            yield rect(BARS, y + 12, max(value * scale, 1.0), 18, role, 1, when=when)
            yield text(BARS + value * scale + 7, y + 26, str(value), "value", when=when)
