"""11 Floating point."""

import numpy as np
from sheets import above, right, wrong

import labkit.mindspore as ms


@wrong("fp-limits", "the smallest exponent is kept for the subnormal numbers: forgotten")
def limits(E, F):
    bias = 2 ** (E - 1) - 1
    return (2 - 2.0**-F) * 2.0**bias, -bias, -bias - F, -F


wrong("fp-limits", "smallest and smallest normal are exchanged", above("-bias, -bias - F -> 1 - bias - F, 1 - bias"))


@wrong("fp-limits", "the fraction of the largest number is forgotten")
def limits(E, F):
    bias = 2 ** (E - 1) - 1
    return 2.0**bias, 1 - bias, 1 - bias - F, -F


wrong("fp-limits", "the next power of two, not the largest number below it", above("0**bias, -> 0 ** (bias + 1),"))


@wrong("fp-limits", "the largest exponent is kept for infinity: forgotten")
def limits(E, F):
    bias = 2 ** (E - 1) - 1
    return (2 - 2.0**-F) * 2.0 ** (bias + 1), 1 - bias, 1 - bias - F, -F


@wrong("fp-limits", "the numbers, not their exponents")
def limits(E, F):
    bias = 2 ** (E - 1) - 1
    return (2 - 2.0**-F) * 2.0**bias, 2.0 ** (1 - bias), 2.0 ** (1 - bias - F), 2.0**-F


@wrong("fp-limits", "the leading 1 is counted among the bits of the fraction")
def limits(E, F):
    bias = 2 ** (E - 1) - 1
    return (2 - 2.0 ** (1 - F)) * 2.0**bias, 1 - bias, 2 - bias - F, 1 - F


@wrong("fp-limits", "the bias is 2**(E-1)")
def limits(E, F):
    bias = 2 ** (E - 1)
    return (2 - 2.0**-F) * 2.0 ** (bias - 1), 1 - bias, 1 - bias - F, -F


@wrong("fp-limits", "float16's numbers, whatever E and F are")
def limits(E, F):
    return 65504.0, -14, -24, -10


@wrong("fp-limits", "the gap is half of what it is: the rounding error")
def limits(E, F):
    bias = 2 ** (E - 1) - 1
    return (2 - 2.0**-F) * 2.0**bias, 1 - bias, 1 - bias - F, -F - 1


@right("fp-limits", "counted up and down by loops")
def limits(E, F):
    top = 2 ** (E - 1) - 1
    largest = 0.0
    for k in range(F + 1):
        largest += 2.0 ** (top - k)
    lowest = -(2 ** (E - 1) - 2)
    return largest, lowest, lowest - F, -F


wrong("fp-absorb", "nothing is rounded", [2049, 2051, 4098, 2050, 2050, 5000])
wrong("fp-absorb", "rounded up in the middle", [2050, 2052, 4100, 2052, 2050, 5000])
wrong("fp-absorb", "rounded down: 2051 becomes 2050", [2048, 2050, 4096, 2048, 2050, 2048])
wrong("fp-absorb", "the gap at 4096 is still 2", [2048, 2052, 4098, 2048, 2050, 2048])
wrong("fp-absorb", "adding is associative", [2048, 2052, 4096, 2050, 2050, 2048])
wrong("fp-absorb", "a loop of ones is exact", [2048, 2052, 4096, 2048, 2050, 5000])
wrong("fp-absorb", "it stops at 4096", [2048, 2052, 4096, 2048, 2050, 4096])
wrong("fp-absorb", "the loop is stuck at the last odd number", [2048, 2052, 4096, 2048, 2050, 2047])
right("fp-absorb", "float16 scalars", [np.float16(v) for v in (2048, 2052, 4096, 2048, 2050, 2048)])


@wrong("fp-update", "one step too many")
def train(w, g, lr, steps):
    copy = w.astype(np.float32)
    for _ in range(steps + 1):
        copy = copy - np.float32(lr) * g.astype(np.float32)
    return copy.astype(np.float16)


wrong("fp-update", "returned in float32", above("(steps + 1): -> (steps):", ".astype(np.float16) -> "))
wrong("fp-update", "uphill", above("(steps + 1): -> (steps):", "copy - np -> copy + np"))


@wrong("fp-update", "the copy is made anew in each step, from float16")
def train(w, g, lr, steps):
    for _ in range(steps):
        copy = w.astype(np.float32)
        w = (copy - lr * g.astype(np.float32)).astype(np.float16)
    return w


@right("fp-update", "the step stays a float16, only the weights are kept in float32")
def train(w, g, lr, steps):
    copy = w.astype(np.float32)
    for _ in range(steps):
        copy = copy - (lr * g).astype(np.float16)
    return copy.astype(np.float16)


@wrong("fp-update", "float32 at the end alone")
def train(w, g, lr, steps):
    for _ in range(steps):
        w = w - (lr * g).astype(np.float16)
    return w.astype(np.float32).astype(np.float16)


@wrong("fp-update", "w is changed in place")
def train(w, g, lr, steps):
    w -= (lr * steps * g.astype(np.float32)).astype(np.float16)
    return w


@wrong("fp-update", "a larger rate moves the weights")
def train(w, g, lr, steps):
    for _ in range(steps):
        w = w - (1000 * lr * g).astype(np.float16)
    return w


@wrong("fp-update", "returns after the first step")
def train(w, g, lr, steps):
    copy = w.astype(np.float32)
    for _ in range(steps):
        copy = copy - np.float32(lr) * g.astype(np.float32)
        return copy.astype(np.float16)


@right("fp-update", "float64, in one step")
def train(w, g, lr, steps):
    return (w.astype(np.float64) - steps * lr * g.astype(np.float64)).astype(np.float16)


ends = ["normal", "subnormal", "0", "inf", "normal", "nan", "0", "normal", "normal", "normal"]
wrong("fp-ends", "65505 overflows", [*ends[:4], "inf", *ends[5:]])
wrong("fp-ends", "inf - inf is 0", [*ends[:5], "0", *ends[6:]])
wrong("fp-ends", "inf - inf is inf", [*ends[:5], "inf", *ends[6:]])
wrong("fp-ends", "multiplying is associative", [*ends[:6], "normal", *ends[7:]])
wrong("fp-ends", "1e-6 is too small", ["normal", "0", *ends[2:]])
wrong("fp-ends", "1e-8 is a subnormal number", [*ends[:2], "subnormal", *ends[3:6], "subnormal", *ends[7:]])
wrong("fp-ends", "bfloat16 has float16's range", [*ends[:8], "inf", "0"])
wrong("fp-ends", "bfloat16 is short of small numbers", [*ends[:9], "subnormal"])
wrong("fp-ends", "1e-4 is below the smallest normal number", ["subnormal", *ends[1:7], "subnormal", *ends[8:]])
wrong("fp-ends", "too large is nan", [*ends[:3], "nan", *ends[4:]])
right("fp-ends", "a tuple", tuple(ends))

wrong("fp-layers", "the last layer at which it is not 0", [6, 33, 37, 4, 2])
wrong("fp-layers", "the exponents, one per layer", [25, 134, 150, 17, 10])
wrong("fp-layers", "rounded up where it does not divide", [6, 34, 38, 4, 3])
wrong("fp-layers", "fractions", [6, 33.25, 37.25, 4, 2.25])
wrong("fp-layers", "rounded down, plus one more", [8, 35, 39, 6, 4])
wrong("fp-layers", "bfloat16 is as large as float16", [7, 7, 38, 5, 3])
wrong("fp-layers", "the factor is 1/8", [9, 45, 50, 6, 4])
wrong("fp-layers", "the two 8-bit formats are exchanged", [7, 34, 38, 3, 5])
right("fp-layers", "floats", [7.0, 34.0, 38.0, 5.0, 3.0])

leaks = ["float32", "float64", "float16", "float32", "float64", "float32", "float64", "float32", "float32"]
wrong("fp-leak-find", "a list of Python numbers is float64", ["float64", *leaks[1:]])
wrong("fp-leak-find", "an array becomes float32", ["float32", "float32", *leaks[2:4], "float32", *leaks[5:]])
wrong("fp-leak-find", "a Python number is float64 and wins", [*leaks[:2], "float64", *leaks[3:]])
wrong("fp-leak-find", "a Python number makes float16 into float32", [*leaks[:2], "float32", *leaks[3:]])
wrong("fp-leak-find", "the smaller one wins", [*leaks[:3], "float16", "float32", *leaks[5:]])
wrong("fp-leak-find", "a NumPy scalar is float64, and wins", [*leaks[:5], "float64", *leaks[6:]])
wrong("fp-leak-find", "a tensor of one number counts as a Python number", [*leaks[:6], "float32", *leaks[7:]])
wrong("fp-leak-find", "PyTorch counts as MindSpore does", [*leaks[:7], "float64", leaks[8]])
wrong("fp-leak-find", "the gradient has the type of the result", [*leaks[:8], "float64"])
right("fp-leak-find", "a tuple", tuple(leaks))


@right("fp-leak-mend", "float16, which holds these numbers exactly and gives way to float32")
def standard(x):
    centre = ms.Tensor([0.5, 0.25, 0.125], ms.float16)
    return (x - centre) / 0.25


wrong("fp-leak-mend", "a list of Python numbers: float32, and so is the result for float16", above(", ms.float16 -> "))


@wrong("fp-leak-mend", "a fixed cast at the end")
def standard(x):
    centre = ms.Tensor(np.array([0.5, 0.25, 0.125]))
    return ((x - centre) / ms.Tensor(np.array(0.25))).astype(ms.float32)


right("fp-leak-mend", "computed in float64, and cast back at the end", above("ms.float32 -> x.dtype"))


@wrong("fp-leak-mend", "always float32")
def standard(x):
    centre = ms.Tensor(np.array([0.5, 0.25, 0.125]), ms.float32)
    return (x - centre) / ms.Tensor(np.array(0.25), ms.float32)


@right("fp-leak-mend", "the one that leaks is mended: in a quotient a tensor without axes gives way")
def standard(x):
    centre = ms.Tensor(np.array([0.5, 0.25, 0.125]), x.dtype)
    return (x - centre) / ms.Tensor(np.array(0.25))


@wrong("fp-leak-mend", "multiplies by 0.25")
def standard(x):
    centre = ms.Tensor([0.5, 0.25, 0.125], x.dtype)
    return (x - centre) * 0.25


@wrong("fp-leak-mend", "NumPy's array is returned")
def standard(x):
    return (x.asnumpy() - np.array([0.5, 0.25, 0.125], x.asnumpy().dtype)) / x.asnumpy().dtype.type(0.25)


@wrong("fp-leak-mend", "one centre for all three")
def standard(x):
    return (x - 0.5) / 0.25


@wrong("fp-leak-mend", "x is made float64, and nothing is cast back")
def standard(x):
    x = x.astype(ms.float64)
    centre = ms.Tensor(np.array([0.5, 0.25, 0.125]))
    return (x - centre) / ms.Tensor(np.array(0.25))


@right("fp-leak-mend", "times 4, which is exact")
def standard(x):
    return (x - ms.Tensor([0.5, 0.25, 0.125], x.dtype)) * 4


# ---- fp-rest ----


@wrong("fp-rest", "rest first")
def train(w, g, lr, steps):
    rest = np.zeros_like(w)
    for _ in range(steps):
        step = rest - lr * g
        new = w + step
        rest, w = step - (new - w), new
    return rest, w


wrong("fp-rest", "one step too many", above("(steps): -> (steps + 1):", "return rest, w -> return w, rest"))


@wrong("fp-rest", "computed in float32, and rounded in the end")
def train(w, g, lr, steps):
    exact = w.astype(np.float32)
    for _ in range(steps):
        exact = exact - lr * g.astype(np.float32)
    new = exact.astype(np.float16)
    return new, (exact - new).astype(np.float16)


@wrong("fp-rest", "the rest is what the last step lost, with the plain step taken")
def train(w, g, lr, steps):
    for _ in range(steps):
        old, w = w, w - lr * g
    return w, (-lr * g) - (w - old)


@wrong("fp-rest", "the rest is taken away from the step")
def train(w, g, lr, steps):
    rest = np.zeros_like(w)
    for _ in range(steps):
        step = -lr * g - rest
        new = w + step
        rest = step - (new - w)
        w = new
    return w, rest


@wrong("fp-rest", "the weights are moved before the movement is measured")
def train(w, g, lr, steps):
    rest = np.zeros_like(w)
    for _ in range(steps):
        step = rest - lr * g
        w = w + step
        rest = step - (w + step - w)
    return w, rest


@right("fp-rest", "compensated the other way round, with the sign turned")
def train(w, g, lr, steps):
    lost = np.zeros(w.shape, np.float16)
    for _ in range(steps):
        wanted = np.float16(lr) * g + lost
        after = w - wanted
        lost = wanted - (w - after)
        w = after
    return w, -lost
