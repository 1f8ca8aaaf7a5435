"""# Fix the mean over words (3 points)

Sentences of different lengths are padded to one length. `x` has the shape (sentences, positions, 3), `y` and `mask` the shape
(sentences, positions). `mask` is 1.0 for a word and 0.0 for padding, where the values of `x` and `y` have no meaning. The loss
is the mean of `(x @ w - y) ** 2` over all words. This loop processes the sentences in `count` micro-batches of the same size:

[[as_it_was as accumulate]]

The gradient of this loop differs from that of the whole batch. Fix the loop so that the two agree to 12 digits, with one
micro-batch at a time. A micro-batch may have no words at all. All arguments except `count` are tensors that require grad; `w` is
a leaf whose `.grad` is None.
"""

from functools import partial

import numpy as np

from labkit.classroom.ways import passes_of
from labkit.classroom.writing import EXACT, Way, judged, slip, wrong


def accumulate(w, x, y, mask, count):
    size = len(y) // count
    words = mask.sum()
    for k in range(count):
        rows = slice(k * size, (k + 1) * size)
        squares = (x[rows] @ w - y[rows]) ** 2 * mask[rows]
        (squares.sum() / words).backward()
    return w.grad


def _texts(rng, lengths):
    """Sentences of these lengths, a row for each micro-batch; both in any order."""
    lengths = rng.permuted(rng.permutation(np.array(lengths)), axis=1)
    mask = 1.0 * (np.arange(5) < lengths.reshape(-1, 1))
    shape = (lengths.size, 5)
    return rng.normal(size=3), rng.normal(size=(*shape, 3)), rng.normal(size=shape), mask, len(lengths)


draw = tuple(
    partial(_texts, lengths=lengths)
    for lengths in (
        ((1, 2), (5, 4), (3, 1)),
        ((1, 1), (5, 4)),
        ((3, 5), (0, 0), (1, 2)),
        ((1, 5, 4), (2, 1, 1)),
        ((4, 1), (1, 2), (5, 5), (2, 2)),
    )
)
tensors = "torch"
errors = (
    (
        "second time",
        "Two micro-batches share a part of the tape, which the first pass has freed. Compute the errors inside the loop, and "
        "make the number of words a plain number: mask.sum().item().",
    ),
)


def _accumulated(w, x, y, mask, count, loss):
    """What is in w.grad after a backward pass through `loss(squares, mask)` of each micro-batch."""
    size = len(y) // count
    for k in range(count):
        rows = slice(k * size, (k + 1) * size)
        loss((x[rows] @ w - y[rows]) ** 2, mask[rows]).backward()
    return w.grad


@wrong(
    "This is right unless a micro-batch has no words: 0 / 0 is nan, and nan times a share of 0 is nan. Add up sums, and "
    "divide by the number of all words."
)
def share_of_nothing(w, x, y, mask, count):
    words = mask.sum()
    return _accumulated(w, x, y, mask, count, lambda e, m: (e * m).sum() / m.sum() * (m.sum() / words))


@wrong(
    "Each micro-batch still has the same weight, whether it has two words or ten, so a word among few counts for more. "
    "Divide by the number by which the mean of the whole batch divides."
)
def as_it_was(w, x, y, mask, count):
    size = len(y) // count
    for k in range(count):
        rows = slice(k * size, (k + 1) * size)
        squares = (x[rows] @ w - y[rows]) ** 2 * mask[rows]
        loss = squares.sum() / mask[rows].sum()
        (loss / count).backward()
    return w.grad


@judged("as-it-was")
def nothing_of_nothing(w, x, y, mask, count):
    return _accumulated(w, x, y, mask, count, lambda e, m: (e * m).sum() / m.sum().clamp(min=1) / count)


@wrong(
    "You added up the means of the micro-batches. A sum of means is not a mean: add up sums, and divide by the number of "
    "all words."
)
def means_added(w, x, y, mask, count):
    return _accumulated(w, x, y, mask, count, lambda e, m: (e * m).sum() / m.sum().clamp(min=1))


@judged("means-added")
def means_added_with_nan(w, x, y, mask, count):
    return _accumulated(w, x, y, mask, count, lambda e, m: (e * m).sum() / m.sum())


@wrong("You took a mean for each sentence, so that a word of a short sentence counts for more. The mean is over words.")
def sentences_alike(w, x, y, mask, count):
    return _accumulated(w, x, y, mask, count, lambda e, m: ((e * m).sum(1) / m.sum(1).clamp(min=1)).mean() / count)


@judged("sentences-alike")
def sentences_of_nothing(w, x, y, mask, count):
    return _accumulated(w, x, y, mask, count, lambda e, m: ((e * m).sum(1) / m.sum(1)).mean() / count)


@wrong("This is the gradient of the sum over all words. The loss is their mean: divide by their number.")
def sum_for_mean(w, x, y, mask, count):
    return _accumulated(w, x, y, mask, count, lambda e, m: (e * m).sum())


@wrong("The loss includes the padding. Multiply by mask before you add up.")
def padding_in_the_sum(w, x, y, mask, count):
    words = mask.sum()
    return _accumulated(w, x, y, mask, count, lambda e, m: e.sum() / words)


@judged("padding-in-the-sum")
def mean_with_padding(w, x, y, mask, count):
    return _accumulated(w, x, y, mask, count, lambda e, m: e.mean() / count)


@wrong("You divided by the number of positions, including the padding. The mean is taken over words: mask.sum().")
def padding_in_the_count(w, x, y, mask, count):
    return _accumulated(w, x, y, mask, count, lambda e, m: (e * m).sum() / mask.numel())


@judged("padding-in-the-count")
def places_of_a_part(w, x, y, mask, count):
    return _accumulated(w, x, y, mask, count, lambda e, m: (e * m).mean())


@judged("padding-in-the-count")
def places_weighted(w, x, y, mask, count):
    words = mask.sum()
    return _accumulated(w, x, y, mask, count, lambda e, m: (e * m).mean() * (m.sum() / words))


@judged("padding-in-the-count")
def places_and_words(w, x, y, mask, count):
    return _accumulated(w, x, y, mask, count, lambda e, m: (e * m).sum() / mask.shape[1] / mask.sum())


@wrong("You divided by the number of sentences. The mean is taken over words.")
def sentences_counted(w, x, y, mask, count):
    return _accumulated(w, x, y, mask, count, lambda e, m: (e * m).sum() / len(y))


@judged("sentences-counted")
def sentences_of_a_part(w, x, y, mask, count):
    return _accumulated(w, x, y, mask, count, lambda e, m: (e * m).sum() * count / len(y))


@wrong(
    "You divided by the words read so far, so early micro-batches count too much. You need the number of all words before "
    "the first backward pass."
)
def words_so_far(w, x, y, mask, count):
    seen = []

    def loss(e, m):
        seen.append(m.sum())
        return (e * m).sum() / sum(seen)

    return _accumulated(w, x, y, mask, count, loss)


@wrong("You divided by the number of words, and by count as well. A sum of all words is divided once.")
def divided_twice(w, x, y, mask, count):
    words = mask.sum()
    return _accumulated(w, x, y, mask, count, lambda e, m: (e * m).sum() / words / count)


@judged("value")
def last_micro_batch(w, x, y, mask, count):
    size = len(y) // count
    return accumulate(w, x[-size:], y[-size:], mask[-size:], 1)


@judged("kind")
def with_the_words(w, x, y, mask, count):
    return accumulate(w, x, y, mask, count), mask.sum()


def _sum_of_passes(inputs, expected, got, done):
    """Each micro-batch has passes of its own, and the result is the sum of what all of them delivered."""
    w, x, y, mask, count = inputs
    arrived = np.cumsum([gradient for _, gradient in passes_of(done, w.shape)], axis=0)
    share = (got @ arrived[-1]) / (arrived[-1] @ arrived[-1])  # of whoever divides by the number of words at the end
    errors = (2 * (x @ w - y) * mask)[..., None] * x / mask.sum() / share
    so_far = np.cumsum(errors.reshape(count, -1, len(w)).sum(1), axis=0)
    complete = [np.isclose(arrived, one).all(1).any() for one in so_far if one.any()]
    return all(complete) and np.allclose(share * arrived[-1], got)


last_only = slip(
    "Only the last micro-batch counts. Does each have a backward pass, and does .grad stay as it is in between?",
    "    for k in range(count):\n ->     for k in range(count):\n        w.grad = None\n",
)

last_left_out = slip(
    "The last micro-batch is left out.",
    "range(count) -> range(count - 1)",
)


@wrong(
    "You took the mean of the means of all micro-batches that have words. Each word needs the same weight: add up sums, and "
    "divide by the number of all words."
)
def mean_without_the_empty_ones(w, x, y, mask, count):
    full = (mask.reshape(count, -1).sum(1) > 0).sum()
    return _accumulated(w, x, y, mask, count, lambda e, m: (e * m).sum() / m.sum().clamp(min=1) / full)


errors_added = slip(
    "The loss squares each error. The square is missing.",
    "(x[rows] @ w - y[rows]) ** 2 * mask[rows] -> (x[rows] @ w - y[rows]) * mask[rows]",
)

first_alone = slip(
    "Only the first micro-batch counts. Micro-batch k has the sentences from k * size to (k + 1) * size.",
    "slice(k * size, (k + 1) * size) -> slice(k * size, size)",
)
always_the_first_rows = slip(
    "Every micro-batch has the same sentences. Micro-batch k starts at k * size.",
    "slice(k * size, (k + 1) * size) -> slice(0, size)",
)

count_multiplied = slip(
    "You multiplied by count. The sum of all words is divided by their number, and by nothing else.",
    "/ words) -> / words * count)",
)

words_counted_twice = slip(
    "You also weighted each micro-batch by its words. Its sum already has one term for each word.",
    "/ words) -> / words * mask[rows].sum())",
)


@wrong("You divided by the words of the longest micro-batch. Divide by the number of all words, once.")
def longest_counted(w, x, y, mask, count):
    most = mask.detach().reshape(count, -1).sum(1).max()
    return _accumulated(w, x, y, mask, count, lambda e, m: (e * m).sum() / most / count)


mask_upside_down = slip(
    "You added up the padding and left out the words: mask is 1.0 for a word.",
    ") ** 2 * mask[rows] -> ) ** 2 * (1 - mask[rows])",
)
stopped_too_early = slip(
    "You stop at a micro-batch that has no words. Skip it, and continue with the next one.",
    "        squares =  ->         if mask[rows].sum() == 0:\n            break\n        squares = ",
)
first_left_out = slip("The first micro-batch is left out: range(count) starts at 0.", "range(count) -> range(1, count)")
labels_added = slip("The error is the prediction minus the label. You added the label.", "- y[rows] -> + y[rows]")
root_taken = slip(
    "The loss is a mean of squares, without a root.",
    "(squares.sum() / words).backward() -> ((squares.sum() / words + 1e-300) ** 0.5).backward()",
    alone=True,
)
divided_by_the_square = slip(
    "The sum is divided by the number of words once. You divided twice.", "/ words) -> / words**2)", alone=True
)
one_word_less = slip(
    "The mean divides by the number of words. Yours is off by one.", "mask.sum()\n -> mask.sum() - 1\n"
)

absolute_errors = slip(
    "The errors are squared. You took absolute values.", "(x[rows] @ w - y[rows]) ** 2 -> (x[rows] @ w - y[rows]).abs()"
)
squared_sum = slip(
    "You squared the sum of the errors. Square each error first.",
    "(squares.sum() / words) -> (((x[rows] @ w - y[rows]) * mask[rows]).sum() ** 2 / words)",
)
half_the_square = slip(
    "Your gradient is half of the right one: the loss has no factor 1/2.",
    "squares.sum() / words -> squares.sum() / words / 2",
)


@wrong(
    "That is a loss. Return the gradient that w.grad has in the end.", when=lambda i, expected, got: np.ndim(got) == 0
)
def loss_returned(w, x, y, mask, count):
    return ((x @ w - y) ** 2 * mask).sum() / mask.sum()


ways = (
    EXACT,
    Way(
        "Run a backward pass for each micro-batch by itself, and return the sum of the resulting gradients.",
        ("passes",),
        holds=_sum_of_passes,
    ),
)
hints = (
    "What weight does a word have here in a micro-batch with 2 words, and in one with 9 words?",
    "The mean over all words is a sum divided by the number of all words. Sums can be split, whatever the parts are.",
    "words = mask.sum() before the loop, and (squares.sum() / words).backward() in it.",
)
