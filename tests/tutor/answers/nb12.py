"""12 Loss scaling."""

import numpy as np
from sheets import above, right, wrong

import labkit.mindspore as ms

slip = ["0", "kept", "kept", "kept", "kept", "inf", "inf", "inf", "underflow"]
wrong("scale-slip", "1e-8 is a subnormal number", ["kept", *slip[1:]])
wrong("scale-slip", "1e-3 vanishes without a scale", [*slip[:2], "0", *slip[3:]])
right("scale-slip", "a tuple", tuple(slip))


@wrong("scale-static", "no scale at all")
def step(w, x, scale, lr):
    def loss(w):
        return (w.astype(ms.float16) * x).sum() * 2**-16

    return w - lr * ms.grad(loss)(w)


wrong("scale-static", "unscaled inside of the function", above("(loss) -> (lambda w: loss(w) * scale / scale)"))
wrong(
    "scale-static", "uphill", above("- lr * ms.grad(loss)(w) -> + lr * ms.grad(lambda w: loss(w) * scale)(w) / scale")
)


@wrong("scale-static", "the gradient is scaled, not the loss")
def step(w, x, scale, lr):
    def loss(w):
        return (w.astype(ms.float16) * x).sum() * 2**-16

    return w - lr * (ms.grad(loss)(w) * scale) / scale


@wrong("scale-static", "multiplied by the scale instead of divided")
def step(w, x, scale, lr):
    def loss(w):
        return (w.astype(ms.float16) * x).sum() * 2**-16

    return w - lr * ms.grad(lambda w: loss(w) * scale)(w) * scale


@right("scale-static", "the scale as a seed")
def step(w, x, scale, lr):
    def loss(w):
        return (w.astype(ms.float16) * x).sum() * 2**-16

    sens = ms.Tensor(scale, ms.float16)
    gradient = ms.grad(loss, sens_param=True)(w, sens)
    return w - lr * (gradient / scale)


@wrong("scale-largest", "not rounded to a power of two")
def largest(g1, g2):
    top = max(np.abs(g1).max(), np.abs(g2).max())
    return 65504 / top


wrong("scale-largest", "rounded to the nearest power", above("65504 / top -> 2.0 ** np.round(np.log2(65504 / top))"))
wrong("scale-largest", "the exponent", above("65504 / top -> int(np.floor(np.log2(65504 / top)))"))


@right("scale-largest", "frexp and a correction, whole numbers where possible")
def largest(g1, g2):
    top = float(np.max(np.abs(np.concatenate([g1.ravel(), g2.ravel()]))))
    exponent = 40
    while top * 2.0**exponent > 65504:
        exponent -= 1
    return 2.0**exponent


@wrong("scale-dynamic", "counts from 1 after a growth")
def adjust(scale, counter, finite, factor, window):
    if not finite:
        return max(scale / factor, 1), 0
    counter += 1
    if counter == window:
        return scale * factor, 1
    return scale, counter


wrong(
    "scale-dynamic",
    "the counter is not set back after an overflow",
    above("(scale / factor, 1), 0 -> (scale / factor, 1), counter", "* factor, 1 -> * factor, 0"),
)
wrong(
    "scale-dynamic",
    "never below 1 is forgotten",
    above("max(scale / factor, 1) -> scale / factor", "* factor, 1 -> * factor, 0"),
)
wrong(
    "scale-dynamic",
    "more than the window",
    above("counter == window -> counter > window", "* factor, 1 -> * factor, 0"),
)
wrong("scale-dynamic", "the condition is turned round", above("not finite -> finite", "* factor, 1 -> * factor, 0"))


@right("scale-dynamic", "the remainder of the counter")
def adjust(scale, counter, finite, factor, window):
    if not finite:
        return max(1.0, scale / factor), 0
    counter = (counter + 1) % window
    return scale * (factor if counter == 0 else 1), counter


wrong("scale-dialects", "a static scale is halved", [128, 1, 0.25, 32, 64])
wrong("scale-dialects", "a good step adds the factor", [1024, 1, 0.25, 4, 8])
wrong("scale-dialects", "an overflow does not count", [1024, 2, 2, 128, 128])
wrong(
    "scale-dialects",
    "PyTorch multiplies by a quarter: 1 over the growth factor; no floor in MindSpore",
    [1024, 0.25, 0.25, 32, 32],
)
right("scale-dialects", "floats", [1024.0, 1.0, 0.25, 32.0, 64.0])
