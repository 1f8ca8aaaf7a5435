"""# Mean or sum? (2 points)

A batch has [[samples]] samples, and the gradient of its mean loss is [[mean]]. Each of four workers has [[each]] samples.
Which number does the optimizer get? Answer with a list of six numbers.

0. each loss is the mean over the worker's samples; the reducer has `mean=True`
1. each loss is the mean over the worker's samples; the reducer has `mean=False`
2. each loss is the sum over the worker's samples; the reducer has `mean=True`
3. each loss is the sum over the worker's samples; the reducer has `mean=False`
4. no workers, but in PyTorch two micro-batches of [[half]]: each loss is a mean, `backward()` runs twice, no loss is divided
5. like 0, but the reducer also has `degree=[[degree]]`
"""

import numpy as np

from labkit import engine
from labkit.classroom.writing import drawn, either, judged, wrong


def _drawn(rng):
    each = int(rng.choice([5, 6, 10, 12]))
    return 4 * each, int(rng.choice([2, 3, 4, 5, 7, 8, 9])) * 2, each, 2 * each, int(rng.choice([8, 2]))


samples, mean, each, half, degree = drawn((32, 6, 8, 16, 8), _drawn)

answer = [mean, 4 * mean, each * mean, 4 * each * mean, 2 * mean, 4 * mean // degree]
rules = (
    "Each worker's mean has on average the gradient of the whole mean; the reducer takes their mean.",
    "Without a mean the reducer adds up the workers' gradients.",
    "A sum over a worker's samples is their mean times their number. The reducer takes the mean of these.",
    "A sum over a worker's samples is their mean times their number. The reducer adds these up.",
    "Each backward adds the gradient of a mean to .grad.",
    "The sum over the workers is divided by degree. How many workers contribute to the sum?",
)
hints = (
    f"The four gradients of the means have the mean {mean}. What is their sum?",
    f"The gradient of a sum over {each} samples is {each} times that of their mean: items 2 and 3 are {each} times "
    "items 0 and 1.",
    f"Item 4 is 2 * {mean}. Item 5 is the sum, {4 * mean}, divided by {degree}.",
)
WORKERS = 4


def reference():
    from labkit import mindspore as ms

    x = np.linspace(mean - 9.0, mean + 9.0, samples)  # with w = 1 and the loss w * x, the gradient is the mean of x
    means = [engine.grad(lambda w, x: (w * x).mean())(1.0, part) for part in np.split(x, WORKERS)]
    sums = [engine.grad(lambda w, x: (w * x).sum())(1.0, part) for part in np.split(x, WORKERS)]
    halves = [engine.grad(lambda w, x: (w * x).mean())(1.0, part) for part in np.split(x, 2)]
    late = ms.nn.DistributedGradReducer([ms.Parameter(ms.Tensor(1.0))], mean=True, degree=degree)
    wrong_degree = float(late((ms.Tensor(float(np.sum(means))),))[0].asnumpy())
    found = [np.mean(means), np.sum(means), np.mean(sums), np.sum(sums), np.sum(halves), wrong_degree]
    return [round(float(value), 6) for value in found]


sum_is_mean = wrong(
    "mean=False adds the gradients of all four workers. Nothing divides them.", {1: mean, 3: each * mean}
)

_BY_SAMPLES = (
    "The reducer divides by the number of workers, not of samples. A worker's mean is already divided by the number of its "
    "samples."
)
samples_for_workers = wrong(_BY_SAMPLES, {0: mean / each, 2: mean}, together=True)
divided_by_the_samples_again = wrong(_BY_SAMPLES, {0: mean / each, 1: 4 * mean / each})

loss_does_not_matter = wrong(
    f"A sum over {each} samples is {each} times the mean. The gradient is {each} times as large, too.",
    {2: mean, 3: 4 * mean},
)

accumulated_is_averaged = wrong(
    "backward adds to .grad. With two micro-batches and no division, .grad is the sum of two means.", {4: mean}
)

degree_is_ignored = wrong(
    "The mean is the sum times 1 / degree. With the wrong degree the result is not a mean.", {5: mean}
)

five = judged("structure", answer[:5])

sum_over_the_batch = wrong(
    f"A worker sums over its own {each} samples, not over all {samples}.",
    {2: samples * mean, 3: 4 * samples * mean},
)

degree_multiplies = wrong(
    "The sum over the workers is divided by degree: a larger degree makes the result smaller.",
    {5: either(4 * mean, 2 * mean, degree * mean, 4 * mean * degree)},
)

divided_by_the_workers = wrong(
    "With mean=True the reducer divides by the number of workers after it has added them up.",
    {0: either(mean / 4, 4 * mean)},
)

micro_batches_divided = wrong(
    "Nothing is divided: backward adds each gradient to .grad.",
    {4: either(mean / 2, mean / 4)},
)

sums_accumulated = wrong(
    f"Each micro-batch has the mean of its {half} samples. You added up the samples.",
    {4: either(2 * half * mean, half * mean, samples * mean)},
)

mean_and_sum_exchanged = wrong(
    "You exchanged them: with mean=True the reducer divides the sum by the number of workers, with mean=False it does not.",
    {0: 4 * mean, 1: mean, 2: 4 * each * mean, 3: each * mean},
    together=True,
)

share_of_a_worker = wrong(
    f"A worker's mean is over its own {each} samples. It has about the gradient of the whole batch, not a quarter.",
    {0: mean / 4, 1: mean, 2: each * mean / 4, 3: each * mean},
    together=True,
)

quarter_of_a_worker = wrong(
    "That is a quarter of one worker's gradient. The reducer divides the sum of all four.",
    {2: each * mean / 4, 5: mean / 4},
)

four_for_two = wrong("There are two micro-batches here, so two gradients are added.", {4: 4 * mean})

degree_on_top = wrong("degree replaces the number of workers: the sum is divided once, by degree.", {5: mean / degree})

workers_for_samples = wrong(
    f"A sum over a worker's samples has {each} terms. You multiplied by the number of workers.",
    {2: 4 * mean, 3: 16 * mean},
)
