"""# How many megabytes does the tape hold? (2 points)

`x` is a leaf tensor of 1 MB, and the rule of `tanh` saves its result.

[[run]]

Before each line, no memory is in use. How many MB does the program hold after the line, besides `x` and `x.grad`? Answer with
a list of six numbers.

0. `loss = run()`
1. `loss = run(); loss.backward()`
2. `loss = run(); loss.backward(retain_graph=True)`
3. `with torch.no_grad(): loss = run()`
4. `total = run() + run() + run()`
5. `total = run().item() + run().item() + run().item()`
"""

import tracemalloc

from labkit import torch
from labkit.classroom.writing import either, judged, wrong

answer = [8, 0, 8, 0, 24, 0]
rules = (
    "Each tanh keeps its result, and x is not counted.",
    "After backward, who still needs what was saved?",
    "retain_graph keeps the tape as it was; does it copy anything?",
    "Inside of no_grad nothing is recorded.",
    "One sum holds all three tapes.",
    "item() gives a Python number, which holds no tape.",
)
hints = (
    "Eight layers, eight results of 1 MB: that is item 0. The sum keeps no array.",
    "Who still needs the saved values? And who still holds the tape?",
    "Three of the six are 0. The largest is 24.",
)
SIZE = 2**16
x = torch.ones(SIZE, requires_grad=True)


def run():
    h = x
    for _ in range(8):
        h = torch.tanh(h)
    return h.sum()


def _held(make):
    """How many arrays are alive because of what `make()` returns, the leaf and its gradient not counted."""
    x.grad = torch.zeros(SIZE)
    running = tracemalloc.is_tracing()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        kept = make()
        return round((tracemalloc.get_traced_memory()[0] - before) / (4 * SIZE)) if kept is not None else 0
    finally:
        if not running:
            tracemalloc.stop()


def _walked(**how):
    loss = run()
    loss.backward(**how)
    return loss


def _unrecorded():
    with torch.no_grad():
        return run()


def reference():
    return [
        _held(run),
        _held(_walked),
        _held(lambda: _walked(retain_graph=True)),
        _held(_unrecorded),
        _held(lambda: run() + run() + run()),
        _held(lambda: run().item() + run().item() + run().item()),
    ]


backward_keeps = wrong("backward walks the tape and lets go of each saved value as soon as it has been used.", {1: 8})
retain_lets_go = wrong("retain_graph=True means just that: the saved values stay, for a second walk.", {2: 0})
no_grad_records = wrong("Under no_grad nothing is recorded, so nothing is kept.", {3: 8})

sums_hold_nothing = wrong(
    "A sum of losses is a tensor with history: as long as you hold it, it holds the tape of every run.",
    {4: either(8, 0)},
)

numbers_hold_the_tape = wrong(
    "item() gives a plain number. It has no history, so nothing holds the tape any more.", {5: 24}
)

one = judged("kind", 8)

x_is_counted = wrong(
    "x is not counted: asked for is what is kept besides x.",
    {0: 9, 2: 9, 4: either(25, 27)},
)

one_result_less = wrong(
    "Each of the eight tanh saves its own result, the first one, too.",
    {0: 7, 2: 7, 4: 21},
)

inputs_saved_as_well = wrong(
    "The rule of tanh saves its result only, not its input as well.",
    {0: 16, 2: 16, 4: 48},
    together=True,
)
