"""# The largest scale that fits (2 points)

`g1` and `g2` are the unscaled gradients of a network, two float32 arrays. Write `largest(g1, g2)`, which returns the largest
power of two that can scale all of them without overflow in float16: the product of this power and the largest absolute value
is at most 65504.
"""

from functools import partial

import numpy as np

from labkit.classroom.writing import judged, slip, wrong


def largest(g1, g2):
    top = float(max(np.abs(g1).max(), np.abs(g2).max()))
    return 2.0 ** np.floor(np.log2(65504 / top))


def _drawn_gradients(rng, sign, place, near=None, halved=(8, 14)):
    """Two arrays, with the largest magnitude at a place of theirs, of this sign: `near / 2**n`, or any size."""
    sizes = np.sort(10.0 ** rng.uniform(-5, 1, 7))
    if near:
        sizes[-1] = near / 2.0 ** rng.integers(*halved)
        sizes[:-1] *= min(1.0, sizes[-1] / 20)
    values = sizes[:-1] * rng.choice([-1.0, 1.0], 6)
    values[:2] = sizes[:2]
    values = np.insert(rng.permutation(values), place, sign * sizes[-1]).astype(np.float32)
    values[4] = sizes[-1] / 4  # another one in the second array that is not small
    return values[:3], values[3:].reshape(2, 2)


def reference(g1, g2):
    top, scale = max(float(np.abs(g).max()) for g in (g1, g2)), 2.0**64
    while scale * top > 65504:
        scale /= 2
    return scale


draw = (
    partial(_drawn_gradients, sign=-1, place=1),
    partial(_drawn_gradients, sign=-1, place=5, near=64500.0),
    partial(_drawn_gradients, sign=1, place=6, near=65530.0),  # 65536 would be too large a limit
    partial(_drawn_gradients, sign=-1, place=0, near=65503.5),
    partial(_drawn_gradients, sign=1, place=2),
    partial(_drawn_gradients, sign=1, place=3, near=60000.0, halved=(-5, -1)),  # too large as they are: a scale below 1
    partial(
        _drawn_gradients, sign=-1, place=5, near=65504.0, halved=(6, 12)
    ),  # at the limit: no logarithm is just below
)
draws = 7


def _power_below(top):
    return 2.0 ** np.floor(np.log2(65504 / top))


@wrong("The gradient with the largest magnitude is negative. Take absolute values first.")
def sign_forgotten(g1, g2):
    return _power_below(max(g1.max(), g2.max()))


@wrong(
    "This power of two is too large: the largest magnitude times it is above 65504.",
    when=lambda i, expected, got: got == 2 * expected or (expected < got == 1),
)
def rounded_up(g1, g2):
    return 2.0 * largest(g1, g2)


@wrong(
    "This scale fits, but it is not a power of two. Only a power of two leaves the bits of the fraction unchanged.",
    when=lambda i, expected, got: np.log2(got) % 1 and abs(got * max(np.abs(g).max() for g in i) / 65504 - 1) < 1e-3,
)
def no_power_of_two(g1, g2):
    top = max(np.abs(g1).max(), np.abs(g2).max())
    return float(65504 / top)


@wrong("The largest gradient overflows first. You used the smallest one.")
def smallest_gradient(g1, g2):
    return _power_below(min(np.abs(g1).min(), np.abs(g2).min()))


@wrong(
    "Your scale fits the magnitudes of one array only. The other array has a larger one, of either sign.",
    when=lambda i, expected, got: got > expected and got in [_power_below(np.abs(g).max()) for g in i],
)
def one_array_only(g1, g2):
    return _power_below(np.abs(g1).max())


@judged("exponent-only")
def exponent(g1, g2):
    return np.log2(largest(g1, g2))


@judged("kind")
def a_text(g1, g2):
    return "1024"


smaller_maximum = slip(
    "You took the smaller of the two largest magnitudes. The larger one overflows first.",
    "max(np.abs(g1).max() -> min(np.abs(g1).max()",
)

nearest_power = slip(
    "You rounded to the nearest power of two. Rounded up, the largest gradient is above 65504.",
    "np.floor -> np.round",
)

exponent_only = slip(
    "That is the exponent. The exercise asks for the power of two.",
    "2.0 ** np.floor(np.log2(65504 / top)) -> np.floor(np.log2(65504 / top))",
)

limit_of_integers = slip(
    "Your scale is half as large as it may be: the limit is 65504, and the largest magnitude alone has to stay below it.",
    "65504 / top -> 32767 / top",
)

magnitudes_added = slip(
    "You added the two magnitudes. Each gradient is multiplied on its own: the larger one counts.",
    "max(np.abs(g1).max(), np.abs(g2).max()) -> np.abs(g1).max() + np.abs(g2).max()",
)

quotient_upside_down = slip(
    "The quotient is inverted: 65504 divided by the largest magnitude.",
    "65504 / top -> top / 65504",
)

norm_for_maximum = slip(
    "You took the norm of all gradients. Each element has to fit on its own: the largest magnitude counts.",
    "max(np.abs(g1).max(), np.abs(g2).max()) -> np.sqrt((g1**2).sum() + (g2**2).sum())",
)

natural_logarithm = slip(
    "The exponent of a power of two is a logarithm to base 2.",
    "np.log2 -> np.log",
)

mean_magnitude = slip(
    "The mean magnitude fits, but larger elements overflow. The largest magnitude counts.",
    "max(np.abs(g1).max(), np.abs(g2).max()) -> max(np.abs(g1).mean(), np.abs(g2).mean())",
)

one_power_less = slip(
    "The next power of two fits as well.",
    "2.0 ** np.floor(np.log2(65504 / top)) -> 2.0 ** (np.floor(np.log2(65504 / top)) - 1)",
)

mean_of_the_maxima = slip(
    "You took the mean of the two largest magnitudes. The larger one overflows first.",
    "max(np.abs(g1).max(), np.abs(g2).max()) -> (np.abs(g1).max() + np.abs(g2).max()) / 2",
)
rounded_to_the_next = slip(
    "The limit is 65504. You compare with 65536, the power of two above it.", "65504 / top -> 65536 / top"
)
never_below_one = slip(
    "A scale below 1 is allowed: gradients may be too large as they are.",
    "return 2.0 ** np.floor(np.log2(65504 / top)) -> return max(1.0, 2.0 ** np.floor(np.log2(65504 / top)))",
)

decimal_logarithm = slip(
    "The exponent of a power of two is a logarithm to base 2. You took base 10.", "np.log2 -> np.log10"
)


@wrong(
    "You asked which scale saves the smallest gradient from underflow. The question is which one the largest gradient survives."
)
def smallest_saved(g1, g2):
    return 2.0 ** np.ceil(np.log2(2.0**-24 / min(np.abs(g1).min(), np.abs(g2).min())))


limit_left_out = slip(
    "The product may be 65504 itself. You stop one power of two before it.",
    "np.floor(np.log2(65504 / top)) -> (np.ceil(np.log2(65504 / top)) - 1)",
)


@judged("mean-magnitude")
def mean_of_all(g1, g2):
    return _power_below(np.abs(np.append(g1, g2)).mean())


@wrong("You took the larger of the two norms. Each element has to fit on its own: the largest magnitude counts.")
def larger_norm(g1, g2):
    return _power_below(max(np.linalg.norm(g1), np.linalg.norm(g2)))


@wrong("Your scale is never below 1, and otherwise one power too large. A scale below 1 is allowed.")
def one_too_far_from_one(g1, g2):
    top, scale = max(np.abs(g1).max(), np.abs(g2).max()), 1.0
    while scale * top <= 65504:
        scale *= 2
    return scale


product_returned = slip(
    "You return the scaled gradient. The exercise asks for the scale.", "return 2.0 ** np -> return top * 2.0 ** np"
)
reciprocal = slip("You return 1 divided by the scale.", "return 2.0 ** np.floor -> return 0.5 ** np.floor")
whole_number = slip(
    "A scale below 1 is allowed: as an int it is 0.",
    "return 2.0 ** np.floor(np.log2(65504 / top)) -> return float(int(2.0 ** np.floor(np.log2(65504 / top))))",
)
limit_of_float32 = slip("float16 ends at 65504. Your limit is that of float32.", "65504 / top -> 3.4028234e38 / top")
product_of_the_maxima = slip(
    "Each gradient is multiplied by the scale on its own. You multiplied the two magnitudes.",
    "max(np.abs(g1).max(), np.abs(g2).max()) -> np.abs(g1).max() * np.abs(g2).max()",
)


@judged("limit-left-out")
def compared_in_float16(g1, g2):
    power, top = largest(g1, g2), max(np.abs(g1).max(), np.abs(g2).max())
    return power if np.float16(top * power) < 65504 else power / 2


doubled_exponent = slip(
    "A power of two is 2 to the exponent. You multiplied the exponent by 2.", "2.0 ** np.floor -> 2.0 * np.floor"
)
product_with_the_limit = slip(
    "The scale is smaller where the gradient is larger: 65504 is divided by it. You multiplied.",
    "65504 / top -> 65504 * top",
)


hints = (
    "Which of the gradients overflows first?",
    "The largest magnitude times the scale may be at most 65504, which gives an upper limit for the scale.",
    "2.0 ** np.floor(np.log2(65504 / top)), where top is the largest absolute value of both arrays.",
)
