"""# Accumulate the big batch (3 points)

Write `accumulate(w, x, y, count)` in PyTorch. All arguments except `count` are float64 tensors; `w` is a leaf whose `.grad` is
None. The loss is the mean of `(x @ w - y) ** 2`. Split the rows of `x` and `y`, in their order, into `count` equal
micro-batches, and run one backward pass for each, so that `w.grad` accumulates the gradient of the **whole** batch, to 12 digits.

After each micro-batch, copy what has accumulated so far. Return the copies as one tensor, `torch.stack(copies)`, with a row for
each micro-batch.
"""

import numpy as np

from labkit import torch
from labkit.classroom.ways import passes_of
from labkit.classroom.writing import EXACT, Way, slip, wrong


def accumulate(w, x, y, count):
    size = len(y) // count
    seen = []
    for k in range(count):
        rows = slice(k * size, (k + 1) * size)
        loss = ((x[rows] @ w - y[rows]) ** 2).mean()
        (loss / count).backward()
        seen.append(w.grad.clone())
    return torch.stack(seen)


def draw(rng):
    count = int(rng.integers(2, 5))
    rows = count * int(rng.integers(2, 4))
    return rng.normal(size=3), rng.normal(size=(rows, 3)), rng.normal(size=rows), count


tensors = "torch"


not_divided = slip(
    "You added the gradients of the micro-batches' means, which is count times too large. Divide each loss by count.",
    "(loss / count).backward() -> loss.backward()",
)

_RESET = "Each row is one micro-batch alone. Do not reset .grad between the micro-batches of a step."


@wrong(_RESET)
def set_to_zero(w, x, y, count):
    found = accumulate(w, x, y, count)
    return torch.cat((found[:1], found[1:] - found[:-1]))


@wrong(_RESET + " Divide each loss by count, too.")
def set_to_zero_undivided(w, x, y, count):
    found = count * accumulate(w, x, y, count)
    return torch.cat((found[:1], found[1:] - found[:-1]))


same_tensor_noted = slip(
    "All rows equal the last one. Copy w.grad after each micro-batch with .clone(): w.grad is one tensor, which backward "
    "changes in place.",
    "w.grad.clone() -> w.grad",
)

only_the_last = slip(
    "You return the last row alone. Copy w.grad after every micro-batch.", "torch.stack(seen) -> w.grad"
)


@wrong("These are the losses. Copy the accumulated gradient.", when=lambda i, e, got: got.shape == (i[3],))
def losses_copied(w, x, y, count):
    return ((x @ w - y) ** 2).reshape(count, -1).mean(1)


def _sums_of_passes(inputs, expected, got, done):
    """There is a pass for each row, which is the sum of what the passes have delivered so far."""
    return np.allclose(np.cumsum([gradient for _, gradient in passes_of(done, inputs[0].shape)], axis=0), got)


sum_of_a_micro_batch = slip(
    "You took the sum over each micro-batch. The loss is a mean.",
    ".mean()\n -> .sum()\n",
)

last_left_out = slip(
    "The last micro-batch is left out.",
    "range(count) -> range(count - 1)",
)

divided_by_the_samples = slip(
    "The loss of a micro-batch is a mean already. You divided it by the number of all samples; divide it by count.",
    "loss / count -> loss / len(y)",
)

divided_by_the_size = slip(
    "You divided by the size of a micro-batch. Its loss is a mean already: divide by their number, count.",
    "loss / count -> loss / size",
)

divided_by_those_so_far = slip(
    "You divided by the number of micro-batches so far. All micro-batches have the same weight: divide by count.",
    "loss / count -> loss / (k + 1)",
)

always_the_first_rows = slip(
    "Every micro-batch has the same rows. Micro-batch k has the rows from k * size to (k + 1) * size.",
    "slice(k * size, (k + 1) * size) -> slice(0, size)",
)

_FIRST = "Only the first micro-batch has rows: size is len(y) // count, and micro-batch k begins at row k * size."
first_rows_once = slip(_FIRST, "slice(k * size, (k + 1) * size) -> slice(k * size, size)")
all_rows_once = slip(_FIRST, "size = len(y) // count -> size = len(y)")
all_labels_each = slip(
    "Each prediction is compared with all labels of its micro-batch. Give both the same shape.",
    "((x[rows] @ w - y[rows]) ** 2) -> (((x[rows] @ w)[:, None] - y[rows]) ** 2)",
)
rows_in_turn = slip(
    "You distributed the rows one by one. Split them in their order: the first size rows are the first micro-batch.",
    "slice(k * size, (k + 1) * size) -> slice(k, None, count)",
)

rows_overlap = slip(
    "The micro-batches overlap: micro-batch k starts at row k * size.",
    "slice(k * size, (k + 1) * size) -> slice(k, k + size)",
)

whole_batch_each_time = slip(
    "Each backward pass uses the whole batch. Use the rows of one micro-batch.",
    "slice(k * size, (k + 1) * size) -> slice(None)",
)

averaged_at_the_end = slip(
    "The gradients are divided by count twice. Divide each loss once, and nothing else.",
    "torch.stack(seen) -> torch.stack(seen) / count",
)


@wrong(
    "count is the number of micro-batches. You used it as the number of rows in each.",
    when=lambda i, expected, got: got.shape[0] == len(i[2]) // i[3] != i[3],
)
def count_for_the_size(w, x, y, count):
    return accumulate(w, x, y, len(y) // count)


absolute_errors = slip(
    "The errors are squared. You took absolute values.",
    "((x[rows] @ w - y[rows]) ** 2).mean() -> abs(x[rows] @ w - y[rows]).mean()",
)
squared_mean = slip(
    "You squared the mean error. The loss is the mean of the squares.",
    "((x[rows] @ w - y[rows]) ** 2).mean() -> (x[rows] @ w - y[rows]).mean() ** 2",
)
not_squared = slip(
    "The errors are squared. The square is missing.",
    "((x[rows] @ w - y[rows]) ** 2).mean() -> (x[rows] @ w - y[rows]).mean()",
)
copied_before_backward = slip(
    "You copied .grad before the micro-batch was added to it.",
    "        (loss / count).backward()\n        seen.append(w.grad.clone())\n -> "
    "        seen.append(0 * w.detach() if w.grad is None else w.grad.clone())\n        (loss / count).backward()\n",
)

labels_of_the_first = slip("Every micro-batch is compared with the labels of the first one.", "- y[rows] -> - y[:size]")


@wrong(
    "You return the mean of the micro-batches so far. The rows are sums: each loss is divided by count, and .grad adds up."
)
def means_so_far(w, x, y, count):
    return accumulate(w, x, y, count) * torch.tensor([[count / (k + 1)] for k in range(count)])


earlier_losses_again = slip(
    "Each of your rows adds the gradients of all earlier micro-batches again, so the first ones count more than once.",
    "        loss = ((x[rows] @ w - y[rows]) ** 2).mean()\n -> "
    "        loss = sum(((x[j * size : (j + 1) * size] @ w - y[j * size : (j + 1) * size]) ** 2).mean() for j in range(k + 1))\n",
)

rows_of_all_so_far = slip(
    "Your micro-batches also have the rows of the earlier ones. Micro-batch k starts at row k * size.",
    "slice(k * size, (k + 1) * size) -> slice(0, (k + 1) * size)",
)
one_row_each = slip(
    "Your micro-batches have one row each. They have len(y) // count rows.",
    "slice(k * size, (k + 1) * size) -> slice(k, k + 1)",
)
last_row_left_out = slip(
    "A slice does not include its end: your micro-batches lack their last row.",
    "(k + 1) * size) -> (k + 1) * size - 1)",
)
first_left_out = slip("The first micro-batch is left out: range(count) starts at 0.", "range(count) -> range(1, count)")
multiplied = slip("You multiplied each loss by count. Divide by it.", "loss / count -> loss * count")
one_more_counted = slip(
    "There are count micro-batches. You divided by count + 1.", "loss / count -> loss / (count + 1)"
)
half_the_square = slip(
    "Your gradients are half of the right ones: the loss has no factor 1/2.", "loss / count -> loss / (2 * count)"
)
divided_again = slip(
    "You divide w.grad after each micro-batch, so the earlier contributions are divided again. Divide the loss.",
    "(loss / count).backward() -> loss.backward()\n        w.grad /= count",
)

labels_added = slip("The error is the prediction minus the label. You added the label.", "- y[rows] -> + y[rows]")
last_divided_alone = slip(
    "Only the loss of the last micro-batch is divided by count. Divide each.",
    "(loss / count).backward() -> (loss / count if k == count - 1 else loss).backward()",
    alone=True,
)
root_taken = slip("The loss is the mean of the squares, without a root.", ".mean()\n -> .mean().sqrt()\n")
last_one_first = slip(
    "The micro-batches are in the opposite order. Start with the first rows.", "range(count) -> reversed(range(count))"
)
stacked_as_columns = slip(
    "The copies are the columns of your result. They should be its rows.",
    "torch.stack(seen) -> torch.stack(seen, dim=1)",
)


ways = (
    EXACT,
    Way(
        "Row k has to be the sum of what the first passes, each through the loss of one micro-batch, delivered to w.",
        ("passes",),
        holds=_sums_of_passes,
    ),
)
hints = (
    "size = len(y) // count, and the rows of micro-batch k are slice(k * size, (k + 1) * size).",
    "The mean over all is the mean of the count means: (loss / count).backward().",
    "Then seen.append(w.grad.clone()), because backward changes w.grad in place.",
)
