"""# Prove it (2 points)

Two workers have the unscaled gradients `a` and `b`, NumPy arrays of four elements. The right direction is the direction of
their mean. Write `proof(a, b, limit)`, which clips by norm and returns a tuple of two numbers:

- the cosine between the mean and the result of the documented order: clip each gradient, then take the mean
- the factor by which the other order, mean and then clip, multiplies every element of the mean

The cosine between `u` and `v` is `u @ v / (np.linalg.norm(u) * np.linalg.norm(v))`; it is 1
if both have the same direction.
"""

from functools import partial

import numpy as np

from labkit.classroom.writing import judged, same, slip, wrong


def proof(a, b, limit):
    def clip(g):
        return g * min(1.0, limit / np.linalg.norm(g))

    def cosine(u, v):
        return u @ v / (np.linalg.norm(u) * np.linalg.norm(v))

    mean = (a + b) / 2
    return cosine((clip(a) + clip(b)) / 2, mean), np.linalg.norm(clip(mean)) / np.linalg.norm(mean)


def _two_workers(rng, first, second):
    """Two gradients of these lengths, in any directions, and a limit between 1 and 3."""
    a, b = (g / np.linalg.norm(g) for g in rng.normal(size=(2, 4)))
    return first * a, second * b, float(rng.uniform(1.0, 3.0))


draw = tuple(
    partial(_two_workers, first=first, second=second)
    for first, second in ((20.0, 0.5), (20.0, 8.0), (0.5, 0.8), (0.5, 20.0), (8.0, 20.0))
)


def _clip(g, limit):
    return g * min(1.0, limit / np.linalg.norm(g))


def _cosine(u, v):
    return float(u @ v / (np.linalg.norm(u) * np.linalg.norm(v)))


def _factor(u, v):
    return float(np.linalg.norm(u) / np.linalg.norm(v))


def _proof(a, b, limit, clip=_clip, cosine=_cosine):
    mean = (a + b) / 2
    return cosine((clip(a, limit) + clip(b, limit)) / 2, mean), _factor(clip(mean, limit), mean)


reference = _proof


@wrong("Your two numbers are exchanged: the cosine comes first, then the factor.")
def changed_places(a, b, limit):
    return proof(a, b, limit)[::-1]


@wrong("You increased the norm of a small gradient. The factor is limit / norm, but never above 1.", parts=(0, 1))
def stretched(a, b, limit):
    return _proof(a, b, limit, clip=lambda g, limit: g * limit / np.linalg.norm(g))


@wrong(
    "You clipped one of the two gradients. Each worker clips its own: a small gradient does not change, a large one does.",
    when=lambda i, expected, got: (
        not same(expected[0], got[0])
        and any(same(_cosine(_clip(one, i[2]) + other, one + other), got[0]) for one, other in (i[:2], i[1::-1]))
    ),
)
def one_worker_clipped(a, b, limit):
    mean = (a + b) / 2
    return _cosine(_clip(a, limit) + b, mean), _factor(_clip(mean, limit), mean)


@wrong("You clipped by value, which has no common factor. This exercise uses a clip by norm.", parts=(0, 1))
def by_value(a, b, limit):
    return _proof(a, b, limit, clip=lambda g, limit: np.clip(g, -limit, limit))


@wrong(
    "Both of your numbers are 1, as if nothing were clipped: clip a and b, each on its own, and in the other order the mean."
)
def nothing_clipped(a, b, limit):
    return 1.0, 1.0


@judged("dot-product")
def products(a, b, limit):
    return _proof(a, b, limit, cosine=lambda u, v: u @ v)


@judged("kind")
def one_of_them(a, b, limit):
    return proof(a, b, limit)[0]


dot_product = slip(
    "That is the dot product. A cosine is divided by both norms.",
    "return u @ v / (np.linalg.norm(u) * np.linalg.norm(v)) -> return u @ v",
)

angle = slip(
    "That is the angle. The exercise asks for its cosine.",
    "return u @ v / (np.linalg.norm(u) * np.linalg.norm(v)) -> return np.arccos(u @ v / (np.linalg.norm(u) * "
    "np.linalg.norm(v)))",
)

angle_in_degrees = slip(
    "That is the angle in degrees. The exercise asks for its cosine.",
    "return u @ v / (np.linalg.norm(u) * np.linalg.norm(v)) -> return np.degrees(np.arccos(u @ v / "
    "(np.linalg.norm(u) * np.linalg.norm(v))))",
)

sum_for_mean = slip(
    "You clipped the sum of the gradients. The order clips their mean.",
    "mean = (a + b) / 2 -> mean = a + b",
)

norm_for_factor = slip(
    "That is the norm after the clip. The factor is this norm divided by the norm before.",
    "np.linalg.norm(clip(mean)) / np.linalg.norm(mean) -> np.linalg.norm(clip(mean))",
)

factor_upside_down = slip(
    "The factor is inverted: divide the norm after the clip by the norm before.",
    "np.linalg.norm(clip(mean)) / np.linalg.norm(mean) -> np.linalg.norm(mean) / np.linalg.norm(clip(mean))",
)


@wrong(
    "Your cosine is always 1: one common factor does not turn a vector. Clip each gradient by its own norm, then take the mean.",
    when=lambda i, expected, got: same(1.0, float(got[0])) and same(expected[1], got[1]),
)
def one_common_factor(a, b, limit):
    return 1.0, proof(a, b, limit)[1]


@wrong("The factor belongs to the norm of the mean, not to the sum or the mean of the two norms.", parts=(1,))
def norms_for_the_mean(a, b, limit):
    return proof(a, b, limit)[0], min(1.0, 2 * limit / (np.linalg.norm(a) + np.linalg.norm(b)))


@judged("norms-for-the-mean")
def sum_of_the_norms(a, b, limit):
    return proof(a, b, limit)[0], min(1.0, limit / (np.linalg.norm(a) + np.linalg.norm(b)))


@wrong(
    "The cosine is that between the mean and the mean of the clipped gradients. In yours one worker stands for a mean.",
    parts=(0,),
)
def with_one_worker(a, b, limit):
    return _cosine((_clip(a, limit) + _clip(b, limit)) / 2, a), proof(a, b, limit)[1]


@judged("with-one-worker")
def with_the_other_worker(a, b, limit):
    return _cosine((_clip(a, limit) + _clip(b, limit)) / 2, b), proof(a, b, limit)[1]


@wrong("The factor comes from the norm of the mean. Yours comes from the norm of one worker's gradient.", parts=(1,))
def factor_of_a(a, b, limit):
    return proof(a, b, limit)[0], min(1.0, limit / np.linalg.norm(a))


@judged("factor-of-a")
def factor_of_b(a, b, limit):
    return proof(a, b, limit)[0], min(1.0, limit / np.linalg.norm(b))


@wrong(
    "The factor is that of the other order, mean and then clip. You took the norm of the documented order.", parts=(1,)
)
def factor_of_the_documented(a, b, limit):
    mean = (a + b) / 2
    return proof(a, b, limit)[0], _factor((_clip(a, limit) + _clip(b, limit)) / 2, mean)


@wrong("You compared the largest element with the limit. A clip by norm compares the norm.", parts=(0, 1))
def largest_element(a, b, limit):
    return _proof(a, b, limit, clip=lambda g, limit: g * min(1.0, limit / np.abs(g).max()))


@wrong("You divided by the sum of the absolute values. The norm is the root of the sum of squares.", parts=(0, 1))
def absolute_values(a, b, limit):
    return _proof(a, b, limit, clip=lambda g, limit: g * min(1.0, limit / np.abs(g).sum()))


@wrong("You compared the squared norm with the limit. Compare the norm.", parts=(0, 1))
def squared_in_the_factor(a, b, limit):
    return _proof(a, b, limit, clip=lambda g, limit: g * min(1.0, limit / (g @ g)))


larger_factor = slip(
    "The factor is at most 1: min takes the smaller number.",
    "min(1.0, limit / np.linalg.norm(g)) -> max(1.0, limit / np.linalg.norm(g))",
)
half_of_one = slip(
    "The mean of two vectors is half of their sum. You halved one of them only.",
    "(clip(a) + clip(b)) / 2 -> clip(a) + clip(b) / 2",
)


@wrong(
    "The cosine is that between the mean and the documented result. You compared other vectors, or left out the norms.",
    parts=(0,),
)
def of_the_two_orders(a, b, limit):
    mean, documented = (a + b) / 2, (_clip(a, limit) + _clip(b, limit)) / 2
    return float(documented @ _clip(mean, limit)), proof(a, b, limit)[1]


@wrong("The factor is limit / norm of the mean, and 1 where the norm is at most limit. Yours is inverted.", parts=(1,))
def norm_over_limit(a, b, limit):
    return proof(a, b, limit)[0], np.linalg.norm((a + b) / 2) / limit


@wrong("The cosine is that between the mean and the documented result. You compared a with b.", parts=(0,))
def between_the_workers(a, b, limit):
    return _cosine(a, b), proof(a, b, limit)[1]


@wrong("A norm is the root of the sum of squares. The root is missing.", parts=(0, 1))
def root_missing(a, b, limit):
    return _proof(a, b, limit, cosine=lambda u, v: u @ v / ((u @ u) * (v @ v)))


@judged("root-missing")
def root_missing_everywhere(a, b, limit):
    return _proof(a, b, limit, lambda g, limit: g * min(1.0, limit / (g @ g)), lambda u, v: u @ v / ((u @ u) * (v @ v)))


one_minus_the_cosine = slip(
    "That is 1 minus the cosine. The exercise asks for the cosine itself.",
    "return u @ v / (np.linalg.norm(u) * np.linalg.norm(v)) -> return 1 - u @ v / (np.linalg.norm(u) * np.linalg.norm(v))",
)


@wrong("The factor is what every element is multiplied by. You gave 1 minus it.", parts=(1,))
def one_minus_the_factor(a, b, limit):
    return proof(a, b, limit)[0], 1 - proof(a, b, limit)[1]


@wrong("The limit is a norm. The factor is the limit divided by the norm of the mean, and at most 1.", parts=(1,))
def limit_for_factor(a, b, limit):
    return proof(a, b, limit)[0], limit


@wrong("The cosine is a product of two vectors that is divided by both norms. You divided by one norm.", parts=(0,))
def one_norm(a, b, limit):
    return _proof(a, b, limit, cosine=lambda u, v: u @ v / np.linalg.norm(v))


@judged("one-norm")
def the_other_norm(a, b, limit):
    return _proof(a, b, limit, cosine=lambda u, v: u @ v / np.linalg.norm(u))


quarter_of_the_sum = slip(
    "The mean of two vectors is half of their sum, however many elements they have.",
    "mean = (a + b) / 2 -> mean = (a + b) / 4",
)
brackets_missing = slip(
    "You divide by the first norm and multiply by the second one. Put their product in brackets.",
    "/ (np.linalg.norm(u) * np.linalg.norm(v)) -> / np.linalg.norm(u) * np.linalg.norm(v)",
)
norms_added = slip(
    "The two norms are multiplied. You added them.",
    "(np.linalg.norm(u) * np.linalg.norm(v)) -> (np.linalg.norm(u) + np.linalg.norm(v))",
)


@wrong("The factor belongs to the mean of the unclipped gradients. You used the clipped ones.", parts=(1,))
def factor_of_the_clipped(a, b, limit):
    return proof(a, b, limit)[0], min(1.0, limit / np.linalg.norm((_clip(a, limit) + _clip(b, limit)) / 2))


@wrong("The factor belongs to the mean. You took the norm of all elements of a and b together.", parts=(1,))
def factor_of_both(a, b, limit):
    return proof(a, b, limit)[0], min(1.0, limit / np.linalg.norm([a, b]))


@wrong("Each gradient is clipped to the limit itself, not to half or twice the limit.", parts=(0,))
def half_the_limit(a, b, limit):
    return proof(a, b, limit / 2)[0], proof(a, b, limit)[1]


@judged("half-the-limit")
def twice_the_limit(a, b, limit):
    return proof(a, b, limit * 2)[0], proof(a, b, limit)[1]


@judged("brackets-missing")
def brackets_missing_for_the_mean(a, b, limit):
    return _proof(a, b, limit, cosine=lambda u, v: u @ v / np.linalg.norm(v) * np.linalg.norm(u))


@judged("with-one-worker")
def a_for_the_clipped(a, b, limit):
    return _cosine(a, (a + b) / 2), proof(a, b, limit)[1]


@judged("with-one-worker")
def b_for_the_clipped(a, b, limit):
    return _cosine(b, (a + b) / 2), proof(a, b, limit)[1]


hints = (
    "Write the clip first: g * min(1, limit / norm of g).",
    "Three vectors: the mean, the mean of the two clipped ones, and the clipped mean, which is the mean times "
    "one factor.",
    "return cosine((clip(a) + clip(b)) / 2, mean), min(1.0, limit / np.linalg.norm(mean))",
)
