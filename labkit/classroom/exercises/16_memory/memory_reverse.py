"""# Invert a reversible layer (2 points)

A reversible layer takes two halves and gives two halves:

    y1 = x1 + tanh(a * x2)
    y2 = x2 + tanh(b * y1)

Nothing has to be kept for the walk back if the inputs can be found again. Write `inverse(y1, y2, a, b)`, with NumPy: it
returns the tuple `(x1, x2)`. All are arrays of one shape.
"""

import numpy as np

from labkit.classroom.writing import judged, wrong


def inverse(y1, y2, a, b):
    x2 = y2 - np.tanh(b * y1)
    x1 = y1 - np.tanh(a * x2)
    return x1, x2


def draw(rng):
    a, b, x1, x2 = rng.uniform(0.5, 2, (4, 3)) * rng.choice([-1, 1], (4, 3))
    y1 = x1 + np.tanh(a * x2)
    return y1, x2 + np.tanh(b * y1), a, b


@wrong("You took the layers in the order of the forward run. y1 needs x2, which is not known yet: begin with y2.")
def same_order(y1, y2, a, b):
    x1 = y1 - np.tanh(a * y2)
    return x1, y2 - np.tanh(b * x1)


@wrong("What the forward run has added has to be taken away.")
def added_again(y1, y2, a, b):
    x2 = y2 + np.tanh(b * y1)
    return y1 + np.tanh(a * x2), x2


@wrong("x1 came from x2, not from y2: use the half that you have found.", parts=(0,))
def the_old_half(y1, y2, a, b):
    return y1 - np.tanh(a * y2), y2 - np.tanh(b * y1)


@wrong("a belongs to the first line, b to the second.")
def exchanged_weights(y1, y2, a, b):
    return inverse(y1, y2, b, a)


@judged("value")
def no_tanh(y1, y2, a, b):
    x2 = y2 - b * y1
    return y1 - a * x2, x2


hints = (
    "Which of the two lines can be solved with what you have: y1 and y2?",
    "The second one: x2 = y2 - tanh(b * y1). Then you know x2.",
    "With x2 the first line gives x1 = y1 - tanh(a * x2).",
)
