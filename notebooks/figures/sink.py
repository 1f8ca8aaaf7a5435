"""Draw `sink_light.png` and `sink_dark.png` beside this file: python notebooks/figures/sink.py

The same 440 training steps, cut into epochs of different `sink_size`; `train.counting` counts how often host and device meet.
The counts are also the pictures' "Description", by which the tests see whether a picture is still right.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import labkit.mindspore as ms
from labkit.mindspore import dataset, nn, train

THEMES = {
    "light": {"page": "#ffffff", "ink": "#1f2328", "without": "#B34E00", "with": "#0072B2"},
    "dark": {"page": "#0d1117", "ink": "#e6edf3", "without": "#FF8A3D", "with": "#56B4E9"},
}
STEPS, BATCHES = 440, 44  # steps in all, batches in the data


def round_trips(sink_size=None):
    """How often host and device meet in `STEPS` steps; without `sink_size`, without sinking."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(BATCHES, 3)).astype(np.float32)
    rows = dataset.NumpySlicesDataset((x, x @ np.ones((3, 1), np.float32)), ["x", "y"], shuffle=False).batch(1)
    layer = nn.Dense(3, 1)
    model = train.Model(layer, nn.MSELoss(), nn.SGD(layer.trainable_params(), 0.01))
    with train.counting() as count:
        if sink_size is None:
            model.train(STEPS // BATCHES, rows, dataset_sink_mode=False)
        else:
            model.train(STEPS // sink_size, rows, dataset_sink_mode=True, sink_size=sink_size)
    assert count.steps == STEPS
    return count.round_trips


def measure():
    """The round trips, by what the bar is called."""
    before = {name: ms.get_context(name) for name in ("mode", "device_target")}
    ms.set_context(mode=ms.GRAPH_MODE, device_target="Ascend")
    try:
        found = {f"without sinking, {STEPS // BATCHES} epochs": round_trips()}
        for size in (1, 4, 22, BATCHES, 110):
            found[f"{STEPS // size} × sink_size {size}"] = round_trips(size)
    finally:
        ms.set_context(**before)
    return found


def draw(found, colours):
    """The round trips as bars on a logarithmic axis, with their numbers."""
    figure, axes = plt.subplots(figsize=(8, 3.2), facecolor=colours["page"], layout="constrained")
    axes.set_facecolor(colours["page"])
    for i, (name, trips) in enumerate(found.items()):
        axes.barh(name, trips, color=colours["with" if i else "without"], height=0.62)
        axes.annotate(f"{trips}", (trips, i), (5, 0), textcoords="offset points", va="center", color=colours["ink"])
    axes.invert_yaxis()
    axes.set_xscale("log")
    axes.set_xlim(1, 2 * STEPS)
    axes.set_xlabel("round trips between host and device (logarithmic)", color=colours["ink"])
    axes.set_title(f"The same {STEPS} steps: epochs × sink_size", color=colours["ink"], loc="left")
    axes.tick_params(colors=colours["ink"], which="both", left=False)
    for side, spine in axes.spines.items():
        spine.set_visible(side == "bottom")
        spine.set_color(colours["ink"])
    return figure


if __name__ == "__main__":
    trips = measure()
    for theme, colours in THEMES.items():
        picture = draw(trips, colours)
        picture.savefig(Path(__file__).with_name(f"sink_{theme}.png"), dpi=130, metadata={"Description": str(trips)})
        plt.close(picture)
