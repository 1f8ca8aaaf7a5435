"""13 A whole training run."""

import numpy as np
from sheets import right, wrong


@right("run-loop", "chunks by split, the update by hand")
def answer(w, x, y, size, epochs):
    w = w.detach().clone()
    for _ in range(epochs):
        for a, b in zip(x.split(size), y.split(size)):
            error = a @ w - b
            w = w - 0.05 * 2 * (error @ a) / len(b)
    return w


@right("run-accuracy", "a sum of shares, weighted by the sizes of the batches")
def answer(logits, labels, size):
    edges = list(range(0, len(labels), size)) + [len(labels)]
    total = 0.0
    for start, end in zip(edges, edges[1:]):
        share = np.mean(np.argsort(logits[start:end], axis=1)[:, -1] == labels[start:end])
        total += share * (end - start) / len(labels)
    return float(total)


seven = [10000, 18750, 18750, 10, 10, 18750, 5]
wrong("run-sinking", "ten epochs are ten passes", [18750, 18750, 18750, 10, 10, 18750, 10])
wrong("run-sinking", "B takes the sink_size of A", [10000, 10000, *seven[2:]])
wrong("run-sinking", "sink_size is the number of round trips", [10000, 18750, 18750, 1000, 1, 18750, 5])
right("run-sinking", "products", [10 * 1000, 10 * 1875, 10 * 1875, 10, 10, 10 * 1875, 10 * 1000 // 1875])
