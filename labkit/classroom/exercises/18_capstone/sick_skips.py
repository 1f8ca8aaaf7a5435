"""# How many steps are skipped? (2 points)

The largest gradient is 3.0 at every step, computed in float16 (largest number 65504). The loss scale starts
at `2**20`, and 100 steps are tried. Answer with a list of three numbers.

0. With a `DynamicLossScaler` that halves the scale at each overflow (window 1000): how many steps are skipped?
1. The scale at the first step that is taken?
2. With a `StaticLossScaler`: how many steps are skipped?
"""

import numpy as np

from labkit.classroom.writing import either, judged, wrong

answer = [6, 2**14, 100]
rules = (
    "Every overflow halves the scale. Count how often, until scale times gradient is within the largest number.",
    "The first scale of the halvings that, times the gradient, is within the largest number.",
    "A static scale never changes: what happens at each of the steps?",
)
hints = (
    "A step is taken when 3 * scale is at most 65504.",
    "65504 / 3 is about 21835. Which is the largest power of two below?",
    "The scale has to fall from 2**20 to 2**14.",
)


def reference():
    from labkit import mindspore as ms

    def skipped(scaler, steps):
        count, first = 0, None
        for _ in range(steps):
            scaled = scaler.scale(ms.Tensor(3.0)).astype(ms.float16)
            finite = ms.amp.all_finite((scaled,))
            if finite and first is None:
                first = float(scaler.scale_value.asnumpy())
            count += not finite
            scaler.adjust(finite)
        return count, first

    with np.errstate(all="ignore"):
        falling, scale = skipped(ms.amp.DynamicLossScaler(2.0**20, 2, 1000), 100)
        return [falling, scale, skipped(ms.amp.StaticLossScaler(2.0**20), 100)[0]]


gradient_forgotten = wrong(
    "You asked when the scale itself fits. The scaled gradient has to fit: 3 times the scale.",
    {0: either(4, 5), 1: lambda expected, got: got in (2.0**15, 2.0**16)},
    answer=[5, 2**15, 100],
)

one_skip = wrong("One halving is not enough: 3 * 2**19 is still far above 65504.", {0: 1})

static_falls_too = wrong(
    "A static scale never changes. What overflows once overflows every time.",
    when=lambda inputs, expected, got: got[2] == got[0],
    answer={2: 6},
)

one_more = judged("value", [7, 2**13, 100])
