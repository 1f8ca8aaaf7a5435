"""12 Loss scaling."""

import numpy as np
from sheets import above, right, wrong

import labkit.mindspore as ms

slip = ["0", "kept", "kept", "kept", "kept", "inf", "inf", "inf", "underflow"]
wrong("scale-slip", "believes the other guide", [*slip[:8], "overflow"])
wrong("scale-slip", "the scale saves large gradients, too", [*slip[:7], "kept", "underflow"])
wrong("scale-slip", "200 * 1024 fits", [*slip[:5], "kept", *slip[6:]])
wrong("scale-slip", "1e-8 is a subnormal number", ["kept", *slip[1:]])
wrong("scale-slip", "1e-8 is lost with the scale, too", ["0", "0", *slip[2:]])
wrong("scale-slip", "1e-3 vanishes without a scale", [*slip[:2], "0", *slip[3:]])
wrong("scale-slip", "1e6 is kept, as float32 would", [*slip[:6], "kept", "inf", "underflow"])
wrong("scale-slip", "the scale divides", ["0", "0", "kept", "0", "kept", "kept", "inf", "kept", "overflow"])
right("scale-slip", "a tuple", tuple(slip))


@wrong("scale-static", "no scale at all")
def step(w, x, scale, lr):
    def loss(w):
        return (w.astype(ms.float16) * x).sum() * 2**-16

    return w - lr * ms.grad(loss)(w)


wrong("scale-static", "the gradient is not unscaled", above("(loss) -> (lambda w: loss(w) * scale)"))
wrong("scale-static", "unscaled inside of the function", above("(loss) -> (lambda w: loss(w) * scale / scale)"))
wrong(
    "scale-static", "uphill", above("- lr * ms.grad(loss)(w) -> + lr * ms.grad(lambda w: loss(w) * scale)(w) / scale")
)
wrong("scale-static", "the weights are scaled", above("(loss)(w) -> (loss)(w * scale) / scale"))


@wrong("scale-static", "the gradient is scaled, not the loss")
def step(w, x, scale, lr):
    def loss(w):
        return (w.astype(ms.float16) * x).sum() * 2**-16

    return w - lr * (ms.grad(loss)(w) * scale) / scale


@wrong("scale-static", "divided by the scale twice")
def step(w, x, scale, lr):
    def loss(w):
        return (w.astype(ms.float16) * x).sum() * 2**-16

    gradient = ms.grad(lambda w: loss(w) * scale)(w) / scale
    return w - lr / scale * gradient


@wrong("scale-static", "the gradient itself")
def step(w, x, scale, lr):
    def loss(w):
        return (w.astype(ms.float16) * x).sum() * 2**-16

    return ms.grad(lambda w: loss(w) * scale)(w) / scale


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


@right("scale-static", "a StaticLossScaler")
def step(w, x, scale, lr):
    scaler = ms.amp.StaticLossScaler(scale)

    def loss(w):
        return scaler.scale((w.astype(ms.float16) * x).sum() * 2**-16)

    gradient = scaler.unscale(ms.grad(loss)(w))
    return w - lr * gradient


@wrong("scale-largest", "not rounded to a power of two")
def largest(g1, g2):
    top = max(np.abs(g1).max(), np.abs(g2).max())
    return 65504 / top


wrong("scale-largest", "rounded up", above("65504 / top -> 2.0 ** np.ceil(np.log2(65504 / top))"))
wrong("scale-largest", "rounded to the nearest power", above("65504 / top -> 2.0 ** np.round(np.log2(65504 / top))"))
wrong("scale-largest", "the exponent", above("65504 / top -> int(np.floor(np.log2(65504 / top)))"))


@wrong("scale-largest", "a loop that goes one too far")
def largest(g1, g2):
    top = max(np.abs(g1).max(), np.abs(g2).max())
    scale = 1.0
    while top * scale <= 65504:
        scale *= 2
    return scale


wrong("scale-largest", "a loop that starts at 1: a scale below 1 is never found", above("scale <= -> scale * 2 <="))


@wrong("scale-largest", "the sign is overlooked: the largest, not the largest magnitude")
def largest(g1, g2):
    top = max(g1.max(), g2.max())
    return 2.0 ** np.floor(np.log2(65504 / top))


@wrong("scale-largest", "the first gradient alone")
def largest(g1, g2):
    return 2.0 ** np.floor(np.log2(65504 / np.abs(g1).max()))


@wrong("scale-largest", "the norm for the largest element")
def largest(g1, g2):
    norm = np.sqrt((g1**2).sum() + (g2**2).sum())
    return 2.0 ** np.floor(np.log2(65504 / norm))


@wrong("scale-largest", "the smaller one of the two largest")
def largest(g1, g2):
    top = min(np.abs(g1).max(), np.abs(g2).max())
    return 2.0 ** np.floor(np.log2(65504 / top))


@wrong("scale-largest", "strictly below 65504, with whole exponents cut towards 0")
def largest(g1, g2):
    top = max(np.abs(g1).max(), np.abs(g2).max())
    return 2.0 ** int(np.log10(65504 / top))


@right("scale-largest", "frexp and a correction, whole numbers where possible")
def largest(g1, g2):
    top = float(np.max(np.abs(np.concatenate([g1.ravel(), g2.ravel()]))))
    exponent = 40
    while top * 2.0**exponent > 65504:
        exponent -= 1
    return 2.0**exponent


history = [1024, 1024, 2048, 2048, 1024, 1024, 1024, 2048, 1024, 512, 512]
wrong(
    "scale-history", "the growth comes one step later", [1024, 1024, 1024, 2048, 1024, 1024, 1024, 1024, 512, 256, 256]
)
wrong("scale-history", "the scale before each step", [1024, 1024, 1024, 2048, 2048, 1024, 1024, 1024, 2048, 1024, 512])
wrong(
    "scale-history",
    "the counter is not set back at an overflow",
    [1024, 1024, 2048, 2048, 1024, 2048, 2048, 2048, 1024, 512, 1024],
)
wrong(
    "scale-history",
    "it grows at every good step once the window is reached",
    [1024, 1024, 2048, 4096, 2048, 2048, 2048, 4096, 2048, 1024, 1024],
)
wrong(
    "scale-history",
    "it grows at every good step",
    [2048, 4096, 8192, 16384, 8192, 16384, 32768, 65536, 32768, 16384, 32768],
)
wrong(
    "scale-history",
    "an overflow needs a window, too",
    [1024, 1024, 2048, 2048, 2048, 2048, 2048, 4096, 4096, 4096, 4096],
)
wrong(
    "scale-history",
    "an overflow sets it back to its start",
    [1024, 1024, 2048, 2048, 1024, 1024, 1024, 2048, 1024, 1024, 1024],
)
right("scale-history", "floats", [float(v) for v in history])


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
    "the counter is not set back after a growth",
    above("counter == window -> counter >= window", "return scale * factor, 1 -> scale = scale * factor"),
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
wrong("scale-dynamic", "min for max", above("max -> min", "* factor, 1 -> * factor, 0"))
wrong("scale-dynamic", "always 2", above("/ factor, 1 -> / 2, 1", "* factor, 1 -> * 2, 0"))
wrong("scale-dynamic", "the condition is turned round", above("not finite -> finite", "* factor, 1 -> * factor, 0"))
wrong("scale-dynamic", "grows additively", above("* factor, 1 -> + factor, 0"))


@wrong("scale-dynamic", "compares before it counts")
def adjust(scale, counter, finite, factor, window):
    if not finite:
        return max(scale / factor, 1), 0
    if counter == window:
        return scale * factor, 0
    return scale, counter + 1


@wrong("scale-dynamic", "the scale alone")
def adjust(scale, counter, finite, factor, window):
    if not finite:
        return max(scale / factor, 1)
    return scale * factor if counter + 1 == window else scale


@right("scale-dynamic", "the remainder of the counter")
def adjust(scale, counter, finite, factor, window):
    if not finite:
        return max(1.0, scale / factor), 0
    counter = (counter + 1) % window
    return scale * (factor if counter == 0 else 1), counter


@wrong("scale-repair", "any for all")
def step(w, g, scale, limit, lr):
    if not np.isfinite(g).any():
        return w
    g = g / scale
    norm = np.sqrt((g**2).sum())
    if norm > limit:
        g = g * (limit / norm)
    return w - lr * g


wrong(
    "scale-repair",
    "unscaled first, but nobody looks whether it is finite",
    above("    if not np.isfinite(g).any():\n        return w\n -> "),
)
wrong("scale-repair", "nan is looked for, not inf", above("not np.isfinite -> np.isnan"))
wrong("scale-repair", "inf is looked for, not nan", above("not np.isfinite -> np.isinf"))
wrong(
    "scale-repair",
    "the limit is divided, and the gradient is not unscaled",
    above("any -> all", "g = g / scale\n    norm = np.sqrt((g**2).sum()) -> norm = np.sqrt((g**2).sum()) / scale"),
)


@wrong("scale-repair", "the check is there, the order is not mended")
def step(w, g, scale, limit, lr):
    if not np.isfinite(g).all():
        return w
    norm = np.sqrt((g**2).sum())
    if norm > limit:
        g = g * (limit / norm)
    g = g / scale
    return w - lr * g


@wrong("scale-repair", "nothing is returned when the step is skipped")
def step(w, g, scale, limit, lr):
    g = g / scale
    if np.isfinite(g).all():
        norm = np.sqrt((g**2).sum())
        if norm > limit:
            g = g * (limit / norm)
        return w - lr * g


@wrong("scale-repair", "elements that are not finite are set to 0")
def step(w, g, scale, limit, lr):
    g = np.where(np.isfinite(g), g, 0.0) / scale
    norm = np.sqrt((g**2).sum())
    if norm > limit:
        g = g * (limit / norm)
    return w - lr * g


@wrong("scale-repair", "always scaled to the limit")
def step(w, g, scale, limit, lr):
    if not np.isfinite(g).all():
        return w
    g = g / scale
    norm = np.sqrt((g**2).sum())
    return w - lr * g * (limit / norm)


@wrong("scale-repair", "clipped by value")
def step(w, g, scale, limit, lr):
    if not np.isfinite(g).all():
        return w
    return w - lr * np.clip(g / scale, -limit, limit)


@right("scale-repair", "the limit is scaled in place of the gradient")
def step(w, g, scale, limit, lr):
    norm = np.sqrt((g**2).sum())
    if not np.isfinite(norm):
        return w
    factor = min(1.0, limit * scale / norm) / scale
    return w - lr * factor * g


wrong("scale-dialects", "a static scale is halved", [128, 1, 0.25, 32, 64])
wrong("scale-dialects", "PyTorch has the same floor of 1", [1024, 1, 1, 32, 64])
wrong("scale-dialects", "MindSpore has no floor", [1024, 0.25, 0.25, 32, 64])
wrong("scale-dialects", "PyTorch goes down by its growth factor", [1024, 1, 0.25, 32, 32])
wrong("scale-dialects", "MindSpore always halves", [1024, 1, 0.25, 64, 64])
wrong("scale-dialects", "one growth for two good steps", [1024, 1, 0.25, 8, 16])
wrong("scale-dialects", "a good step adds the factor", [1024, 1, 0.25, 4, 8])
wrong("scale-dialects", "an overflow does not count", [1024, 2, 2, 128, 128])
wrong(
    "scale-dialects",
    "PyTorch multiplies by a quarter: 1 over the growth factor; no floor in MindSpore",
    [1024, 0.25, 0.25, 32, 32],
)
right("scale-dialects", "floats", [1024.0, 1.0, 0.25, 32.0, 64.0])
