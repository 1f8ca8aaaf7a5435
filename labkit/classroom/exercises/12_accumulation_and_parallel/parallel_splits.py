"""# Which losses can be split? (2 points)

A batch is split into three equal parts. For which losses is the mean of the three gradients the gradient of the whole batch?
`e` contains the errors of the samples in the batch. Answer with a list of six values, each `True` or `False`.

0. `mean(e**2)`
1. `mean(abs(e)) + 0.1 * sum(w**2)`
2. `sqrt(mean(e**2))`
3. `max(e**2)`
4. `mean(log(1 + exp(e)))`
5. `mean(tanh(e))`, where the inputs are first normalised: minus the mean of the batch, divided by its standard deviation
"""

import numpy as np

from labkit import engine
from labkit.classroom.writing import wrong

answer = [True, True, False, False, True, False]
rules = (
    "A loss splits if it is a mean over samples, each with a term of its own.",
    "A loss splits if it is a mean over samples, each with a term of its own.",
    "Each part would apply the operation after the mean to its own mean: is the result the same?",
    "In the whole batch only one sample counts, but each part has such a sample of its own.",
    "A loss splits if it is a mean over samples, each with a term of its own.",
    "The input was normalised with the whole batch: does a part know the other samples?",
)
hints = (
    "A loss splits if it is a mean over samples, and each sample's term depends on that sample only.",
    "What happens after the mean? Does a sample's term depend on other samples?",
    "Three of the six are True.",
)


def reference():
    from autograd import numpy as anp

    rng = np.random.default_rng(4)
    x, w = rng.normal(size=(12, 3)), rng.normal(size=3)

    def normal(x):
        return (x - x.mean(axis=0)) / anp.std(x, axis=0)

    losses = [
        lambda w, x: anp.mean((x @ w) ** 2),
        lambda w, x: anp.mean(anp.abs(x @ w)) + 0.1 * anp.sum(w**2),
        lambda w, x: anp.sqrt(anp.mean((x @ w) ** 2)),
        lambda w, x: anp.max((x @ w) ** 2),
        lambda w, x: anp.mean(anp.log(1 + anp.exp(x @ w))),
        lambda w, x: anp.mean(anp.tanh(normal(x) @ w)),
    ]
    found = []
    for loss in losses:
        parts = [engine.grad(loss)(w, part) for part in np.split(x, 3)]
        found.append(bool(np.allclose(np.mean(parts, axis=0), engine.grad(loss)(w, x), rtol=1e-10)))
    return found


penalty_breaks_it = wrong(
    "abs is a term of each sample, and the penalty is the same in every part, so the mean of three is that penalty again.",
    {1: False},
)

root_of_a_mean = wrong(
    "The mean of three roots is not the root of the mean: sqrt comes after the mean, so it does not split.", {2: True}
)

the_largest_of_all = wrong(
    "Each part has its own largest error, but the batch has only one. A sample can count in its part without counting in "
    "the batch.",
    {3: True},
)

must_be_a_square = wrong(
    "It does not matter what is done with each sample, as long as the samples are then averaged.", {4: False}
)

samples_that_see_each_other = wrong(
    "The mean and the deviation come from the samples of the part. In a different part the same sample has a different "
    "input.",
    {5: True},
)

none_can_be_split = wrong(
    "Each sample has a square of its own, and the loss is the mean of the squares, so it splits.", {0: False}
)
