"""# The history of a scale (2 points)

`scaler = ms.amp.DynamicLossScaler(scale_value=1024, scale_factor=2, scale_window=3)`

Eleven training steps follow. Were all gradients finite?

    yes, yes, yes, yes, no, yes, yes, yes, no, no, yes

After each step `scaler.adjust(...)` is called. What is the scale then?
Answer with a list of eleven numbers; the first one is the scale after the first step.
"""

from labkit import mindspore as ms
from labkit.classroom.writing import judged, wrong

answer = [1024, 1024, 2048, 2048, 1024, 1024, 1024, 2048, 1024, 512, 512]
rules = (
    "Count the good steps in a row. At the third one the scale grows and the count begins again; at an overflow "
    "it shrinks, and the count begins again.",
)
hints = (
    "Keep two numbers: the scale, and how many good steps there have been in a row.",
    "At three the scale doubles and the count starts again. At an overflow the scale halves and the count starts "
    "again.",
    "After step 3: 2048. After step 5: 1024. After step 8: 2048.",
)
FINITE = (True, True, True, True, False, True, True, True, False, False, True)


def reference():
    scaler = ms.amp.DynamicLossScaler(scale_value=1024, scale_factor=2, scale_window=3)
    found = []
    for finite in FINITE:
        scaler.adjust(ms.Tensor(finite))
        found.append(float(scaler.scale_value.asnumpy()))
    return found


grows_every_step = wrong(
    "You let the scale grow after every good step. It waits for three good ones in a row.",
    answer=[2048, 4096, 8192, 16384, 8192, 16384, 32768, 65536, 32768, 16384, 32768],
)

window_does_not_restart = wrong(
    "After an overflow the counting starts again from 0: three good steps in a row are needed, not three in all.",
    answer=[1024, 1024, 2048, 2048, 1024, 1024, 2048, 2048, 1024, 512, 512],
)

one_step_late = wrong(
    "Your scales are right, but one step late: the scale changes after the step that completes the window or "
    "overflows, and item 0 is the scale after the first step.",
    answer=[1024, 1024, 1024, 2048, 2048, 1024, 1024, 1024, 2048, 1024, 512],
)

never_shrinks = wrong(
    "After overflow the step is left out, and the scale is divided by the factor.",
    answer=[1024, 1024, 2048, 2048, 2048, 2048, 2048, 4096, 4096, 4096, 4096],
)

constant = judged("value", [1024] * 11)
ten = judged("structure", [1024] * 10)
