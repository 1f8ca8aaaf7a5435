"""# The top eigenvalue, by power iteration (3 points)

The function is `f(x) = sum(log(cosh(a @ x)))`, with a matrix `a`. Write `power(a, x, v, steps)`: it does `steps` times
"replace `v` by the Hessian of `f` at `x` times `v`, divided by its length", and returns `v @ (Hessian @ v)` for the last `v`,
a number. `v` has the length 1 at the beginning. Use `labkit.hvp` (write `f` with `autograd.numpy`), or work the product out
by hand.
"""

from functools import partial

import autograd.numpy as anp
import numpy as np

import labkit
from labkit.classroom.writing import judged, wrong


def power(a, x, v, steps):
    f = lambda x: anp.sum(anp.log(anp.cosh(a @ x)))
    for _ in range(steps):
        v = labkit.hvp(f, x, v)
        v = v / np.sqrt(v @ v)
    return v @ labkit.hvp(f, x, v)


def _draw_power(rng, m, n, steps):
    v = rng.uniform(0.2, 1, n) * rng.choice([-1, 1], n)
    return rng.uniform(-2, 2, (m, n)).round(1), rng.uniform(-0.5, 0.5, n).round(1), v / np.sqrt(v @ v), steps


draw = (
    partial(_draw_power, m=4, n=3, steps=2),
    partial(_draw_power, m=3, n=3, steps=3),
    partial(_draw_power, m=5, n=4, steps=1),
    partial(_draw_power, m=4, n=2, steps=0),
)


def _product(a, x, v):
    return a.T @ ((1 - np.tanh(a @ x) ** 2) * (a @ v))


def _turned(a, x, v, steps):
    for _ in range(steps):
        v = _product(a, x, v)
        v = v / np.sqrt(v @ v)
    return v


@wrong("v was never divided by its length, so the result has powers of the eigenvalue in it.")
def never_shortened(a, x, v, steps):
    for _ in range(steps):
        v = _product(a, x, v)
    return v @ _product(a, x, v)


@wrong("One step is missing: v is replaced `steps` times, and then comes one more product, for the result.")
def one_step_less(a, x, v, steps):
    v = _turned(a, x, v, steps - 1)
    return v @ _product(a, x, v)


@wrong("That is one step too many: v is replaced `steps` times, not more.")
def one_step_more(a, x, v, steps):
    v = _turned(a, x, v, steps + 1)
    return v @ _product(a, x, v)


@wrong("That is the length of Hessian @ v. It comes to the same in the end, but asked is v @ (Hessian @ v).")
def length_instead(a, x, v, steps):
    product = _product(a, x, _turned(a, x, v, steps))
    return np.sqrt(product @ product)


@wrong("That is the eigenvalue itself. Asked is the estimate after so many steps, without the Hessian.")
def the_eigenvalue(a, x, v, steps):
    return np.linalg.eigvalsh(a.T @ np.diag(1 - np.tanh(a @ x) ** 2) @ a)[-1]


@wrong("The Hessian of f has the slope of tanh as a factor: a.T @ a is the Hessian at x = 0 only.")
def slope_forgotten(a, x, v, steps):
    for _ in range(steps):
        v = a.T @ (a @ v)
        v = v / np.sqrt(v @ v)
    return v @ (a.T @ (a @ v))


@wrong("You multiplied with the gradient. Power iteration multiplies with the Hessian: labkit.hvp(f, x, v).")
def gradient_instead(a, x, v, steps):
    g = a.T @ np.tanh(a @ x)
    for _ in range(steps):
        v = g * v
        v = v / np.sqrt(v @ v)
    return v @ (g * v)


@judged("kind")
def the_vector_too(a, x, v, steps):
    v = _turned(a, x, v, steps)
    return v @ _product(a, x, v), v


hints = (
    "labkit.hvp(f, x, v) is the Hessian at x times v. The loop needs nothing else from f.",
    "In the loop: v = labkit.hvp(f, x, v), then v = v / np.sqrt(v @ v).",
    "After the loop comes one more product: v @ labkit.hvp(f, x, v).",
)
