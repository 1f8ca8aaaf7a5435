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
    "Each tanh saves its result, and x is not counted.",
    "Does backward need the saved values once it has used them?",
    "retain_graph=True frees nothing; does it copy anything?",
    "Under no_grad nothing is recorded.",
    "One sum has the history of all three runs.",
    "item() gives a Python number, which has no history.",
)
hints = (
    "Eight layers, eight results of 1 MB: that is item 0. The sum saves no array.",
    "Which of these values does a later backward pass need, and which result still has a history?",
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


backward_keeps = wrong("backward frees each saved value as soon as it has used it, unless retain_graph=True.", {1: 8})
retain_lets_go = wrong("With retain_graph=True the saved values stay in memory for a second backward pass.", {2: 0})
no_grad_records = wrong("Under no_grad nothing is recorded, so nothing is kept.", {3: 8})

sums_hold_nothing = wrong(
    "A sum of losses is a tensor with a history: as long as it exists, the saved values of every run stay in memory.",
    {4: either(8, 0)},
)

numbers_hold_the_tape = wrong(
    "item() gives a plain number without a history, so the saved values of every run are freed.", {5: 24}
)

one = judged("kind", 8)

x_is_counted = wrong(
    "Only the results of the eight tanh are held: x and x.grad are not counted, and the rule of the sum saves no array.",
    {0: either(9, 10), 2: either(9, 10), 4: either(25, 26, 27, 28)},
)

one_result_less = wrong(
    "Each of the eight tanh saves its own result, the first one, too.",
    {0: 7, 2: 7, 4: 21},
)

inputs_saved_as_well = wrong(
    "Each tanh saves one array, its result: eight in a run, not sixteen.",
    {0: 16, 4: 48},
)

last_result_stays = wrong(
    "No tape is left: the last h is freed when run() returns, and only the sum, one number, is left.",
    {3: 1, 5: 3},
)

one_array_for_all = wrong(
    "Each iteration of the loop makes a new array, and the tape holds all eight.", {0: 1, 2: 1, 4: 3}
)

retained_twice = wrong("retain_graph=True copies nothing: the saved values stay as they are.", {2: either(16, 9)})

one_run_stays = wrong(
    "item() converts each loss to a number, so no run stays on the tape, not even the last one.", {5: 8}
)

sum_stays = wrong(
    "After backward nothing is held besides x and x.grad, which are not counted: the rule of the sum saves no array.",
    {1: either(1, 2)},
)
seven_let_go = wrong("backward frees all eight saved values, not only some of them.", {1: either(4, 7)})
no_grad_saves_some = wrong("Under no_grad nothing is recorded, so no result of tanh is saved.", {3: either(7, 9)})
numbers_stay = wrong("item() returns a Python number: it needs no array, and the tape is freed.", {5: either(1, 16)})

runs_share = wrong("Each run saves eight arrays of its own: three runs have three tapes.", {4: either(16, 10, 12)})
