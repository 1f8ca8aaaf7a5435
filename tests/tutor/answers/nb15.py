"""15 Accumulation and data parallel."""

from sheets import above, right, wrong

import labkit.torch as torch


@wrong("parallel-accumulate", "not divided by the number of parts")
def answer(w, x, y, count):
    notes = []
    for a, b in zip(x.chunk(count), y.chunk(count)):
        ((a @ w - b) ** 2).mean().backward()
        notes.append(w.grad.clone())
    return torch.stack(notes)


wrong("parallel-accumulate", "the notes are divided, w.grad is not", above("(w.grad.clone()) -> (w.grad / count)"))


@wrong("parallel-accumulate", "the last part is left out")
def answer(w, x, y, count):
    size = len(x) // count
    notes = []
    for start in range(0, len(x) - size, size):
        a, b = x[start : start + size], y[start : start + size]
        (((a @ w - b) ** 2).mean() / count).backward()
        notes.append(w.grad.clone())
    return torch.stack(notes)


@right("parallel-accumulate", "the seed of backward divides")
def answer(w, x, y, count):
    size = len(x) // count
    notes = []
    for k in range(count):
        part = slice(k * size, (k + 1) * size)
        loss = ((x[part] @ w - y[part]) ** 2).mean()
        loss.backward(torch.tensor(1 / count, dtype=torch.float64))
        notes.append(w.grad.detach().clone())
    return torch.stack(notes)


T, F = True, False
wrong("parallel-splits", "a penalty on the weights is counted three times", [T, F, F, F, T, F])
wrong("parallel-splits", "normalising is done for each sample", [T, T, F, F, T, T])
right("parallel-splits", "numbers", [1, 1, 0, 0, 1, 0])

right("parallel-reductions", "floats", [6.0, 24.0, 48.0, 192.0, 12.0, 3.0])


@wrong("parallel-words", "the last gradient alone: emptied in each turn")
def accumulate(w, x, y, mask, count):
    words = mask.sum().item()
    size = len(y) // count
    for k in range(count):
        w.grad = None
        rows = slice(k * size, (k + 1) * size)
        squares = (x[rows] @ w - y[rows]) ** 2 * mask[rows]
        (squares.sum() / words).backward()
    return w.grad


wrong(
    "parallel-words",
    "weighted by the share of the words, and divided by count",
    above("        w.grad = None\n -> ", "/ words).backward( -> / words / count).backward("),
)


@wrong("parallel-words", "an empty part is skipped, the others have the same say")
def accumulate(w, x, y, mask, count):
    size = len(y) // count
    for k in range(count):
        rows = slice(k * size, (k + 1) * size)
        if mask[rows].sum().item() == 0:
            continue
        squares = (x[rows] @ w - y[rows]) ** 2 * mask[rows]
        (squares.sum() / mask[rows].sum() / count).backward()
    return w.grad


@right("parallel-words", "the sums first, and the finished gradient is divided")
def accumulate(w, x, y, mask, count):
    size = len(y) // count
    words = 0.0
    for k in range(count):
        rows = slice(k * size, (k + 1) * size)
        ((x[rows] @ w - y[rows]) ** 2 * mask[rows]).sum().backward()
        words += mask[rows].sum().item()
    w.grad /= words
    return w.grad
