"""# Accuracy, batch by batch (2 points)

Write `accuracy(logits, labels, size)`, with NumPy. The function evaluates the test set in batches of `size` samples, of which
the last may be smaller. It returns the fraction of **all** samples whose largest logit is at the right class, as a float. Each
row of `logits` belongs to one sample.
"""

from functools import partial

import numpy as np

from labkit.classroom.writing import judged, slip, wrong


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
    "This is the mean of the batches' accuracies. The small last batch counts too much: add up what is right, "
    "and divide once."
)
def mean_of_accuracies(logits, labels, size):
    hits = logits.argmax(axis=1) == labels
    return float(np.mean([hits[s : s + size].mean() for s in range(0, len(labels), size)]))


@wrong("The last batch is missing. For training you may drop it; a test has to see every sample.")
def remainder_dropped(logits, labels, size):
    whole = len(labels) // size * size
    return float((logits[:whole].argmax(axis=1) == labels[:whole]).mean())


@wrong("That is how many are right. Divide by the number of samples.")
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
    "The last batch is not tested, but its samples are counted.",
    "range(0, len(labels), size) -> range(0, len(labels) - size + 1, size)",
    "float(right / seen) -> float(right / len(labels))",
)

last_batch_only = slip(
    "Only the last batch counts: add up over the batches.",
    "right += -> right =",
    "seen += len -> seen = len",
)

right_replaced = slip(
    "Only the right ones of the last batch are counted: add up over the batches.",
    "right += -> right =",
)

percent = slip(
    "That is the accuracy in percent. Asked for is the fraction.",
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
    "argmin finds the smallest logit. The prediction is the largest one: argmax.", "argmax -> argmin"
)
divided_by_the_size = slip(
    "You divide by the size of a batch. Divide by the number of samples.", "right / seen -> right / size"
)
divided_by_all_logits = slip(
    "You divide by the number of logits. Divide by the number of samples, the rows.",
    "right / seen -> right / logits.size",
)
no_axis = slip(
    "argmax without an axis gives one place in the whole array. Each row has its own: axis=1.",
    "argmax(axis=1) -> argmax()",
)
whole_number = slip("// rounds down to a whole number. Divide with /.", "float(right / seen) -> float(right // seen)")
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


hints = (
    "Keep two counters, one of the right samples and one of all samples, as the metric does.",
    "logits[rows].argmax(axis=1) == labels[rows] says which samples of a batch are right.",
    "Divide once, after the loop.",
)
