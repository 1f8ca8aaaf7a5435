"""# From logits to the gradient (3 points)

`z` contains logits, with a row for each example and a column for each class, and `labels` contains the class of each row. The
loss is the *mean* over the examples of `-log(softmax(z)[label])`. Write `pull(z, labels)`, which returns the gradient of this
loss with respect to `z`, in plain NumPy. Some logits are near 1000 or above.
"""

import numpy as np

from labkit.classroom.writing import PLAIN, judged, same, slip, wrong


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


@wrong(
    "You divided by the number of elements of z. The mean is over the examples: each example has one loss, however many "
    "classes there are."
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


@wrong("That is softmax alone: subtract 1 at the right class.")
def softmax_alone(z, labels):
    return _softmax(z) / len(z)


@wrong("That is the gradient with respect to p, the rule of -log. Apply the rule of softmax to it.")
@np.errstate(all="ignore")
def stops_at_p(z, labels):
    p, rows = _softmax(z), np.arange(len(z))
    d = np.zeros_like(p)
    d[rows, labels] = -1 / p[rows, labels]
    return d / len(z)


@wrong(
    "You subtracted 1 in these columns of every row. Each row has its own label: index with np.arange(len(z)) and labels."
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
    "At 1000 your softmax is nan or inf. Subtract the largest logit of its row from each logit first: p stays the same.",
    when=lambda i, expected, got: np.abs(i[0]).max() > 700 and not np.isfinite(np.asarray(got, float)).all(),
)
def overflows(z, labels):
    with np.errstate(all="ignore"):
        e = np.exp(z)
        d = e / e.sum(axis=1, keepdims=True)
    d[np.arange(len(z)), labels] -= 1
    return d / len(z)


@wrong(
    "At 1000 exp is inf, and your probabilities are 0. Subtract the largest logit of its row from each logit first: p stays "
    "the same."
)
@np.errstate(all="ignore")
def sum_overflows(z, labels):
    d = np.exp(z - np.log(np.exp(z).sum(axis=1, keepdims=True)))
    d[np.arange(len(z)), labels] -= 1
    return d / len(z)


@wrong(
    "You return one number. The exercise asks for the gradient with respect to z, which has the shape of z.",
    when=lambda i, expected, got: np.ndim(got) == 0,
)
def the_loss(z, labels):
    top = z.max(axis=1)
    log_sum = top + np.log(np.exp(z - top[:, None]).sum(axis=1))
    return float((log_sum - z[np.arange(len(z)), labels]).mean())


divided_by_the_classes = slip(
    "You divide by the number of classes. The mean is over the examples, the rows.",
    "/ len(z) -> / z.shape[1]",
)

softmax_down_the_columns = slip(
    "softmax is computed over the classes of each row, axis 1. You used axis 0.",
    "z.max(axis=1, keepdims=True) -> z.max(axis=0, keepdims=True)",
    "e.sum(axis=1, keepdims=True) -> e.sum(axis=0, keepdims=True)",
)

one_sum_for_all = slip(
    "softmax divides by the sum of its row. You divided by the sum of all rows.",
    "e.sum(axis=1, keepdims=True) -> e.sum()",
)
replaced_by_minus_one = slip(
    "Subtract 1 from the probability of the right class. You replaced it by -1.", "] -= 1 -> ] = -1"
)
replaced_by_one = slip("Subtract 1 from the probability of the right class. You replaced it by 1.", "] -= 1 -> ] = 1")
one_added = slip("At the right class 1 is subtracted. You added it.", "] -= 1 -> ] += 1")
one_step_further = slip(
    "Your column is one too far: the classes are counted from 0, as the labels are.", ", labels] -> , labels - 1]"
)
not_normalised = slip(
    "The exponentials have to be divided by their sum: softmax.", "return e / e.sum(axis=1, keepdims=True) -> return e"
)
smallest_taken_away = slip(
    "Subtract the largest logit of each row, not the smallest: exp overflows.", "z.max( -> z.min("
)


@judged("softmax-down-the-columns")
def sums_of_columns(z, labels):
    e = np.exp(z - z.max(axis=1, keepdims=True))
    d = e / e.sum(axis=0, keepdims=True)
    d[np.arange(len(z)), labels] -= 1
    return d / len(z)


def _clipped(z, labels, most):
    return pull(np.clip(z, -most, most), labels)


@wrong(
    "You clipped the logits, which changes the softmax. Subtract the largest logit of each row, which does not change it.",
    when=lambda i, expected, got: any(
        same(_clipped(*i, most), got) for most in (20, 30, 50, 80, 100, 300, 500, 700, 709)
    ),
)
def clipped(z, labels):
    return _clipped(z, labels, 50)


@wrong(
    "You return one row. The exercise asks for the gradients of all examples.",
    when=lambda i, expected, got: np.shape(got) == expected[0].shape and any(same(row, got) for row in expected),
)
def one_row(z, labels):
    return pull(z, labels)[0]


@wrong("That is the gradient of -p. The loss is -log(p): divide by p.")
def without_the_log(z, labels):
    p, rows = _softmax(z), np.arange(len(z))
    return pull(z, labels) * p[rows, labels][:, None]


@wrong("You used the logits as probabilities: apply softmax first.")
def logits_for_probabilities(z, labels):
    d = np.array(z)
    d[np.arange(len(z)), labels] -= 1
    return d / len(z)


@wrong("You subtracted 1 from the exponential. Divide first: 1 is subtracted from the probability.")
def subtracted_too_early(z, labels):
    e = np.exp(z - z.max(axis=1, keepdims=True))
    e[np.arange(len(z)), labels] -= 1
    return e / e.sum(axis=1, keepdims=True) / len(z)


@judged("subtracted-too-early")
def subtracted_before_the_division(z, labels):
    e = np.exp(z - z.max(axis=1, keepdims=True))
    total = e.sum(axis=1, keepdims=True)
    e[np.arange(len(z)), labels] -= 1
    return e / total / len(z)


@wrong("A label is the index of the right class, not a value: subtract 1 at that index.")
def label_subtracted(z, labels):
    return (_softmax(z) - labels[:, None]) / len(z)


@wrong("You took softmax twice. z are logits, and softmax of them once gives the probabilities.")
def softmax_twice(z, labels):
    d = _softmax(_softmax(z))
    d[np.arange(len(z)), labels] -= 1
    return d / len(z)


@wrong("p minus 1 at the label is already the gradient with respect to z. You went through softmax once more.")
def through_softmax_again(z, labels):
    p, d = _softmax(z), pull(z, labels)
    return p * (d - (d * p).sum(axis=1, keepdims=True))


@judged("one-sum-for-all")
def softmax_of_everything(z, labels):
    e = np.exp(z - z.max())
    d = e / e.sum()
    d[np.arange(len(z)), labels] -= 1
    return d / len(z)


@wrong("softmax is missing: 1 is subtracted from the probabilities, not from their logarithms.")
def log_softmax(z, labels):
    shifted = z - z.max(axis=1, keepdims=True)
    d = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    d[np.arange(len(z)), labels] -= 1
    return d / len(z)


@judged("log-softmax")
def log_of_softmax(z, labels):
    with np.errstate(divide="ignore"):
        return (np.log(_softmax(z)) - np.eye(z.shape[1])[labels]) / len(z)


@wrong("Your gradient contains only the 1 of the right class. The probabilities of all classes are missing.")
def one_hot_alone(z, labels):
    return -np.eye(z.shape[1])[labels] / len(z)


@wrong(
    "That is p * (1 - p), the diagonal of softmax's Jacobian. The loss contains a logarithm, and z affects all classes."
)
def diagonal_of_the_jacobian(z, labels):
    p = _softmax(z)
    return p * (1 - p) / len(z)


@wrong("That is the gradient of log(1 + exp(z)), a sigmoid for each class. softmax divides by the sum of the row.")
def sigmoid_for_softmax(z, labels):
    d = 1 / (1 + np.exp(-np.clip(z, -700, 700)))
    d[np.arange(len(z)), labels] -= 1
    return d / len(z)


def _of_the_negative(z, labels):
    d = _softmax(-z)
    d[np.arange(len(z)), labels] -= 1
    return d / len(z)


@wrong(
    "You took softmax of -z: the largest logit has the largest probability.",
    when=lambda i, expected, got: same(_of_the_negative(*i), got) or (i[0].max() > 700 and np.isnan(got).any()),
)
def softmax_of_the_negative(z, labels):
    return _of_the_negative(z, labels)


@wrong("1 is subtracted at the right class alone. You subtracted it from every class.")
def one_from_every_class(z, labels):
    return (_softmax(z) - 1) / len(z)


@wrong("You took the mean over the classes instead of the sum in the denominator of softmax.")
def mean_for_the_sum(z, labels):
    d = _softmax(z) * z.shape[1]
    d[np.arange(len(z)), labels] -= 1
    return d / len(z)


largest_of_the_column = slip(
    "softmax stays the same if one number is subtracted from a whole row. You subtracted the largest logit of each column.",
    "z.max(axis=1, keepdims=True) -> z.max(axis=0, keepdims=True)",
)


@wrong(
    "You return one number for each example. Asked for is the gradient with respect to z, which has the shape of z.",
    when=lambda i, expected, got: np.shape(got) == expected.shape[:1],
)
def loss_of_each_example(z, labels):
    return -np.log(_softmax(z)[np.arange(len(z)), labels])


multiplied_by_the_number = slip("A mean divides by the number of examples. You multiplied.", "d / len(z) -> d * len(z)")
divided_twice = slip("You divided by the number of examples twice.", "d / len(z) -> d / len(z) ** 2")
p_alone_divided = slip(
    "The mean applies to the whole gradient: the 1 at the right class is divided by the number of examples, too.",
    "d = _softmax(z)\n -> d = _softmax(z) / len(z)\n",
    "return d / len(z) -> return d",
)
one_alone_divided = slip(
    "The mean applies to the whole gradient: the probabilities are divided by the number of examples, too.",
    "] -= 1 -> ] -= 1 / len(z)",
    "return d / len(z) -> return d",
)
two_taken_away = slip("At the right class 1 is subtracted once. You subtracted it twice.", "] -= 1 -> ] -= 2")
other_way_round = slip(
    "The sign is wrong: raising the logit of the right class lowers the loss. It is p - 1 there, and p elsewhere.",
    "return d / len(z) -> return -d / len(z)",
)
not_divided = slip("The loss is a mean over the examples: divide by their number.", "d / len(z) -> d")


ways = (PLAIN,)
hints = (
    "Per example the loss is logsumexp(z) - z[label]. The gradient of logsumexp is softmax.",
    "So an example gives p, minus 1 at its label. And the mean divides by the number of examples.",
    "d = softmax(z); d[np.arange(len(z)), labels] -= 1; return d / len(z)",
)
