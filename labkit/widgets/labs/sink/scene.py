"""Data sinking: the steps that `epoch` and `sink_size` make, the data that they see, and how often the host waits."""

from itertools import product

from ...kit.joint import key_of
from ...kit.picture import Picture
from ...kit.scene import Ask, Caption, Dial, Scene, changes, only
from ...kit.words import counted
from .losses import losses_panel
from .run import BATCHES, EPOCHS, SIZES, runs
from .view import data_panel, grips, links, steps_panel

WHOLE = ("−1", "off")  # an epoch is a pass over the data
JOINT = {"size": len(SIZES), "epochs": len(EPOCHS)}


class SinkCalculator(Picture):
    """A data set of 8 batches, trained for some epochs with some `sink_size`: which steps are run, and in how many launches.

    Every number is counted in a run of `Model.train` on the simulated device. Dials: `epochs` ("1" to "6"), `size` ("1" to
    "12"; "−1": the whole data set; "off": without sinking). `runs` holds the counts, `{(epochs, size): Transfers}`, with the
    names of sizes, `losses` the loss of every step, `seen` those that a callback is given, `{(epochs, size): losses}`.

    >>> runs = SinkCalculator().runs
    >>> print(runs[6, "5"], "/", runs[6, "off"])
    30 steps, 6 round trips between host and device / 48 steps, 48 round trips between host and device
    """

    plays_at_once = True

    def __init__(self):
        found, self.losses = runs()
        self.seen = {(n, name): losses for name, run in found.items() for n, losses in enumerate(run.seen, 1)}
        self.runs = {(n, name): count for name, run in found.items() for n, count in enumerate(run.counts, 1)}
        super().__init__(_scene(found, self.losses))


def _scene(found, losses) -> Scene:
    runs = {(n, name): count for name, run in found.items() for n, count in enumerate(run.counts, 1)}
    words = (
        "Each row is an epoch: sink_size steps, launched at once. Each tile is a step, with the number of the batch that it "
        "reads, and a dot is where the host waits. "
        f"Beside it how often each of {BATCHES} batches is read; the line is as many whole passes as epochs. At the end the loss "
        "of each step, which the device computes with its gradient, and dots for the losses that the host is given."
    )
    dials = [
        Dial("epochs", "epoch", [str(epochs) for epochs in EPOCHS], start=len(EPOCHS) - 1, asks=_asks(runs)),
        Dial(
            "size",
            "sink_size",
            list(SIZES),
            "choice",
            start=list(SIZES).index("5"),
            resets={"epochs": 0},
            shows={"epochs": len(EPOCHS) - 1},
        ),
    ]
    counts = {name: run.counts for name, run in found.items()}
    panels = [
        steps_panel(counts, BATCHES, JOINT),
        data_panel(counts, BATCHES, JOINT),
        losses_panel(found, losses, JOINT),
    ]
    said = (_sentence(epochs, runs[epochs, name]) for name, epochs in product(SIZES, EPOCHS))
    return Scene(
        f"Sink calculator: are {len(EPOCHS)} epochs {len(EPOCHS)} passes over the data?",
        words,
        dials,
        panels,
        [Caption(key_of(JOINT), changes(said))],
        links(losses, BATCHES),
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
    return f"{steps}: {seen} of the data, in {counted(count.round_trips, 'round trip')}. {_of_losses(count)}"


def _of_losses(count) -> str:
    """Of which batches the losses are that the host gets."""
    every = count.steps // count.round_trips
    batches = {(every * (k + 1) - 1) % BATCHES for k in range(count.round_trips)}
    if len(batches) == 1 and count.round_trips > 1:
        return f"Every loss that the host gets is one of batch {batches.pop()}."
    return f"The host gets {'every loss' if every == 1 else 'the last loss of each'}."
