"""# How many steps are skipped? (2 points)

The largest gradient is [[g]] at every step, computed in float16 (largest number 65504). The loss scale starts
at `2**[[power]]`, and 100 steps are tried. Answer with a list of three numbers.

0. With a `DynamicLossScaler` that halves the scale at each overflow (window 1000): how many steps are skipped?
1. The scale at the first step that is taken?
2. With a `StaticLossScaler`: how many steps are skipped?
"""

import numpy as np

from labkit.classroom.writing import drawn, either, judged, wrong

g, power = drawn((3.0, 20), lambda rng: (float(rng.choice([3, 5, 6, 7, 9, 11])), int(rng.integers(19, 25))))
fits = int(np.log2(65504 / g))  # the power of two that is the first scale to fit

answer = [power - fits, 2**fits, 100]
rules = (
    "Every overflow halves the scale. Count how often, until scale times gradient is within the largest number.",
    "The first scale of the halvings that, times the gradient, is within the largest number.",
    "A static scale never changes: what happens at each of the steps?",
)
hints = (
    f"A step is taken when {g:g} * scale is at most 65504.",
    f"65504 / {g:g} is about {int(65504 / g + 0.5)}. Which is the largest power of two below?",
    f"The scale has to fall from 2**{power} to 2**{fits}.",
)


def reference():
    from labkit import mindspore as ms

    def skipped(scaler, steps):
        count, first = 0, None
        for _ in range(steps):
            scaled = scaler.scale(ms.Tensor(g)).astype(ms.float16)
            finite = ms.amp.all_finite((scaled,))
            if finite and first is None:
                first = int(scaler.scale_value.asnumpy())
            count += not finite
            scaler.adjust(finite)
        return count, first

    with np.errstate(all="ignore"):
        falling, scale = skipped(ms.amp.DynamicLossScaler(2.0**power, 2, 1000), 100)
        return [falling, scale, skipped(ms.amp.StaticLossScaler(2.0**power), 100)[0]]


gradient_forgotten = wrong(
    f"You asked when the scale itself fits. The scaled gradient has to fit: {g:g} times the scale.",
    {0: either(power - 16, power - 15), 1: lambda expected, got: got in (2.0**15, 2.0**16)},
    answer=[power - 15, 2**15, 100],
)

one_skip = wrong(f"One halving is not enough: {g:g} * 2**{power - 1} is still far above 65504.", {0: 1})

static_falls_too = wrong(
    "A static scale never changes. What overflows once overflows every time.",
    when=lambda inputs, expected, got: got[2] == got[0],
    answer={2: power - fits},
)

one_more = judged("value", [power - fits + 1, 2 ** (fits - 1), 100])
