"""# Fix the training loop (3 points)

This loop raises no error, but it has two faults: one makes the steps wrong, and one leaves out samples. Fix both: the loop
should take one step of SGD with a learning rate of 0.05 for each batch of `size` samples, and use every sample once in every
epoch. The last batch may be smaller.

[[both_faults as answer]]
"""

from functools import partial

import numpy as np

from labkit import torch
from labkit.classroom.writing import Way, judged, same, slip, wrong


def answer(w, x, y, size, epochs):
    w = w.detach().clone().requires_grad_()
    optimizer = torch.optim.SGD([w], lr=0.05)
    for _ in range(epochs):
        for start in range(0, len(x), size):
            optimizer.zero_grad()
            rows = slice(start, start + size)
            loss = ((x[rows] @ w - y[rows]) ** 2).mean()
            loss.backward()
            optimizer.step()
    return w.detach()


def _samples(rng, batches, rest, epochs):
    """So many batches, and mostly a `rest` that is smaller; there is none where this is 0."""
    size = int(rng.integers(2, 5))
    rows = size * batches + rest * int(rng.integers(1, size))
    return rng.normal(size=3), rng.normal(size=(rows, 3)), rng.normal(size=rows), size, epochs


_SIZES = ((2, 1, 2), (4, 1, 3), (3, 0, 2), (3, 1, 3), (2, 0, 3))
draw = tuple(partial(_samples, batches=n, rest=rest, epochs=epochs) for n, rest, epochs in _SIZES)
tensors = "torch"


def _trained(w, x, y, size, epochs, missing=0, each="batch", rate=0.05):
    """The loop that leaves out the last `missing` samples of its range, and empties .grad for each batch or epoch."""
    w = w.detach().clone().requires_grad_()
    optimizer = torch.optim.SGD([w], lr=rate)
    for _ in range(epochs):
        optimizer.zero_grad()
        for start in range(0, len(x) - missing, size):
            if each == "batch":
                optimizer.zero_grad()
            rows = slice(start, start + size)
            loss = ((x[rows] @ w - y[rows]) ** 2).mean()
            loss.backward()
            optimizer.step()
    return w.detach()


@wrong("These are the weights of the original loop, with both faults.")
def both_faults(w, x, y, size, epochs):
    w = w.detach().clone().requires_grad_()
    optimizer = torch.optim.SGD([w], lr=0.05)
    for _ in range(epochs):
        optimizer.zero_grad()
        for start in range(0, len(x) - size, size):
            rows = slice(start, start + size)
            loss = ((x[rows] @ w - y[rows]) ** 2).mean()
            loss.backward()
            optimizer.step()
    return w.detach()


@wrong("The steps are right now, but the last samples are never used: range ends too early.")
def last_batch_left_out(w, x, y, size, epochs):
    return _trained(w, x, y, size, epochs, missing=size)


@wrong(
    "All samples are used now. But .grad still adds up from batch to batch: zero_grad belongs before every backward."
)
def gradients_of_the_epoch(w, x, y, size, epochs):
    return _trained(w, x, y, size, epochs, each="epoch")


@wrong(
    "The weights do not change. Is step called, with the gradient of backward in .grad, and does the optimizer have the "
    "tensor that you return?"
)
def no_steps(w, x, y, size, epochs):
    return w.detach().clone()


@wrong(
    "Your steps have the wrong size. The rate is 0.05, with one backward pass and one step for each batch.",
    when=lambda i, expected, got: any(
        same(_rated(*i, rate), got) for rate in (0.1, 0.01, 0.5, 0.005, 0.001, 0.02, 0.2)
    ),
)
def another_rate(w, x, y, size, epochs):
    return _trained(w, x, y, size, epochs, rate=0.1)


smaller_batch_left_out = slip(
    "You leave out the last batch if it is smaller than size. The last batch may be smaller: range(0, len(x), size).",
    "range(0, len(x), size) -> range(0, len(x) - size + 1, size)",
)

one_step_per_epoch = slip(
    "You take one step for each epoch. Take one for each batch: zero_grad, backward and step belong inside the inner loop.",
    "        for start in range(0, len(x), size):\n            optimizer.zero_grad()\n ->         "
    "optimizer.zero_grad()\n        for start in range(0, len(x), size):\n",
    "            optimizer.step()\n ->         optimizer.step()\n",
)

never_emptied = slip(
    ".grad is never reset: the gradients of all batches add up.",
    "            optimizer.zero_grad()\n -> ",
)

sum_for_mean = slip(
    "The loss of a batch is a mean. You took the sum.",
    ".mean()\n -> .sum()\n",
)

one_epoch = slip(
    "There are `epochs` epochs. You run one.",
    "range(epochs) -> range(1)",
)

first_batch_left_out = slip(
    "The first batch is left out: range starts at 0.",
    "range(0, len(x), size) -> range(size, len(x), size)",
)

starts_not_multiplied = slip(
    "start goes from 0 to len(x) // size - 1. Batch k begins at k * size: range(0, len(x), size).",
    "range(0, len(x), size) -> range(len(x) // size)",
    alone=True,
)
rows_of_all_so_far = slip(
    "Your batches also have the samples of the earlier ones. A batch begins at start.",
    "slice(start, start + size) -> slice(0, start + size)",
    alone=True,
)
rows_to_the_end = slip(
    "Your batches also have the samples of the later ones. A batch ends at start + size.",
    "slice(start, start + size) -> slice(start, None)",
    alone=True,
)
one_sample_each = slip(
    "Your batches have one sample each. They have size samples.",
    "range(0, len(x), size) -> range(len(x))",
    "slice(start, start + size) -> slice(start, start + 1)",
    alone=True,
)
labels_added = slip(
    "The error is the prediction minus the label. You added the label.", "- y[rows] -> + y[rows]", alone=True
)
last_batch_first = slip(
    "Your batches come in the opposite order. The first samples come first.",
    "range(0, len(x), size) -> reversed(range(0, len(x), size))",
    alone=True,
)
batches_overlap = slip(
    "The batches overlap: a batch has size samples.",
    "slice(start, start + size) -> slice(start, start + size + 1)",
    alone=True,
)
divided_by_size = slip(
    "You divide the sum of the last batch by size. The last batch may be smaller: take the mean over its samples.",
    "** 2).mean()\n -> ** 2).sum() / size\n",
)
start_by_start = slip(
    "A batch begins at every sample. The next one begins size samples later: range(0, len(x), size).",
    "range(0, len(x), size) -> range(len(x))",
)
last_gradient_only = slip(
    "You call step after the inner loop, so only the last batch of an epoch is used. Take one step for each batch.",
    "            optimizer.step()\n ->         optimizer.step()\n",
)
half_the_square = slip(
    "Your steps are half as long: the loss has no factor 1/2, and the rate is 0.05.",
    "** 2).mean()\n -> ** 2).mean() / 2\n",
)
one_epoch_more = slip("You run one epoch too many.", "range(epochs) -> range(epochs + 1)")
one_epoch_less = slip("You run one epoch too few.", "range(epochs) -> range(epochs - 1)")
first_batch_each_time = slip(
    "Every step takes the first batch.", "slice(start, start + size) -> slice(0, size)", alone=True
)


def _rated(w, x, y, size, epochs, rate):
    for _ in range(epochs):
        for s in range(0, len(x), size):
            a, b = x[s : s + size], y[s : s + size]
            w = w - rate * 2 * a.T @ (a @ w - b) / len(b)
    return w


@judged("another-rate")
def fifth_of_the_rate(w, x, y, size, epochs):
    return _trained(w, x, y, size, epochs, rate=0.01)


squared_mean = slip(
    "You squared the mean error. The loss is the mean of the squares.",
    "((x[rows] @ w - y[rows]) ** 2).mean() -> (x[rows] @ w - y[rows]).mean() ** 2",
    alone=True,
)
absolute_errors = slip(
    "The errors are squared. You took absolute values.",
    "((x[rows] @ w - y[rows]) ** 2).mean() -> abs(x[rows] @ w - y[rows]).mean()",
    alone=True,
)

last_row_left_out = slip(
    "A slice does not include its end: your batches lack their last sample.",
    "slice(start, start + size) -> slice(start, start + size - 1)",
)

one_sample_left_out = slip(
    "A last batch of one sample is left out: range ends too early.",
    "range(0, len(x), size) -> range(0, len(x) - 1, size)",
)
all_samples_at_once = slip(
    "You take one step for each epoch, with all samples. Take one for each batch.",
    "range(0, len(x), size) -> range(1)",
    "slice(start, start + size) -> slice(None)",
    alone=True,
)
all_samples_each_time = slip(
    "Every step uses all samples. Use only the samples of its batch.",
    "slice(start, start + size) -> slice(None)",
    alone=True,
)
filled_up = slip(
    "Your last batch uses earlier samples again, so they count twice. The last batch may be smaller.",
    "slice(start, start + size) -> slice(min(start, len(x) - size), start + size)",
    alone=True,
)
divided_by_all_samples = slip(
    "You divide the sum over a batch by the number of all samples. Take the mean of the batch.",
    "** 2).mean()\n -> ** 2).sum() / len(x)\n",
)
divided_by_the_epochs = slip(
    "Your steps are divided by the number of epochs. Neither the loss nor the rate is.",
    "** 2).mean()\n -> ** 2).mean() / epochs\n",
    alone=True,
)
first_batch_alone = slip(
    "You return after the first step.",
    "            optimizer.step()\n    return w.detach() ->             optimizer.step()\n            return w.detach()",
    alone=True,
)
_PARTS = "Your steps are divided by the number of batches, as for accumulation. Here each batch has a step of its own."
divided_by_the_batches = slip(_PARTS, "** 2).mean()\n -> ** 2).mean() / len(range(0, len(x), size))\n", alone=True)
divided_by_the_full_batches = slip(_PARTS, "** 2).mean()\n -> ** 2).mean() / (len(x) // size)\n", alone=True)


@wrong("The weights move along the gradient, so the loss grows. SGD subtracts it.")
def uphill(w, x, y, size, epochs):
    for _ in range(epochs):
        for a, b in zip(x.split(size), y.split(size)):
            w = w + 0.05 * 2 * a.T @ (a @ w - b) / len(b)
    return w.detach()


momentum = slip("The step is that of SGD alone, without momentum.", "lr=0.05) -> lr=0.05, momentum=0.9)", alone=True)
another_optimizer = slip("These are the steps of Adam. The loop uses SGD.", "optim.SGD -> optim.Adam", alone=True)
rate_for_each_sample = slip(
    "Your steps are divided by size once too often: the mean divides by the number of samples already.",
    "lr=0.05 -> lr=0.05 / size",
    alone=True,
)
labels_of_the_first = slip(
    "Every batch is compared with the labels of the first one.", "- y[rows] -> - y[: len(x[rows])]", alone=True
)
all_labels_each = slip(
    "Each prediction is compared with all labels of its batch. Give both the same shape.",
    "((x[rows] @ w - y[rows]) ** 2) -> (((x[rows] @ w)[:, None] - y[rows]) ** 2)",
    alone=True,
)
root_taken = slip("The loss is the mean of the squares, without a root.", ".mean()\n -> .mean().sqrt()\n", alone=True)
one_label = slip(
    "All samples of a batch are compared with one label. Each has its own.", "- y[rows] -> - y[start]", alone=True
)

epochs_for_each_batch = slip(
    "Each batch has all its steps before the next one. An epoch goes through all batches.",
    "    for _ in range(epochs):\n        for start in range(0, len(x), size):\n -> "
    "    for start in range(0, len(x), size):\n        for _ in range(epochs):\n",
    alone=True,
)


ways = (
    Way(
        "You take a step for a batch without samples, whose mean is nan. range(0, len(x), size) ends with the last sample.",
        ("passes",),
        holds=lambda inputs, expected, got, done: not np.isnan([value for value, _ in done["passes"]]).any(),
    ),
)
hints = (
    "What is in w.grad when the second batch calls backward?",
    "With 7 samples and size 3: which values does start have, and which samples are in no batch?",
    "zero_grad goes into the inner loop; range(0, len(x), size). A slice may reach beyond the end.",
)
