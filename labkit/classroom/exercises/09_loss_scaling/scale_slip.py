"""# Overflow or underflow? (3 points)

Four gradients are computed in float16, without a scale and with the scale 1024. What does float16 store for each? Answer with a
list of nine strings. The first eight are `"0"`, `"kept"` or `"inf"`; the last is `"overflow"` or `"underflow"`, whichever a
loss scale protects from.

| item | exact gradient | scale |
|---|---|---|
| 0 | 1e-8 | none |
| 1 | 1e-8 | 1024 |
| 2 | 1e-3 | none |
| 3 | 1e-3 | 1024 |
| 4 | 200 | none |
| 5 | 200 | 1024 |
| 6 | 1e6 | none |
| 7 | 1e6 | 1024 |
| 8 | a loss scale protects from? | |
"""

import numpy as np

from labkit.classroom.writing import judged, wrong

answer = ["0", "kept", "kept", "kept", "kept", "inf", "inf", "inf", "underflow"]
rules = (
    "Compare it with the smallest number of float16, about 6e-8.",
    "Multiply by the scale first. Is the product between 6e-8 and 65504?",
    "Is it between 6e-8 and 65504?",
    "Multiply by the scale first. Is the product between 6e-8 and 65504?",
    "Is it between 6e-8 and 65504?",
    "Multiply by the scale first. Is the product between 6e-8 and 65504?",
    "Is it between 6e-8 and 65504?",
    "Multiply by the scale first. Is the product between 6e-8 and 65504?",
    "Which of the gradients does the scale save, and at which end are they?",
)
hints = (
    "Multiply first, then ask whether float16 has such a number: from 6e-8 to 65504.",
    "The scale multiplies all gradients by the same factor. Which end of the range does this help?",
    "Three of the eight are lost at the upper end. Which of the three would float16 keep without the scale?",
)
GRADIENTS = (1e-8, 1e-3, 200.0, 1e6)


def reference():
    found = []
    for gradient in GRADIENTS:
        for scale in (1.0, 1024.0):
            held = float(np.float16(gradient * scale))
            found.append("0" if held == 0 else "kept" if np.isfinite(held) else "inf")
    cured = found[0] == "0" and found[1] == "kept"
    return [*found, "underflow" if cured else "overflow"]


scale_shrinks = wrong(
    "A loss scale larger than 1 makes gradients larger. A gradient that overflowed without it is now even further out of "
    "range.",
    {7: "kept", 8: "overflow"},
)

rounded_before_scaling = wrong(
    "The loss is multiplied before the backward pass begins, so float16 has to store 1024 * 1e-8, which is in its range.",
    {1: "0"},
)

scale_is_free = wrong("200 * 1024 is 204800. float16 ends at 65504: a scale can be too large.", {5: "kept"})
float16_has_no_lower_end = wrong("1e-8 is less than half of the smallest float16, 6e-8. It becomes 0.", {0: "kept"})

divided = judged("scale-shrinks", {1: "0", 5: "kept", 7: "kept", 8: "overflow"})
a_1e6_fits = judged("large-fits", {6: "kept"})
the_word = judged("kind", "underflow")

small_is_lost = wrong(
    "1e-3 is far above the smallest float16 number, about 6e-8.",
    {2: "0", 3: "0"},
)

large_fits = wrong(
    "1e6 is above the largest float16 number, 65504, with or without a scale.",
    {6: "kept"},
)

moderate_overflows = wrong(
    "float16 ends at 65504: 200 fits without a scale.",
    {4: "inf"},
)

scaled_out_of_range = wrong(
    "1e-3 times 1024 is about 1: it fits.",
    {3: "inf"},
)

largest_number_instead = wrong(
    "Above 65504 float16 does not stop at its largest number: a result that is too large becomes inf.",
    {5: "kept", 6: "kept", 7: "kept"},
    together=True,
)

wrapped_around = wrong(
    "A float that is too large does not wrap around, as an integer does. It becomes inf.", {5: "0", 6: "0", 7: "0"}
)
