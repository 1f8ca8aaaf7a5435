"""# Mend the checkpoint that saves nothing (3 points)

`mended(x, n)` makes a checkpoint of `n` layers and takes its gradient at the array `x`. It returns the
gradient, and how often a layer ran in the forward run and in the walk back.
The gradient is right, but the second run comes too early. Mend `maker`, and nothing else.
"""

import autograd.numpy as anp
from autograd.extend import defvjp, primitive

from labkit import vjp
from labkit.classroom.writing import judged, wrong


def mended(x, n):
    runs = []

    def segment(h):
        for _ in range(n):
            runs.append("layer")
            h = anp.sin(h)
        return h

    def maker(ans, h):
        def back(g):
            _, pull = vjp(segment, h)
            return pull(g)[0]

        return back

    op = primitive(segment)
    defvjp(op, maker)
    output, walk_back = vjp(op, x)
    forward = len(runs)
    (gradient,) = walk_back(x)
    return gradient, forward, len(runs) - forward


def draw(rng):
    return rng.uniform(0.5, 2.5, 3), int(rng.integers(2, 7))


@wrong(
    "Both runs still happen in the forward run, so all values are kept until the walk back. maker is called "
    "forward; only the function that it returns is called on the way back."
)
def too_early(x, n):
    runs = []

    def segment(h):
        for _ in range(n):
            runs.append("layer")
            h = anp.sin(h)
        return h

    def maker(ans, h):
        _, pull = vjp(segment, h)
        return lambda g: pull(g)[0]

    op = primitive(segment)
    defvjp(op, maker)
    output, walk_back = vjp(op, x)
    forward = len(runs)
    (gradient,) = walk_back(x)
    return gradient, forward, len(runs) - forward


@wrong("Nothing runs on the way back. Then everything has been kept since the forward run.")
def nothing_again(x, n):
    gradient, forward, _ = mended(x, n)
    return gradient, forward, 0


@wrong("The number of runs is right, but the gradient that arrives, g, was not passed on: give it to pull.")
def cotangent_forgotten(x, n):
    gradient, forward, back = mended(x, n)
    return gradient / x, forward, back  # the walk back begins with x


@judged("kind")
def gradient_alone(x, n):
    return mended(x, n)[0]


@judged("value")
def run_once_more(x, n):
    gradient, forward, back = mended(x, n)
    return gradient, forward, back + n


hints = (
    "Which lines of maker run in the forward run, and which ones only when g arrives?",
    "vjp(segment, h) runs all layers. It has to move into the function that maker returns.",
    "def back(g): first _, pull = vjp(segment, h), then return pull(g)[0]. And maker returns back.",
)
