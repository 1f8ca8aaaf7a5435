"""# Mean or sum? (2 points)

A batch has 32 samples. The gradient of its mean loss is 6. Four workers have 8 samples each.
Which number does the optimizer get? Answer with a list of six numbers.

0. each loss is the mean over the worker's samples; the reducer has `mean=True`
1. each loss is the mean over the worker's samples; the reducer has `mean=False`
2. each loss is the sum over the worker's samples; the reducer has `mean=True`
3. each loss is the sum over the worker's samples; the reducer has `mean=False`
4. no workers: in PyTorch, two micro-batches of 16, each loss is a mean, `backward()` twice, nothing divided
5. like 0, but somebody wrote `degree=8`
"""

import numpy as np

from labkit import engine
from labkit.classroom.writing import judged, wrong

answer = [6, 24, 48, 192, 12, 3]
rules = (
    "Each worker's mean has on average the gradient of the whole mean; the reducer takes their mean.",
    "Without a mean the reducer adds up what the workers have.",
    "A sum over a worker's samples is as many times the mean as it has samples. The reducer takes the mean of these.",
    "A sum over a worker's samples is as many times the mean as it has samples. The reducer adds these up.",
    "Each backward adds the gradient of a mean to .grad.",
    "degree is what the sum over the workers is divided by. How many workers add to it?",
)
hints = (
    "The four gradients of the means have the mean 6. What is their sum?",
    "The gradient of a sum over 8 samples is 8 times that of their mean: items 2 and 3 are 8 times items 0 and 1.",
    "Item 4 is 2 * 6. Item 5 is the sum, 24, divided by 8.",
)
WORKERS, EACH = 4, 8


def reference():
    from labkit import mindspore as ms

    x = np.linspace(-3.0, 15.0, WORKERS * EACH)  # with w = 1 and the loss w * x, the gradient is the mean of x, 6
    means = [engine.grad(lambda w, x: (w * x).mean())(1.0, part) for part in np.split(x, WORKERS)]
    sums = [engine.grad(lambda w, x: (w * x).sum())(1.0, part) for part in np.split(x, WORKERS)]
    halves = [engine.grad(lambda w, x: (w * x).mean())(1.0, part) for part in np.split(x, 2)]
    late = ms.nn.DistributedGradReducer([ms.Parameter(ms.Tensor(1.0))], mean=True, degree=8)
    wrong_degree = float(late((ms.Tensor(float(np.sum(means))),))[0].asnumpy())
    found = [np.mean(means), np.sum(means), np.mean(sums), np.sum(sums), np.sum(halves), wrong_degree]
    return [round(float(value), 6) for value in found]


sum_is_mean = wrong("mean=False adds the gradients of all four workers. Nothing divides them.", {1: 6})

loss_does_not_matter = wrong(
    "A sum over 8 samples is 8 times the mean. The gradient is 8 times as large, too.", {2: 6, 3: 24}
)

accumulated_is_averaged = wrong(
    "backward adds to .grad. Two micro-batches, nothing divided: that is a sum of two means.", {4: 6}
)

degree_is_ignored = wrong("The mean is the sum times 1 / degree. With the wrong degree it is no mean.", {5: 6})

half_of_the_sum = judged("value", {5: 12})
five = judged("structure", [6, 24, 48, 192, 12])
