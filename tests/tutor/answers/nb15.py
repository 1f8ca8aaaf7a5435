"""15 Accumulation and data parallel."""

import numpy as np
from sheets import above, right, wrong

import labkit.torch as torch


@wrong("parallel-accumulate", "not divided by the number of parts")
def answer(w, x, y, count):
    notes = []
    for a, b in zip(x.chunk(count), y.chunk(count)):
        ((a @ w - b) ** 2).mean().backward()
        notes.append(w.grad.clone())
    return torch.stack(notes)


wrong(
    "parallel-accumulate",
    "the notes are not copied, so all show the last state",
    above("((a @ w - b) ** 2).mean(). -> (((a @ w - b) ** 2).mean() / count).", ".clone() -> "),
)
wrong("parallel-accumulate", "the sum over the samples", above("mean -> sum"))
wrong("parallel-accumulate", "the notes are divided, w.grad is not", above("(w.grad.clone()) -> (w.grad / count)"))


@wrong("parallel-accumulate", "emptied before each part")
def answer(w, x, y, count):
    notes = []
    for a, b in zip(x.chunk(count), y.chunk(count)):
        w.grad = None
        (((a @ w - b) ** 2).mean() / count).backward()
        notes.append(w.grad.clone())
    return torch.stack(notes)


@wrong("parallel-accumulate", "divided by the size of a part")
def answer(w, x, y, count):
    size = len(x) // count
    notes = []
    for k in range(count):
        rows = slice(k * size, (k + 1) * size)
        (((x[rows] @ w - y[rows]) ** 2).mean() / size).backward()
        notes.append(w.grad.clone())
    return torch.stack(notes)


@wrong("parallel-accumulate", "count is taken for the size of a part")
def answer(w, x, y, count):
    notes = []
    for start in range(0, len(x), count):
        a, b = x[start : start + count], y[start : start + count]
        (((a @ w - b) ** 2).sum() / len(x)).backward()
        notes.append(w.grad.clone())
    return torch.stack(notes)


@wrong("parallel-accumulate", "the last part is left out")
def answer(w, x, y, count):
    size = len(x) // count
    notes = []
    for start in range(0, len(x) - size, size):
        a, b = x[start : start + size], y[start : start + size]
        (((a @ w - b) ** 2).mean() / count).backward()
        notes.append(w.grad.clone())
    return torch.stack(notes)


@wrong("parallel-accumulate", "the final gradient alone")
def answer(w, x, y, count):
    for a, b in zip(x.chunk(count), y.chunk(count)):
        (((a @ w - b) ** 2).mean() / count).backward()
    return w.grad


@wrong("parallel-accumulate", "the whole batch in each part")
def answer(w, x, y, count):
    notes = []
    for _ in range(count):
        (((x @ w - y) ** 2).mean() / count).backward()
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
wrong("parallel-splits", "the root of a mean can be split", [T, T, T, F, T, F])
wrong("parallel-splits", "the maximum can be split", [T, T, F, T, T, F])
wrong("parallel-splits", "only linear losses can be split", [F, F, F, F, F, F])
wrong("parallel-splits", "nonlinear functions of the error spoil it", [T, T, F, F, F, F])
wrong("parallel-splits", "normalising is done for each sample", [T, T, F, F, T, T])
wrong("parallel-splits", "everything with a mean can be split", [T, T, T, F, T, T])
wrong("parallel-splits", "all of them", [T, T, T, T, T, T])
right("parallel-splits", "numbers", [1, 1, 0, 0, 1, 0])

six = [6, 24, 48, 192, 12, 3]
wrong("parallel-reductions", "mean=False changes nothing", [6, 6, 48, 48, 12, 3])
wrong("parallel-reductions", "sums are divided by 32", [6, 24, 6, 6, 12, 3])
wrong("parallel-reductions", "a mean of sums is the mean", [6, 24, 6, 192, 12, 3])
wrong("parallel-reductions", "backward twice replaces", [6, 24, 48, 192, 6, 3])
wrong("parallel-reductions", "degree=8 doubles", [6, 24, 48, 192, 12, 12])
wrong("parallel-reductions", "degree is found out by itself", [6, 24, 48, 192, 12, 6])
wrong("parallel-reductions", "each worker's gradient is a quarter of 6", [1.5, 6, 12, 48, 3, 0.75])
wrong("parallel-reductions", "the sum over all samples is 32 times, in both", [6, 24, 192, 192, 12, 3])
wrong("parallel-reductions", "a reducer's mean of the workers' sums divides by 8", [6, 24, 24, 192, 12, 3])
right("parallel-reductions", "floats", [6.0, 24.0, 48.0, 192.0, 12.0, 3.0])


@wrong("parallel-uneven", "the plain mean")
def answer(gradients, sizes):
    return np.mean(gradients, axis=0)


right("parallel-uneven", "np.average", above("mean(gradients, axis=0) -> average(gradients, axis=0, weights=sizes)"))


@wrong("parallel-uneven", "not divided by the number of samples")
def answer(gradients, sizes):
    return sum(size * g for size, g in zip(sizes, gradients))


@wrong("parallel-uneven", "divided by the sizes instead of multiplied")
def answer(gradients, sizes):
    weights = 1 / np.asarray(sizes)
    return (weights / weights.sum()) @ gradients


@wrong("parallel-uneven", "weighted, then the mean over the workers")
def answer(gradients, sizes):
    sizes = np.asarray(sizes)
    return np.mean(sizes[:, None] / sizes.sum() * gradients, axis=0)


@wrong("parallel-uneven", "the sizes along the wrong axis")
def answer(gradients, sizes):
    return np.average(gradients, axis=1, weights=np.resize(sizes, gradients.shape[1]))


@wrong("parallel-uneven", "divided by the number of workers, after weighting by size")
def answer(gradients, sizes):
    return (np.asarray(sizes) @ gradients) / len(sizes)


@wrong("parallel-uneven", "the sum of the gradients over all samples: they are taken for sums")
def answer(gradients, sizes):
    return np.sum(gradients, axis=0) / np.sum(sizes)


@wrong("parallel-uneven", "everything summed to one number")
def answer(gradients, sizes):
    sizes = np.asarray(sizes)
    return np.sum(sizes[:, None] * gradients) / sizes.sum()


@wrong("parallel-uneven", "the largest shard decides")
def answer(gradients, sizes):
    return gradients[np.argmax(sizes)]


@wrong("parallel-uneven", "whole-number division of the shares")
def answer(gradients, sizes):
    total = sum(sizes)
    return sum(g * (size // total) for g, size in zip(gradients, sizes))


@right("parallel-uneven", "as if every sample had a row of its own")
def answer(gradients, sizes):
    return np.repeat(gradients, sizes, axis=0).mean(axis=0)


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


@wrong("parallel-words", "the mean over all places of each part, weighted alike")
def accumulate(w, x, y, mask, count):
    for a, b, m in zip(x.chunk(count), y.chunk(count), mask.chunk(count)):
        (((a @ w - b) ** 2 * m).mean() / count).backward()
    return w.grad


@wrong("parallel-words", "each part is divided by its words, and nothing by count")
def accumulate(w, x, y, mask, count):
    size = len(y) // count
    for k in range(count):
        rows = slice(k * size, (k + 1) * size)
        squares = (x[rows] @ w - y[rows]) ** 2 * mask[rows]
        (squares.sum() / mask[rows].sum().clamp(min=1)).backward()
    return w.grad


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


@wrong("parallel-words", "the mean over sentences of the mean over words")
def accumulate(w, x, y, mask, count):
    size = len(y) // count
    for k in range(count):
        rows = slice(k * size, (k + 1) * size)
        squares = (x[rows] @ w - y[rows]) ** 2 * mask[rows]
        (squares.sum(1) / mask[rows].sum(1).clamp(min=1)).mean().div(count).backward()
    return w.grad


@wrong("parallel-words", "the mask is multiplied in before the square, and the places are counted")
def accumulate(w, x, y, mask, count):
    size = len(y) // count
    for k in range(count):
        rows = slice(k * size, (k + 1) * size)
        squares = ((x[rows] @ w - y[rows]) * mask[rows]) ** 2
        (squares.sum() / (len(y) * 5)).backward()
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


@right("parallel-words", "only the words are picked out")
def accumulate(w, x, y, mask, count):
    words = int(mask.sum().item())
    for a, b, m in zip(x.chunk(count), y.chunk(count), mask.chunk(count)):
        here = m > 0.5
        (((a[here] @ w - b[here]) ** 2).sum() / words).backward()
    return w.grad


@right("parallel-words", "returns a new tensor, weights by the share where there are words")
def accumulate(w, x, y, mask, count):
    total = torch.zeros(3, dtype=torch.float64)
    size = len(y) // count
    for k in range(count):
        rows = slice(k * size, (k + 1) * size)
        n = mask[rows].sum().item()
        if n:
            loss = ((x[rows] @ w - y[rows]) ** 2 * mask[rows]).sum() / n
            total = total + torch.autograd.grad(loss, w)[0] * (n / mask.sum().item())
    return total


@wrong("parallel-order", "the wrong axis")
def answer(gradients, scale, limit):
    mean = gradients.mean(axis=1) / scale
    norm = np.linalg.norm(mean)
    return mean * min(1.0, limit / norm)


wrong("parallel-order", "multiplied by the scale", above("(axis=1) / scale -> (axis=0) * scale"))


@wrong("parallel-order", "each worker is clipped alone")
def answer(gradients, scale, limit):
    clipped = []
    for g in gradients / scale:
        norm = np.linalg.norm(g)
        clipped.append(g * min(1.0, limit / norm))
    return np.mean(clipped, axis=0)


@wrong("parallel-order", "clipped before it is unscaled")
def answer(gradients, scale, limit):
    mean = gradients.mean(axis=0)
    norm = np.linalg.norm(mean)
    if norm > limit:
        mean = mean * limit / norm
    return mean / scale


@wrong("parallel-order", "the sum for the mean")
def answer(gradients, scale, limit):
    total = gradients.sum(axis=0) / scale
    norm = np.linalg.norm(total)
    return total * (limit / norm) if norm > limit else total


@wrong("parallel-order", "not unscaled")
def answer(gradients, scale, limit):
    mean = gradients.mean(axis=0)
    norm = np.linalg.norm(mean)
    return mean * (limit / norm) if norm > limit else mean


@wrong("parallel-order", "always scaled to the limit")
def answer(gradients, scale, limit):
    mean = gradients.mean(axis=0) / scale
    return mean * limit / np.linalg.norm(mean)


@wrong("parallel-order", "by value")
def answer(gradients, scale, limit):
    return np.clip(gradients.mean(axis=0) / scale, -limit, limit)


@wrong("parallel-order", "one norm over all workers")
def answer(gradients, scale, limit):
    unscaled = gradients / scale
    norm = np.sqrt((unscaled**2).sum())
    return (unscaled * min(1.0, limit / norm)).mean(axis=0)


@wrong("parallel-order", "not clipped")
def answer(gradients, scale, limit):
    return gradients.mean(axis=0) / scale


@wrong("parallel-order", "the gradients are unscaled in place: the caller's are changed")
def answer(gradients, scale, limit):
    gradients /= scale
    mean = gradients.mean(axis=0)
    norm = np.linalg.norm(mean)
    return mean * min(1.0, limit / norm)


@right("parallel-order", "the limit is scaled, and everything is divided once at the end")
def answer(gradients, scale, limit):
    total = sum(gradients)
    most = limit * scale * len(gradients)
    length = float(np.sqrt(total @ total))
    if length > most:
        total = total * (most / length)
    return total / (scale * len(gradients))
