"""# From logits to the gradient (3 points)

`z` contains logits, with a row for each example and a column for each class, and `labels` contains the class of each row. The
loss is the *mean* over the examples of `-log(softmax(z)[label])`. Write `pull(z, labels)`, which returns the gradient of this
loss with respect to `z`, in plain NumPy. Some logits are near 1000 or above.
"""

import numpy as np

from labkit.classroom.writing import PLAIN, judged, slip, wrong


def _softmax(z):
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def pull(z, labels):
    d = _softmax(z)
    d[np.arange(len(z)), labels] -= 1
    return d / len(z)


def _ordinary(rng):
    rows, classes = int(rng.integers(3, 6)), int(rng.integers(4, 6))
    return 2 * rng.normal(size=(rows, classes)), rng.integers(0, classes, rows)


def _rows_far_apart(rng):
    z, labels = _ordinary(rng)
    return z + 1000.0 * np.arange(len(z))[:, None], labels


def _one_far_above(rng):
    z, labels = _ordinary(rng)
    z[:, :2] += 2000.0
    return z, labels


draw = (_ordinary, _rows_far_apart, _one_far_above)
draws = 6


@wrong("The loss is a mean over the examples: divide by their number.")
def not_divided(z, labels):
    return pull(z, labels) * len(z)


@wrong("The sign is wrong: raising the logit of the right class lowers the loss. It is p - 1 there, and p elsewhere.")
def other_way_round(z, labels):
    return -pull(z, labels)


@wrong(
    "Divided by every element of z. The mean is over the examples: each of them has one loss, however many classes there are."
)
def mean_over_all(z, labels):
    return pull(z, labels) / z.shape[1]


@wrong(
    "Only the right class gets a gradient in your answer. The others do, too: they share the denominator, and get p / n."
)
def right_class_only(z, labels):
    d = np.zeros_like(z)
    rows = np.arange(len(z))
    d[rows, labels] = _softmax(z)[rows, labels] - 1
    return d / len(z)


@wrong("That is softmax alone: at the right class, 1 has to be taken away.")
def softmax_alone(z, labels):
    return _softmax(z) / len(z)


@wrong("That is the gradient with respect to p, the rule of -log. It still has to go through softmax.")
@np.errstate(all="ignore")
def stops_at_p(z, labels):
    p, rows = _softmax(z), np.arange(len(z))
    d = np.zeros_like(p)
    d[rows, labels] = -1 / p[rows, labels]
    return d / len(z)


@wrong(
    "1 was taken away in these columns of every row. Each row has its own label: index with np.arange(len(z)) and labels."
)
def all_rows(z, labels):
    d = _softmax(z)
    d[:, labels] -= 1
    return d / len(z)


@judged("all-rows")
def all_rows_for_each_label(z, labels):
    d = _softmax(z)
    for label in labels:
        d[:, label] -= 1
    return d / len(z)


@wrong(
    "At 1000 your softmax is nan. Take the largest number of each row away first: that changes nothing in p.",
    when=lambda i, expected, got: bool(np.isnan(np.asarray(got, float)).any()),
)
def overflows(z, labels):
    with np.errstate(all="ignore"):
        e = np.exp(z)
        d = e / e.sum(axis=1, keepdims=True)
    d[np.arange(len(z)), labels] -= 1
    return d / len(z)


@judged("kind")
def the_loss(z, labels):
    top = z.max(axis=1)
    log_sum = top + np.log(np.exp(z - top[:, None]).sum(axis=1))
    return float((log_sum - z[np.arange(len(z)), labels]).mean())


divided_by_the_classes = slip(
    "You divide by the number of classes. The mean is over the examples, the rows.",
    "/ len(z) -> / z.shape[1]",
)

softmax_down_the_columns = slip(
    "softmax goes along the classes of each row: axis 1. You took axis 0.",
    "z.max(axis=1, keepdims=True) -> z.max(axis=0, keepdims=True)",
    "e.sum(axis=1, keepdims=True) -> e.sum(axis=0, keepdims=True)",
)


ways = (PLAIN,)
hints = (
    "Per example the loss is logsumexp(z) - z[label]. The gradient of logsumexp is softmax.",
    "So an example gives p, minus 1 at its label. And the mean divides by the number of examples.",
    "d = softmax(z); d[np.arange(len(z)), labels] -= 1; return d / len(z)",
)
