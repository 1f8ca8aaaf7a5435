"""# How many passes? (2 points)

How many passes does the whole Jacobian take, if you use nothing of its structure? For each line answer with a pair
`(pulls, pushes)`: the pulls that reverse mode needs, and the pushes that forward mode needs.
Answer with a list of six pairs. `x` has shape `(4, 3)` and `w` has shape `(3, 2)`.

0. a loss (one number), with respect to 1000 weights
1. a point in space, `(cos(t), sin(t), t)`, with respect to the number `t`
2. `np.tanh(z)` of 50 elements, with respect to `z`: it is diagonal, but count as if you did not know
3. `x @ w`, with respect to `x`
4. `x @ w`, with respect to `w`
5. `np.sum(x @ w, axis=0)`, with respect to `x`
"""

import autograd.numpy as anp
import numpy as np

from labkit import engine
from labkit.classroom.writing import judged, same, wrong

answer = [(1, 1000), (3, 1), (50, 50), (8, 12), (8, 6), (2, 12)]
rules = (
    "One pull for each element of the output, one push for each element of the input.",
    "One pull for each element of the output, one push for each element of the input.",
    "One pull for each element of the output, one push for each element of the input.",
    "One pull for each element of the output, one push for each element of the input that is asked for: count "
    "elements, not rows.",
    "One pull for each element of the output, one push for each element of the input that is asked for: count "
    "elements, not rows.",
    "The sum makes the output shorter: how many elements does it have then?",
)
hints = (
    "One pull fills a row: count the elements of the output. One push fills a column: count those of the input.",
    "x @ w has shape (4, 2), so 8 elements. x has 12, w has 6.",
    "Line 5: the sum over axis 0 leaves an output of shape (2,).",
)


def _of_batch(x, w):
    return x @ w


CALLS = (
    (lambda w: anp.sum(w**2), 0, (np.ones(1000),)),
    (lambda t: anp.array([anp.cos(t), anp.sin(t), t]), 0, (1.0,)),
    (anp.tanh, 0, (np.ones(50),)),
    (_of_batch, 0, (np.ones((4, 3)), np.ones((3, 2)))),
    (_of_batch, 1, (np.ones((4, 3)), np.ones((3, 2)))),
    (lambda x, w: anp.sum(x @ w, axis=0), 0, (np.ones((4, 3)), np.ones((3, 2)))),
)


def reference():
    """`(pulls, pushes)` for each call: one pull per element of the output, one push per element of the input."""
    return [(int(np.size(engine.getval(fn(*args)))), int(np.size(args[argnum]))) for fn, argnum, args in CALLS]


swapped = wrong(
    "You swapped the two. A pull gives a row, so there are as many pulls as outputs; a push gives a column, so "
    "there are as many pushes as inputs.",
    {3: (12, 8), 4: (6, 8), 5: (12, 2)},
    together=True,
    answer=[(1000, 1), (1, 3), (50, 50), (12, 8), (6, 8), (12, 2)],
)

one_axis = wrong(
    "You counted along one axis. Every element of an array is an input or an output of its own: an output of "
    "shape (4, 2) has 8.",
    when=lambda inputs, expected, got: (
        same(expected[:3], got[:3]) and any(n in (2, 3, 4) for pair in got[3:5] for n in pair)
    ),
    answer={3: (4, 4), 4: (4, 3)},
)

entries = wrong(
    "You counted entries of the matrix. One pass fills a whole row or a whole column.",
    when=lambda inputs, expected, got: any(p * q in pair for (p, q), pair in zip(expected[2:], got[2:])),
    answer=[(1, 1000), (3, 1), (2500, 2500), (96, 96), (48, 48), (24, 24)],
)

constant_counts = wrong(
    "Lines 3 and 4 ask for one input each. The other one is a constant and needs no push.", {3: (8, 18), 4: (8, 18)}
)

diagonal = judged("value", {2: (1, 1)})
one_number_each = judged("structure", [1, 1, 50, 8, 6, 2])
