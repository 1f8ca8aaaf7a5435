"""Notebook 15, predictions: which reduction makes the big batch's gradient, and which losses can be split at all."""

import numpy as np

from ... import engine
from ..compare import same
from ..exercise import Exercise, Misconception, WrongAnswer

NOTEBOOK = "15_accumulation_and_parallel"


# ---- parallel-reductions ----

WORKERS, EACH = 4, 8


def _reductions():
    from ... import mindspore as ms

    x = np.linspace(-3.0, 15.0, WORKERS * EACH)  # with w = 1 and the loss w * x, the gradient is the mean of x, 6
    means = [engine.grad(lambda w, x: (w * x).mean())(1.0, part) for part in np.split(x, WORKERS)]
    sums = [engine.grad(lambda w, x: (w * x).sum())(1.0, part) for part in np.split(x, WORKERS)]
    halves = [engine.grad(lambda w, x: (w * x).mean())(1.0, part) for part in np.split(x, 2)]
    late = ms.nn.DistributedGradReducer([ms.Parameter(ms.Tensor(1.0))], mean=True, degree=8)
    wrong_degree = float(late((ms.Tensor(float(np.sum(means))),))[0].asnumpy())
    found = [np.mean(means), np.sum(means), np.mean(sums), np.sum(sums), np.sum(halves), wrong_degree]
    return [round(float(value), 6) for value in found]


REDUCTIONS = Exercise(
    name="parallel-reductions",
    notebook=NOTEBOOK,
    title="Mean or sum?",
    points=2,
    statement="""A batch has 32 samples. The gradient of its mean loss is 6. Four workers have 8 samples each.
Which number does the optimizer get? Answer with a list of six numbers.

0. each loss is the mean over the worker's samples; the reducer has `mean=True`
1. each loss is the mean over the worker's samples; the reducer has `mean=False`
2. each loss is the sum over the worker's samples; the reducer has `mean=True`
3. each loss is the sum over the worker's samples; the reducer has `mean=False`
4. no workers: in PyTorch, two micro-batches of 16, each loss is a mean, `backward()` twice, nothing divided
5. like 0, but somebody wrote `degree=8`""",
    reference=_reductions,
    misconceptions=(
        Misconception(
            "sum-is-mean",
            "mean=False adds the gradients of all four workers. Nothing divides them.",
            lambda inputs, expected, got: got[1] == expected[0],
        ),
        Misconception(
            "loss-does-not-matter",
            "A sum over 8 samples is 8 times the mean. The gradient is 8 times as large, too.",
            lambda inputs, expected, got: got[2] == expected[0] or got[3] == expected[1],
        ),
        Misconception(
            "accumulated-is-averaged",
            "backward adds to .grad. Two micro-batches, nothing divided: that is a sum of two means.",
            lambda inputs, expected, got: got[4] == expected[0],
        ),
        Misconception(
            "degree-is-ignored",
            "The mean is the sum times 1 / degree. With the wrong degree it is no mean.",
            lambda inputs, expected, got: same(expected[:5], got[:5]) and got[5] == expected[0],
        ),
    ),
    rules=(
        "Each worker's mean has on average the gradient of the whole mean; the reducer takes their mean.",
        "Without a mean the reducer adds up what the workers have.",
        "A sum over a worker's samples is as many times the mean as it has samples. The reducer takes the mean of these.",
        "A sum over a worker's samples is as many times the mean as it has samples. The reducer adds these up.",
        "Each backward adds the gradient of a mean to .grad.",
        "degree is what the sum over the workers is divided by. How many workers add to it?",
    ),
    hints=(
        "The four gradients of the means have the mean 6. What is their sum?",
        "The gradient of a sum over 8 samples is 8 times that of their mean: items 2 and 3 are 8 times items 0 and 1.",
        "Item 4 is 2 * 6. Item 5 is the sum, 24, divided by 8.",
    ),
    solution="answer = [6, 24, 48, 192, 12, 3]",
    wrong_answers=(
        WrongAnswer("sum as mean", "answer = [6, 6, 48, 48, 12, 3]", "sum-is-mean"),
        WrongAnswer("loss ignored", "answer = [6, 24, 6, 24, 12, 3]", "loss-does-not-matter"),
        WrongAnswer("averaged", "answer = [6, 24, 48, 192, 6, 3]", "accumulated-is-averaged"),
        WrongAnswer("degree", "answer = [6, 24, 48, 192, 12, 6]", "degree-is-ignored"),
        WrongAnswer("other", "answer = [6, 24, 48, 192, 12, 12]", "value"),
        WrongAnswer("five", "answer = [6, 24, 48, 192, 12]", "structure"),
    ),
)


# ---- parallel-splits ----


def _splits():
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


SPLITS = Exercise(
    name="parallel-splits",
    notebook=NOTEBOOK,
    title="Which losses can be split?",
    points=2,
    statement="""A batch is cut into three equal parts. For which losses is the mean of the three gradients the gradient
of the whole batch? `e` are the errors of the samples in the batch. Answer with a list of six `True` or `False`.

0. `mean(e**2)`
1. `mean(abs(e)) + 0.1 * sum(w**2)`
2. `sqrt(mean(e**2))`
3. `max(e**2)`
4. `mean(log(1 + exp(e)))`
5. `mean(tanh(e))`, where the input `x` is first normalised: minus the mean of the batch, divided by its deviation""",
    reference=_splits,
    misconceptions=(
        Misconception(
            "penalty-breaks-it",
            "The penalty is the same in every part, so the mean of the three is that penalty again: it splits.",
            lambda inputs, expected, got: got[1] is False,
        ),
        Misconception(
            "root-of-a-mean",
            "The mean of three roots is not the root of the mean: sqrt comes after the mean, so it does not split.",
            lambda inputs, expected, got: got[2] is True,
        ),
        Misconception(
            "the-largest-of-all",
            "Each part has its own largest error, the batch only one. Samples that do not count in the batch count in a part.",
            lambda inputs, expected, got: got[3] is True,
        ),
        Misconception(
            "must-be-a-square",
            "It does not matter what is done with each sample, as long as the samples are then averaged.",
            lambda inputs, expected, got: got[4] is False,
        ),
        Misconception(
            "samples-that-see-each-other",
            "The mean and the deviation come from the samples of the part. In another part a sample becomes another input.",
            lambda inputs, expected, got: got[5] is True,
        ),
    ),
    rules=(
        "It splits if the loss is a mean over samples, each with a term of its own.",
        "It splits if the loss is a mean over samples, each with a term of its own.",
        "What is done after the mean is done to each part for itself: is that the same?",
        "Only one sample of all counts, but each part has one of its own.",
        "It splits if the loss is a mean over samples, each with a term of its own.",
        "The input was normalised with the whole batch: what does a part know of the others?",
    ),
    hints=(
        "A loss splits if it is a mean over samples, and each sample's term needs that sample alone.",
        "What happens after the mean? What does one sample know of the others?",
        "Three of the six are True.",
    ),
    solution="answer = [True, True, False, False, True, False]",
    wrong_answers=(
        WrongAnswer("penalty", "answer = [True, False, False, False, True, False]", "penalty-breaks-it"),
        WrongAnswer("root", "answer = [True, True, True, False, True, False]", "root-of-a-mean"),
        WrongAnswer("largest", "answer = [True, True, False, True, True, False]", "the-largest-of-all"),
        WrongAnswer("squares", "answer = [True, True, False, False, False, False]", "must-be-a-square"),
        WrongAnswer("normalised", "answer = [True, True, False, False, True, True]", "samples-that-see-each-other"),
        WrongAnswer("none", "answer = [False, True, False, False, True, False]", "value"),
    ),
)

EXERCISES = (REDUCTIONS, SPLITS)
