"""Three functions of notebook 17: a training loop to repair, an accuracy over batches, and a plan for sinking."""

import math
from functools import partial

import numpy as np

from ... import torch
from ..compare import same
from ..exercise import Exercise, Misconception, WrongAnswer
from .nb17 import NOTEBOOK

# ---- run-loop ----

RATE = 0.05


def _samples(rng, rest):
    """Batches, and mostly a `rest` that is smaller; there is none where this is 0."""
    size = int(rng.integers(2, 5))
    rows = size * int(rng.integers(2, 5)) + rest * int(rng.integers(1, size))
    return rng.normal(size=3), rng.normal(size=(rows, 3)), rng.normal(size=rows), size, int(rng.integers(2, 4))


def _trained(w, x, y, size, epochs, zeroed=True, whole=True):
    """The weights after the loop, by the formula of the gradient."""
    w = np.array(w)
    for _ in range(epochs):
        kept = np.zeros_like(w)
        for start in range(0, len(x) if whole else len(x) - size, size):
            a, b = x[start : start + size], y[start : start + size]
            kept = 2 * a.T @ (a @ w - b) / len(b) + (0 if zeroed else kept)
            w = w - RATE * kept
    return w


def _loop(w, x, y, size, epochs):
    w = w.detach().clone().requires_grad_()
    optimizer = torch.optim.SGD([w], lr=RATE)
    for _ in range(epochs):
        for start in range(0, len(x), size):
            optimizer.zero_grad()
            loss = ((x[start : start + size] @ w - y[start : start + size]) ** 2).mean()
            loss.backward()
            optimizer.step()
    return w.detach()


def _is(**how):
    return lambda i, expected, got: same(_trained(*i, **how), got)


_REPAIRED = """
def train(w, x, y, size, epochs):
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


answer = train
"""
_LATE = _REPAIRED.replace("            optimizer.zero_grad()\n", "").replace(
    "        for start", "        optimizer.zero_grad()\n        for start"
)
_SHORT = "range(0, len(x) - size, size)"

LOOP = Exercise(
    name="run-loop",
    notebook=NOTEBOOK,
    title="Repair the training loop",
    points=3,
    statement="""This loop raises no error, but it has two faults. One makes wrong steps, one leaves out samples. Repair it.
It is to make one step of SGD with the rate 0.05 for each batch of `size` samples, and in every epoch it is to see every sample
once. (The last batch may be smaller.)

```python
def train(w, x, y, size, epochs):
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
```""",
    reference=_loop,
    draw=tuple(partial(_samples, rest=rest) for rest in (1, 1, 0)),
    arguments=("w", "x", "y", "size", "epochs"),
    tensors="torch",
    misconceptions=(
        Misconception(
            "both-faults",
            "These are the weights of the loop as it was, with both faults.",
            _is(zeroed=False, whole=False),
        ),
        Misconception(
            "last-batch-left-out",
            "The steps are right now, but the last samples are never seen: range ends too early.",
            _is(whole=False),
        ),
        Misconception(
            "gradients-of-the-epoch",
            "All samples are seen now. But .grad still adds up from batch to batch: zero_grad belongs before every backward.",
            _is(zeroed=False),
        ),
        Misconception(
            "no-steps",
            "The weights are as they were.",
            lambda i, expected, got: same(i[0], got),
        ),
    ),
    hints=(
        "What is in w.grad when the second batch calls backward?",
        "With 7 samples and size 3: which values does start take, and which samples are in no batch?",
        "zero_grad goes into the inner loop; range(0, len(x), size). A slice may reach beyond the end.",
    ),
    solution=_REPAIRED,
    wrong_answers=(
        WrongAnswer("as it was", _LATE.replace("range(0, len(x), size)", _SHORT), "both-faults"),
        WrongAnswer("range forgotten", _REPAIRED.replace("range(0, len(x), size)", _SHORT), "last-batch-left-out"),
        WrongAnswer("zero_grad forgotten", _LATE, "gradients-of-the-epoch"),
        WrongAnswer("no step", _REPAIRED.replace("            optimizer.step()\n", ""), "no-steps"),
        WrongAnswer("another rate", _REPAIRED.replace("0.05", "0.1"), "value"),
    ),
)


# ---- run-accuracy ----


def _predictions(rng, batches, rest):
    """So many batches, half of them right, and a `rest` of one sample that is right, or none."""
    size = int(rng.integers(4, 8))
    rows = batches * size + rest
    labels = rng.integers(0, 4, rows)
    logits = rng.normal(size=(rows, 4))
    right = rng.permutation(batches * size)[: batches * size // 2 + int(rng.integers(0, 3))]
    logits[right, labels[right]] += 5
    logits[batches * size :, labels[-1]] = 9
    return logits, labels, size


def _accuracy(logits, labels, size):
    return float((logits.argmax(axis=1) == labels).mean())


def _of_whole_batches(logits, labels, size):
    whole = len(labels) // size * size
    return _accuracy(logits[:whole], labels[:whole], size)


def _by_batch(logits, labels, size):
    starts = range(0, len(labels), size)
    return float(np.mean([_accuracy(logits[s : s + size], labels[s : s + size], size) for s in starts]))


ACCURACY = Exercise(
    name="run-accuracy",
    notebook=NOTEBOOK,
    title="Accuracy, batch by batch",
    points=2,
    statement="""Write `accuracy(logits, labels, size)`, with NumPy. It goes through the test set in batches of `size`
samples; the last batch may be smaller. It returns the fraction of **all** samples whose largest logit is at the right
class, as a float. (A row of `logits` belongs to a sample.)""",
    reference=_accuracy,
    draw=tuple(partial(_predictions, batches=batches, rest=rest) for batches, rest in ((2, 1), (4, 1), (3, 0))),
    arguments=("logits", "labels", "size"),
    misconceptions=(
        Misconception(
            "mean-of-accuracies",
            "This is the mean of the batches' accuracies. The small last batch counts too much: add up what is right, "
            "and divide once.",
            lambda i, expected, got: not same(_by_batch(*i), expected) and same(_by_batch(*i), got),
        ),
        Misconception(
            "remainder-dropped",
            "The last batch is missing. For training you may drop it; a test has to see every sample.",
            lambda i, expected, got: same(_of_whole_batches(*i), got),
        ),
        Misconception(
            "a-count",
            "That is how many are right. Divide by the number of samples.",
            lambda i, expected, got: same(expected * len(i[1]), got),
        ),
        Misconception(
            "mistakes-counted",
            "That is the fraction of mistakes.",
            lambda i, expected, got: same(1 - expected, got),
        ),
    ),
    hints=(
        "Keep two counters: how many are right, and how many were seen. That is what the metric does inside.",
        "logits[rows].argmax(axis=1) == labels[rows] says which samples of a batch are right.",
        "Divide once, after the loop.",
    ),
    solution="""
def accuracy(logits, labels, size):
    right = seen = 0
    for start in range(0, len(labels), size):
        rows = slice(start, start + size)
        right += (logits[rows].argmax(axis=1) == labels[rows]).sum()
        seen += len(labels[rows])
    return float(right / seen)


answer = accuracy
""",
    wrong_answers=(
        WrongAnswer(
            "mean of batches",
            """
def answer(logits, labels, size):
    hits = logits.argmax(axis=1) == labels
    return float(np.mean([hits[s : s + size].mean() for s in range(0, len(labels), size)]))
""",
            "mean-of-accuracies",
        ),
        WrongAnswer(
            "dropped",
            """
def answer(logits, labels, size):
    whole = len(labels) // size * size
    return float((logits[:whole].argmax(axis=1) == labels[:whole]).mean())
""",
            "remainder-dropped",
        ),
        WrongAnswer(
            "count",
            "answer = lambda logits, labels, size: float((logits.argmax(axis=1) == labels).sum())",
            "a-count",
        ),
        WrongAnswer(
            "mistakes",
            "answer = lambda logits, labels, size: float((logits.argmax(axis=1) != labels).mean())",
            "mistakes-counted",
        ),
        WrongAnswer(
            "smallest",
            "answer = lambda logits, labels, size: float((logits.argmin(axis=1) == labels).mean()) + 2.0",
            "value",
        ),
    ),
)


# ---- run-plan ----


def _wishes(rng, passes, reports):
    """So many passes and reports, each times a number of 2 to 4; the steps of all passes can be divided by the reports."""
    times = int(rng.integers(2, 5))
    passes, reports = passes * times, reports * times
    return reports // math.gcd(passes, reports) * int(rng.integers(20, 90)), passes, reports


def _plan(batches, passes, reports):
    return reports, batches * passes // reports


PLAN = Exercise(
    name="run-plan",
    notebook=NOTEBOOK,
    title="Plan a sunk training",
    points=2,
    statement="""A data set has `batches` batches. It is to be traversed `passes` times, and in all this time the host is to get
`reports` results, at equal distances. (The number of all steps can be divided by `reports`.) Write
`plan(batches, passes, reports)`: it returns the tuple `(epoch, sink_size)` for
`model.train(epoch, data, dataset_sink_mode=True, sink_size=sink_size)`.""",
    reference=_plan,
    draw=tuple(
        partial(_wishes, passes=passes, reports=reports) for passes, reports in ((1, 2), (2, 3), (3, 1), (3, 2), (1, 5))
    ),
    arguments=("batches", "passes", "reports"),
    misconceptions=(
        Misconception(
            "epochs-are-passes",
            "The argument epoch counts the launches, each with one result. The passes follow from epoch x sink_size.",
            lambda i, expected, got: got[0] == i[1],
        ),
        Misconception(
            "one-pass-only",
            "That is one pass over the data. The steps in all are batches x passes.",
            lambda i, expected, got: got[0] == i[2] and got[1] == i[0] // i[2],
        ),
        Misconception(
            "steps-as-sink-size",
            "sink_size is the number of steps of one launch, not of all of them.",
            lambda i, expected, got: got[0] == i[2] and got[1] == i[0] * i[1],
        ),
        Misconception(
            "whole-reports-in-a-pass",
            "A pass need not have a whole number of reports, nor a report one of passes. Multiply first, divide once.",
            lambda i, expected, got: got[0] == i[2] and got[1] in (i[0] // max(i[2] // i[1], 1), i[0] * (i[1] // i[2])),
        ),
        Misconception(
            "swapped",
            "The two numbers are there, the other way round.",
            lambda i, expected, got: same(expected[::-1], got),
        ),
    ),
    hints=(
        "One result per launch: epoch is the number of results.",
        "The steps in all: batches * passes. They are epoch * sink_size.",
        "sink_size = batches * passes // reports",
    ),
    solution="""
def plan(batches, passes, reports):
    return reports, batches * passes // reports


answer = plan
""",
    wrong_answers=(
        WrongAnswer("passes", "answer = lambda batches, passes, reports: (passes, batches)", "epochs-are-passes"),
        WrongAnswer(
            "one pass", "answer = lambda batches, passes, reports: (reports, batches // reports)", "one-pass-only"
        ),
        WrongAnswer(
            "all steps", "answer = lambda batches, passes, reports: (reports, batches * passes)", "steps-as-sink-size"
        ),
        WrongAnswer(
            "swapped",
            "answer = lambda batches, passes, reports: (batches * passes // reports, reports)",
            "swapped",
        ),
        WrongAnswer(
            "reports in a pass",
            "answer = lambda batches, passes, reports: (reports, batches // max(reports // passes, 1))",
            "whole-reports-in-a-pass",
        ),
        WrongAnswer(
            "other", "answer = lambda batches, passes, reports: (reports, batches * passes // reports + 1)", "value"
        ),
        WrongAnswer("one number", "answer = lambda batches, passes, reports: reports", "kind"),
    ),
)

EXERCISES = (LOOP, ACCURACY, PLAN)
