"""One batch cut into parts: the gradient of each part, and what they make together, beside the gradient of the whole batch."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from itertools import product

import numpy as np

from ....engine import grad
from ...kit.grips import Along, Grip
from ...kit.picture import Picture
from ...kit.scene import Dial, Scene
from .split import COMBINE, COUNTS, SAMPLES, SHARDS, YOURS, Split, ends_of, split_of, whole
from .view import CUTS, gap_after, panel_of
from .words import asks_of, captions_of

PACE = 1500.0  # ms of each number of parts while it plays


class BatchSplitter(Picture):
    """A batch of 12 samples as micro-batches or shards: when do their gradients make the gradient of the big batch?

    The loss is the mean of `(w * x - y)**2`, with samples drawn from `seed`. Dials: `parts` ("1", "2", "3", "4", "6"),
    `shards` ("even"; "uneven": one sample each, and the last part has the rest; "yours": cut where you
    drag the cuts), `combine` ("mean", "sum", "weighted").
    `splits` holds all numbers, `{(parts, shards): Split}`.

    >>> picture = BatchSplitter()
    >>> picture.splits[4, "even"].sizes, picture.splits[4, "uneven"].sizes
    ([3, 3, 3, 3], [1, 1, 1, 9])
    >>> picture.splits[4, "even"].error("mean") < 1e-12 < picture.splits[4, "uneven"].error("mean")
    True
    """

    plays_at_once = True

    def __init__(self, seed: int = 3):
        rng = np.random.default_rng(seed)
        x = rng.uniform(0.5, 2.0, SAMPLES)
        y = 2.0 * x + rng.normal(0.0, 1.0, SAMPLES)
        slope = grad(lambda w, x, y: ((w * x - y) ** 2).sum() / len(x))
        self._of_part = cache(lambda start, end: float(slope(3.5, x[start:end], y[start:end])))
        self._cuts: tuple[int, ...] = YOURS
        self.splits = self._splits()
        super().__init__(_scene(self.splits, self._cuts))

    @property
    def inputs(self) -> Mapping[str, float]:
        """After which samples the batch is cut, where the sizes are yours: of n parts the first n - 1 count."""
        return {f"cut {k}": cut for k, cut in enumerate(self._cuts, 1)}

    def fill(self, inputs: Mapping[str, float], at: Mapping[str, int] | None = None) -> None:
        """Other cuts. Raises ValueError for what is no whole number within the batch."""
        cuts = tuple(whole(name, cut) for name, cut in inputs.items())
        moved, self._cuts = cuts != self._cuts, cuts
        self.splits = self._splits()
        shown = self.splits
        if at is not None:  # nothing else is seen
            shown = {key: split for key, split in shown.items() if key == (COUNTS[at["parts"]], "yours")}
        self.scene = replace(_scene(shown, self._cuts), turned={"shards": SHARDS.index("yours")} if moved else {})

    def _splits(self) -> dict[tuple[int, str], Split]:
        return {key: split_of(self._of_part, *key, self._cuts) for key in product(COUNTS, SHARDS)}


def _scene(splits, yours) -> Scene:
    words = (
        f"A batch of {SAMPLES} samples is cut into parts: micro-batches, or workers. Each sample is a bar, its gradient; each "
        "part a column, as high as the gradient of its mean loss and as wide as it counts. Together they have a level, "
        "which should be the dashed one, that of the whole batch."
    )
    dials = [
        Dial("parts", "Parts", [str(count) for count in COUNTS], asks=asks_of(splits), pace=PACE, rests=3),
        Dial("shards", "Sizes", SHARDS, "choice", start=SHARDS.index("uneven"), resets={"parts": 0}),
        Dial("combine", "Combined by", COMBINE, "choice", resets={"parts": 0}),
    ]
    names = [f"cut {k}" for k in range(1, max(COUNTS))]
    mine = {"shards": [SHARDS.index("yours")]}
    return Scene(
        "Batch splitter", words, dials, [panel_of(splits)], list(captions_of(splits)),
        fields={name: str(cut) for name, cut in zip(names, yours, strict=True)},
        fields_at={name: {**mine, "parts": [i for i, n in enumerate(COUNTS) if n > k]} for k, name in enumerate(names, 1)},
        grips=list(_grips(yours)),
    )  # fmt: skip


def _grips(yours) -> Iterator[Grip]:
    """The cuts. Where Python does not listen they go to those of the other sizes."""
    for i, count in enumerate(COUNTS):
        ends = [ends_of(count, shards, yours) for shards in SHARDS]
        for k in range(1, count):
            places = [(gap_after(end[k - 1], k), CUTS) for end in ends]
            free = {"x": Along(f"cut {k}", 1, SAMPLES - 1, gap_after(1, k), gap_after(SAMPLES - 1, k), whole=True)}
            yield Grip(
                f"cut {k}", "bars", f"Cut {k} of the batch", "shards", places, "x", free=free, when={"parts": [i]}
            )
