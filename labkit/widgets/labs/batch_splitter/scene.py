"""One batch cut into parts: the gradient of each part, and what they make together, beside the gradient of the whole batch."""

from dataclasses import dataclass
from itertools import accumulate, product

import numpy as np

from ....engine import grad
from ...kit.picture import Picture
from ...kit.scene import Ask, Caption, Dial, Mark, Panel, Scene, rect, text
from ...kit.words import listed, number

SAMPLES, COUNTS = 12, (1, 2, 3, 4, 6)
SHARDS, COMBINE = ["even", "uneven"], ["mean", "sum", "weighted"]
LEFT, WIDTH, TOP, ROW, TILE = 132.0, 330.0, 66.0, 26.0, 26.0


@dataclass(frozen=True)
class Split:
    """The `sizes` of the parts and the gradient of each part's mean loss; `big`: the gradient of the whole batch."""

    sizes: list[int]
    parts: list[float]
    big: float

    def combined(self, how: str) -> float:
        """The "mean" or the "sum" of the parts' gradients, or their sum "weighted" by the parts' shares of the batch."""
        weights = {"mean": [1 / len(self.parts)] * len(self.parts), "sum": [1.0] * len(self.parts),
                   "weighted": [size / sum(self.sizes) for size in self.sizes]}[how]  # fmt: skip
        return float(np.dot(weights, self.parts))

    def error(self, how: str) -> float:
        """How far off the combination is, as a part of the big batch's gradient."""
        return abs(self.combined(how) / self.big - 1)


class BatchSplitter(Picture):
    """A batch of 12 samples as micro-batches or shards: when do their gradients make the gradient of the big batch?

    The loss is the mean of `(w * x - y)**2`, with samples drawn from `seed`. Dials: `parts` ("1", "2", "3", "4", "6"),
    `shards` ("even"; "uneven": one sample each, and the last part has the rest), `combine` ("mean", "sum", "weighted").
    `splits` holds all numbers, `{(parts, shards): Split}`.

    >>> picture = BatchSplitter()
    >>> picture.splits[4, "even"].sizes, picture.splits[4, "uneven"].sizes
    ([3, 3, 3, 3], [1, 1, 1, 9])
    >>> picture.splits[4, "even"].error("mean") < 1e-12 < picture.splits[4, "uneven"].error("mean")
    True
    """

    def __init__(self, seed: int = 3):
        self.splits = _splits(seed)
        super().__init__(_scene(self.splits))


def _sizes(count, shards):
    even = shards == "even"
    return [SAMPLES // count] * count if even else [1] * (count - 1) + [SAMPLES - count + 1]


def _splits(seed):
    rng = np.random.default_rng(seed)
    x = rng.uniform(0.5, 2.0, SAMPLES)
    y = 2.0 * x + rng.normal(0.0, 1.0, SAMPLES)
    slope = grad(lambda w, x, y: ((w * x - y) ** 2).sum() / len(x))
    found = {}
    for count, shards in product(COUNTS, SHARDS):
        sizes = _sizes(count, shards)
        cuts = list(accumulate(sizes))[:-1]
        parts = [float(slope(3.5, a, b)) for a, b in zip(np.split(x, cuts), np.split(y, cuts), strict=True)]
        found[count, shards] = Split(sizes, parts, float(slope(3.5, x, y)))
    return found


def _scene(splits) -> Scene:
    words = (
        f"A batch of {SAMPLES} samples is cut into parts. One bar for the gradient of each part's mean loss, one for what "
        "they make together, and one for the gradient of the whole batch. The last two should be equally long."
    )
    dials = [
        Dial("parts", "Micro-batches, or workers", [str(count) for count in COUNTS], start=3, asks=_asks(splits)),
        Dial("shards", "Sizes", SHARDS, "choice", resets={"parts": 0}),
        Dial("combine", "Combined by", COMBINE, "choice", resets={"parts": 0}),
    ]
    height = TOP + (max(COUNTS) + 2) * ROW + 20
    panel = Panel("bars", "", LEFT + WIDTH + 70, height, list(_marks(splits)))
    return Scene("Batch splitter", words, dials, [panel], list(_captions(splits)))


def _when(count, shards, how=None):
    found = {"parts": [COUNTS.index(count)], "shards": [SHARDS.index(shards)]}
    return found if how is None else {**found, "combine": [COMBINE.index(how)]}


def _asks(splits) -> dict[int, list[Ask]]:
    """Before a batch is cut: the sum of even parts as a number, anything else as right or wrong."""
    return {
        COUNTS.index(count): [
            (_sum_ask if (shards, how) == ("even", "sum") else _exact_ask)(
                splits[count, shards], how, _when(count, shards, how)
            )
            for shards, how in product(SHARDS, COMBINE)
        ]
        for count in COUNTS[1:]
    }


def _where(split, when):
    """The positions of the other dials at which a question is asked."""
    sizes = listed(map(str, split.sizes))
    return f"The batch is cut into {sizes} samples", {name: at for name, at in when.items() if name != "parts"}


def _sum_ask(split, how, when):
    cut, where = _where(split, when)
    count, big = len(split.sizes), number(round(split.big, 4))
    return Ask(
        f"{cut}; its gradient is {big}. What do the gradients of the parts add up to?",
        split.combined(how), f"The mean of the parts is {big}, so the sum is {count} times as much.",
        ((split.big, "That is their mean. Each part's gradient is that of a mean, not a share of it."),
         (split.big / count, "Each part's gradient is about as large as that of the whole batch.")),
        otherwise=f"Not that: {count} gradients, each of them about as large as {big}.", when=where,
    )  # fmt: skip


def _exact_ask(split, how, when):
    cut, where = _where(split, when)
    yes, no = "yes, exactly", "no"
    right, even = split.error(how) < 1e-12, len(set(split.sizes)) == 1
    because = {
        "mean": "Parts of one size count alike, as their samples should." if even
        else "The plain mean counts a sample that is alone as much as all samples of the large part.",
        "sum": f"A sum of {len(split.sizes)} gradients of means is too large.",
        "weighted": "Each part counts by its share of the batch, so each sample counts alike.",
    }[how]  # fmt: skip
    combined = {"mean": "the plain mean", "sum": "the sum", "weighted": "the weighted sum"}[how]
    return Ask(
        f"{cut}. Is {combined} of the gradients of the parts the gradient of the whole batch?", yes if right else no, because,
        ((no if right else yes, because),), (yes, no), when=where,
    )  # fmt: skip


def _captions(splits):
    for (count, shards), split in splits.items():
        for how in COMBINE:
            together, error = split.combined(how), split.error(how)
            said = "the gradient of the big batch" if error < 1e-12 else f"relative error {number(round(error, 4))}"
            sizes = f"Sizes {listed(map(str, split.sizes))}"
            words = (
                f"{sizes}; {how}: {number(round(together, 4))}, the big batch: {number(round(split.big, 4))}: {said}."
            )
            yield Caption("combine", [(COMBINE.index(how), words)], _when(count, shards, how))


def _marks(splits):
    values = [v for s in splits.values() for v in (0.0, s.big, *s.parts, *map(s.combined, COMBINE))]
    low, scale = min(values), WIDTH / (max(values) - min(values))
    zero = LEFT - low * scale
    yield text(8, 20, "the batch", "name")
    yield text(8, 52, "gradient of", "note")
    for (count, shards), split in splits.items():
        when = _when(count, shards)
        yield from _tiles(split, when)
        for k, (size, value) in enumerate(zip(split.sizes, split.parts, strict=True)):
            plural = "s" if size > 1 else ""
            yield from _bar(k, f"part {k + 1}: {size} sample{plural}", value, zero, scale, "bar", when)
        for how in COMBINE:
            when_how = _when(count, shards, how)
            yield from _bar(count, f"together: {how}", split.combined(how), zero, scale, "back", when_how, "name")
        yield from _bar(count + 1, "the big batch", split.big, zero, scale, "savedbar", when, "name")


def _tiles(split, when):
    """The samples as small squares, with a gap between two parts and the number of the part in each."""
    x = 84.0
    for k, size in enumerate(split.sizes):
        for _ in range(size):
            yield rect(x, 6, TILE - 3, 20, "leaf", 2, when=when)
            yield text(x + (TILE - 3) / 2, 20, str(k + 1), "tick", "middle", when=when)
            x += TILE
        x += 8


def _bar(row, name, value, zero, scale, role, when, look="plain") -> list[Mark]:
    y, end = TOP + row * ROW, zero + value * scale
    return [
        text(8, y + 14, name, look, when=when),
        rect(min(zero, end), y, max(abs(end - zero), 1.0), 18, role, 1, when=when),
        text(max(zero, end) + 6, y + 14, number(round(value, 4)), "value", when=when),
    ]
