"""The exercises of notebook 16: what a tape keeps, and recomputation."""

import tracemalloc

import autograd.numpy as anp
import numpy as np
from autograd.extend import defvjp, primitive

from ... import engine, memory, torch
from ... import mindspore as ms
from ..compare import same
from ..exercise import Exercise, Misconception, WrongAnswer

NOTEBOOK = "16_memory"


# ---- memory-keeps ----


def _kept():
    x, y = ms.Tensor(np.full(64, 2.0, np.float32)), ms.Tensor(np.full(64, 3.0, np.float32))
    rules = (
        lambda x, y: x + y,
        lambda x, y: x * y,
        lambda x, y: x * x,
        lambda x, y: 3 * x,
        lambda x, y: ms.ops.exp(x),
        lambda x, y: x / y,
    )
    return [memory.memory_report(rule, x, y).rows[-1].kept // x.nbytes for rule in rules]


KEEPS = Exercise(
    name="memory-keeps",
    notebook=NOTEBOOK,
    title="How many arrays does each rule keep?",
    points=2,
    statement="""`x` and `y` are large arrays that are differentiated. How many large arrays does the rule of each
operation keep? Answer with a list of six numbers.

0. `x + y`
1. `x * y`
2. `x * x`
3. `3 * x`
4. `exp(x)`
5. `x / y`""",
    reference=_kept,
    places=("x + y", "x * y", "x * x", "3 * x", "exp(x)", "x / y"),
    misconceptions=(
        Misconception(
            "keeps-its-inputs",
            "You counted the inputs. A rule keeps what its derivative needs: for x + y that is nothing.",
            lambda inputs, expected, got: same([2, 2], list(got[:2])) and got[5] == 2,
        ),
        Misconception(
            "one-factor",
            "A product passes y to x and x to y. Both are differentiated here, so both factors are needed.",
            lambda inputs, expected, got: got[1] == 1,
        ),
        Misconception(
            "same-array-twice",
            "Both factors of x * x are one and the same array. It is in memory once.",
            lambda inputs, expected, got: got[2] == 2 and same(expected[:2], got[:2]),
        ),
        Misconception(
            "result-and-input",
            "The derivative of exp(x) is exp(x), the result. The rule has no need for x.",
            lambda inputs, expected, got: got[4] == 2,
        ),
    ),
    rules=(
        "Which large arrays are in the derivative of a sum?",
        "Which large arrays are in the two derivatives of a product?",
        "Both factors are the same array: it is kept as one.",
        "A number is no large array: which arrays does the derivative for x need?",
        "The derivative of exp is its own result.",
        "Write down the derivatives of a quotient, for x and for y: which arrays are in them?",
    ),
    hints=(
        "Write down each derivative. Which large arrays appear in it?",
        "A number such as 3 is no large array. An array that appears twice is kept once.",
        "For x / y: the derivative for x is 1 / y, the one for y is -x / y**2.",
    ),
    solution="answer = [0, 2, 1, 0, 1, 2]",
    wrong_answers=(
        WrongAnswer("inputs", "answer = [2, 2, 1, 1, 1, 2]", "keeps-its-inputs"),
        WrongAnswer("one factor", "answer = [0, 1, 1, 0, 1, 2]", "one-factor"),
        WrongAnswer("twice", "answer = [0, 2, 2, 0, 1, 2]", "same-array-twice"),
        WrongAnswer("exp keeps x too", "answer = [0, 2, 1, 0, 2, 2]", "result-and-input"),
        WrongAnswer("a scalar factor", "answer = [0, 2, 1, 1, 1, 2]", "value"),
        WrongAnswer("five", "answer = [0, 2, 1, 0, 1]", "structure"),
    ),
)


# ---- memory-tape ----

SIZE = 2**16  # elements of float32: far more bytes than the objects around them


def _held(make, layers=8):
    """How many arrays are alive because of what `make(run)` returns, the leaf and its gradient not counted."""
    x = torch.ones(SIZE, requires_grad=True)

    def run():
        h = x
        for _ in range(layers):
            h = torch.tanh(h)
        return h.sum()

    x.grad = torch.zeros(SIZE)
    running = tracemalloc.is_tracing()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        kept = make(run)
        return round((tracemalloc.get_traced_memory()[0] - before) / (4 * SIZE)) if kept is not None else 0
    finally:
        if not running:
            tracemalloc.stop()


def _walked(run, **how):
    loss = run()
    loss.backward(**how)
    return loss


def _unrecorded(run):
    with torch.no_grad():
        return run()


def _tape():
    return [
        _held(lambda run: run()),
        _held(_walked),
        _held(lambda run: _walked(run, retain_graph=True)),
        _held(_unrecorded),
        _held(lambda run: run() + run() + run()),
        _held(lambda run: run().item() + run().item() + run().item()),
    ]


TAPE = Exercise(
    name="memory-tape",
    notebook=NOTEBOOK,
    title="How many megabytes does the tape hold?",
    points=2,
    statement="""`x` is a leaf of 1 MB, and the rule of `tanh` keeps its result.

```python
def run():
    h = x
    for _ in range(8):
        h = torch.tanh(h)
    return h.sum()
```

Each line starts with nothing kept. How many MB are kept after it, besides `x` and `x.grad`?
Answer with a list of six numbers.

0. `loss = run()`
1. `loss = run(); loss.backward()`
2. `loss = run(); loss.backward(retain_graph=True)`
3. `with torch.no_grad(): loss = run()`
4. `total = run() + run() + run()`
5. `total = run().item() + run().item() + run().item()`""",
    reference=_tape,
    misconceptions=(
        Misconception(
            "backward-keeps",
            "backward walks the tape and lets go of each saved value as soon as it has been used.",
            lambda inputs, expected, got: got[1] == expected[0],
        ),
        Misconception(
            "retain-lets-go",
            "retain_graph=True means just that: the saved values stay, for a second walk.",
            lambda inputs, expected, got: got[2] == 0 and same(expected[:2], got[:2]),
        ),
        Misconception(
            "no-grad-records",
            "Under no_grad nothing is recorded, so nothing is kept.",
            lambda inputs, expected, got: got[3] == expected[0],
        ),
        Misconception(
            "sums-hold-nothing",
            "A sum of losses is a tensor with history: as long as you hold it, it holds the tape of every run.",
            lambda inputs, expected, got: got[4] in (0, expected[0]) and same(expected[:4], got[:4]),
        ),
        Misconception(
            "numbers-hold-the-tape",
            "item() gives a plain number. It has no history, so nothing holds the tape any more.",
            lambda inputs, expected, got: got[5] == expected[4],
        ),
    ),
    rules=(
        "Each tanh keeps its result, and x is not counted.",
        "After backward, who still needs what was saved?",
        "retain_graph keeps the tape as it was; does it copy anything?",
        "Inside of no_grad nothing is recorded.",
        "One sum holds all three tapes.",
        "item() gives a Python number, which holds no tape.",
    ),
    hints=(
        "Eight layers, eight results of 1 MB: that is item 0. The sum keeps no array.",
        "Who still needs the saved values? And who still holds the tape?",
        "Three of the six are 0. The largest is 24.",
    ),
    solution="answer = [8, 0, 8, 0, 24, 0]",
    wrong_answers=(
        WrongAnswer("backward keeps", "answer = [8, 8, 8, 0, 24, 0]", "backward-keeps"),
        WrongAnswer("retain lets go", "answer = [8, 0, 0, 0, 24, 0]", "retain-lets-go"),
        WrongAnswer("no_grad records", "answer = [8, 0, 8, 8, 24, 0]", "no-grad-records"),
        WrongAnswer("sums", "answer = [8, 0, 8, 0, 8, 0]", "sums-hold-nothing"),
        WrongAnswer("numbers", "answer = [8, 0, 8, 0, 24, 24]", "numbers-hold-the-tape"),
        WrongAnswer("one", "answer = 8", "kind"),
    ),
)


# ---- memory-runs ----


def _layer_runs(segments, differentiated=True, plain=0, layers=12):
    """How often a layer runs: `plain` layers as they are, the others in so many checkpoints (0: none)."""
    runs = []

    def run(h, count):
        for _ in range(count):
            runs.append(1)
            h = anp.sin(h)
        return h

    def network(h):
        for _ in range(segments):
            h = memory.checkpoint(lambda h: run(h, (layers - plain) // segments))(h)
        return run(h, plain)

    (engine.grad(network) if differentiated else network)(1.0)
    return len(runs)


RUNS = Exercise(
    name="memory-runs",
    notebook=NOTEBOOK,
    title="How often does a layer run?",
    points=2,
    statement="""A network is a chain of 12 layers. For each line, add up how often the
12 layers run. Answer with a list of five numbers.

0. the network, no gradient
1. its gradient, no checkpoint
2. its gradient, in 3 checkpoints of 4 layers
3. its gradient, in 1 checkpoint of all 12 layers
4. its gradient, with a checkpoint of the first 6 layers and no checkpoint for the others""",
    reference=lambda: [
        _layer_runs(0, differentiated=False, plain=12),
        _layer_runs(0, plain=12),
        _layer_runs(3),
        _layer_runs(1),
        _layer_runs(1, plain=6),
    ],
    misconceptions=(
        Misconception(
            "walking-back-runs-layers",
            "Without a checkpoint the walk back runs no layer: it works from the values that were kept.",
            lambda inputs, expected, got: got[1] > expected[1],
        ),
        Misconception(
            "again-for-each-segment",
            "Each checkpoint runs its own layers again, not those of the others: one more run of the network in all.",
            lambda inputs, expected, got: got[2] > expected[2] and same(expected[:2], got[:2]),
        ),
        Misconception(
            "checkpoints-are-free",
            "What a checkpoint did not keep has to be computed again before its derivative can be.",
            lambda inputs, expected, got: same([expected[0]] * 5, got),
        ),
        Misconception(
            "all-or-nothing",
            "Only the layers inside a checkpoint run again. The others kept what they need.",
            lambda inputs, expected, got: same(expected[:4], got[:4]) and got[4] in (expected[0], expected[2]),
        ),
    ),
    rules=(
        "Each layer runs once to give the result.",
        "Without a checkpoint everything that the walk back needs was kept.",
        "What lies inside of a checkpoint runs once forwards, and once more when the walk back comes to it.",
        "What lies inside of a checkpoint runs once forwards, and once more when the walk back comes to it: "
        "how many layers are inside?",
        "The layers inside of the checkpoint run twice, the others once.",
    ),
    hints=(
        "A layer outside every checkpoint runs once.",
        "A layer inside a checkpoint runs once forward, and once more when the walk back reaches its checkpoint.",
        "Item 4: six layers run once, six run twice.",
    ),
    solution="answer = [12, 12, 24, 24, 18]",
    wrong_answers=(
        WrongAnswer("walking back", "answer = [12, 24, 36, 36, 30]", "walking-back-runs-layers"),
        WrongAnswer("segments", "answer = [12, 12, 48, 24, 18]", "again-for-each-segment"),
        WrongAnswer("free", "answer = [12, 12, 12, 12, 12]", "checkpoints-are-free"),
        WrongAnswer("all", "answer = [12, 12, 24, 24, 24]", "all-or-nothing"),
        WrongAnswer("one segment", "answer = [12, 12, 24, 12, 18]", "value"),
    ),
)


# ---- memory-segments ----


def _divisors(n):
    return [s for s in range(1, n + 1) if n % s == 0]


SEGMENTS = Exercise(
    name="memory-segments",
    notebook=NOTEBOOK,
    title="The best number of segments",
    points=2,
    statement="""A chain of `n` layers is cut into `s` checkpoints of `n / s` layers each, so `s` divides `n`.
At its worst it keeps `s` inputs and the `n / s` values of one segment: `s + n / s` arrays.
Write `best(n)`: it returns the `s` that needs the fewest arrays, and of two such `s` the smaller one.""",
    reference=lambda n: min(_divisors(n), key=lambda s: s + n // s),
    draw=(
        lambda rng: (int(rng.integers(2, 12) * rng.integers(12, 20)),),
        lambda rng: (int(rng.integers(30, 40) * rng.integers(41, 50)),),
        lambda rng: (
            int(rng.choice([11, 13, 17, 19, 23, 29, 31, 37])),
        ),  # a prime number has two divisors, equally good
        lambda rng: (int(rng.integers(3, 12)) ** 2,),
        lambda rng: (2,),
    ),
    arguments=("n",),
    misconceptions=(
        Misconception(
            "every-layer",
            "With a checkpoint around every layer you keep the input of every layer: nothing is saved.",
            lambda i, expected, got: got == i[0],
        ),
        Misconception(
            "one-segment",
            "One segment keeps little at first. But when it is run again, all of its values are kept at once.",
            lambda i, expected, got: got == 1,
        ),
        Misconception(
            "no-divisor",
            "The square root is the right idea, but s has to divide n. Look at the divisors of n.",
            lambda i, expected, got: i[0] % got != 0 and abs(got - i[0] ** 0.5) <= 1,
        ),
        Misconception(
            "the-larger-one",
            "This s is as good, but there is a smaller one: s and n / s need equally many arrays.",
            lambda i, expected, got: got > expected and got * expected == i[0],
        ),
    ),
    hints=(
        "Try all s from 1 to n that divide n.",
        "min(candidates, key=...) takes the first of equally good candidates.",
        "The key is lambda s: s + n / s; the candidates go from small to large.",
    ),
    solution="""
def best(n):
    divisors = [s for s in range(1, n + 1) if n % s == 0]
    return min(divisors, key=lambda s: s + n / s)


answer = best
""",
    wrong_answers=(
        WrongAnswer("every layer", "answer = lambda n: n", "every-layer"),
        WrongAnswer("one", "answer = lambda n: 1", "one-segment"),
        WrongAnswer("rounded root", "answer = lambda n: round(n**0.5)", "no-divisor"),
        WrongAnswer(
            "larger",
            "answer = lambda n: min((s for s in range(n, 0, -1) if n % s == 0), key=lambda s: s + n / s)",
            "the-larger-one",
        ),
        WrongAnswer("a fraction", "answer = lambda n: n**0.5", "no-divisor"),
        WrongAnswer("two", "answer = lambda n: 2", "value"),
    ),
)


# ---- memory-mend ----

_CODE = """from autograd.extend import defvjp, primitive
import autograd.numpy as anp
from labkit import vjp


def mended(x, n):
    runs = []

    def segment(h):
        for _ in range(n):
            runs.append("layer")
            h = anp.sin(h)
        return h

    def maker(ans, h):
{}

    op = primitive(segment)
    defvjp(op, maker)
    output, walk_back = vjp(op, x)
    forward = len(runs)
    (gradient,) = walk_back(x)
    return gradient, forward, len(runs) - forward


answer = mended
"""
_BROKEN = """        _, pull = vjp(segment, h)
        return lambda g: pull(g)[0]"""
_LAZY = """        def back(g):
            _, pull = vjp(segment, h)
            return pull(g)[0]

        return back"""


def _mended(x, n):
    runs = []

    def segment(h):
        for _ in range(n):
            runs.append("layer")
            h = anp.sin(h)
        return h

    def maker(ans, h):
        return lambda g: engine.vjp(segment, h)[1](g)[0]

    op = primitive(segment)
    defvjp(op, maker)
    _, walk_back = engine.vjp(op, x)
    forward = len(runs)
    (gradient,) = walk_back(x)
    return gradient, forward, len(runs) - forward


def _uncut(x, n):
    """The gradient for a cotangent of ones."""

    def segment(h):
        for _ in range(n):
            h = anp.sin(h)
        return h

    return engine.grad(segment)(x)


MEND = Exercise(
    name="memory-mend",
    notebook=NOTEBOOK,
    title="Mend the checkpoint that saves nothing",
    points=3,
    statement="""`mended(x, n)` makes a checkpoint of `n` layers and takes its gradient at the array `x`. It returns the
gradient, and how often a layer ran in the forward run and in the walk back.
The gradient is right, but the second run comes too early. Mend `maker`, and nothing else.""",
    reference=_mended,
    draw=lambda rng: (rng.uniform(0.5, 2.5, 3), int(rng.integers(2, 7))),
    arguments=("x", "n"),
    misconceptions=(
        Misconception(
            "too-early",
            "Both runs still happen in the forward run, so all values are kept until the walk back. maker is called "
            "forward; only the function that it returns is called on the way back.",
            lambda i, expected, got: got[1] == 2 * i[1] and got[2] == 0,
        ),
        Misconception(
            "nothing-again",
            "Nothing runs on the way back. Then everything has been kept since the forward run.",
            lambda i, expected, got: got[1] == i[1] and got[2] == 0,
        ),
        Misconception(
            "cotangent-forgotten",
            "The number of runs is right, but the gradient that arrives, g, was not passed on: give it to pull.",
            lambda i, expected, got: same(_uncut(*i), got[0]) and same(expected[1:], got[1:]),
        ),
    ),
    hints=(
        "Which lines of maker run in the forward run, and which ones only when g arrives?",
        "vjp(segment, h) runs all layers. It has to move into the function that maker returns.",
        "def back(g): first _, pull = vjp(segment, h), then return pull(g)[0]. And maker returns back.",
    ),
    solution=_CODE.format(_LAZY),
    wrong_answers=(
        WrongAnswer("as it was", _CODE.format(_BROKEN), "too-early"),
        WrongAnswer("no g", _CODE.format(_LAZY.replace("pull(g)", "pull()")), "cotangent-forgotten"),
        WrongAnswer("no checkpoint", _CODE.format(_BROKEN).replace("vjp(op, x)", "vjp(segment, x)"), "nothing-again"),
        WrongAnswer("gradient alone", _CODE.format(_LAZY).replace(", forward, len(runs) - forward", ""), "kind"),
        WrongAnswer(
            "run once more",
            _CODE.format(_LAZY.replace("return pull(g)[0]", "segment(h)\n            return pull(g)[0]")),
            "value",
        ),
    ),
)

EXERCISES = (KEEPS, TAPE, RUNS, SEGMENTS, MEND)
