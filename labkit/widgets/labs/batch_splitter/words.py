"""What is said of a batch that is cut, and asked before it is."""

from collections.abc import Iterator
from itertools import product

from ...kit.scene import Ask, Caption, only
from ...kit.words import listed, number
from .split import COMBINE, COUNTS, SHARDS


def when_of(count, shards) -> dict[str, list[int]]:
    """Where the dials stand for a split."""
    return {"parts": [COUNTS.index(count)], "shards": [SHARDS.index(shards)]}


def asks_of(splits) -> dict[int, list[Ask]]:
    """Before a batch is cut: the sum of even parts as a number, anything else as right or wrong."""
    found: dict[int, list[Ask]] = {COUNTS.index(count): [] for count in COUNTS[1:]}
    for count, shards, how in product(COUNTS[1:], SHARDS, COMBINE):
        if (count, shards) not in splits:
            continue
        ask = _sum_ask if (shards, how) == ("even", "sum") else _exact_ask
        when = {"shards": [SHARDS.index(shards)], "combine": [COMBINE.index(how)]}
        found[COUNTS.index(count)] += only(when, [ask(splits[count, shards], how)])
    return found


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


def captions_of(splits) -> Iterator[Caption]:
    for (count, shards), split in splits.items():
        said = []
        for how in COMBINE:
            together, error = split.combined(how), split.error(how)
            big, off = number(round(split.big, 4)), f"{number(round(100 * error, 2))}%"
            result = (
                "the gradient of the big batch" if error < 1e-12 else f"off by {off} from {big}, that of the big batch"
            )
            said.append(f"Sizes {listed(map(str, split.sizes))}, {how}: {number(round(together, 4))}, {result}.")
        yield Caption("combine", list(enumerate(said)), when_of(count, shards))
