"""# Fix an evaluation that runs out of memory (3 points)

This evaluation returns the right mean, but on a large test set it ends with "out of memory". `x` has one row for each batch,
and `w` and `y` are arrays.

[[as_it_was as evaluate]]

Fix the function so that it returns the same mean, but the number of tapes that it holds does not grow with the number of
batches.
"""

import numpy as np

from labkit import torch
from labkit.classroom.writing import Way, judged, slip, wrong


def evaluate(w, x, y):
    w = torch.tensor(w, requires_grad=True)
    total = 0.0
    with torch.no_grad():
        for row, label in zip(x, y):
            loss = (torch.tanh(torch.tensor(row) * w).sum() - label) ** 2
            total = total + loss
    return float(total) / len(y)


def few(rng):
    return _drawn(rng, int(rng.integers(2, 6)))


def _drawn(rng, n):
    return rng.normal(size=3), rng.normal(size=(n, 3)), rng.normal(size=n)


def many(rng):
    return _drawn(rng, 40)


draw = (few, few, few, many)


def _evaluated(w, x, y):
    losses = [(np.tanh(row * w).sum() - label) ** 2 for row, label in zip(x, y)]
    return float(np.mean(losses))


@judged("forbidden")
def as_it_was(w, x, y):
    w = torch.tensor(w, requires_grad=True)
    total = 0.0
    for row, label in zip(x, y):
        loss = (torch.tanh(torch.tensor(row) * w).sum() - label) ** 2
        total = total + loss
    return float(total) / len(y)


@wrong("You keep no tape, but you also lose all losses except the last one.")
def the_last_loss(w, x, y):
    return (np.tanh(x[-1] * w).sum() - y[-1]) ** 2 / len(y)


@wrong("This is the sum. Return the mean: divide by the number of batches.")
def sum_for_mean(w, x, y):
    return _evaluated(w, x, y) * len(y)


@wrong("The label is not subtracted.")
def without_the_labels(w, x, y):
    return _evaluated(w, x, 0 * y)


loss_of_the_mean = slip(
    "A loss adds up the elements of tanh. You took their mean.", ".sum() - label -> .mean() - label"
)
divided_by_the_elements = slip(
    "Divide by the number of batches. You divided by the number of weights, which is also the length of a row.",
    "/ len(y) -> / len(w)",
)
absolute_errors = slip(
    "The difference is squared. You took its absolute value.",
    "(torch.tanh(torch.tensor(row) * w).sum() - label) ** 2 -> abs(torch.tanh(torch.tensor(row) * w).sum() - label)",
)
not_squared = slip("The difference is squared.", "label) ** 2 -> label)")
tanh_of_the_sum = slip(
    "tanh comes before the sum.", "torch.tanh(torch.tensor(row) * w).sum() -> torch.tanh((torch.tensor(row) * w).sum())"
)
first_batch_only = slip(
    "Only the first batch is in the sum. Is the return inside the loop?",
    "    return float(total) / len(y) ->             return float(total) / len(y)",
)

label_added = slip("The label is subtracted.", ".sum() - label -> .sum() + label")
divided_in_each_step = slip(
    "You divided the sum at each step. Add all losses up, and divide once.",
    "total = total + loss -> total = (total + loss) / len(y)",
    "float(total) / len(y) -> float(total)",
)
product_of_losses = slip(
    "The losses are added.", "total = 0.0 -> total = 1.0", "total = total + loss -> total = total * loss"
)
last_loss_alone = slip(
    "You return the last loss alone. Add the losses of all batches.",
    "total = total + loss -> total = loss",
    "float(total) / len(y) -> float(total)",
)
root_of_the_mean = slip(
    "Return the mean itself. You took its root.", "float(total) / len(y) -> (float(total) / len(y)) ** 0.5"
)


running_mean = slip(
    "You divided each loss by another number. Add them up, and divide once, by the number of batches.",
    "for row, label in zip(x, y) -> for t, (row, label) in enumerate(zip(x, y), 1)",
    "total = total + loss -> total = total + loss / t",
    "float(total) / len(y) -> float(total)",
)


@wrong("The last batch is left out.")
def last_batch_left_out(w, x, y):
    return _evaluated(w, x[:-1], y[:-1]) * (len(y) - 1) / len(y)


@judged("last-batch-left-out")
def last_batch_not_counted_either(w, x, y):
    return _evaluated(w, x[:-1], y[:-1])


@wrong("The first batch is left out.")
def first_batch_left_out(w, x, y):
    return _evaluated(w, x[1:], y[1:]) * (len(y) - 1) / len(y)


@wrong("Your result is 0: no loss is in the sum.", when=lambda i, expected, got: got == 0)
def nothing_added(w, x, y):
    return 0.0


one_less = slip("Divide by the number of batches. You divided by one less.", "/ len(y) -> / (len(y) - 1)")
all_elements = slip(
    "Divide by the number of batches. You divided by that of all elements of x.", "/ len(y) -> / x.size"
)
without_tanh = slip("tanh is missing.", "torch.tanh(torch.tensor(row) * w).sum() -> (torch.tensor(row) * w).sum()")


ways = (
    Way(
        "The tapes of all losses are still held while the next ones are computed.",
        ("live nodes",),
        holds=lambda inputs, expected, got, done: done["live nodes"] <= 30,
    ),
)
hints = (
    "Does anything need a backward pass through this tape?",
    "Either make no tape, with torch.no_grad(), or add up numbers that have none, with .item().",
    "Put the loop into with torch.no_grad(): and leave the rest as it is.",
)
