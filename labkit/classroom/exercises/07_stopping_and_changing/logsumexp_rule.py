"""# logsumexp without overflow (3 points)

`logsumexp(x)` is `log(sum(exp(x)))`. Write `answer(x, g)` in plain NumPy; it returns a pair: the value of
`logsumexp(x)`, and the gradient of `x` for the upstream gradient `g` (a number). `x` has four elements, each near
2000 or near -2000, where `exp` gives infinity or 0. Both results must be finite and exact.
"""

from functools import partial

import numpy as np

from labkit.classroom.writing import PLAIN, Way, judged, slip, wrong


def answer(x, g):
    largest = np.max(x)
    shifted = np.exp(x - largest)
    value = largest + np.log(np.sum(shifted))
    return value, g * shifted / np.sum(shifted)


def _far_away(rng, side):
    """Four numbers near each other, far away from 0 on these sides; and an upstream gradient."""
    return side * rng.uniform(1500, 3000) + rng.uniform(-2, 2, 4), float(rng.uniform(0.5, 3.0) * rng.choice([-1, 1]))


draw = tuple(partial(_far_away, side=side) for side in (1, -1, np.array([-1, 1, 1, -1])))


@wrong(
    "Your result contains inf or nan: exp got large numbers, log got 0, or you divided by 0. Subtract the largest element first: "
    "log(sum(exp(x))) = m + log(sum(exp(x - m))).",
    when=lambda i, expected, got: not all(np.isfinite(part).all() for part in got),
)
def overflow(x, g):
    with np.errstate(all="ignore"):
        return np.log(np.sum(np.exp(x))), g * np.exp(x) / np.sum(np.exp(x))


@wrong(
    "You sent all of g to the largest element: that is the gradient of max. Here every element gets its share, "
    "exp(x - logsumexp).",
    parts=(1,),
)
def only_the_largest(x, g):
    return x.max() + np.log(np.exp(x - x.max()).sum()), g * (x == x.max())


@wrong(
    "Your shares do not add up to g. Divide by the sum: the gradients that logsumexp passes on add up to g.",
    parts=(1,),
)
def shares_do_not_add_up(x, g):
    return x.max() + np.log(np.exp(x - x.max()).sum()), g * np.exp(x - x.max())


@wrong("The number that you subtracted is missing in the value: add it again after the log.")
def offset_lost(x, g):
    shifted = np.exp(x - x.max())
    return np.log(shifted.sum()), g * shifted / shifted.sum()


@judged("kind")
def value_alone(x, g):
    return x.max() + np.log(np.exp(x - x.max()).sum())


mean = slip(
    "logsumexp has a sum inside, not a mean.",
    "np.log(np.sum( -> np.log(np.mean(",
)

log_only = slip(
    "That is the derivative of the log, 1 / sum. Each element also has the derivative of its exp: the gradient "
    "is exp(x) / sum, times g.",
    "g * shifted / np.sum(shifted) -> g / np.sum(shifted) + 0 * x",
)

sign_of_the_offset = slip(
    "You subtract the number after the log. Add it: it was subtracted before exp.",
    "largest + np.log -> -largest + np.log",
)

gradient_without_exp = slip(
    "The gradient of logsumexp is softmax, exp(x - value). You gave its logarithm, x - value: exp is missing.",
    "g * shifted / np.sum(shifted) -> g * (x - value)",
)

equal_shares = slip(
    "You gave every element the same share. The share of an element is its softmax.",
    "g * shifted / np.sum(shifted) -> g / len(x) + 0 * x",
)

value_only_exp = slip(
    "The value is the logarithm: log is missing.",
    "largest + np.log(np.sum(shifted)) -> largest + np.sum(shifted)",
)


clipped = slip(
    "You clip x, which changes the input: the result is finite but wrong. Subtract the largest element from all elements, "
    "and add it again after the log.",
    "np.exp(x - largest) -> np.exp(np.clip(x, -700, 700))",
    "largest + np.log -> np.log",
)

derivative_of_softmax = slip(
    "p * (1 - p) is the derivative of softmax. The derivative of logsumexp is softmax itself.",
    "g * shifted / np.sum(shifted) -> g * shifted / np.sum(shifted) * (1 - shifted / np.sum(shifted))",
)

square_of_the_share = slip(
    "You multiply by the share twice. The gradient is g times softmax.",
    "g * shifted / np.sum(shifted) -> g * (shifted / np.sum(shifted)) ** 2",
)


divided_by_g = slip(
    "The upstream gradient multiplies the local gradient. You divide by it.",
    "g * shifted / np.sum(shifted) -> shifted / np.sum(shifted) / g",
)

upstream_added = slip(
    "The upstream gradient multiplies the local gradient. You add it.",
    "g * shifted -> g + shifted",
)

largest_alone = slip(
    "The value is the largest element here. The log of the sum is missing.",
    "largest + np.log(np.sum(shifted)) -> largest",
)

value_times_g = slip(
    "The value does not depend on the upstream gradient g.",
    "return value, -> return g * value,",
)

largest_as_a_factor = slip(
    "The largest element is added after the log, not multiplied.",
    "largest + np.log -> largest * np.log",
)


exponent_turned_round = slip(
    "In the exponent the sign is wrong: exp(x - m), so that the largest element gives 1.",
    "np.exp(x - largest) -> np.exp(largest - x)",
)

log_subtracted = slip(
    "The value is m + log(sum(exp(x - m))). You subtract the logarithm.",
    "largest + np.log -> largest - np.log",
)

sum_missing = slip(
    "The value is one number: add up the exponentials before the logarithm.",
    "largest + np.log(np.sum(shifted)) -> largest + np.log(shifted)",
)

multiplied_by_the_sum = slip(
    "The share of an element is its exponential divided by the sum. You multiply by the sum.",
    "shifted / np.sum(shifted) -> shifted * np.sum(shifted)",
)


largest_inside_the_log = slip(
    "The largest element is added after the logarithm: log(exp(m) * s) is m + log(s), not log(m * s).",
    "largest + np.log(np.sum(shifted)) -> np.log(largest * np.sum(shifted))",
)


cotangent_forgotten = slip(
    "Your gradient is the local derivative alone. A VJP multiplies it by the upstream gradient g.",
    "g * shifted / -> shifted /",
)


subtracted_twice = slip(
    "In the gradient the largest element is subtracted twice. The value contains it already: exp(x - value).",
    "g * shifted / np.sum(shifted) -> g * np.exp(x - value - largest)",
)


@judged("offset-lost")
def smallest_lost(x, g):
    shifted = np.exp(x - x.min())
    return np.log(shifted.sum()), g * shifted / shifted.sum()


@judged("offset-lost")
def mean_lost(x, g):
    shifted = np.exp(x - x.mean())
    return np.log(shifted.sum()), g * shifted / shifted.sum()


logs_summed = slip(
    "You add up the logarithms. The sum is inside the log: log(sum(exp(...))).",
    "np.log(np.sum(shifted)) -> np.sum(np.log(shifted))",
)

one_minus_the_share = slip(
    "You gave g * (1 - softmax). The gradient of logsumexp is g * softmax.",
    "g * shifted / np.sum(shifted) -> g * (1 - shifted / np.sum(shifted))",
)


divided_by_the_mean = slip(
    "The share of an element is its exponential divided by the sum. You divide by the mean.",
    "/ np.sum(shifted) -> / np.mean(shifted)",
)

another_base = slip(
    "log is the natural logarithm, np.log.",
    "np.log(np.sum -> np.log2(np.sum",
)

another_base_ten = slip(
    "log is the natural logarithm. log10 has the base 10.",
    "np.log(np.sum -> np.log10(np.sum",
)

share_upside_down = slip(
    "The share of an element is its exponential divided by the sum, not the sum divided by it.",
    "g * shifted / np.sum(shifted) -> g * np.sum(shifted) / shifted",
)

negative_share = slip(
    "The gradient has the wrong sign: a larger element makes logsumexp larger.",
    "g * shifted / np.sum(shifted) -> -g * shifted / np.sum(shifted)",
)

value_as_the_share = slip(
    "You multiply g by the value. The gradient is g times softmax.",
    "g * shifted / np.sum(shifted) -> g * value + 0 * shifted",
)

argument_as_the_share = slip(
    "You multiply g by x. The gradient is g times softmax.",
    "g * shifted / np.sum(shifted) -> g * x",
)


@judged("forbidden")
def in_float32(x, g):
    value, gradient = answer(x, g)
    return np.float32(value), np.asarray(gradient, np.float32)


largest_differentiated = slip(
    "The largest element is subtracted and added again: it has no gradient of its own. Leave out the additional 1 at its "
    "index.",
    "g * shifted / np.sum(shifted) -> g * (shifted / np.sum(shifted) + (x == largest))",
)

largest_subtracted_from_the_share = slip(
    "The largest element is subtracted and added again: it has no gradient of its own. Leave out the -1 at its index.",
    "g * shifted / np.sum(shifted) -> g * (shifted / np.sum(shifted) - (x == largest))",
)

one_added = slip(
    "log1p adds 1 to the sum: use log.",
    "np.log(np.sum -> np.log1p(np.sum",
)

softmax_twice = slip(
    "You take the exponential of the exponentials. One exp is enough: exp(x - m) divided by its sum.",
    "g * shifted / np.sum(shifted) -> g * np.exp(shifted) / np.sum(np.exp(shifted))",
)

largest_twice = slip(
    "The largest element is added twice. Once undoes what was subtracted in exp.",
    "value = largest -> value = 2 * largest",
)


summed_jacobian = slip(
    "You sum the Jacobian of softmax, whose rows add up to 0. The gradient of logsumexp is softmax itself.",
    "g * shifted / np.sum(shifted) -> 0 * shifted",
)

divided_by_the_largest = slip(
    "You divide x by its largest element. Subtract it: exp(x - m).",
    "np.exp(x - largest) -> np.exp(x / largest)",
    "largest + np.log -> largest * np.log",
)

ways = (
    PLAIN,
    Way(
        "They have about seven right digits: that is float32. Compute in float64, the dtype of x.",
        (),
        holds=lambda inputs, expected, got, done: all(
            np.allclose(one, right, rtol=1e-9, atol=1e-12) for one, right in zip(got, expected, strict=True)
        ),
    ),
)
hints = (
    "With m = max(x): exp(x - m) is never larger than 1, and one of its elements is exactly 1.",
    "The derivative for x[i] is exp(x[i]) / sum(exp(x)). Shift the exponents by m here, too; then multiply by g.",
    "e = exp(x - m); value = m + log(sum(e)); gradient = g * e / sum(e)",
)
