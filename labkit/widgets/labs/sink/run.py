"""The runs of `Model.train` behind the calculator, on the simulated device: what is counted, and which losses the host gets."""

from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass

import numpy as np

from ....mindspore import GRAPH_MODE, dataset, get_context, nn, set_context, train
from ....mindspore.train import Transfers

BATCHES = 8
EPOCHS = (1, 2, 3, 4, 5, 6)
SIZES = {str(size): size for size in range(1, 13)} | {"−1": -1, "off": None}
RATE = 0.01


@dataclass(frozen=True)
class Run:
    """After each epoch what was counted, and the losses that a callback had been given by then."""

    counts: list[Transfers]
    seen: list[list[float]]


class _Host(train.Callback):
    """What the host learns of a run."""

    def __init__(self, count):
        self.count, self.losses = count, []
        self.found = Run([], [])

    def on_train_step_end(self, run_context):
        self.losses.append(float(run_context.original_args().net_outputs.asnumpy()))

    def on_train_epoch_end(self, run_context):
        self.found.counts.append(copy(self.count))
        self.found.seen.append(list(self.losses))


def runs() -> tuple[dict[str, Run], list[float]]:
    """A run with each size, by its name; and the loss of every step, of as many as the longest run has."""
    with _on_a_device():
        found = {name: _run(size, EPOCHS[-1]) for name, size in SIZES.items()}
        steps = max(run.counts[-1].steps for run in found.values())
        return found, _run(None, -(-steps // BATCHES)).seen[-1][:steps]


@contextmanager
def _on_a_device() -> Iterator[None]:
    """In graph mode, on a device that sinks; the contexts are put back."""
    before = {name: get_context(name) for name in ("mode", "device_target")}
    set_context(mode=GRAPH_MODE, device_target="Ascend")
    try:
        yield
    finally:
        set_context(**before)


def _run(size, epochs) -> Run:
    x = np.ones((BATCHES, 1), np.float32)
    y = (2 + np.cos(2.1 * np.arange(BATCHES))).astype(np.float32)[:, None]  # each batch wants another weight
    rows = dataset.NumpySlicesDataset((x, y), ["x", "y"], shuffle=False).batch(1)
    layer = nn.Dense(1, 1, weight_init="zeros", bias_init="zeros")
    model = train.Model(layer, nn.MSELoss(), nn.SGD(layer.trainable_params(), RATE))
    with train.counting() as count:
        host = _Host(count)
        model.train(epochs, rows, host, dataset_sink_mode=size is not None, sink_size=size or -1)
    return host.found
