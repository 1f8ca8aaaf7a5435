"""What is said of a batch that is cut, and asked before it is."""

from collections.abc import Iterator
from itertools import pairwise, product

from ...kit.joint import key_of, place
from ...kit.scene import Ask, Caption, only
from ...kit.words import listed, number
from .split import COMBINE, COUNTS, SAMPLES, SHARDS, cut_of, ends_of, places_of
from .view import exact

COMBINED = {"mean": "the plain mean", "sum": "the sum", "weighted": "the weighted sum"}


def asks_of(splits) -> dict[int, list[Ask]]:
    """Before a batch is cut: the sum of even parts as a number, anything else as right or wrong."""
    found: dict[int, list[Ask]] = {COUNTS.index(count): [] for count in COUNTS[1:]}
    for count, shards, how in product(COUNTS[1:], SHARDS, COMBINE):
        asks = [
            _exact_ask(count, shards, how, even)
            for even in ({"even": [True], "uneven": [False], "yours": [True, False]}[shards])
        ]
        if (shards, how) == ("even", "sum"):
            asks = [_sum_ask(splits[count, shards])]
        when = {"shards": [SHARDS.index(shards)], "combine": [COMBINE.index(how)]}
        cuts = [exact(count) if shards == "yours" and even else {} for even in range(len(asks) - 1, -1, -1)]
        for ask, where in zip(asks, cuts, strict=True):
            found[COUNTS.index(count)] += only(when | where, [ask])
    return found


def _sum_ask(split):
    count, big = len(split.sizes), number(round(split.big, 4))
    return Ask(
        f"{_cut(count, 'even')}; its gradient is {big}. What do the gradients of the parts add up to?",
        split.combined("sum"), f"The mean of the parts is {big}, so the sum is {count} times as much.",
        ((split.big, "That is their mean. Each part's gradient is that of a mean, not a share of it."),
         (split.big / count, "Each part's gradient is about as large as that of the whole batch.")),
        otherwise=f"Not that: {count} gradients, each of them about as large as {big}.",
    )  # fmt: skip


def _exact_ask(count, shards, how, even):
    answers = "yes, exactly", "no"
    right, wrong = answers if how == "weighted" or (how == "mean" and even) else reversed(answers)
    because = {
        "mean": "Parts of one size count alike, as their samples should." if even
        else "The plain mean counts a small part as much as a large one.",
        "sum": f"A sum of {count} gradients of means is too large.",
        "weighted": "Each part counts by its share of the batch, so each sample counts alike.",
    }[how]  # fmt: skip
    question = (
        f"{_cut(count, shards)}. Is {COMBINED[how]} of the gradients of the parts the gradient of the whole batch?"
    )
    return Ask(question, right, because, ((wrong, because),), answers)


def _cut(count, shards):
    if shards == "yours":
        return f"Next the batch is cut into {count} parts, where you have cut it"
    ends = [0, *ends_of(count, shards), SAMPLES]
    return f"Next the batch is cut into {listed(str(b - a) for a, b in pairwise(ends))} samples"


def captions_of() -> Iterator[Caption]:
    """Whether it is the gradient of the big batch, and why; of the mean, it is where the cuts stand evenly."""
    for count, how in product(COUNTS, COMBINE):
        when = {"parts": [COUNTS.index(count)], "combine": [COMBINE.index(how)]}
        sizes = {cut_of(k, count): places_of(count) for k in range(1, count)} if how == "mean" else {}
        if count == 1:
            yield Caption(
                "parts", [(0, "One part is all samples, so its gradient is the gradient of the big batch.")], when
            )
        elif sizes:
            even = place(key_of(sizes), {name: at for name, (at,) in exact(count).items()})
            differ = _uneven(count)
            yield Caption(key_of(sizes), [(0, differ), (even, _even(count)), (even + 1, differ)], when)
        else:
            yield Caption("parts", [(0, _of_sum(count) if how == "sum" else WEIGHTED)], when)


def _even(count):
    return f"All parts have {SAMPLES // count} samples, so the plain mean of their gradients is the gradient of the big batch."


def _uneven(count):
    return f"Each part counts 1/{count}, however few samples it has. So the mean is off."


def _of_sum(count):
    return f"Each part's gradient is that of a mean. The sum of {count} of them is too large, however the batch is cut."


WEIGHTED = "Each part counts by its share of the samples. Wherever it is cut, that is the gradient of the big batch."
