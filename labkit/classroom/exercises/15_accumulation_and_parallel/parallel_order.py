"""# Clip first, unscale last: with which limit? (2 points)

Row `k` of `gradients` is the gradient of worker `k`. All workers have equally many samples, each loss is a mean, and was
multiplied by the loss scale `scale` before the derivative was taken. To save a pass over the gradients, somebody divides by the
scale at the very end:

[[clipped_while_scaled as combine]]

The right result is what one worker with all samples would have: unscaled, and at most `limit` long. Mend `combine(gradients,
scale, limit)`, with NumPy. It can be done without changing the order.
"""

from functools import partial

import numpy as np

from labkit.classroom.writing import judged, wrong


def combine(gradients, scale, limit):
    mean = gradients.mean(axis=0)
    length = np.sqrt((mean**2).sum())
    mean = mean * min(1.0, scale * limit / length)
    return mean / scale


def _scaled(rng, workers, part):
    """Gradients of very different length, and a limit that is this part of the length of their mean."""
    scale = float(2 ** rng.integers(6, 12))
    gradients = rng.normal(size=(workers, 3)) * np.linspace(0.4, 2.0, workers)[:, None]
    return gradients * scale, scale, float(part * np.linalg.norm(gradients.mean(axis=0)))


draw = tuple(
    partial(_scaled, workers=workers, part=part) for workers, part in ((2, 0.3), (4, 1.3), (3, 0.6), (2, 1.6), (4, 0.9))
)


def _clip(gradient, limit):
    length = np.sqrt((gradient**2).sum())
    return gradient * min(1.0, limit / length)


@wrong("Each worker's gradient was clipped, then the mean was taken. That turns the step: reduce first, then clip.")
def clipped_on_each_worker(gradients, scale, limit):
    return np.mean([_clip(g / scale, limit) for g in gradients], axis=0)


@wrong("You clipped while the loss scale was still in it, and then divided: the step is scale times too short.")
def clipped_while_scaled(gradients, scale, limit):
    mean = gradients.mean(axis=0)
    length = np.sqrt((mean**2).sum())
    mean = mean * min(1.0, limit / length)
    return mean / scale


@wrong("The loss scale has to be divided out.")
def still_scaled(gradients, scale, limit):
    return gradients.mean(axis=0)


@wrong(
    "Your gradient has the length of the limit in any case. Is the loss scale divided out before you measure it? "
    "And does the clip leave alone what is shorter?"
)
def always_at_the_limit(gradients, scale, limit):
    def clip(gradient, limit):
        length = np.sqrt((gradient**2).sum())
        return gradient * limit / length

    return clip(gradients.mean(axis=0) / scale, limit)


@wrong("Unscaled and reduced, but the clip is missing.")
def not_clipped(gradients, scale, limit):
    return gradients.mean(axis=0) / scale


@judged("always-at-the-limit")
def clipped_never_unscaled(gradients, scale, limit):
    return _clip(gradients.mean(axis=0), limit)


@judged("value")
def clipped_by_value(gradients, scale, limit):
    return np.clip(gradients.mean(axis=0) / scale, -limit, limit)


hints = (
    "The clip asks whether a gradient is longer than the limit. This one is scale times as long as the true one.",
    "Either divide before you measure, or measure with a limit that is scaled like the gradient.",
    "min(1.0, scale * limit / length) in the line of the clip; all else may stay.",
)
