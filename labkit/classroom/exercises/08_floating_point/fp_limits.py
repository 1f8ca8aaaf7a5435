"""# From bits to limits (3 points)

A format has `E` bits for the exponent and `F` bits for the fraction, and works like float16 (where `E` is 5 and `F` is 10).
Write `limits(E, F)`, which returns a tuple of four numbers:

0. the largest finite number
1. the `e` for which `2**e` is the smallest positive normal number
2. the `e` for which `2**e` is the smallest positive number of all, a subnormal number
3. the `e` for which `2**e` is the gap between 1 and the next number

For float16 the answer is `(65504.0, -14, -24, -10)`.
"""

import numpy as np

from labkit.classroom.writing import judged, same, slip, wrong


def limits(E, F):
    bias = 2 ** (E - 1) - 1
    largest = (2 - 2.0**-F) * 2.0**bias
    smallest = 1 - bias
    return largest, smallest, smallest - F, -F


def _top(inputs):
    """The largest exponent of the format."""
    return 2 ** (inputs[0] - 1) - 1


def draw(rng):
    return int(rng.integers(4, 8)), int(rng.integers(2, 10))


@wrong(
    "The exponent field of all ones is reserved for inf and nan. The largest number has the next lower exponent.",
    parts=(0,),
)
def last_exponent_is_taken(E, F):
    largest, *exponents = limits(E, F)
    return 2 * largest, *exponents


@wrong(
    "The exponent is right, but the largest number has a fraction of all ones: it is almost the next power of two.",
    when=lambda i, expected, got: got[0] == 2.0 ** _top(i),
)
def fraction_of_the_largest(E, F):
    largest, *exponents = limits(E, F)
    return 2.0 ** (2 ** (E - 1) - 1), *exponents


@wrong("The exponent field 0 is reserved for 0 and the subnormal numbers. Normal numbers start at the field 1.")
def exponent_zero_is_taken(E, F):
    largest, normal, smallest, gap = limits(E, F)
    return largest, normal - 1, smallest - 1, gap


@wrong("Below the smallest normal number there are smaller ones: the fraction can have a single 1, in its last bit.")
def no_subnormals(E, F):
    largest, normal, smallest, gap = limits(E, F)
    return largest, normal, normal, gap


@wrong(
    "The gap at 1 is one step of the last fraction bit: 2 to the power of minus F.",
    when=lambda i, expected, got: got[3] in (i[1], -i[1] - 1, -i[1] + 1) and same(expected[:3], got[:3]),
)
def gap_sign(E, F):
    largest, normal, smallest, gap = limits(E, F)
    return largest, normal, smallest, -gap


@judged("structure")
def three_numbers(E, F):
    return limits(E, F)[:3]


numbers_for_exponents = slip(
    "Parts 1 to 3 are exponents e. You gave the numbers 2**e.",
    "return largest, smallest, smallest - F, -F -> return largest, 2.0**smallest, 2.0 ** (smallest - F), 2.0**-F",
)

one_bit_short = slip(
    "The smallest subnormal number is 2**-F times the smallest normal one: all F bits of the fraction count.",
    "smallest - F, -F -> smallest - F + 1, -F",
)

one_bit_too_far = slip(
    "The smallest subnormal number is 2**-F times the smallest normal one. You counted one bit more.",
    "smallest - F, -F -> smallest - F - 1, -F",
)

hidden_one_forgotten = slip(
    "The fraction has a hidden 1 before it: the largest factor is 2 - 2**-F.",
    "(2 - 2.0**-F) -> (1 - 2.0**-F)",
)

bias_one_more = slip(
    "The bias is 2**(E - 1) - 1.",
    "2 ** (E - 1) - 1 -> 2 ** (E - 1)",
)

bias_of_all_bits = slip(
    "The bias is about half of the exponent field: 2**(E - 1) - 1.",
    "2 ** (E - 1) - 1 -> 2**E - 1",
)

gap_of_one_bit_more = slip(
    "The gap between 1 and the next number is one step of the last of F bits: 2**-F.",
    "- F, -F -> - F, -F - 1",
)


@wrong("Each bit of the fraction halves the smallest number: the exponent is smaller by F, not by 2**F.", parts=(2,))
def power_of_the_fraction(E, F):
    largest, normal, smallest, gap = limits(E, F)
    return largest, normal, normal - 2**F, gap


@wrong("The largest number has the exponent 2**(E - 1) - 1. Yours is one less.", parts=(0,))
def exponent_one_less(E, F):
    largest, *exponents = limits(E, F)
    return largest / 2, *exponents


@wrong("Not only whole numbers count: the largest one is a gap below the next power of two, 2**(bias - F).", parts=(0,))
def one_below_the_power(E, F):
    largest, *exponents = limits(E, F)
    return 2.0 ** (2 ** (E - 1)) - 1, *exponents


@wrong("You gave the power of two above the largest number. Its exponent is that of inf and nan.", parts=(0,))
def next_power(E, F):
    largest, *exponents = limits(E, F)
    return 2.0 ** (2 ** (E - 1)), *exponents


@wrong(
    "The fraction of the largest number has F ones, down to the last bit. You counted a different number of ones.",
    when=lambda i, expected, got: got[0] in [(2 - 2.0**-f) * 2.0 ** _top(i) for f in (i[1] - 1, i[1] + 1)],
)
def another_fraction(E, F):
    largest, *exponents = limits(E, F)
    return (2 - 2.0 ** (1 - F)) * 2.0 ** (2 ** (E - 1) - 1), *exponents


@wrong(
    "The exponents come from E and the gap from F. You exchanged E and F.",
    when=lambda i, expected, got: i[0] != i[1] and got[1] == 2 - 2 ** (i[1] - 1),
)
def bits_exchanged(E, F):
    return limits(F, E)


@wrong(
    "These are the numbers of float16. Compute them from E and F.",
    when=lambda i, expected, got: list(got) == [65504, -14, -24, -10],
)
def float16_whatever_comes(E, F):
    return 65504.0, -14, -24, -10


@wrong("Parts 1 to 3 are exponents e, not the numbers 2**e.", parts=(1, 2, 3))
def one_number_for_an_exponent(E, F):
    return *limits(E, F)[:3], 2.0**-F


@wrong(
    "Your smallest number has the exponent -F, which is the gap at 1. It is F bits below the smallest normal number.",
    parts=(2,),
)
def counted_from_one(E, F):
    largest, normal, smallest, gap = limits(E, F)
    return largest, normal, -F, gap


@wrong("The exponent field of the smallest normal number is 1: subtract the bias from it, not from 0 or 2.", parts=(1,))
def two_too_high(E, F):
    largest, normal, smallest, gap = limits(E, F)
    return largest, normal + 1, smallest, gap


@judged("two-too-high")
def one_too_low(E, F):
    largest, normal, smallest, gap = limits(E, F)
    return largest, normal - 1, smallest, gap


@wrong("The largest number has the exponent 2**(E - 1) - 1. Yours has the whole field, without the bias.", parts=(0,))
def bias_not_subtracted(E, F):
    largest, *exponents = limits(E, F)
    return (2 - 2.0**-F) * 2.0 ** (2**E - 2), *exponents


@wrong("A fraction of all ones is 1 - 2**-F. You have only its last bit.", parts=(0,))
def last_bit_only(E, F):
    largest, *exponents = limits(E, F)
    return (1 + 2.0**-F) * 2.0 ** (2 ** (E - 1) - 1), *exponents


@wrong("The last bit of the fraction counts 2**-F. You took 2**F.", parts=(0,))
def last_bit_too_large(E, F):
    largest, *exponents = limits(E, F)
    return (2 - 2.0**F) * 2.0 ** (2 ** (E - 1) - 1), *exponents


@wrong(
    "An exponent is a power of two: the largest factor is multiplied by 2**bias, not by bias.",
    when=lambda i, expected, got: (
        same(expected[1:], got[1:]) and got[0] in [(2 - 2.0 ** -i[1]) * factor for factor in (_top(i), _top(i) + 1)]
    ),
)
def exponent_as_a_factor(E, F):
    largest, *exponents = limits(E, F)
    return (2 - 2.0**-F) * (2 ** (E - 1) - 1), *exponents


@wrong("The largest number has F + 1 ones, but they do not end at the units: the exponent moves them.", parts=(0,))
def without_the_exponent(E, F):
    largest, *exponents = limits(E, F)
    return 2.0 ** (F + 1) - 1, *exponents


@wrong("The smallest number is F bits below the smallest normal one. You went one bit too far.", parts=(2,))
def one_bit_below(E, F):
    largest, normal, smallest, gap = limits(E, F)
    return largest, normal, normal - 1, gap


@wrong("The smallest number is below the smallest normal one. Yours is above it.", parts=(2,))
def above_the_normal(E, F):
    largest, normal, smallest, gap = limits(E, F)
    return largest, normal, normal + F, gap


@wrong("The gap at 1 comes from the bits of the fraction. You used the bits of the exponent.", parts=(3,))
def gap_of_the_exponent(E, F):
    return *limits(E, F)[:3], -E


@wrong(
    "Your four numbers fit a different bias. The bias is 2**(E - 1) - 1.",
    when=lambda i, expected, got: (
        got[1] != expected[1]
        and same((2 - 2.0 ** -i[1]) * 2.0 ** (1 - got[1]), float(got[0]))
        and same((got[1] - i[1], -i[1]), got[2:])
    ),
)
def another_bias(E, F):
    bias = E - 1
    return (2 - 2.0**-F) * 2.0**bias, 1 - bias, 1 - bias - F, -F


bias_added = slip(
    "The bias is subtracted from the stored exponent 1. You added it.", "smallest = 1 - bias -> smallest = 1 + bias"
)


@wrong("The largest factor is just below 2: a fraction of all ones. Yours is above 2.", parts=(0,))
def above_two(E, F):
    largest, *exponents = limits(E, F)
    return (2 + 2.0**-F) * 2.0 ** (2 ** (E - 1) - 1), *exponents


@wrong(
    "A normal number below 1 has a negative exponent. Yours is positive, so that all normal numbers would be above 1.",
    parts=(1,),
    when=lambda i, expected, got: np.ndim(got[1]) == 0 and got[1] > 0 and same(expected[0], got[0]),
)
def positive_exponent(E, F):
    largest, normal, smallest, gap = limits(E, F)
    return largest, -normal, smallest, gap


two_below = slip(
    "The smallest normal number has the field 1, and the bias is 1 less than 2**(E - 1). Your exponent is two too low.",
    "smallest = 1 - bias -> smallest = -1 - bias",
)


hints = (
    "The exponent field counts from 0 to 2**E - 1; the bias 2**(E - 1) - 1 is subtracted. Both ends are reserved: "
    "by 0 and subnormal numbers below, by inf and nan above.",
    "The largest number is 1.111...1 (F ones) times 2**bias, and 1.111...1 is 2 - 2**-F.",
    "The smallest normal exponent is 1 - bias, the smallest of all is F lower, the gap at 1 is -F.",
)
