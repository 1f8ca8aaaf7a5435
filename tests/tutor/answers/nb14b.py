"""14b Rules of the step."""

from sheets import right, wrong

wrong("step-optimizers", "one step where two are asked", [0.8, 0.8, 2, 0.9, -199, 0.9])
wrong("step-optimizers", "Momentum keeps the step, times the rate", [0.6, 0.42, 0.38, 0.9, -199, 0.9])
wrong("step-optimizers", "large gradients are clipped", [0.6, 0.42, 3.8, 0.9, 0.9, 0.9])
right("step-optimizers", "as sums of steps", [1 - 2 * 0.2, 1 - 0.2 - 0.38, 2 * 0.9 + 2, 0.9, 1 - 200, 0.9])


@right("step-adam", "the correction in the rate, as Adam's paper proposes")
def answer(p, gradients, rate):
    m = v = 0.0 * p
    first = second = 1.0
    for g in gradients:
        first, second = 0.9 * first, 0.999 * second
        m = m + 0.1 * (g - m)
        v = v + 0.001 * (g * g - v)
        root = (1 - second) ** 0.5
        p = p - rate * root / (1 - first) * m / (v**0.5 + 1e-8 * root)
    return p
