"""# After how many layers is the gradient 0? (2 points)

In a deep network the gradient at the last layer is 1. In the backward pass every layer multiplies the gradient by 1/16 and
rounds the result to the format. After how many layers is the gradient 0? Answer with a list of five numbers: float16, bfloat16,
float32, float8_e5m2, float8_e4m3.

The smallest positive numbers of the formats, in this order, are `2**-24`, `2**-133`, `2**-149`, `2**-16`, `2**-9`.
"""

from labkit.classroom.writing import either, judged, wrong
from labkit.precision import rounded

answer = [7, 34, 38, 5, 3]
places = ("float16", "bfloat16", "float32", "float8_e5m2", "float8_e4m3")
rules = (
    "Each layer takes 4 from the exponent. After how many layers is the exponent below that of the smallest number, not "
    "just equal to it?",
)
hints = (
    "After n layers the gradient is 2**(-4 * n).",
    "In float16: is 2**-24 still a number? Is 2**-28?",
    "n is the first number with 4 * n larger than 24, 133, 149, 16 and 9.",
)
NORMAL = ((3, 4, 5), (31, 32, 33), (31, 32, 33), (3, 4, 5), (1, 2, 3))  # about so many to the smallest normal number
LAYERS = ("float16", "bfloat16", "float32", "float8_e5m2", "float8_e4m3")


def reference():
    found = []
    for name in LAYERS:
        gradient, count = 1.0, 0
        while gradient:
            gradient, count = float(rounded(gradient / 16, name)), count + 1
        found.append(count)
    return found


last_that_is_left = wrong(
    "After this number of layers the gradient is not yet 0. One more layer makes it 0.",
    {0: 6, 1: 33, 2: 37, 3: 4, 4: 2},
)

normal_numbers_only = wrong(
    "You stopped at the smallest normal number. Below it there are subnormal numbers, down to 0.",
    {i: lambda expected, got, some=some: got in some for i, some in enumerate(NORMAL)},
    together=True,
    answer=[4, 32, 32, 4, 2],
)

gap_is_not_the_end = wrong(
    "You stopped at the gap at 1. The gap is the precision; the exponent determines how small a number can be.",
    {0: 3, 1: 2, 2: 6, 3: 1, 4: 1},
    together=True,
)

one_number = judged("kind", 7)

bfloat16_like_float16 = wrong(
    "bfloat16 has as many bits as float16, but 8 of them are for the exponent: it ends at 2**-133.", {1: either(6, 7)}
)
bfloat16_like_float32 = wrong(
    "bfloat16 has the exponents of float32, but 16 fewer bits for the fraction, so its subnormal numbers end earlier: "
    "2**-133.",
    {1: either(37, 38)},
)
quotient_not_whole = wrong(
    "Layers are whole numbers: the gradient is 0 after the first whole number above this quotient.",
    {i: lambda expected, got: expected - 1 < got < expected for i in range(5)},
    answer=[6.5, 33.25, 37.25, 4.5, 2.25],
)
one_layer_more = wrong(
    "You counted one layer too many: the gradient is already 0 one layer earlier.",
    {i: lambda expected, got: got == expected + 1 for i in range(5)},
    answer=[8, 35, 39, 6, 4],
)
float8_formats_exchanged = wrong(
    "e5m2 has 5 bits for the exponent and e4m3 has 4: e5m2 has the smaller numbers.", {3: 3, 4: 5}, together=True
)

never = wrong(
    "A format has a smallest number. A product of less than half of it is rounded to 0.",
    {i: lambda expected, got: not abs(got) < 1e3 for i in range(5)},
    answer=[float("inf")] * 5,
)

another_exponent = wrong(
    "Each layer divides by 16, which takes 4 from the exponent. Your number fits another factor.",
    {
        0: either(24, 25, 8, 9, 12, 13, 5, 2),
        1: either(133, 134, 44, 45, 66, 67, 26, 27, 9),
        2: either(149, 150, 49, 50, 74, 75, 29, 30, 10, 9),
        3: either(16, 17, 6, 8, 9, 4, 2, 1),
        4: either(9, 10, 4, 5, 2, 1),
    },
)

one_for_all = wrong(
    "Each format has its own smallest number. You gave the layers of float16 for all of them.",
    {1: 7, 2: 7, 3: 7, 4: 7},
    together=True,
)
