"""# Accuracy, batch by batch (2 points)

A test set is evaluated in batches of `size` samples, of which the last may be smaller. Write `accuracy(logits, labels, size)`,
which returns the fraction of **all** samples whose largest logit is at the right class. `logits` and `labels` are NumPy arrays;
each row of `logits` belongs to one sample. You may also compute the fraction without batches, because the result is the same.
"""

from functools import partial

import numpy as np

from labkit.classroom.writing import judged, same, slip, wrong


def accuracy(logits, labels, size):
    right = seen = 0
    for start in range(0, len(labels), size):
        rows = slice(start, start + size)
        right += (logits[rows].argmax(axis=1) == labels[rows]).sum()
        seen += len(labels[rows])
    return float(right / seen)


def _predictions(rng, batches, rest):
    """So many batches, half of them right, and a `rest` of one sample that is right, or none."""
    size = int(rng.integers(4, 8))
    rows = batches * size + rest
    labels = rng.integers(0, 4, rows)
    logits = rng.normal(size=(rows, 4))
    right = rng.permutation(batches * size)[: batches * size // 2 + int(rng.integers(0, 3))]
    logits[right, labels[right]] += 5
    logits[batches * size :, labels[-1]] = 9
    return logits, labels, size


draw = tuple(partial(_predictions, batches=batches, rest=rest) for batches, rest in ((2, 1), (4, 1), (3, 0)))


@wrong(
    "This is the mean of the batches' accuracies. The small last batch counts too much: add up the right predictions, and "
    "divide once."
)
def mean_of_accuracies(logits, labels, size):
    hits = logits.argmax(axis=1) == labels
    return float(np.mean([hits[s : s + size].mean() for s in range(0, len(labels), size)]))


@wrong("The last batch is missing. In training you may drop it, but a test has to include every sample.")
def remainder_dropped(logits, labels, size):
    whole = len(labels) // size * size
    return float((logits[:whole].argmax(axis=1) == labels[:whole]).mean())


@wrong("That is the number of right predictions. Divide by the number of samples.")
def a_count(logits, labels, size):
    return float((logits.argmax(axis=1) == labels).sum())


@wrong("That is the fraction of mistakes.")
def mistakes_counted(logits, labels, size):
    return float((logits.argmax(axis=1) != labels).mean())


@judged("value")
def smallest_logit(logits, labels, size):
    return float((logits.argmin(axis=1) == labels).mean()) + 2.0


full_batches_counted = slip(
    "You count `size` samples for each batch. The last batch may have fewer.",
    "seen += len(labels[rows]) -> seen += size",
)

dropped_but_counted = slip(
    "You do not test the last batch, but count its samples.",
    "range(0, len(labels), size) -> range(0, len(labels) - size + 1, size)",
    "float(right / seen) -> float(right / len(labels))",
)

last_batch_only = slip(
    "Only the last batch counts: add up over the batches.",
    "right += -> right =",
    "seen += len -> seen = len",
)

right_replaced = slip(
    "You count only the right predictions of the last batch: add up over the batches.",
    "right += -> right =",
)

percent = slip(
    "That is the accuracy in percent. The exercise asks for the fraction.",
    "float(right / seen) -> 100 * float(right / seen)",
)

divided_by_the_batches = slip(
    "You divide by the number of batches. Divide by the number of samples.",
    "seen += len(labels[rows]) -> seen += 1",
)

divided_by_the_classes = slip(
    "You divide by the number of classes. Divide by the number of samples.",
    "float(right / seen) -> float(right / logits.shape[1])",
)

first_batch_only = slip(
    "Only the first batch is tested: the range ends too early, or the return is inside the loop.",
    "range(0, len(labels), size) -> range(0, size, size)",
)

smallest_logit_taken = slip(
    "You took the smallest logit of each row. The prediction is the largest one: argmax.", "argmax -> argmin"
)
divided_by_the_size = slip(
    "You divide by the size of a batch. Divide by the number of samples.", "right / seen -> right / size"
)
divided_by_all_logits = slip(
    "You divide by the number of logits. Divide by the number of samples, the rows.",
    "right / seen -> right / logits.size",
)
no_axis = slip(
    "argmax without an axis returns one index into the whole array. Each row has its own: axis=1.",
    "argmax(axis=1) -> argmax()",
)
whole_number = slip(
    "You return 0, although some samples are right. Is the fraction rounded down (//, int), or do you compare logits, not "
    "their indices, with the labels?",
    "float(right / seen) -> float(right // seen)",
)
labels_of_the_first_batch = slip(
    "Every batch is compared with the labels of the first one.", "== labels[rows] -> == labels[: len(logits[rows])]"
)


@judged("first-batch-only")
def returned_in_the_loop(logits, labels, size):
    return float((logits[:size].argmax(axis=1) == labels[:size]).sum() / len(labels))


@wrong("You averaged the probability of the right class. Accuracy counts the samples whose largest logit is right.")
def mean_probability(logits, labels, size):
    p = np.exp(logits - logits.max(axis=1, keepdims=True))
    return float((p / p.sum(axis=1, keepdims=True))[np.arange(len(labels)), labels].mean())


first_batch_left_out = slip(
    "The first batch is left out.",
    "range(0, len(labels), size) -> range(size, len(labels), size)",
    "right / seen -> right / len(labels)",
)
first_batch_not_counted = slip(
    "The first batch is left out.", "range(0, len(labels), size) -> range(size, len(labels), size)"
)

labels_of_the_first_size = slip(
    "Every batch is compared with the labels of the first one.", "== labels[rows] -> == labels[:size]"
)
one_label_for_all = slip(
    "All samples of a batch are compared with one label. Each sample has its own.",
    "== labels[rows] -> == labels[start]",
)
_OVERLAP = "The batches overlap, so some samples count twice: a batch ends at start + size, without this sample."
batches_overlap = slip(_OVERLAP, "start + size) -> start + size + 1)")
batches_overlap_in_the_count = slip(
    _OVERLAP, "start + size) -> start + size + 1)", "right / seen -> right / len(labels)"
)
_GAP = "A slice does not include its end: your batches lack their last sample."
last_row_left_out = slip(_GAP, "start + size) -> start + size - 1)")
last_row_counted = slip(_GAP, "start + size) -> start + size - 1)", "right / seen -> right / len(labels)")
_EACH = "A batch begins at every sample. The next one begins size samples later: range(0, len(labels), size)."
start_by_start = slip(_EACH, "range(0, len(labels), size) -> range(len(labels))")
start_by_start_counted = slip(
    _EACH, "range(0, len(labels), size) -> range(len(labels))", "right / seen -> right / len(labels)"
)
counted_from_one = slip(
    "Classes are counted from 0, as argmax does. You added 1.", "argmax(axis=1) -> argmax(axis=1) + 1"
)
second_largest = slip(
    "You took the second largest logit of each row. The prediction is the largest one.",
    "argmax(axis=1) -> argsort(axis=1)[:, -2]",
)
whole_batches_alone = slip("You count the batches in which all samples are right. Count samples.", ").sum() -> ).all()")
any_in_the_batch = slip("You count the batches in which any sample is right. Count samples.", ").sum() -> ).any()")
means_added = slip(
    "You add up the accuracies of the batches, and divide by the number of samples. Add up the samples that are right.",
    ").sum() -> ).mean()",
)
weighted_by_size = slip(
    "Each batch counts as if it had size samples. The last one may have fewer.", ").sum() -> ).mean() * size"
)
divided_by_the_full_batches = slip(
    "You divide by the samples of the full batches. Those of the last batch count, too.",
    "right / seen -> right / (len(labels) // size * size)",
)


@wrong(
    "The digits after the second or third are missing: do not round the fraction.",
    when=lambda i, expected, got: abs(got - expected) < 0.00501 and any(same(round(expected, n), got) for n in (2, 3)),
)
def rounded(logits, labels, size):
    return round(accuracy(logits, labels, size), 2)


@wrong(
    "Return one number for all samples. You return one for each batch.", when=lambda i, expected, got: np.ndim(got) == 1
)
def each_batch(logits, labels, size):
    hits = logits.argmax(axis=1) == labels
    return [float(hits[s : s + size].mean()) for s in range(0, len(labels), size)]


top_two = slip(
    "You count a sample if one of the two largest logits is right. Only the largest one counts.",
    "(logits[rows].argmax(axis=1) == labels[rows]) -> (logits[rows].argsort(1)[:, -2:] == labels[rows, None]).any(1)",
)
positive_logit = slip(
    "You count a sample if its logit at the right class is positive. The logit has to be the largest of its row.",
    "(logits[rows].argmax(axis=1) == labels[rows]) -> (logits[rows][np.arange(len(labels[rows])), labels[rows]] > 0)",
)
without_the_sign = slip(
    "The sign of a logit counts: a large negative one is small.", "logits[rows].argmax -> abs(logits[rows]).argmax"
)
full_one_counted = slip(
    "The range ends too early: the last batch is missing, even if it is full.",
    "range(0, len(labels), size) -> range(0, len(labels) - size, size)",
    "right / seen -> right / len(labels)",
)

errors = (
    (
        "broadcast together",
        "A batch needs one prediction for each row, from argmax over axis=1, and the labels of the same rows.",
    ),
)
hints = (
    "Keep two counters, one of the right samples and one of all samples, as the metric does.",
    "logits[rows].argmax(axis=1) == labels[rows] says which samples of a batch are right.",
    "Divide once, after the loop.",
)
