"""16 Memory: what a tape keeps."""

import autograd.numpy as anp
from autograd.extend import defvjp, primitive
from sheets import right, wrong

from labkit import torch, vjp

wrong("memory-tape", "x is counted", [9, 0, 9, 0, 25, 0])
wrong("memory-tape", "backward always releases", [8, 0, 0, 0, 24, 0])
wrong("memory-tape", "the first tanh keeps x, so only seven are new", [7, 0, 7, 0, 21, 0])
right("memory-tape", "floats", [8.0, 0.0, 8.0, 0.0, 24.0, 0.0])


def counted(maker_of, wrap=primitive):
    """The rest of `broken`, which is not to be changed, with the `maker` that `maker_of(segment)` makes."""

    def run(x, n):
        runs = []

        def segment(h):
            for _ in range(n):
                runs.append("layer")
                h = anp.sin(h)
            return h

        op = wrap(segment)
        defvjp(op, maker_of(segment))
        _, walk_back = vjp(op, x)
        forward = len(runs)
        (gradient,) = walk_back(x)
        return gradient, forward, len(runs) - forward

    return run


@right("memory-leak", "numbers are added up")
def evaluate(w, x, y):
    w, total = torch.tensor(w, requires_grad=True), 0.0
    for row, label in zip(x, y, strict=True):
        total += ((torch.tanh(torch.tensor(row) * w).sum() - label) ** 2).item()
    return total / len(y)


@wrong("memory-bytes", "only weights, no biases")
def needed(widths, batch):
    return 16 * sum(a * b for a, b in zip(widths, widths[1:], strict=False)), 4 * batch * sum(widths[:-1])


@right("memory-bytes", "layer by layer")
def needed(widths, batch):
    numbers = kept = 0
    for i in range(len(widths) - 1):
        numbers += widths[i] * widths[i + 1] + widths[i + 1]
        kept += widths[i] * batch
    return numbers * 4 * 4, kept * 4
