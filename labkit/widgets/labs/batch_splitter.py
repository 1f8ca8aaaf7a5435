"""One batch cut into parts: the gradient of each part, and their sum or mean, compared with the gradient of the whole batch."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import pairwise, product
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from ...engine import grad
from ...messages.wrapping import Prose
from ..kit.lab import Lab, digits, plain
from ..kit.module import module, style
from ..kit.sketch import Sketch
from ..kit.traits import Trait, traits

SAMPLES, COUNTS = 12, (1, 2, 3, 4, 6)
SHARDS, COMBINE = ["even", "uneven", "yours"], ["mean", "sum", "weighted"]
YOURS = (3, 6, 9, 10, 11)  # after which samples the batch is cut, until they are dragged
Of = Callable[[int, int], float]  # the gradient of the mean loss of the samples from one to another


@dataclass(frozen=True)
class Split:
    """The `sizes` of the parts and the gradient of each part's mean loss; `big`: the gradient of the whole batch."""

    sizes: list[int]
    parts: list[float]
    big: float

    def combined(self, how: str) -> float:
        """The "mean" or the "sum" of the parts' gradients, or their sum "weighted" by the parts' shares of the batch."""
        count = len(self.parts)
        return float(np.dot([weight(how, count, size) for size in self.sizes], self.parts))

    def error(self, how: str) -> float:
        """How far off the combination is, relative to the gradient of the whole batch."""
        return abs(self.combined(how) / self.big - 1)


def weight(how: str, count: int, size: int) -> float:
    """How much a part counts: 1 in the "sum", as much as the others in the "mean", or its share of the batch."""
    return {"mean": 1 / count, "sum": 1.0, "weighted": size / SAMPLES}[how]


def split_of(of: Of, ends: list[int]) -> Split:
    """The batch cut after some samples."""
    bounds = list(pairwise([0, *ends, SAMPLES]))
    return Split([b - a for a, b in bounds], [of(a, b) for a, b in bounds], of(0, SAMPLES))


def ends_of(count: int, shards: str) -> list[int]:
    """After which samples the batch is cut, until the cuts are dragged."""
    return {"even": [k * SAMPLES // count for k in range(1, count)], "uneven": list(range(1, count)),
            "yours": list(YOURS[: count - 1])}[shards]  # fmt: skip


WORDS = {
    "about": "A batch of 12 samples is cut into parts: micro-batches, or workers. Each bar is the gradient of a sample; each "
    "column that of a part's mean loss, as wide as the part's weight. The thick line is the combined gradient of the parts; it "
    "should be the dashed one, the gradient of the whole batch.",
    "combined": "Combined by",
    "equal": "Equal parts",
    "parts": "Parts",
    "drag": "Drag the discs to cut the batch into parts",
    "made": "The combined gradient of the parts",
    "sample": "the gradient of each sample",
    "mean_of_part": "the mean of its part",
    "samples": "{size} samples",
    "counts": "how much a sample counts, compared with the whole batch",
    "mean how": "mean: all parts count alike, so all are equally wide",
    "sum how": "sum: the parts are stacked, each counts once",
    "weighted how": "weighted: a part is as wide as its share of the samples",
    "whole": "the whole batch: {value}",
    "together": "the parts together: {value}",
    "exact": "✓ the same",
    "large": "✗ {error} % too large",
    "small": "✗ {error} % too small",
    "one": "One part is all samples, so its gradient is the gradient of the whole batch.",
    "even": "All parts have {size} samples, so the plain mean of their gradients is the gradient of the whole batch.",
    "uneven": "Each part has the weight 1/{count}, however few samples it has, so the mean is {error} % off.",
    "sum": "Each part's gradient is that of a mean loss. Their sum is {times} times the gradient of the whole batch.",
    "weighted": "Each part is weighted by its share of the samples. The result is always the gradient of the whole batch.",
    "mean name": "the plain mean",
    "sum name": "the sum",
    "weighted name": "the weighted sum",
    "yes": "yes, exactly",
    "no": "no",
    "ask": "The batch is cut into {sizes} samples. Is {how} of the gradients of the parts the gradient of the whole batch?",
    "mean yes": "Parts of equal size have equal weight, as their samples should.",
    "mean no": "The plain mean gives a small part the same weight as a large one.",
    "sum no": "A sum of {count} gradients of means is not a mean.",
    "weighted yes": "Each part is weighted by its share of the batch, so all samples have equal weight.",
    "ask sum": "The batch is cut into {sizes} samples; its gradient is {big}. What do the gradients of the parts add up to?",
    "sum right": "The mean of the parts is {big}, so the sum is {count} times as much.",
    "sum mean": "That is their mean. Each part's gradient is the gradient of a mean, not a share of it.",
    "sum share": "Each part's gradient is about as large as that of the whole batch.",
    "sum otherwise": "Not that: {count} gradients, each of them about as large as {big}.",
}


def cut(k: int) -> Trait:
    """After which sample the k-th cut is."""
    return traits.Float(default_value=float(YOURS[k - 1]), min=1.0, max=SAMPLES - 1.0).tag(sync=True)


class BatchSplitter(Lab):
    """A batch of 12 samples as micro-batches or shards: when do their gradients make the gradient of the whole batch?

    The loss is the mean of `(w * x - y)**2`, with samples drawn from `seed`. Traits: `parts` (1, 2, 3, 4 or 6), `shards`
    ("even"; "uneven": one sample each, and the last part has the rest; "yours": cut after the samples `cut1` to `cut5`),
    `combine` ("mean", "sum", "weighted"). `splits` holds the numbers of some, `{(parts, shards): Split}`.

    >>> lab = BatchSplitter()
    >>> lab.splits[4, "even"].sizes, lab.splits[4, "uneven"].sizes
    ([3, 3, 3, 3], [1, 1, 1, 9])
    >>> lab.splits[4, "even"].error("mean") < 1e-12 < lab.splits[4, "uneven"].error("mean")
    True
    """

    path = Path(__file__).with_name("batch_splitter.js")
    state_names = ("parts", "shards", "combine", "cut1", "cut2", "cut3", "cut4", "cut5")
    words: ClassVar = WORDS
    _esm = module(path)
    _css = style()
    parts: Trait = traits.Enum(COUNTS, default_value=4).tag(sync=True)
    shards: Trait = traits.Enum(SHARDS, default_value="uneven").tag(sync=True)
    combine: Trait = traits.Enum(COMBINE, default_value="mean").tag(sync=True)
    cut1, cut2, cut3, cut4, cut5 = (cut(k) for k in range(1, max(COUNTS)))

    def __init__(self, seed: int = 3):
        rng = np.random.default_rng(seed)
        x = rng.uniform(0.5, 2.0, SAMPLES)
        y = 2.0 * x + rng.normal(0.0, 1.0, SAMPLES)
        slope = grad(lambda w, x, y: ((w * x - y) ** 2).sum() / len(x))
        self._of = cache(lambda start, end: float(slope(3.5, x[start:end], y[start:end])))
        self.splits: dict[tuple[int, str], Split] = {
            (count, shards): split_of(self._of, ends_of(count, shards)) for count, shards in product(COUNTS, SHARDS)
        }
        samples = plain([self._of(i, i + 1) for i in range(SAMPLES)])
        data = {"about": WORDS["about"], "samples": samples, "counts": COUNTS, "shards": SHARDS, "combine": COMBINE}
        super().__init__("Split a batch: do the parts give the same gradient?", data)

    def split(self, **state: Any) -> Split:
        """The parts in the state that is shown. `state`: other values of some traits."""
        at, ends = self.state_with(**state), [0]
        if at["shards"] != "yours":
            return self.splits[at["parts"], at["shards"]]
        for k in range(1, at["parts"]):  # each part has a sample at least
            ends.append(min(max(round(at[f"cut{k}"]), ends[-1] + 1), SAMPLES - at["parts"] + k))
        return split_of(self._of, ends[1:])

    def describe(self, **state: Any) -> str:
        """Whether the parts make the gradient of the whole batch, and why. `state`: other values of some traits."""
        split, how = self.split(**state), self.state_with(**state)["combine"]
        count, even = len(split.sizes), len(set(split.sizes)) == 1
        kind = "one" if count == 1 else how if how != "mean" else "even" if even else "uneven"
        error, times = digits(100 * split.error(how), 3), digits(split.combined(how) / split.big, 3)
        said = WORDS[kind].format(size=split.sizes[0], count=count, error=error, times=times)
        return Prose("\n".join((self.title, self.data["about"], said)))

    def svg(self, theme: str = "light", **state: Any) -> str:
        """A small still picture: the gradient of each sample, and the mean of each part. `state`: other values of some traits."""
        split, start = self.split(**state), 0
        sketch = Sketch(theme, 420, 200, self.describe(**state).splitlines()[-1])
        unit = 120 / max(abs(v) for v in self.data["samples"])
        for i, value in enumerate(self.data["samples"]):
            sketch.rect(20 + 32 * i, 150 - unit * max(value, 0), 28, unit * abs(value), "leaf-fill")
        for size, mean in zip(split.sizes, split.parts, strict=True):
            ends = [(20 + 32 * k - 4 * (k == start + size), 150 - unit * mean) for k in (start, start + size)]
            sketch.path(ends, "forward", 4)
            start += size
        sketch.text(210, 192, "the gradient of each sample, and of each part (blue)")
        return str(sketch)
