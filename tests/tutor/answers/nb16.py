"""16 Memory: what a tape keeps."""

import autograd.numpy as anp
import numpy as np
from autograd.extend import defvjp, primitive
from sheets import above, right, wrong

from labkit import torch, vjp
from labkit.memory import checkpoint

wrong("memory-keeps", "a sum keeps both terms", [2, 2, 1, 0, 1, 2])
wrong("memory-keeps", "every rule keeps its inputs", [2, 2, 1, 1, 1, 2])
wrong("memory-keeps", "x * x keeps x twice", [0, 2, 2, 0, 1, 2])
wrong("memory-keeps", "3 * x keeps x", [0, 2, 1, 1, 1, 2])
wrong("memory-keeps", "exp keeps its input and its result", [0, 2, 1, 0, 2, 2])
wrong("memory-keeps", "a quotient keeps its divisor alone", [0, 2, 1, 0, 1, 1])
wrong("memory-keeps", "a quotient keeps its result, too", [0, 2, 1, 0, 1, 3])
wrong("memory-keeps", "the factors are counted by what is sent: one for each", [0, 1, 1, 0, 1, 1])
wrong("memory-keeps", "every operation keeps its result as well", [1, 3, 2, 1, 1, 3])
right("memory-keeps", "floats", [0.0, 2.0, 1.0, 0.0, 1.0, 2.0])

wrong("memory-tape", "x is counted", [9, 0, 9, 0, 25, 0])
wrong("memory-tape", "the tape stays after backward", [8, 8, 8, 0, 24, 0])
wrong("memory-tape", "backward always releases", [8, 0, 0, 0, 24, 0])
wrong("memory-tape", "no_grad keeps the values all the same", [8, 0, 8, 8, 24, 0])
wrong("memory-tape", "the last array is kept without a tape", [8, 1, 8, 1, 24, 0])
wrong("memory-tape", "the three runs share their arrays", [8, 0, 8, 0, 8, 0])
wrong("memory-tape", "item does not release the tape", [8, 0, 8, 0, 24, 24])
wrong("memory-tape", "only the last of the three tapes is held", [8, 0, 8, 0, 8, 8])
wrong("memory-tape", "the first tanh keeps x, so only seven are new", [7, 0, 7, 0, 21, 0])
wrong("memory-tape", "retain_graph keeps everything twice", [8, 0, 16, 0, 24, 0])
right("memory-tape", "floats", [8.0, 0.0, 8.0, 0.0, 24.0, 0.0])

wrong("memory-runs", "the walk back runs each layer, too", [12, 24, 36, 36, 30])
wrong("memory-runs", "a checkpoint runs nothing twice", [12, 12, 12, 12, 12])
wrong("memory-runs", "only the layers at the checkpoints run twice", [12, 12, 15, 13, 13])
wrong("memory-runs", "three checkpoints: three times", [12, 12, 36, 24, 18])
wrong("memory-runs", "the last segment need not run again", [12, 12, 20, 24, 18])
wrong("memory-runs", "without a gradient nothing runs", [0, 12, 24, 24, 18])
wrong("memory-runs", "half a checkpoint counts the other half", [12, 12, 24, 24, 24])
wrong("memory-runs", "only the second runs are counted", [12, 12, 12, 12, 6])
wrong("memory-runs", "one checkpoint of all is as good as none", [12, 12, 24, 12, 18])
right("memory-runs", "floats", [12.0, 12.0, 24.0, 24.0, 18.0])


@wrong("memory-segments", "the root, rounded, whether it divides or not")
def best(n):
    return round(n**0.5)


wrong("memory-segments", "the root rounded down, whether it divides or not", above("round -> int"))


@wrong("memory-segments", "the smallest number of arrays, not the s")
def best(n):
    return min(s + n // s for s in range(1, n + 1) if n % s == 0)


wrong("memory-segments", "the fewest inputs alone", above("+ n // s for -> for"))


@wrong("memory-segments", "the larger one of two")
def best(n):
    divisors = [s for s in range(1, n + 1) if n % s == 0]
    return min(reversed(divisors), key=lambda s: s + n / s)


@wrong("memory-segments", "whole-number division without a check that s divides n")
def best(n):
    return min(range(1, n + 1), key=lambda s: s + n // s)


@wrong("memory-segments", "n itself is left out, and 1 as well, so primes fail")
def best(n):
    return min((s for s in range(2, n) if n % s == 0), key=lambda s: s + n / s)


@wrong("memory-segments", "max for min")
def best(n):
    return max((s for s in range(1, n + 1) if n % s == 0), key=lambda s: s + n / s)


@wrong("memory-segments", "the largest divisor below the root, one too early")
def best(n):
    found = 1
    s = 1
    while s * s < n:
        if n % s == 0:
            found = s
        s += 1
    return found


@wrong("memory-segments", "returns at the first sum that does not shrink")
def best(n):
    least, found = n + 1, 1
    for s in range(2, n + 1):
        if s + n / s >= least:
            return found
        least, found = s + n / s, s
    return found


@right("memory-segments", "from the root downwards")
def best(n):
    import math

    s = math.isqrt(n)
    while n % s:
        s -= 1
    return s


@right("memory-segments", "NumPy, a NumPy integer")
def best(n):
    s = np.arange(1, n + 1)
    s = s[n % s == 0]
    return s[np.argmin(s + n / s)]


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


@wrong("memory-mend", "the cotangent is forgotten: pulled with ones")
def mended(x, n):
    def maker_of(segment):
        return lambda ans, h: lambda g: vjp(segment, h)[1](anp.ones_like(h))[0]

    return counted(maker_of)(x, n)


wrong("memory-mend", "differentiates at the result instead of the input", above("h)[1](anp.ones_like(h) -> ans)[1](g"))
wrong("memory-mend", "the list that pull gives is not opened", above("(anp.ones_like(h))[0] -> (g)"))


@right("memory-mend", "labkit's checkpoint in place of an own one")
def mended(x, n):
    runs = []

    def segment(h):
        for _ in range(n):
            runs.append("layer")
            h = anp.sin(h)
        return h

    _, walk_back = vjp(checkpoint(segment), x)
    forward = len(runs)
    (gradient,) = walk_back(x)
    return gradient, forward, len(runs) - forward


wrong(
    "memory-mend",
    "no checkpoint at all: the values are kept, nothing runs twice",
    above("checkpoint(segment) -> segment"),
)


@wrong("memory-mend", "the run is in both places")
def mended(x, n):
    def maker_of(segment):
        def maker(ans, h):
            _, pull = vjp(segment, h)
            return lambda g: vjp(segment, h)[1](g)[0]

        return maker

    return counted(maker_of)(x, n)


wrong(
    "memory-mend",
    "the numbers are written down, the second run is still early",
    above(
        "vjp(segment, h)[1] -> pull",
        "return counted(maker_of)(x, n) -> gradient, _, _ = counted(maker_of)(x, n)\n    return gradient, n, n",
    ),
)


@wrong("memory-mend", "nothing is changed but the place of the lambda")
def mended(x, n):
    def maker_of(segment):
        def maker(ans, h):
            _, pull = vjp(segment, h)

            def back(g):
                return pull(g)[0]

            return back

        return maker

    return counted(maker_of)(x, n)


@wrong("memory-mend", "the counts are exchanged")
def mended(x, n):
    def maker_of(segment):
        return lambda ans, h: lambda g: vjp(segment, h)[1](g)[0]

    gradient, forward, back = counted(maker_of)(x, n)
    return gradient, forward + back, 0


@right("memory-mend", "the second run in a function of its own")
def mended(x, n):
    runs = []

    def segment(h):
        for _ in range(n):
            runs.append("layer")
            h = anp.sin(h)
        return h

    def maker(ans, h):
        def again(g):
            _, pull = vjp(segment, h)
            return pull(g)[0]

        return again

    op = primitive(segment)
    defvjp(op, maker)
    output, walk_back = vjp(op, x)
    forward = len(runs)
    (gradient,) = walk_back(x)
    return gradient, forward, len(runs) - forward


def mean_loss(w, x, y):
    return float(np.mean((np.tanh(x * w).sum(axis=1) - y) ** 2))


@wrong("memory-leak", "as before: some tape is held")
def evaluate(w, x, y):
    return mean_loss(w, x, y), True


wrong("memory-leak", "the sum, without a tape", above("(w, x, y), True -> (w, x, y) * len(y), False"))
wrong("memory-leak", "the root of the mean square", above("(w, x, y), True -> (w, x, y) ** 0.5, False"))
wrong("memory-leak", "the last loss alone", above("(w, x, y), True -> (w, x[-1:], y[-1:]) / len(y), False"))


@right("memory-leak", "numbers are added up")
def evaluate(w, x, y):
    w, total = torch.tensor(w, requires_grad=True), 0.0
    for row, label in zip(x, y, strict=True):
        total += ((torch.tanh(torch.tensor(row) * w).sum() - label) ** 2).item()
    return total / len(y), False


@wrong("memory-reverse", "the forward order, with minus")
def inverse(y1, y2, a, b):
    x1 = y1 - np.tanh(a * y2)
    return x1, y2 - np.tanh(b * x1)


@wrong("memory-reverse", "the halves are exchanged")
def inverse(y1, y2, a, b):
    x2 = y2 - np.tanh(b * y1)
    return x2, y1 - np.tanh(a * x2)


@wrong("memory-reverse", "plus for minus")
def inverse(y1, y2, a, b):
    x2 = y2 + np.tanh(b * y1)
    return y1 + np.tanh(a * x2), x2


@wrong("memory-reverse", "arctanh undoes tanh")
def inverse(y1, y2, a, b):
    x2 = y2 - np.arctan(b * y1)
    return y1 - np.arctan(a * x2), x2


@right("memory-reverse", "in one expression")
def inverse(y1, y2, a, b):
    half = y2 - np.tanh(y1 * b)
    return y1 - np.tanh(half * a), half


@wrong("memory-bytes", "one example")
def needed(widths, batch):
    return 16 * sum(a * b + b for a, b in zip(widths, widths[1:], strict=False)), 4 * sum(widths[:-1])


wrong("memory-bytes", "all widths", above("sum(widths[:-1]) -> batch * sum(widths)"))


@wrong("memory-bytes", "only weights, no biases")
def needed(widths, batch):
    return 16 * sum(a * b for a, b in zip(widths, widths[1:], strict=False)), 4 * batch * sum(widths[:-1])


@wrong("memory-bytes", "SGD keeps nothing")
def needed(widths, batch):
    return 8 * sum(a * b + b for a, b in zip(widths, widths[1:], strict=False)), 4 * batch * sum(widths[:-1])


@right("memory-bytes", "layer by layer")
def needed(widths, batch):
    numbers = kept = 0
    for i in range(len(widths) - 1):
        numbers += widths[i] * widths[i + 1] + widths[i + 1]
        kept += widths[i] * batch
    return numbers * 4 * 4, kept * 4
