"""09 Loss scaling."""

import numpy as np
from sheets import above, right, wrong

import labkit.mindspore as ms

slip = ["0", "kept", "kept", "kept", "kept", "inf", "inf", "inf", "underflow"]
wrong("scale-slip", "1e-8 is a subnormal number", ["kept", *slip[1:]])
wrong("scale-slip", "1e-3 vanishes without a scale", [*slip[:2], "0", *slip[3:]])
right("scale-slip", "a tuple, 0 and inf as numbers", (0, *slip[1:5], *[np.inf] * 3, slip[8]))


@wrong("scale-static", "no scale at all")
def step(w, x, scale, lr):
    def loss(w):
        return (w.astype(ms.float16) * x).sum() * 2**-16

    return w - lr * ms.grad(loss)(w)


wrong("scale-static", "unscaled inside of the function", above("(loss) -> (lambda w: loss(w) * scale / scale)"))
right(
    "scale-static",
    "the scale as the upstream gradient",
    above("grad(loss)(w) -> grad(loss, sens_param=True)(w, ms.Tensor(scale, ms.float16)) / scale"),
)


@wrong("scale-largest", "not rounded to a power of two")
def largest(g1, g2):
    top = max(np.abs(g1).max(), np.abs(g2).max())
    return 65504 / top


@right("scale-largest", "a loop over the exponents")
def largest(g1, g2):
    top = float(np.max(np.abs(np.concatenate([g1.ravel(), g2.ravel()]))))
    exponent = 40
    while top * 2.0**exponent > 65504:
        exponent -= 1
    return 2.0**exponent


@right("scale-dynamic", "the remainder of the counter")
def adjust(scale, counter, finite, factor, window):
    if not finite:
        return max(1.0, scale / factor), 0
    counter = (counter + 1) % window
    return scale * (factor if counter == 0 else 1), counter


wrong("scale-dialects", "a static scale is halved", [128, 1, 0.25, 32, 64])
wrong("scale-dialects", "good steps do not count", [1024, 1, 0.25, 2, 4])
wrong("scale-dialects", "an overflow does not count", [1024, 2, 2, 128, 128])
wrong("scale-dialects", "PyTorch backs off by a quarter; no floor in MindSpore", [1024, 0.25, 0.25, 32, 32])
right("scale-dialects", "floats", [1024.0, 1.0, 0.25, 32.0, 64.0])
