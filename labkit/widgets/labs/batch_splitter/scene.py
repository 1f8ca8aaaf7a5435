"""One batch cut into parts: the gradient of each part, and what they make together, beside the gradient of the whole batch."""

from collections.abc import Iterator
from functools import cache
from itertools import product

import numpy as np

from ....engine import grad
from ...kit.grips import Grip
from ...kit.picture import Picture
from ...kit.scene import Dial, Scene
from .split import COMBINE, COUNTS, SAMPLES, SHARDS, Split, cut_of, ends_of, places_of, put, split_of
from .view import CUTS, gap_after, panels_of
from .words import asks_of, captions_of

PACE = 1500.0  # ms of each number of parts while it plays


class BatchSplitter(Picture):
    """A batch of 12 samples as micro-batches or shards: when do their gradients make the gradient of the big batch?

    The loss is the mean of `(w * x - y)**2`, with samples drawn from `seed`. Dials: `parts` ("1", "2", "3", "4", "6"),
    `shards` ("even"; "uneven": one sample each, and the last part has the rest; "yours": cut where you
    drag the cuts), `combine` ("mean", "sum", "weighted"), and one for each cut, such as `cut1of4`.
    `splits` holds the numbers until a cut is dragged, `{(parts, shards): Split}`.

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
        of = cache(lambda start, end: float(slope(3.5, x[start:end], y[start:end])))
        self.splits: dict[tuple[int, str], Split] = {
            (count, shards): split_of(of, ends_of(count, shards)) for count, shards in product(COUNTS, SHARDS)
        }
        super().__init__(_scene(of, self.splits))


def _scene(of, splits) -> Scene:
    words = (
        f"A batch of {SAMPLES} samples is cut into parts: micro-batches, or workers. Each sample is a bar, its gradient; each "
        "part a column, as high as the gradient of its mean loss and as wide as it counts. Together they have a level, "
        "which should be the dashed one, that of the whole batch."
    )
    start = SHARDS.index("uneven")
    dials = [
        Dial("parts", "Parts", [str(n) for n in COUNTS], start=1, asks=asks_of(splits), pace=PACE, rests=3),
        Dial("shards", "Sizes", SHARDS, "choice", start, resets={"parts": 0}, puts=[put(shards) for shards in SHARDS]),
        Dial("combine", "Combined by", COMBINE, "choice", resets={"parts": 0}),
        *_cuts(SHARDS[start]),
    ]
    title = "Split a batch: do the parts make the whole?"
    return Scene(title, words, dials, panels_of(of), list(captions_of()), grips=list(_grips()))


def _cuts(shards) -> Iterator[Dial]:
    for i, count in enumerate(COUNTS):
        for k in range(1, count):
            name = cut_of(k, count)
            values = [f"after sample {k + p}" for p in range(places_of(count))]
            before = cut_of(k - 1, count) if k > 1 else ""
            yield Dial(
                name,
                f"Cut {k} of {count} parts",
                values,
                "inside",
                put(shards)[name],
                when={"parts": [i]},
                after=before,
            )


def _grips() -> Iterator[Grip]:
    for i, count in enumerate(COUNTS):
        for k in range(1, count):
            spots = [(gap_after(k + p, k), CUTS) for p in range(places_of(count))]
            yield Grip(f"cut {k}", "bars", f"Cut {k} of the batch", cut_of(k, count), spots, "x", when={"parts": [i]})
