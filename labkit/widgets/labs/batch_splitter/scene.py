"""One batch cut into parts: the gradient of each part, and what they make together, beside the gradient of the whole batch."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate, product

import numpy as np

from ....engine import grad
from ...kit.axes import Axis
from ...kit.picture import Picture
from ...kit.scene import Ask, Caption, Dial, Mark, Panel, Scene, only, rect, text
from ...kit.words import counted, listed, number

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


def _when(count, shards):
    return {"parts": [COUNTS.index(count)], "shards": [SHARDS.index(shards)]}


def _asks(splits) -> dict[int, list[Ask]]:
    """Before a batch is cut: the sum of even parts as a number, anything else as right or wrong."""
    asks: dict[int, list[Ask]] = {COUNTS.index(count): [] for count in COUNTS[1:]}
    for count, shards, how in product(COUNTS[1:], SHARDS, COMBINE):
        ask = _sum_ask if (shards, how) == ("even", "sum") else _exact_ask
        when = {"shards": [SHARDS.index(shards)], "combine": [COMBINE.index(how)]}
        asks[COUNTS.index(count)] += only(when, [ask(splits[count, shards], how)])
    return asks


def _cut(split):
    return f"The batch is cut into {listed(map(str, split.sizes))} samples"


def _sum_ask(split, how):
    count, big = len(split.sizes), number(round(split.big, 4))
    return Ask(
        f"{_cut(split)}; its gradient is {big}. What do the gradients of the parts add up to?",
        split.combined(how), f"The mean of the parts is {big}, so the sum is {count} times as much.",
        ((split.big, "That is their mean. Each part's gradient is that of a mean, not a share of it."),
         (split.big / count, "Each part's gradient is about as large as that of the whole batch.")),
        otherwise=f"Not that: {count} gradients, each of them about as large as {big}.",
    )  # fmt: skip


def _exact_ask(split, how):
    answers = "yes, exactly", "no"
    right, wrong = answers if split.error(how) < 1e-12 else reversed(answers)
    because = {
        "mean": "Parts of one size count alike, as their samples should." if len(set(split.sizes)) == 1
        else "The plain mean counts a sample that is alone as much as all samples of the large part.",
        "sum": f"A sum of {len(split.sizes)} gradients of means is too large.",
        "weighted": "Each part counts by its share of the batch, so each sample counts alike.",
    }[how]  # fmt: skip
    combined = {"mean": "the plain mean", "sum": "the sum", "weighted": "the weighted sum"}[how]
    question = f"{_cut(split)}. Is {combined} of the gradients of the parts the gradient of the whole batch?"
    return Ask(question, right, because, ((wrong, because),), answers)


def _captions(splits) -> Iterator[Caption]:
    for (count, shards), split in splits.items():
        said = []
        for how in COMBINE:
            together, error = split.combined(how), split.error(how)
            result = "the gradient of the big batch" if error < 1e-12 else f"relative error {number(round(error, 4))}"
            said.append(f"Sizes {listed(map(str, split.sizes))}; {how}: {number(round(together, 4))}, "
                        f"the big batch: {number(round(split.big, 4))}: {result}.")  # fmt: skip
        yield Caption("combine", list(enumerate(said)), _when(count, shards))


def _marks(splits) -> Iterator[Mark]:
    values = [v for s in splits.values() for v in (0.0, s.big, *s.parts, *map(s.combined, COMBINE))]
    across = Axis(min(values), max(values), LEFT, LEFT + WIDTH)
    yield text(8, 20, "the batch", "name")
    yield text(8, 52, "gradient of", "note")
    for (count, shards), split in splits.items():
        yield from only(_when(count, shards), _marks_of(count, split, across))


def _marks_of(count, split, across) -> Iterator[Mark]:
    yield from _tiles(split)
    for k, (size, value) in enumerate(zip(split.sizes, split.parts, strict=True)):
        yield from _bar(k, f"part {k + 1}: {counted(size, 'sample')}", value, across, "bar", "plain")
    for i, how in enumerate(COMBINE):
        yield from only({"combine": [i]}, _bar(count, f"together: {how}", split.combined(how), across, "back"))
    yield from _bar(count + 1, "the big batch", split.big, across, "savedbar")


def _tiles(split) -> Iterator[Mark]:
    """The samples as small squares, with a gap between two parts and the number of the part in each."""
    x = 84.0
    for k, size in enumerate(split.sizes):
        for _ in range(size):
            yield rect(x, 6, TILE - 3, 20, "leaf", 2)
            yield text(x + (TILE - 3) / 2, 20, str(k + 1), "tick", "middle")
            x += TILE
        x += 8


def _bar(row, name, value, across, role, look="name") -> Iterator[Mark]:
    y, (left, right) = TOP + row * ROW, sorted((across(0), across(value)))
    yield text(8, y + 14, name, look)
    yield rect(left, y, max(right - left, 1.0), 18, role, 1)
    yield text(right + 6, y + 14, number(round(value, 4)), "value")
