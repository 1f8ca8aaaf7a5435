"""# Fix the step of two workers (3 points)

`first` and `second` are the gradients of two workers, still multiplied by the loss scale. `step` should return the new weights,
or the old weights if a worker's gradient has overflowed. Fix the three mistakes in this code.

[[as_it_was as step]]
"""

from functools import partial

import numpy as np

from labkit import mindspore as ms
from labkit.classroom.writing import judged, same, slip, wrong


def step(w, first, second, scale, limit):
    mean = (first / scale + second / scale) / 2
    if not ms.amp.all_finite((mean,)):
        return w
    mean = ms.ops.clip_by_global_norm((mean,), limit)[0]
    return w - 0.1 * mean


def _scaled_workers(rng, limit, ill=(), long=0):
    """The gradient of one worker is 16 times as `long` as the other's; the limit is this part of their mean's norm.

    `ill`: for some workers, what one element of their gradients is.
    """
    w, *workers = (rng.normal(size=3) for _ in range(3))
    scale = float(2 ** rng.integers(2, 5))
    workers = [g * (8.0 if worker == long else 0.5) for worker, g in enumerate(workers)]
    limit = round(float(limit * np.linalg.norm(sum(workers) / 2)), 3)
    place = rng.integers(0, 3)
    for worker, value in ill:
        workers[worker][place] = value
    return np.float32(w), *(np.float32(g * scale) for g in workers), scale, limit


draw = (
    partial(_scaled_workers, limit=0.3),
    partial(_scaled_workers, limit=1.5, ill=[(1, np.inf)]),
    partial(_scaled_workers, limit=1.4),
    partial(_scaled_workers, limit=0.3, ill=[(0, np.inf)], long=1),
    partial(_scaled_workers, limit=0.6, long=1),
    partial(_scaled_workers, limit=0.6, ill=[(1, np.nan)]),
    partial(_scaled_workers, limit=0.3, ill=[(0, np.inf), (1, -np.inf)]),
    partial(_scaled_workers, limit=20.0, long=1),  # longer than the scaled gradients
    partial(_scaled_workers, limit=0.05),  # below 0.1 times the norm of the mean
)
tensors = "mindspore"
draws = 9
errors = (("AddN", "all_finite and clip_by_global_norm take a tuple of tensors: (mean,)."),)


@wrong(
    "After an overflow the weights contain nan or inf. The check has to cover both workers, and both inf and nan.",
    when=lambda i, expected, got: not np.isfinite(got).all() and same(i[0], expected),
)
def one_worker_looked_at(w, first, second, scale, limit):
    mean = (first / scale + second / scale) / 2
    if not ms.amp.all_finite((first,)):
        return w
    mean = ms.ops.clip_by_global_norm((mean,), limit)[0]
    return w - 0.1 * mean


@wrong("That is the original step. Start with this question: what must have happened before the clip?")
def as_it_was(w, first, second, scale, limit):
    first = ms.ops.clip_by_global_norm((first,), limit)[0]
    second = ms.ops.clip_by_global_norm((second,), limit)[0]
    first, second = first / scale, second / scale
    if not ms.amp.all_finite((first,)):
        return w
    mean = (first + second) / 2
    return w - 0.1 * mean


@wrong("The clip is too strong by the loss scale. Unscale the gradients first, then clip them to the unscaled limit.")
def clip_before_unscale(w, first, second, scale, limit):
    mean = ms.ops.clip_by_global_norm(((first + second) / 2,), limit)[0] / scale
    return w - 0.1 * mean if ms.amp.all_finite((mean,)) else w


@wrong(
    "Each worker clips its own gradient, so the larger gradient is reduced more than the smaller one. Take the mean "
    "first."
)
def clip_before_mean(w, first, second, scale, limit):
    first, second = (ms.ops.clip_by_global_norm((g / scale,), limit)[0] for g in (first, second))
    mean = (first + second) / 2
    return w - 0.1 * mean if ms.amp.all_finite((mean,)) else w


@wrong(
    "You clip by value, which turns the step. And before the check it turns an inf into an ordinary number. Clip by the "
    "global norm."
)
def by_value(w, first, second, scale, limit):
    mean = ms.ops.clip_by_value((first / scale + second / scale) / 2, -limit, limit)
    return w - 0.1 * mean if ms.amp.all_finite((mean,)) else w


@wrong("You clipped the sum of both gradients, not their mean: its norm is twice as large, so you clip too often.")
def sum_for_mean(w, first, second, scale, limit):
    return step(w, 2 * first, 2 * second, scale, limit)


clipped_scaled_and_apart = slip(
    "The check is right. Two faults are left: the gradients are clipped while they are still scaled, and each worker clips "
    "on its own.",
    "mean = (first / scale + second / scale) / 2 -> first, second = (ms.ops.clip_by_global_norm((g,), limit)[0] "
    "for g in (first, second))\n    mean = (first / scale + second / scale) / 2",
    "    mean = ms.ops.clip_by_global_norm((mean,), limit)[0]\n -> ",
)

not_clipped = slip(
    "The gradient is not clipped.",
    "    mean = ms.ops.clip_by_global_norm((mean,), limit)[0]\n -> ",
)

rate_missing = slip(
    "The step is 0.1 times the mean. The 0.1 is missing.",
    "0.1 * mean -> mean",
)

uphill = slip(
    "The step moves against the gradient: subtract.",
    "w - 0.1 -> w + 0.1",
)

scaled_still = slip(
    "The loss scale is not divided out.",
    "first / scale + second / scale -> first + second",
)

first_worker_only = slip(
    "Only the first worker's gradient is used. Use the mean of both gradients.",
    "(first / scale + second / scale) / 2 -> first / scale",
)

scale_divided_twice = slip(
    "The loss scale is divided out twice.",
    "first / scale + second / scale) / 2 -> first / scale + second / scale) / 2 / scale",
)

mean_halved_twice = slip("You divide by 2 twice.", "w - 0.1 * mean -> w - 0.1 * mean / 2")
gradient_returned = slip(
    "You return the gradient. The exercise asks for the new weights.", "return w - 0.1 * mean -> return mean"
)
nothing_left = slip(
    "After an overflow the old weights are returned, unchanged.", "        return w\n ->         return 0 * w\n"
)


@wrong("You clipped both gradients by their common norm. The norm that counts is that of their mean.")
def clipped_together(w, first, second, scale, limit):
    if not ms.amp.all_finite((first, second)):
        return w
    first, second = ms.ops.clip_by_global_norm((first / scale, second / scale), limit)
    return w - 0.1 * (first + second) / 2


@wrong("You return the old weights each time. Only a step whose gradients are not finite is skipped.")
def always_skipped(w, first, second, scale, limit):
    return w


finite_steps_skipped = slip("You skip the steps that are finite. Skip those that are not.", "if not ms -> if ms")


@wrong(
    "The loss scale is never divided out: the gradients are clipped to limit * scale, and the step is too large by the scale."
)
def clipped_to_a_scaled_limit(w, first, second, scale, limit):
    return w + scale * (step(w, first, second, scale, limit) - w)


by_value_after_the_check = slip(
    "You clip by value, which turns the step. Clip by the global norm.",
    "ms.ops.clip_by_global_norm((mean,), limit)[0] -> ms.ops.clip_by_value(mean, -limit, limit)",
)
divided_after_the_clip = slip(
    "After the clip the gradient is divided by the scale once more. It was unscaled before.",
    "w - 0.1 * mean -> w - 0.1 * mean / scale",
)
rate_before_the_clip = slip(
    "You clip 0.1 * mean. Clip the mean, then multiply it by 0.1.",
    "clip_by_global_norm((mean,), limit) -> clip_by_global_norm((0.1 * mean,), limit)",
    "w - 0.1 * mean -> w - mean",
)
limit_scaled = slip(
    "The mean is unscaled when you clip it, so the limit is not scaled either.", "limit)[0] -> limit * scale)[0]"
)
first_scaled_still = slip(
    "Both gradients are scaled. You unscaled only the second.",
    "first / scale + second / scale -> first + second / scale",
)
second_scaled_still = slip(
    "Both gradients are scaled. You unscaled only the first.",
    "first / scale + second / scale -> first / scale + second",
)
half_of_one = slip(
    "The mean is half of the sum. You halved only one of the gradients.",
    "(first / scale + second / scale) / 2 -> first / scale + second / scale / 2",
)
other_half = slip(
    "The mean is half of the sum, so each gradient counts half.",
    "(first / scale + second / scale) / 2 -> first / scale / 2 + second / scale",
)
stretched = slip(
    "You gave every gradient the norm limit. A clip does not change a smaller gradient.",
    "mean = ms.ops.clip_by_global_norm((mean,), limit)[0] -> mean = mean * limit / float((mean**2).sum()) ** 0.5",
)
second_worker_only = slip(
    "Only the second worker's gradient is used. Use the mean of both gradients.",
    "(first / scale + second / scale) / 2 -> second / scale",
)


@wrong(
    "After an overflow you do not return the old weights. The whole step is skipped, for both workers.",
    when=lambda i, expected, got: same(i[0], expected),
)
def other_worker_goes_on(w, first, second, scale, limit):
    first, second = (g / scale if ms.amp.all_finite((g,)) else ms.ops.zeros_like(g) for g in (first, second))
    mean = ms.ops.clip_by_global_norm(((first + second) / 2,), limit)[0]
    return w - 0.1 * mean


@wrong("The unscaling is right. Each worker still clips on its own, and the check looks at one worker only.")
def unscale_alone_is_fixed(w, first, second, scale, limit):
    first, second = (ms.ops.clip_by_global_norm((g / scale,), limit)[0] for g in (first, second))
    return w - 0.1 * (first + second) / 2 if ms.amp.all_finite((first,)) else w


@judged("clip-before-unscale")
def mean_is_first(w, first, second, scale, limit):
    mean = ms.ops.clip_by_global_norm(((first + second) / 2,), limit)[0]
    return w - 0.1 * mean / scale if ms.amp.all_finite((first,)) else w


limit_not_used = slip(
    "Your mean is clipped to 1.0, which clip_by_global_norm takes where no limit is given.",
    "clip_by_global_norm((mean,), limit) -> clip_by_global_norm((mean,))",
)
another_rate = slip("The learning rate is 0.1.", "0.1 * mean -> 0.01 * mean")
difference = slip("The mean adds both gradients. You subtracted one.", "+ second / scale -> - second / scale")


halved_after_the_clip = slip(
    "The sum is clipped, and halved after that. Clip the mean: its norm is what the limit bounds.",
    "(first / scale + second / scale) / 2 -> first / scale + second / scale",
    "w - 0.1 * mean -> w - 0.1 * mean / 2",
)


hints = (
    "Write down the order of the operations: unscale before clip, mean before clip, mean before check.",
    "First compute the mean of first / scale and second / scale, then check the mean, then clip it.",
    "if not ms.amp.all_finite((mean,)): return w. The clip is the last thing before the update.",
)
