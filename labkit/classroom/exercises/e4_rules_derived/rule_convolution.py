"""# The VJP of a convolution (3 points)

The convolution is `y[i] = sum(w[k] * x[i * stride + k] for k in range(len(w)))`, for every `i` for which the window is inside
`x`. Write `pull(x, w, stride, g)` in plain NumPy; it returns the tuple `(dx, dw)`, the gradients with respect to `x` and to
`w` for an upstream gradient `g`, which is as long as `y`.
"""

import numpy as np

from labkit.classroom.writing import PLAIN, judged, same, slip, wrong


def pull(x, w, stride, g):
    dx, dw = np.zeros_like(x), np.zeros_like(w)
    for i in range(len(g)):
        window = slice(i * stride, i * stride + len(w))
        dx[window] += g[i] * w
        dw += g[i] * x[window]
    return dx, dw


def draw(rng):
    width, stride = int(rng.integers(2, 5)), int(rng.integers(1, 4))
    x, w = rng.normal(size=int(rng.integers(9, 12))), rng.normal(size=width)
    return x, w, stride, rng.normal(size=(len(x) - width) // stride + 1)


draws = 8


@wrong(
    "Windows overlap: several outputs use an element of x, and their contributions add up. Your dx keeps only the last "
    "contribution."
)
def overwritten(x, w, stride, g):
    dx, dw = np.zeros_like(x), np.zeros_like(w)
    for i in range(len(g)):
        window = slice(i * stride, i * stride + len(w))
        dx[window] = g[i] * w
        dw += g[i] * x[window]
    return dx, dw


@wrong(
    "The weights are reversed in dx. Output i sends g[i] * w[k] to the element that w[k] multiplied: i * stride + k."
)
def turned_round(x, w, stride, g):
    return pull(x, w[::-1], stride, g)[0], pull(x, w, stride, g)[1]


@wrong("The stride is missing: the window of output i begins at i * stride.", parts=(0, 1))
def stride_missing(x, w, stride, g):
    return pull(x, w, 1, g)


@wrong("All windows share w, so their contributions add up in dw. Your dw contains only one window.", parts=(1,))
def one_window(x, w, stride, g):
    i = len(g) - 1
    return pull(x, w, stride, g)[0], g[i] * x[i * stride : i * stride + len(w)]


@wrong("You do not use g: g[i] determines how much output i counts.")
def g_forgotten(x, w, stride, g):
    return pull(x, w, stride, np.ones_like(g))


@wrong("Both gradients are right, but in the wrong order: first the gradient for x, then the one for w.")
def results_swapped(x, w, stride, g):
    return pull(x, w, stride, g)[::-1]


@wrong("You divided the contributions of the windows by their number. They are added, not averaged.")
def mean_of_windows(x, w, stride, g):
    dx, dw = pull(x, w, stride, g)
    return dx, dw / len(g)


@wrong("w is missing in dx: x[i * stride + k] is multiplied by w[k], so its contribution is g[i] * w[k].", parts=(0,))
def weights_missing(x, w, stride, g):
    return pull(x, np.ones_like(w), stride, g)[0], pull(x, w, stride, g)[1]


@judged("kind")
def only_dx(x, w, stride, g):
    return pull(x, w, stride, g)[0]


last_output_left_out = slip(
    "The last output contributes nothing: the loop ends too early.", "range(len(g)) -> range(len(g) - 1)"
)
first_output_left_out = slip(
    "The first output contributes nothing: the loop begins at 1.", "range(len(g)) -> range(1, len(g))"
)
first_output_only = slip(
    "The return is inside the loop: only the first output contributes.",
    "    return dx, dw ->         return dx, dw",
)
last_weight_left_out = slip(
    "The last weight of each window is left out.",
    "window = slice(i * stride, i * stride + len(w)) -> window = slice(i * stride, i * stride + len(w) - 1)",
    "g[i] * w\n -> g[i] * w[:-1]\n",
    "dw += -> dw[:-1] +=",
)


@wrong("The first weight of each window is left out.")
def first_weight_left_out(x, w, stride, g):
    dx, dw = pull(x, np.concatenate([[0.0], w[1:]]), stride, g)
    return dx, np.concatenate([[0.0], dw[1:]])


@wrong("dw is reversed. w[k] was multiplied by x[i * stride + k].", parts=(1,))
def dw_reversed(x, w, stride, g):
    dx, dw = pull(x, w, stride, g)
    return dx, dw[::-1]


@wrong("stride belongs to i: output i reads x[i * stride + k].", parts=(0, 1))
def stride_with_the_weight(x, w, stride, g):
    dx, dw = np.zeros_like(x), np.zeros_like(w)
    for i in range(len(g)):
        for k in range(len(w)):
            at = min(i + k * stride, len(x) - 1)
            dx[at] += g[i] * w[k]
            dw[k] += g[i] * x[at]
    return dx, dw


@wrong("g is missing in one of the two: the contribution of output i is multiplied by g[i].", parts=(0, 1))
def one_g_forgotten(x, w, stride, g):
    return pull(x, w, stride, np.ones_like(g))[0], pull(x, w, stride, g)[1]


_TOO_FAR = "Output i reads x[i * stride + k], and g has one element for each output. Which index goes too far?"
errors = (
    ("out of bounds", _TOO_FAR),
    ("out of range", _TOO_FAR),
    ("could not broadcast input", "The window of output i begins at i * stride and has len(w) elements."),
)


@wrong(
    "np.convolve(g, w) is dx for a stride of 1. With a larger one the windows are further apart.",
    when=lambda i, expected, got: same(np.convolve(i[3], i[1]), got[0]),
)
def rule_for_stride_one(x, w, stride, g):
    return np.convolve(g, w), np.correlate(x, g, "valid")


@wrong(
    "dx has the length of x. Your dx is longer.",
    when=lambda i, expected, got: len(got[0]) > len(i[0]) and same(expected[0], got[0][: len(i[0])]),
)
def too_long(x, w, stride, g):
    dx, dw = pull(x, w, stride, g)
    return np.append(dx, 0.0), dw


@wrong("Your dx contains x. x[i * stride + k] is multiplied by w[k], so w[k] is the factor.", parts=(0,))
def own_factor_in_dx(x, w, stride, g):
    dx = np.zeros_like(x)
    for i in range(len(g)):
        window = slice(i * stride, i * stride + len(w))
        dx[window] += g[i] * x[window]
    return dx, pull(x, w, stride, g)[1]


@wrong("Your dw contains w. w[k] is multiplied by x[i * stride + k], so this element is the factor.", parts=(1,))
def own_factor_in_dw(x, w, stride, g):
    return pull(x, w, stride, g)[0], w * g.sum()


@wrong("Every window begins at 0 in your dx. The window of output i begins at i * stride.", parts=(0,))
def all_at_the_start(x, w, stride, g):
    dx = np.zeros_like(x)
    dx[: len(w)] = w * g.sum()
    return dx, pull(x, w, stride, g)[1]


@wrong("Every window begins at 0 in your dw. The window of output i begins at i * stride.", parts=(1,))
def first_window_each_time(x, w, stride, g):
    return pull(x, w, stride, g)[0], x[: len(w)] * g.sum()


@wrong("x is missing in dw: w[k] was multiplied by x[i * stride + k].", parts=(1,))
def x_missing_in_dw(x, w, stride, g):
    return pull(x, w, stride, g)[0], np.full(len(w), g.sum())


@wrong("g is missing in dw: the contribution of output i is multiplied by g[i].", parts=(1,))
def g_missing_in_dw(x, w, stride, g):
    return pull(x, w, stride, g)[0], pull(x, w, stride, np.ones_like(g))[1]


@wrong(
    "The numbers of dx are shifted by one place.",
    when=lambda i, expected, got: any(same(np.roll(expected[0], by), got[0]) for by in (1, -1)),
)
def dx_shifted(x, w, stride, g):
    dx, dw = pull(x, w, stride, g)
    return np.roll(dx, -1), dw


@wrong("The elements of x in dw are one place too early. w[k] was multiplied by x[i * stride + k].", parts=(1,))
def one_element_before(x, w, stride, g):
    return pull(x, w, stride, g)[0], pull(np.roll(x, 1), w, stride, g)[1]


@wrong(
    "In your dx output i contributes to one element only. It sends g[i] * w[k] to x[i * stride + k], for each k.",
    parts=(0,),
)
def all_in_one_place(x, w, stride, g):
    dx = np.zeros_like(x)
    dx[np.arange(len(g)) * stride] = g * w.sum()
    return dx, pull(x, w, stride, g)[1]


@wrong("You reversed g in dx. Output i sends g[i] back to its own window.", parts=(0,))
def g_reversed(x, w, stride, g):
    return pull(x, w, stride, g[::-1])[0], pull(x, w, stride, g)[1]


@wrong("You reversed g in dw. g[i] is multiplied by the window of output i.", parts=(1,))
def g_reversed_in_dw(x, w, stride, g):
    return pull(x, w, stride, g)[0], pull(x, w, stride, g[::-1])[1]


@wrong(
    "dx has the length of x, and yours has another one. Elements that no window reaches get 0.",
    when=lambda i, expected, got: len(got[0]) != len(i[0]) and same(expected[1], got[1]),
)
def cut_off(x, w, stride, g):
    dx, dw = pull(x, w, stride, g)
    return dx[: (len(g) - 1) * stride + len(w)] if (len(g) - 1) * stride + len(w) < len(x) else dx[:-1], dw


@wrong("Your dw uses the wrong element of x: w[k] was multiplied by x[i * stride + k].", parts=(1,))
def first_element_of_the_window(x, w, stride, g):
    return pull(x, w, stride, g)[0], np.full(len(w), sum(g[i] * x[i * stride] for i in range(len(g))))


@wrong(
    "Your results are cut to whole numbers. Use arrays of floats: np.zeros(len(x)).",
    when=lambda i, expected, got: all(np.array_equal(part, np.trunc(part)) for part in got),
)
def whole_numbers(x, w, stride, g):
    dx, dw = pull(x, w, stride, g)
    return np.trunc(dx), np.trunc(dw)


@wrong("The last window may end where x ends: range(0, len(x) - len(w) + 1, stride), or range(len(g)).")
def last_window_missed(x, w, stride, g):
    n = len(range(0, len(x) - len(w), stride))
    return pull(x, w, stride, g[:n])


ways = (PLAIN,)
hints = (
    "Go through the outputs. Which elements of x and w does y[i] use?",
    "y[i] uses the window x[i * stride : i * stride + len(w)] and all of w. It contributes g[i] * w to the gradient of "
    "the window, and g[i] * window to that of w.",
    "Start both with zeros, and add: dx[window] += g[i] * w; dw += g[i] * x[window].",
)
