"""12 Accumulation and data parallel."""

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
right(
    "parallel-accumulate",
    "the upstream gradient of backward divides",
    above("backward() -> backward(torch.tensor(1 / count, dtype=torch.float64))"),
)

T, F = True, False
wrong("parallel-splits", "a penalty on the weights is counted three times", [T, F, F, F, T, F])
wrong("parallel-splits", "each sample is normalised by itself", [T, T, F, F, T, T])
right("parallel-splits", "numbers", [1, 1, 0, 0, 1, 0])

wrong("parallel-reductions", "mean=True divides by the samples", [0.75, 24, 6, 192, 12, 3])


@right("parallel-words", "the sums first, and the finished gradient is divided")
def accumulate(w, x, y, mask, count):
    size = len(y) // count
    words = mask.sum().item()
    for k in range(count):
        rows = slice(k * size, (k + 1) * size)
        squares = (x[rows] @ w - y[rows]) ** 2 * mask[rows]
        squares.sum().backward()
    w.grad /= words
    return w.grad
