"""One batch cut into parts: the gradient of each part, and what they make together, beside the gradient of the whole batch."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise, product

import numpy as np

from ....engine import grad
from ...kit.axes import Axis
from ...kit.grips import Along, Grip
from ...kit.picture import Picture
from ...kit.scene import Ask, Caption, Dial, Mark, Panel, Scene, line, only, rect, text
from ...kit.words import counted, listed, number

SAMPLES, COUNTS = 12, (1, 2, 3, 4, 6)
SHARDS, COMBINE = ["even", "uneven", "yours"], ["mean", "sum", "weighted"]
YOURS = (3, 6, 9, 10, 11)  # after which samples the batch is cut, until they are dragged
LEFT, WIDTH, TOP, TILE, TILES, GAP = 122.0, 240.0, 110.0, 26.0, 8.0, 8.0  # px
BARS, MOST = 212.0, 40.0  # px that all bars have together, and one of few
SQUARES, RINGS = 26.0, 66.0  # px: where the samples are, and what is dragged below them


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
    `shards` ("even"; "uneven": one sample each, and the last part has the rest; "yours": cut where you
    drag the cuts), `combine` ("mean", "sum", "weighted").
    `splits` holds all numbers, `{(parts, shards): Split}`.

    >>> picture = BatchSplitter()
    >>> picture.splits[4, "even"].sizes, picture.splits[4, "uneven"].sizes
    ([3, 3, 3, 3], [1, 1, 1, 9])
    >>> picture.splits[4, "even"].error("mean") < 1e-12 < picture.splits[4, "uneven"].error("mean")
    True
    """

    def __init__(self, seed: int = 3):
        rng = np.random.default_rng(seed)
        x = rng.uniform(0.5, 2.0, SAMPLES)
        y = 2.0 * x + rng.normal(0.0, 1.0, SAMPLES)
        slope = grad(lambda w, x, y: ((w * x - y) ** 2).sum() / len(x))
        self._of_part = cache(lambda start, end: float(slope(3.5, x[start:end], y[start:end])))
        self._cuts = YOURS
        self.splits = self._splits()
        super().__init__(_scene(self.splits, self._cuts))

    @property
    def inputs(self) -> Mapping[str, float]:
        """After which samples the batch is cut, where the sizes are yours: of n parts the first n - 1 count."""
        return {f"cut {k}": cut for k, cut in enumerate(self._cuts, 1)}

    def fill(self, inputs: Mapping[str, float], at: Mapping[str, int] | None = None) -> None:
        """Other cuts. Raises ValueError for what is no whole number within the batch."""
        cuts = tuple(_whole(name, cut) for name, cut in inputs.items())
        moved, self._cuts = cuts != self._cuts, cuts
        self.splits = self._splits()
        shown = self.splits
        if at is not None:  # nothing else is seen
            shown = {key: split for key, split in shown.items() if key == (COUNTS[at["parts"]], "yours")}
        self.scene = replace(_scene(shown, self._cuts), turned={"shards": SHARDS.index("yours")} if moved else {})

    def _splits(self):
        found = {}
        for count, shards in product(COUNTS, SHARDS):
            ends = [0, *_ends(count, shards, self._cuts), SAMPLES]
            parts = [self._of_part(a, b) for a, b in pairwise(ends)]
            found[count, shards] = Split([b - a for a, b in pairwise(ends)], parts, self._of_part(0, SAMPLES))
        return found


def _ends(count, shards, yours) -> list[int]:
    """After which samples the batch is cut."""
    if shards == "yours":
        found: list[int] = []
        for k, end in enumerate(
            yours[: count - 1], 1
        ):  # each has a sample of its own, and leaves one for those that follow
            found.append(min(max(end, found[-1] + 1 if found else 1), SAMPLES - count + k))
        return found
    return [k * SAMPLES // count if shards == "even" else k for k in range(1, count)]


def _whole(name, value):
    if value != int(value) or not 0 < value < SAMPLES:
        raise ValueError(f"{name}: expected a whole number from 1 to {SAMPLES - 1}, but got {value:g}")
    return int(value)


def _scene(splits, yours) -> Scene:
    words = (
        f"A batch of {SAMPLES} samples is cut into parts: micro-batches, or workers. One bar for the gradient of each part's "
        "mean loss, one for what they make together, and one for the gradient of the whole batch. The last two should be "
        "equally long."
    )
    dials = [
        Dial("parts", "Parts", [str(count) for count in COUNTS], start=3, asks=_asks(splits)),
        Dial("shards", "Sizes", SHARDS, "choice", resets={"parts": 0}),
        Dial("combine", "Combined by", COMBINE, "choice", resets={"parts": 0}),
    ]
    panel = Panel("bars", "Drag the rings to cut the batch", LEFT + WIDTH + 56, TOP + BARS + 4, list(_marks(splits)))
    names = [f"cut {k}" for k in range(1, max(COUNTS))]
    mine = {"shards": [SHARDS.index("yours")]}
    return Scene(
        "Batch splitter", words, dials, [panel], list(_captions(splits)),
        fields={name: str(cut) for name, cut in zip(names, yours, strict=True)},
        fields_at={name: {**mine, "parts": [i for i, n in enumerate(COUNTS) if n > k]} for k, name in enumerate(names, 1)},
        grips=list(_grips(yours)),
    )  # fmt: skip


def _grips(yours) -> Iterator[Grip]:
    """The cuts. Where Python does not listen they go to those of the other sizes."""
    for i, count in enumerate(COUNTS):
        ends = [_ends(count, shards, yours) for shards in SHARDS]
        for k in range(1, count):
            places = [(_gap(end[k - 1], k), RINGS) for end in ends]
            free = {"x": Along(f"cut {k}", 1, SAMPLES - 1, _gap(1, k), _gap(SAMPLES - 1, k), whole=True)}
            yield Grip(
                f"cut {k}", "bars", f"Cut {k} of the batch", "shards", places, "x", free=free, when={"parts": [i]}
            )


def _gap(end, k):
    """Where the gap after so many samples lies, with k gaps up to it, px."""
    return TILES + TILE * end + GAP * k - (GAP + 3) / 2


def _when(count, shards):
    return {"parts": [COUNTS.index(count)], "shards": [SHARDS.index(shards)]}


def _asks(splits) -> dict[int, list[Ask]]:
    """Before a batch is cut: the sum of even parts as a number, anything else as right or wrong."""
    asks: dict[int, list[Ask]] = {COUNTS.index(count): [] for count in COUNTS[1:]}
    for count, shards, how in product(COUNTS[1:], SHARDS, COMBINE):
        if (count, shards) not in splits:
            continue
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
            big, off = number(round(split.big, 4)), f"{number(round(100 * error, 2))}%"
            result = (
                "the gradient of the big batch" if error < 1e-12 else f"off by {off} from {big}, that of the big batch"
            )
            said.append(f"Sizes {listed(map(str, split.sizes))}, {how}: {number(round(together, 4))}, {result}.")
        yield Caption("combine", list(enumerate(said)), _when(count, shards))


def _marks(splits) -> Iterator[Mark]:
    yield text(8, 16, "the batch, each sample with the number of its part", "note")
    yield text(LEFT, TOP - 8, "the gradient of the mean loss", "note")
    for (count, shards), split in splits.items():
        yield from only(_when(count, shards), [*_cuts(split), *_words(split)])
    for ways in ((0, 2), (1,)):  # the sum, which is long, has a scale of its own
        values = [v for s in splits.values() for v in (0.0, s.big, *s.parts, *(s.combined(COMBINE[i]) for i in ways))]
        across = Axis(min(values), max(values), LEFT, LEFT + WIDTH)
        for (count, shards), split in splits.items():
            yield from only({**_when(count, shards), "combine": ways}, _bars(split, across))
            for i in ways:
                together = _bar(count, count, split.combined(COMBINE[i]), across, "back")
                yield from only({**_when(count, shards), "combine": [i]}, [together])


def _cuts(split) -> Iterator[Mark]:
    yield from _tiles(split)
    for k, end in enumerate(np.cumsum(split.sizes)[:-1].tolist(), 1):
        yield line(_gap(end, k), SQUARES - 2, _gap(end, k), RINGS - 11, "before")


def _words(split) -> Iterator[Mark]:
    """Before each bar what it is, and its number at the end of the row."""
    count = len(split.sizes)
    for k, (size, value) in enumerate(zip(split.sizes, split.parts, strict=True)):
        yield from _row(count, k, f"part {k + 1}: {counted(size, 'sample')}", value, "plain")
    for i, how in enumerate(COMBINE):
        yield from only({"combine": [i]}, _row(count, count, f"together: {how}", split.combined(how)))
    yield from _row(count, count + 1, "the big batch", split.big)


def _row(count, row, name, value, look="name") -> Iterator[Mark]:
    y = _top(count, row) + _high(count) / 2 + 2
    yield text(8, y, name, look)
    yield text(LEFT + WIDTH + 48, y, number(round(value, 4)), "value", "end")


def _bars(split, across) -> Iterator[Mark]:
    count = len(split.sizes)
    yield from (_bar(count, k, value, across, "bar") for k, value in enumerate(split.parts))
    yield _bar(count, count + 1, split.big, across, "savedbar")
    yield line(across(split.big), TOP - 3, across(split.big), _top(count, count + 2) - 3, "outline")


def _tiles(split) -> Iterator[Mark]:
    """The samples as small squares, with a gap between two parts and the number of the part in each."""
    x = TILES
    for k, size in enumerate(split.sizes):
        for _ in range(size):
            yield rect(x, SQUARES, TILE - 3, 24, "leaf", 3)
            yield text(x + (TILE - 3) / 2, SQUARES + 16, str(k + 1), "tick", "middle")
            x += TILE
        x += GAP


def _bar(count, row, value, across, role) -> Mark:
    left, right = sorted((across(0), across(value)))
    return rect(left, _top(count, row), max(right - left, 1.0), _high(count) - 6, role, 2)


def _high(count) -> float:
    """The fewer bars there are, the thicker."""
    return min(BARS / (count + 2), MOST)


def _top(count, row) -> float:
    return TOP + row * _high(count)
