"""# Mend the training that remembers too much (2 points)

`w` is trained for the loss `(x * w - y)**2 + w**2`. `w` is used twice, so two parts arrive in each step, and
`grad` adds them up. All arguments are numbers.

[[never_reset as mended]]

It returns the values of `w` after each step, and after the first step they are wrong. Mend it.
"""

from labkit.classroom.writing import judged, strata, wrong


def mended(x, y, w, steps, rate):
    path = []
    for _ in range(steps):
        grad = 0.0
        error = x * w - y
        grad = grad + 2 * error * x
        grad = grad + 2 * w
        w = w - rate * grad
        path.append(w)
    return path


def _draw_training(rng):
    return (
        float(rng.integers(1, 4) * rng.choice([-1, 1])),
        float(rng.integers(3, 9)),
        float(rng.integers(4, 8)),
        int(rng.integers(3, 6)),
        float(rng.choice([0.03125, 0.0625])),
    )


def _moves(x, y, w, steps, rate):
    """The first gradient is not 0: a training that begins where it ends remembers nothing wrong."""
    return (x * w - y) * x + w != 0


draw = strata(_draw_training, _moves)


@wrong(
    "The gradient of the first step is still in grad when the second step adds its own. Set it to zero in each step."
)
def never_reset(x, y, w, steps, rate):
    path = []
    grad = 0.0
    for _ in range(steps):
        error = x * w - y
        grad = grad + 2 * error * x
        grad = grad + 2 * w
        w = w - rate * grad
        path.append(w)
    return path


def _path(x, y, w, steps, rate, twice=lambda first, second: first + second):
    path = []
    for _ in range(steps):
        w = w - rate * twice(2 * (x * w - y) * x, 2 * w)
        path.append(w)
    return path


@wrong(
    "Now nothing of the step before is left, but a part of *this* step is lost, too. Set grad to zero once in "
    "each step, and go on adding within it."
)
def overwritten(x, y, w, steps, rate):
    return _path(x, y, w, steps, rate, lambda first, second: second)


@wrong("grad is set to zero before w is changed: the step uses nothing, and w stays where it was.")
def reset_too_late(x, y, w, steps, rate):
    return [w] * steps


@wrong("w goes the wrong way. The loss falls against the gradient: w - rate * grad.")
def uphill(x, y, w, steps, rate):
    return mended(x, y, w, steps, -rate)


@judged("kind")
def the_last_w(x, y, w, steps, rate):
    return mended(x, y, w, steps, rate)[-1]


@judged("value")
def half_a_step(x, y, w, steps, rate):
    return mended(x, y, w, steps, rate / 2)


hints = (
    "What is in grad when the second step begins? What should be there?",
    "One line stands in the wrong place.",
    "Move grad = 0.0 into the loop, to its beginning.",
)
