"""e7 Memory."""

from sheets import above, right, wrong

from labkit import torch

wrong("memory-tape", "x is counted", [9, 0, 9, 0, 25, 0])
wrong("memory-tape", "backward always releases", [8, 0, 0, 0, 24, 0])
wrong("memory-tape", "the first tanh saves x, so only seven are new", [7, 0, 7, 0, 21, 0])
right("memory-tape", "floats", [8.0, 0.0, 8.0, 0.0, 24.0, 0.0])


@right("memory-leak", "numbers are added up")
def evaluate(w, x, y):
    w, total = torch.tensor(w, requires_grad=True), 0.0
    for row, label in zip(x, y, strict=True):
        total += ((torch.tanh(torch.tensor(row) * w).sum() - label) ** 2).item()
    return total / len(y)


@right("memory-bytes", "layer by layer")
def needed(widths, batch):
    numbers = kept = 0
    for i in range(len(widths) - 1):
        numbers += widths[i] * widths[i + 1] + widths[i + 1]
        kept += widths[i] * batch
    return numbers * 4 * 4, kept * 4


wrong("memory-bytes", "only weights, no biases", above(" + widths[i + 1]\n -> \n"))
