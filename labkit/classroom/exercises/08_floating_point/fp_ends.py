"""# Predict underflow and overflow (3 points)

Each number and each intermediate result is rounded to the format. What is each result? Answer with a list of ten strings:
`"0"`, `"subnormal"`, `"normal"`, `"inf"` or `"nan"`.

In float16 (smallest normal number about 6e-5, smallest number about 6e-8, largest number 65504):

0. `1e-2 * 1e-2`
1. `1e-3 * 1e-3`
2. `1e-4 * 1e-4`
3. `300 * 300`
4. `65504 + 1`
5. `300 * 300 - 300 * 300`
6. `(1e-4 * 1e-4) * 1e4`
7. `1e-4 * (1e-4 * 1e4)`

In bfloat16:

8. `300 * 300`
9. `1e-4 * 1e-4`
"""

import numpy as np

from labkit.classroom.writing import either, judged, wrong
from labkit.precision import format_of, rounded

answer = ["normal", "subnormal", "0", "inf", "normal", "nan", "0", "normal", "normal", "normal"]
rules = (
    "Compute the exact result, then compare it with the smallest normal number, the smallest number and the "
    "largest one.",
    "Compute the exact result, then compare it with the smallest normal number, the smallest number and the "
    "largest one.",
    "Compute the exact result, then compare it with the smallest normal number, the smallest number and the "
    "largest one.",
    "The exact result is beyond the largest number.",
    "The numbers near the largest one are far apart: to which of them is the sum rounded?",
    "Both products are rounded before they are subtracted.",
    "The bracket is rounded first: what is left of it?",
    "The bracket comes first here. How large is it, and then the product?",
    "bfloat16 has the range of float32: compare with 1e38 and 1e-38.",
)
hints = (
    "Compute each result exactly first, then compare it with the three limits.",
    "Compute the brackets first, and round after every operation: an intermediate 0 or inf can decide the result.",
    "One is subnormal, one is inf, one is nan, two are 0. The others are normal.",
)


def fate(value, of) -> str:
    """What a number is in a format, by one of FATES."""
    if not np.isfinite(value):
        return "nan" if np.isnan(value) else "inf"
    return "0" if value == 0 else "subnormal" if abs(value) < format_of(of).min_normal else "normal"


def _product(of, *factors):
    """The product from left to right, each factor and each product rounded to the format."""
    found = 1.0
    for factor in factors:
        found = float(rounded(found * float(rounded(factor, of)), of))
    return found


def reference():
    half, large = "float16", _product("float16", 300, 300)
    with np.errstate(invalid="ignore"):
        nothing = float(np.float64(large) - np.float64(large))
    inner = _product(half, 1e-4, 1e4)
    found = [_product(half, 1e-2, 1e-2), _product(half, 1e-3, 1e-3), _product(half, 1e-4, 1e-4), large]
    found += [
        float(rounded(65504.0 + 1.0, half)),
        nothing,
        _product(half, 1e-4, 1e-4, 1e4),
        _product(half, 1e-4, inner),
    ]
    wide = [_product("bfloat16", 300, 300), _product("bfloat16", 1e-4, 1e-4)]
    return [fate(v, half) for v in found] + [fate(v, "bfloat16") for v in wide]


as_in_float32 = wrong(
    "These are the results in float32. float16 has 5 bits for the exponent: its range is from 6e-8 to 65504.",
    {1: "normal", 2: "normal", 3: "normal"},
    together=True,
    answer={1: "normal", 2: "normal", 3: "normal", 5: "0", 6: "normal"},
)

bfloat16_is_as_short = wrong(
    "bfloat16 has as many bits as float16, but 8 of them are for the exponent: it has the range of float32.",
    {8: either("inf", "nan"), 9: either("0", "subnormal", "nan")},
)

nothing_below_normal = wrong(
    "Between the smallest normal number and 0 there are subnormal numbers: 1e-6 is stored with fewer bits.",
    {1: either("0", "nan")},
)

ends_at_once = wrong(
    "65505 is rounded to the nearest number, 65504. Only a result half a gap (16) above it becomes inf.", {4: "inf"}
)

inf_minus_inf = wrong(
    "Each product is inf, and inf - inf is not 0: it has no defined value, so it is nan.",
    {5: either("0", "inf", "normal", "subnormal")},
)

zero_comes_back = wrong(
    "The product in brackets has become 0, and 0 times 1e4 is 0. A later factor does not restore it.",
    {6: either("normal", "subnormal", "inf", "nan")},
)

numbers = judged("kind", [0] * 10)
bracket_left_out = judged("brackets-do-not-matter", {7: "0"})

subnormal_without_end = wrong(
    "1e-4 * 1e-4 is 1e-8, less than half of the smallest float16 number. It is rounded to 0, also in the "
    "brackets of item 6.",
    {2: either("subnormal", "normal"), 6: either("subnormal", "normal")},
    together=True,
)

tiny_is_kept = wrong(
    "1e-8 is less than half of the smallest float16 number, about 6e-8.",
    {2: either("subnormal", "normal")},
)

normal_numbers_end_early = wrong(
    "The smallest normal float16 number is about 6e-5: 1e-4 is above it.",
    {0: either("subnormal", "0"), 7: "subnormal"},
)

too_large_is_nan = wrong(
    "A result that is too large becomes inf. nan is a result without a defined value, such as inf - inf.",
    {3: "nan", 4: "nan"},
)

brackets_do_not_matter = wrong(
    "The bracket is computed first: 1e-4 * 1e4 is about 1.",
    {7: either("0", "inf", "nan")},
)

saturates = wrong(
    "float16 does not stop at its largest number: a result far beyond it becomes inf.",
    {3: "normal"},
)

kept_with_all_bits = wrong(
    "1e-6 is less than the smallest normal number, about 6e-5. It is kept, but with fewer bits.", {1: "normal"}
)

wrapped_around = wrong(
    "A float that is too large does not wrap around, as an integer does. It becomes inf.", {3: either("0", "subnormal")}
)
