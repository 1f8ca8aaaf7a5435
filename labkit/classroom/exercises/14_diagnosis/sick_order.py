"""# A step that passes four tests (3 points)

Eve's step was fixed three times, and each time something else broke, so now there are tests. `a` and `b` are the gradients of
two parameters (NumPy arrays), still multiplied by the loss scale `scale`. `prepare(a, b, scale, limit)` returns the tuple of
the two gradients that the optimizer should get. The tests check that

- the scale has no effect: `prepare(2 * a, 2 * b, 2 * scale, limit)` returns the same as `prepare(a, b, scale, limit)`;
- an unscaled gradient whose global norm is at most `limit` is returned unchanged;
- a larger gradient is returned with the global norm `limit`, in the same direction;
- if any element is inf or nan, the step is skipped, and the result is the empty tuple `()`.

Write `prepare`, in an order that passes all four tests.
"""

from functools import partial

import numpy as np

from labkit.classroom.writing import judged, slip, wrong


def prepare(a, b, scale, limit):
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        return ()
    a, b = a / scale, b / scale
    norm = np.sqrt(np.sum(a**2) + np.sum(b**2))
    factor = min(1.0, limit / norm)
    return a * factor, b * factor


def _scaled(rng, part, ill=()):
    """Two gradients, and a limit that is this part of their norm; `ill`: which of them has what at which place."""
    scale = float(2.0 ** rng.integers(8, 13))
    a, b = (rng.uniform(1, 4, n) * rng.choice([-1, 1], n) for n in (3, 2))
    limit = round(float(part * np.sqrt(np.sum(a**2) + np.sum(b**2))), 2)
    for which, place, value in ill:
        (a, b)[which][place] = value
    return a * scale, b * scale, scale, limit


draw = (
    partial(_scaled, part=0.2),
    partial(_scaled, part=0.2, ill=[(1, 0, np.inf)]),
    partial(_scaled, part=1.5),
    partial(_scaled, part=1.5, ill=[(0, 2, -np.inf)]),
    partial(_scaled, part=0.7, ill=[(0, 1, np.nan)]),
    partial(_scaled, part=0.85),
    partial(_scaled, part=1.5, ill=[(0, 0, np.inf), (1, 1, np.nan)]),
)


@wrong("Your clipped gradient has the norm limit / scale. Unscale first: limit is for the norm of unscaled gradients.")
def clip_before_unscale(a, b, scale, limit):
    return tuple(g / scale for g in prepare(a, b, 1.0, limit))


@wrong("You clipped each gradient by its own norm. The global norm is the norm of both together.")
def each_by_itself(a, b, scale, limit):
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        return ()
    return tuple(g / scale * min(1.0, limit / np.linalg.norm(g / scale)) for g in (a, b))


@wrong(
    "Gradients below the limit are rescaled to it, too. Divide by the scale, and then clip only gradients above the limit."
)
def always_at_the_limit(a, b, scale, limit):
    return prepare(a, b, 1.0, limit)


@wrong(
    "If a or b contains inf or nan, the step has to be skipped: return ().",
    when=lambda i, expected, got: expected == () and len(got) > 0,
)
def not_skipped(a, b, scale, limit):
    return prepare(a, b, scale, limit) or (a / scale, b / scale)


@judged("always-at-the-limit")
def always_scaled(a, b, scale, limit):
    return tuple(g * limit / np.sqrt(np.sum(a**2) + np.sum(b**2)) for g in prepare(a, b, scale, np.inf) and (a, b))


@judged("not-skipped")
@np.errstate(all="ignore")
def b_looked_at(a, b, scale, limit):
    if not np.isfinite(b).all():
        return ()
    a, b = a / scale, b / scale
    factor = min(1.0, limit / np.sqrt(np.sum(a**2) + np.sum(b**2)))
    return a * factor, b * factor


@judged("limit-scaled")
def not_clipped(a, b, scale, limit):
    return prepare(a, b, scale, np.inf)


by_value = slip(
    "You clip each element (by value), which changes the direction. Clip by the global norm: one factor for all "
    "elements.",
    "a * factor, b * factor -> np.clip(a, -limit, limit), np.clip(b, -limit, limit)",
)

root_missing = slip(
    "The norm is the root of the sum of squares. The root is missing.",
    "np.sqrt(np.sum(a**2) + np.sum(b**2)) -> np.sum(a**2) + np.sum(b**2)",
)

norms_added = slip(
    "You added the two norms. The global norm is the root of the sum of all squares.",
    "np.sqrt(np.sum(a**2) + np.sum(b**2)) -> np.sqrt(np.sum(a**2)) + np.sqrt(np.sum(b**2))",
)

b_not_scaled_down = slip(
    "b is not clipped. Both gradients get the same factor.",
    "a * factor, b * factor -> a * factor, b",
)

limit_scaled = slip(
    "Norms above the limit are not clipped. The norm is that of the unscaled gradients, and the limit is as it was given.",
    "limit / norm -> limit * scale / norm",
)

a_unscaled_alone = slip(
    "b is still multiplied by the loss scale. Divide both by it.", "a / scale, b / scale -> a / scale, b"
)
b_unscaled_alone = slip(
    "a is still multiplied by the loss scale. Divide both by it.", "a / scale, b / scale -> a, b / scale"
)
a_not_clipped = slip("a is not clipped. Both gradients get the same factor.", "a * factor, b * factor -> a, b * factor")
unscaled_twice = slip(
    "You divided by the loss scale twice.", "a * factor, b * factor -> a * factor / scale, b * factor / scale"
)
factor_upside_down = slip("The factor is limit / norm. Yours is inverted.", "limit / norm -> norm / limit")
_FACTOR = "The factor of a clipped gradient is limit / norm. Yours is {}."
multiplied_by_the_limit = slip(_FACTOR.format("limit"), "min(1.0, limit / norm) -> (limit if norm > limit else 1.0)")
inverted_above = slip(_FACTOR.format("inverted"), "min(1.0, limit / norm) -> (norm / limit if norm > limit else 1.0)")
norm_always_one = slip(
    "All your gradients have the norm 1. Change only those above the limit: they get the norm limit.",
    "min(1.0, limit / norm) -> 1 / norm",
)
norm_of_one = slip(
    "The clipped gradients have the norm 1. They should have the norm limit.",
    "min(1.0, limit / norm) -> (1 / norm if norm > limit else 1.0)",
)


@wrong("The loss scale is never divided out: you clip with limit * scale, and return scaled gradients.")
def never_unscaled(a, b, scale, limit):
    return tuple(g * scale for g in prepare(a, b, scale, limit))


only_a_counts = slip(
    "The norm is that of all elements of a and b. Your norm includes only one of the two.",
    "np.sum(a**2) + np.sum(b**2) -> np.sum(a**2)",
)
mean_of_squares = slip(
    "A norm adds the squares. You took their mean.", "np.sum(a**2) + np.sum(b**2) -> np.mean(a**2) + np.mean(b**2)"
)

mean_of_the_norms = slip(
    "You took the mean of the two norms. The global norm is the root of the sum of all squares.",
    "np.sqrt(np.sum(a**2) + np.sum(b**2)) -> (np.sqrt(np.sum(a**2)) + np.sqrt(np.sum(b**2))) / 2",
)


@wrong(
    "A gradient that is larger than the limit is skipped. Clip it: only inf and nan are a reason to skip.",
    when=lambda i, expected, got: len(expected) == 2 and len(got) == 0 and _long(*i),
)
def long_ones_skipped(a, b, scale, limit):
    found = prepare(a, b, scale, np.inf)
    return found if found and not _long(a, b, scale, limit) else ()


def _long(a, b, scale, limit):
    return np.sqrt(np.sum(a**2) + np.sum(b**2)) > limit * scale


@wrong(
    "Steps with finite gradients are skipped. The result is () only if an element is inf or nan.",
    when=lambda i, expected, got: len(expected) == 2 and len(got) == 0,
)
def finite_ones_skipped(a, b, scale, limit):
    return ()


@wrong(
    "The check is inverted: finite gradients are skipped, and those with an inf or a nan are not.",
    when=lambda i, expected, got: {len(expected), len(got)} == {0, 2},
)
def check_upside_down(a, b, scale, limit):
    return () if prepare(a, b, scale, limit) else (a / scale, b / scale)


_NORM = "np.sqrt(np.sum(a**2) + np.sum(b**2)) -> "
largest_element = slip(
    "You measured the largest element. The global norm is the root of the sum of all squares.",
    _NORM + "max(np.abs(a).max(), np.abs(b).max())",
)
sizes_added = slip(
    "You added absolute values. The global norm is the root of the sum of all squares.",
    _NORM + "np.abs(a).sum() + np.abs(b).sum()",
)
mean_of_all_squares = slip(
    "A norm adds the squares. You took their mean.",
    _NORM + "np.sqrt((np.sum(a**2) + np.sum(b**2)) / (a.size + b.size))",
)
factor_squared = slip(
    "The factor is squared: a clipped gradient does not have the norm limit.", "limit / norm -> limit**2 / norm**2"
)
factor_rooted = slip("You took the root of the factor. It is limit / norm.", "limit / norm -> np.sqrt(limit / norm)")
excess_subtracted = slip(
    "You subtracted the excess of the norm over the limit. Multiply by limit / norm.",
    "min(1.0, limit / norm) -> 1.0 - max(0.0, norm - limit)",
)
set_to_zero = slip(
    "Gradients above the limit become 0. Clip them to the norm limit.",
    "min(1.0, limit / norm) -> 1.0 if norm <= limit else 0.0",
)


@wrong(
    "The norm of a clipped gradient is slightly below limit. Add nothing to the norm.",
    when=lambda i, expected, got: (
        len(expected) == len(got) == 2
        and all(0.9 < float(np.max(g / e)) < 1 and np.ptp(g / e) < 1e-9 for e, g in zip(expected, got))
    ),
)
def small_number_added(a, b, scale, limit):
    found = prepare(a, b, scale, limit)
    return tuple(g * limit / (limit + 1e-2) for g in found) if _long(a, b, scale, limit) else found


@wrong(
    "Return the two gradients as a tuple. You joined them into one array.",
    when=lambda i, e, got: isinstance(got, np.ndarray),
)
def joined(a, b, scale, limit):
    return np.concatenate(prepare(a, b, scale, limit) or (a, b))


signs_lost = slip(
    "The direction is lost: the elements keep their signs.",
    "a * factor, b * factor -> abs(a) * factor, abs(b) * factor",
)
squares_of_sums = slip("Square each element before you add.", _NORM + "np.sqrt(np.sum(a) ** 2 + np.sum(b) ** 2)")


@wrong("You clip each element (by value) and unscale afterwards. Unscale first, and clip by the global norm.")
def scaled_by_value(a, b, scale, limit):
    return prepare(a, b, scale, np.inf) and tuple(np.clip(g, -limit, limit) / scale for g in (a, b))


errors = (("nothing (None)", "A step that is skipped returns the empty tuple: return ()."),)
hints = (
    "For the first test, unscale before you compute a norm. For the last one, check before you compute with values that "
    "are not finite.",
    "The global norm is the square root of the sum of all squares, of a and of b.",
    "factor = min(1.0, limit / norm); multiply both gradients by this factor.",
)
