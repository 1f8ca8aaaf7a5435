"""The predictions of notebook 11: floating point."""

import numpy as np

from ...precision import FORMATS, format_of, rounded
from ..compare import same
from ..exercise import Exercise, Misconception, WrongAnswer

NOTEBOOK = "11_floating_point"
FATES = ("0", "subnormal", "normal", "inf", "nan")


def but(expected, *others):
    """The expected list with some items replaced: `(place, value)`."""
    found = list(expected)
    for place, value in others:
        found[place] = value
    return found


# ---- fp-absorb ----


def _counted():
    total = np.float16(0)
    for _ in range(5000):
        total = total + np.float16(1)
    return total


def _sums():
    f = np.float16
    found = (
        f(2048) + f(1),
        f(2048) + f(3),
        f(4096) + f(2),
        (f(2048) + f(1)) + f(1),
        f(2048) + (f(1) + f(1)),
        _counted(),
    )
    return [float(v) for v in found]


ABSORB = Exercise(
    name="fp-absorb",
    notebook=NOTEBOOK,
    title="Sums in float16",
    points=2,
    statement="""`f = np.float16`, so every number below is a float16 and every sum is rounded to float16.
Predict the six results. Answer with a list of six numbers.

0. `f(2048) + f(1)`
1. `f(2048) + f(3)`
2. `f(4096) + f(2)`
3. `(f(2048) + f(1)) + f(1)`
4. `f(2048) + (f(1) + f(1))`
5. start with `f(0)` and add `f(1)` five thousand times""",
    reference=_sums,
    misconceptions=(
        Misconception(
            "no-rounding",
            "These are the exact sums. From 2048 on the gap between neighbours in float16 is 2, from 4096 on it is 4: "
            "what lies between them has to go to one of them.",
            lambda i, expected, got: same([2049.0, 2051.0, 4098.0], list(got[:3])),
        ),
        Misconception(
            "ties-go-up",
            "You rounded every half upwards. A tie goes to the neighbour whose last bit is 0, up or down.",
            lambda i, expected, got: got[0] == 2050 and got[2] == 4100,
        ),
        Misconception(
            "ties-go-down",
            "You rounded every half downwards. A tie goes to the neighbour whose last bit is 0: from 2051 that is 2052, "
            "two gaps above 2048.",
            lambda i, expected, got: got[1] == 2050 and got[0] == expected[0],
        ),
        Misconception(
            "order-is-free",
            "Items 3 and 4 are not the same. One at a time, each 1 is absorbed; together they are a whole gap.",
            lambda i, expected, got: got[3] == got[4] and same(expected[:3], list(got[:3])),
        ),
        Misconception(
            "counting-goes-on",
            "The sum stops growing. What is 2048 + 1? And what happens with the next 1?",
            lambda i, expected, got: got[5] == 5000 and same(expected[:5], list(got[:5])),
        ),
    ),
    rules=(
        "Which numbers of float16 are the neighbours, and which of them is nearer? Halfway, the even one wins.",
        "Which numbers of float16 are the neighbours, and which of them is nearer? Halfway, the even one wins.",
        "From here on the numbers of float16 lie twice as far apart as before. Which numbers of float16 are "
        "the neighbours, and which of them is nearer? Halfway, the even one wins.",
        "Round after the first sum already, then after the second one.",
        "The bracket comes first, and its result is rounded, too.",
        "The sum grows until adding once more no longer reaches the next number. Which number is that?",
    ),
    hints=(
        "Write down the neighbours first: from 2048 to 4096 the numbers of float16 are 2 apart.",
        "Halfway between two neighbours the even one wins. Counted in gaps from 2048: 2048 is even, 2050 odd, 2052 even.",
        "Item 5: the sum is right up to 2048. Then look at item 0.",
    ),
    solution="answer = [2048, 2052, 4096, 2048, 2050, 2048]",
    wrong_answers=(
        WrongAnswer("exact", "answer = [2049, 2051, 4098, 2050, 2050, 5000]", "no-rounding"),
        WrongAnswer("up", "answer = [2050, 2052, 4100, 2052, 2050, 5000]", "ties-go-up"),
        WrongAnswer("down", "answer = [2048, 2050, 4096, 2048, 2050, 2048]", "ties-go-down"),
        WrongAnswer("any order", "answer = [2048, 2052, 4096, 2050, 2050, 2048]", "order-is-free"),
        WrongAnswer("it counts", "answer = [2048, 2052, 4096, 2048, 2050, 5000]", "counting-goes-on"),
        WrongAnswer("infinite", "answer = [2048, 2052, 4096, 2048, 2050, float('inf')]", "value"),
        WrongAnswer("one number", "answer = 2048", "kind"),
    ),
)


# ---- fp-ends ----


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


def _ends():
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


_ENDS = ["normal", "subnormal", "0", "inf", "normal", "nan", "0", "normal", "normal", "normal"]

ENDS = Exercise(
    name="fp-ends",
    notebook=NOTEBOOK,
    title="Predict underflow and overflow",
    points=3,
    statement="""Each number and each result is rounded to the format. What is each result?
Answer with a list of ten texts: `"0"`, `"subnormal"`, `"normal"`, `"inf"` or `"nan"`.

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
9. `1e-4 * 1e-4`""",
    reference=_ends,
    misconceptions=(
        Misconception(
            "as-in-float32",
            "This is how it goes in float32. float16 has 5 bits for the exponent: it ends at 65504 and at 6e-8.",
            lambda i, expected, got: list(got[:5]) == ["normal"] * 5,
        ),
        Misconception(
            "bfloat16-is-as-short",
            "bfloat16 has as many bits as float16, but 8 of them are for the exponent: it reaches as far as float32.",
            lambda i, expected, got: list(got[8:]) != expected[8:] and same(expected[:8], list(got[:8])),
        ),
        Misconception(
            "nothing-below-normal",
            "Between the smallest normal number and 0 there are the subnormal ones: 1e-6 is kept, with fewer bits.",
            lambda i, expected, got: got[1] == "0",
        ),
        Misconception(
            "ends-at-once",
            "65505 is rounded to the nearest number, and that is 65504. It takes half a gap, 16, to reach inf.",
            lambda i, expected, got: got[4] == "inf",
        ),
        Misconception(
            "inf-minus-inf",
            "Each product is inf, and inf - inf is not 0: it has no value, it is nan.",
            lambda i, expected, got: got[5] in ("0", "inf"),
        ),
        Misconception(
            "zero-comes-back",
            "The product in brackets has become 0, and 0 times anything is 0. What is lost does not come back.",
            lambda i, expected, got: got[6] != "0" and same(expected[:6], list(got[:6])),
        ),
    ),
    rules=(
        "Compute the exact result, then compare it with the smallest normal number, the smallest number and the largest one.",
        "Compute the exact result, then compare it with the smallest normal number, the smallest number and the largest one.",
        "Compute the exact result, then compare it with the smallest normal number, the smallest number and the largest one.",
        "The exact result is beyond the largest number.",
        "The numbers near the largest one lie far apart: to which of them is the sum rounded?",
        "Both products are rounded before they are subtracted.",
        "The bracket is rounded first: what is left of it?",
        "The bracket comes first here. How large is it, and then the product?",
        "bfloat16 has the range of float32: compare with 1e38 and 1e-38.",
    ),
    hints=(
        "Compute each result exactly first, then compare it with the three limits.",
        "Brackets first, and round after every operation: a 0 or an inf on the way stays.",
        "One is subnormal, one is inf, one is nan, two are 0. The others are normal.",
    ),
    solution=f"answer = {_ENDS}".replace("'", '"'),
    wrong_answers=(
        WrongAnswer("float32", f"answer = {but(['normal'] * 10, (5, '0'))}", "as-in-float32"),
        WrongAnswer("bfloat16 too", f"answer = {but(_ENDS, (8, 'inf'), (9, '0'))}", "bfloat16-is-as-short"),
        WrongAnswer("no subnormals", f"answer = {but(_ENDS, (1, '0'))}", "nothing-below-normal"),
        WrongAnswer("65505", f"answer = {but(_ENDS, (4, 'inf'))}", "ends-at-once"),
        WrongAnswer("difference", f"answer = {but(_ENDS, (5, '0'))}", "inf-minus-inf"),
        WrongAnswer("mended", f"answer = {but(_ENDS, (6, 'normal'))}", "zero-comes-back"),
        WrongAnswer("numbers", "answer = [0] * 10", "kind"),
        WrongAnswer("last", f"answer = {but(_ENDS, (7, '0'))}", "value"),
    ),
)


# ---- fp-layers ----

LAYERS = ("float16", "bfloat16", "float32", "float8_e5m2", "float8_e4m3")


def _layers():
    found = []
    for name in LAYERS:
        gradient, count = 1.0, 0
        while gradient:
            gradient, count = float(rounded(gradient / 16, name)), count + 1
        found.append(count)
    return found


def _limited(limit):
    """After how many layers the gradient is below a limit."""
    found = []
    for name in LAYERS:
        power = int(np.log2(limit(FORMATS[name])))
        found.append(-power // 4 + 1)
    return found


FADING = Exercise(
    name="fp-layers",
    notebook=NOTEBOOK,
    title="After how many layers is the gradient 0?",
    points=2,
    statement="""In a deep network the gradient at the last layer is 1. Every layer that it passes on its way back multiplies it
by 1/16, and the result is rounded to the format. After how many layers is it 0?
Answer with a list of five numbers: float16, bfloat16, float32, float8_e5m2, float8_e4m3.

The smallest number of each format, in this order: `2**-24`, `2**-133`, `2**-149`, `2**-16`, `2**-9`.""",
    reference=_layers,
    places=LAYERS,
    misconceptions=(
        Misconception(
            "last-that-is-left",
            "After so many layers there is still a gradient, the last one. One layer more, and it is 0.",
            lambda i, expected, got: same([n - 1 for n in expected], list(got)),
        ),
        Misconception(
            "normal-numbers-only",
            "You stopped at the smallest normal number. Below it the subnormal numbers go on, down to 0.",
            lambda i, expected, got: same(_limited(lambda f: f.min_normal), list(got)),
        ),
        Misconception(
            "gap-is-not-the-end",
            "You stopped at the gap at 1. That is the precision; how small a number can be is a matter of the exponent.",
            lambda i, expected, got: same(_limited(lambda f: f.eps), list(got)),
        ),
    ),
    rules=(
        "Each layer takes 4 from the exponent. After how many is it below that of the smallest number, not just equal to it?",
    ),
    hints=(
        "After n layers the gradient is 2**(-4 * n).",
        "In float16: is 2**-24 still a number? Is 2**-28?",
        "n is the first number with 4 * n larger than 24, 133, 149, 16 and 9.",
    ),
    solution="answer = [7, 34, 38, 5, 3]",
    wrong_answers=(
        WrongAnswer("the last one", "answer = [6, 33, 37, 4, 2]", "last-that-is-left"),
        WrongAnswer("normal", "answer = [4, 32, 32, 4, 2]", "normal-numbers-only"),
        WrongAnswer("precision", "answer = [3, 2, 6, 1, 1]", "gap-is-not-the-end"),
        WrongAnswer("bfloat16 like float16", "answer = [7, 7, 38, 5, 3]", "value"),
        WrongAnswer("one number", "answer = 7", "kind"),
    ),
)

EXERCISES = (ABSORB, ENDS, FADING)
