"""17 A whole training run."""

import numpy as np
from sheets import above, right, wrong

import labkit.torch as torch

five = [(32, 6, 28, 28), (32, 6, 14, 14), (32, 16, 10, 10), (32, 16, 5, 5), (32, 400)]
wrong(
    "run-shapes",
    "a convolution keeps the size",
    [(32, 6, 32, 32), (32, 6, 16, 16), (32, 16, 16, 16), (32, 16, 8, 8), (32, 1024)],
)
wrong("run-shapes", "32 - 5 is 27", [(32, 6, 27, 27), (32, 6, 13, 13), (32, 16, 8, 8), (32, 16, 4, 4), (32, 256)])
wrong(
    "run-shapes",
    "the channels come last",
    [(32, 28, 28, 6), (32, 14, 14, 6), (32, 10, 10, 16), (32, 5, 5, 16), (32, 400)],
)
wrong("run-shapes", "flatten takes the batch, too", [*five[:4], (12800,)])
wrong("run-shapes", "flatten forgets the channels", [*five[:4], (32, 25)])
wrong("run-shapes", "the batch is left out", [shape[1:] for shape in five])
wrong(
    "run-shapes",
    "pooling takes off 2",
    [(32, 6, 28, 28), (32, 6, 26, 26), (32, 16, 22, 22), (32, 16, 20, 20), (32, 6400)],
)
wrong("run-shapes", "channels multiply: 6 * 16", [*five[:2], (32, 96, 10, 10), (32, 96, 5, 5), (32, 2400)])
wrong(
    "run-shapes",
    "pooling overlaps: the size falls by 1",
    [(32, 6, 28, 28), (32, 6, 27, 27), (32, 16, 23, 23), (32, 16, 22, 22), (32, 7744)],
)
wrong("run-shapes", "lists, where tuples are asked for", [*map(list, five[:4]), [32, 16 * 5 * 5]])


@wrong("run-loop", "zero_grad is at its place, the last batch is still left out")
def answer(w, x, y, size, epochs):
    w = w.detach().clone().requires_grad_()
    optimizer = torch.optim.SGD([w], lr=0.05)
    for _ in range(epochs):
        for start in range(0, len(x) - size, size):
            optimizer.zero_grad()
            rows = slice(start, start + size)
            loss = ((x[rows] @ w - y[rows]) ** 2).mean()
            loss.backward()
            optimizer.step()
    return w.detach()


wrong("run-loop", "full batches only: a smaller last one is left out", above("- size, size -> - size + 1, size"))
wrong(
    "run-loop",
    "the last batch is filled up from the end: some samples are seen twice",
    above(
        "(x) - size, size -> (x), size",
        "optimizer.zero_grad() -> optimizer.zero_grad()\n            start = min(start, len(x) - size)",
    ),
)
wrong("run-loop", "the sum for the mean", above("(x) - size, size -> (x), size", "mean -> sum"))
wrong(
    "run-loop",
    "the ends of the batches overlap: steps of size - 1",
    above("(0, len(x) - size, size): -> (0, len(x), max(1, size - 1)):"),
)
wrong("run-loop", "the given weights are trained in place", above("clone(). -> ", "(x) - size, size -> (x), size"))


@wrong("run-loop", "zero_grad between backward and step")
def answer(w, x, y, size, epochs):
    w = w.detach().clone().requires_grad_()
    optimizer = torch.optim.SGD([w], lr=0.05)
    for _ in range(epochs):
        for start in range(0, len(x), size):
            rows = slice(start, start + size)
            loss = ((x[rows] @ w - y[rows]) ** 2).mean()
            loss.backward()
            optimizer.zero_grad()
            optimizer.step()
    return w.detach()


wrong(
    "run-loop",
    "all samples are seen, the gradients still pile up",
    above(
        "for _ in range(epochs): -> for _ in range(epochs):\n        optimizer.zero_grad()",
        "            optimizer.zero_grad()\n -> ",
    ),
)
wrong(
    "run-loop",
    "one step per epoch",
    above(
        "for _ in range(epochs): -> for _ in range(epochs):\n        optimizer.zero_grad()",
        "            optimizer.zero_grad()\n            optimizer.step() ->         optimizer.step()",
    ),
)


@wrong("run-loop", "one epoch")
def answer(w, x, y, size, epochs):
    w = w.detach().clone().requires_grad_()
    optimizer = torch.optim.SGD([w], lr=0.05)
    for _ in range(epochs):
        for start in range(0, len(x), size):
            optimizer.zero_grad()
            rows = slice(start, start + size)
            ((x[rows] @ w - y[rows]) ** 2).mean().backward()
            optimizer.step()
        return w.detach()


@right("run-loop", "chunks by split, the update by hand")
def answer(w, x, y, size, epochs):
    w = w.detach().clone()
    for _ in range(epochs):
        for a, b in zip(x.split(size), y.split(size)):
            error = a @ w - b
            w = w - 0.05 * 2 * (error @ a) / len(b)
    return w


@wrong("run-accuracy", "the smaller last batch is left out")
def answer(logits, labels, size):
    correct = 0
    for start in range(0, len(labels) - size + 1, size):
        rows = slice(start, start + size)
        correct += np.sum(logits[rows].argmax(axis=1) == labels[rows])
    return float(correct / len(labels))


wrong("run-accuracy", "whole-number division", above("(labels) - size + 1, size -> (labels), size", "/ len -> // len"))
wrong(
    "run-accuracy",
    "the largest logit in place of its class",
    above("(labels) - size + 1, size -> (labels), size", "argmax -> max"),
)


@wrong("run-accuracy", "the mean of the batches' accuracies")
def answer(logits, labels, size):
    shares = []
    for start in range(0, len(labels), size):
        rows = slice(start, start + size)
        shares.append(np.mean(logits[rows].argmax(axis=1) == labels[rows]))
    return float(np.mean(shares))


@wrong("run-accuracy", "divided by full batches")
def answer(logits, labels, size):
    correct, total = 0, 0
    for start in range(0, len(labels), size):
        rows = slice(start, start + size)
        correct += np.sum(logits[rows].argmax(axis=1) == labels[rows])
        total += size
    return float(correct / total)


@wrong("run-accuracy", "the wrong axis: the best sample of each class")
def answer(logits, labels, size):
    correct = 0
    for start in range(0, len(labels), size):
        rows = slice(start, start + size)
        best = logits[rows].argmax(axis=0)
        n = min(len(best), len(labels[rows]))
        correct += np.sum(best[:n] == labels[rows][:n])
    return float(correct / len(labels))


@wrong("run-accuracy", "the number of right ones")
def answer(logits, labels, size):
    correct = 0
    for start in range(0, len(labels), size):
        rows = slice(start, start + size)
        correct += int(np.sum(logits[rows].argmax(axis=1) == labels[rows]))
    return correct


@wrong("run-accuracy", "percent")
def answer(logits, labels, size):
    return 100 * float(np.mean(logits.argmax(axis=1) == labels))


@wrong("run-accuracy", "the last batch alone")
def answer(logits, labels, size):
    for start in range(0, len(labels), size):
        rows = slice(start, start + size)
        accuracy = float(np.mean(logits[rows].argmax(axis=1) == labels[rows]))
    return accuracy


@wrong("run-accuracy", "the error rate")
def answer(logits, labels, size):
    wrong_ones = 0
    for start in range(0, len(labels), size):
        rows = slice(start, start + size)
        wrong_ones += np.sum(logits[rows].argmax(axis=1) != labels[rows])
    return float(wrong_ones / len(labels))


@right("run-accuracy", "a sum of weighted shares, by the sizes of the batches")
def answer(logits, labels, size):
    edges = list(range(0, len(labels), size)) + [len(labels)]
    total = 0.0
    for start, end in zip(edges, edges[1:]):
        share = np.mean(np.argsort(logits[start:end], axis=1)[:, -1] == labels[start:end])
        total += share * (end - start) / len(labels)
    return float(total)


@right("run-accuracy", "sample by sample, a NumPy scalar")
def answer(logits, labels, size):
    return np.mean([max(range(len(row)), key=row.__getitem__) == label for row, label in zip(logits, labels)])


seven = [10000, 18750, 18750, 10, 10, 18750, 5]
wrong("run-sinking", "ten epochs are ten passes", [18750, 18750, 18750, 10, 10, 18750, 10])
wrong("run-sinking", "without sinking the size counts as well", [10000, 18750, 10000, 10, 10, 10000, 5])
wrong("run-sinking", "sink_size=-1 is one launch for everything", [10000, 18750, 18750, 10, 1, 18750, 5])
wrong("run-sinking", "sinking does not change the round trips", [10000, 18750, 18750, 10000, 18750, 18750, 5])
wrong("run-sinking", "without sinking there is one round trip per epoch", [10000, 18750, 18750, 10, 10, 10, 5])
wrong("run-sinking", "the passes are rounded up", [*seven[:6], 6])
wrong("run-sinking", "the passes are not cut to whole ones", [*seven[:6], 5.3333])
wrong("run-sinking", "one round trip for each sink of a pass: two per epoch", [10000, 18750, 18750, 20, 10, 18750, 5])
wrong("run-sinking", "steps and round trips are exchanged", [10, 10, 18750, 10000, 18750, 18750, 5])
wrong("run-sinking", "sink_size is the number of round trips", [10000, 18750, 18750, 1000, 1, 18750, 5])
right("run-sinking", "products", [10 * 1000, 10 * 1875, 10 * 1875, 10, 10, 10 * 1875, 10 * 1000 // 1875])


@wrong("run-plan", "the passes for the epochs")
def answer(batches, passes, reports):
    return passes, batches


wrong("run-plan", "exchanged", above("passes, batches -> batches * passes // reports, reports"))
wrong("run-plan", "the passes are forgotten", above("passes, batches -> reports, batches // reports"))
wrong("run-plan", "a float: the sink size is divided", above("passes, batches -> reports, batches * passes / reports"))
wrong("run-plan", "reports in each pass", above("passes, batches -> passes * reports, batches // reports"))
wrong("run-plan", "the sink size is all steps", above("passes, batches -> reports, batches * passes"))
wrong("run-plan", "divides before it multiplies", above("passes, batches -> reports, batches // reports * passes"))


@wrong("run-plan", "one too many: the start is reported, too")
def answer(batches, passes, reports):
    return reports + 1, batches * passes // (reports + 1)


@wrong("run-plan", "the passes are divided by the reports, the batches sunk whole")
def answer(batches, passes, reports):
    return reports, batches * (passes // reports)


@wrong("run-plan", "a list, where a tuple is asked for")
def answer(batches, passes, reports):
    size, rest = divmod(batches * passes, reports)
    assert rest == 0
    return [reports, size]
