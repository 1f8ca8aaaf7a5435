"""14b Rules of the step."""

import numpy as np
from sheets import above, right, wrong


@wrong("adamw-mend", "the decay is subtracted from the gradient instead")
def adam(p, gradients, rate, decay):
    m, v = np.zeros_like(p), np.zeros_like(p)
    for t, g in enumerate(gradients, 1):
        g = g - decay * p
        m = 0.9 * m + 0.1 * g
        v = 0.999 * v + 0.001 * g**2
        p = p - rate * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.999**t)) + 1e-8)
    return p


wrong(
    "adamw-mend",
    "shortened once, at the end",
    above("        g = g - decay * p\n -> ", "return p -> return p * (1 - rate * decay)"),
)
wrong("adamw-mend", "the decay without the rate", above("g = g - decay * p -> p = p * (1 - decay)"))
wrong("adamw-mend", "the decay left out", above("        g = g - decay * p\n -> "))


@right("adamw-mend", "one line: the old p on both sides")
def adam(p, gradients, rate, decay):
    m, v = np.zeros_like(p), np.zeros_like(p)
    for t, g in enumerate(gradients, 1):
        m += 0.1 * (g - m)
        v += 0.001 * (g * g - v)
        p = (1 - rate * decay) * p - rate * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.999**t)) + 1e-8)
    return p


@wrong("warmup-rate", "step / warm")
def rate(step, warm, total, peak):
    if step < warm:
        return peak * step / warm
    return peak * 0.5 * (1 + np.cos(np.pi * (step - warm) / (total - warm)))


wrong("warmup-rate", "the cosine over all steps", above("* step / -> * (step + 1) /", "(total - warm) -> total"))


@wrong("warmup-rate", "a quarter of a cosine")
def rate(step, warm, total, peak):
    if step < warm:
        return peak * (step + 1) / warm
    return peak * np.cos(np.pi / 2 * (step - warm) / (total - warm))


@wrong("warmup-rate", "in a straight line")
def rate(step, warm, total, peak):
    if step < warm:
        return peak * (step + 1) / warm
    return peak * (1 - (step - warm) / (total - warm))


@right("warmup-rate", "the square of a cosine")
def rate(step, warm, total, peak):
    done = max(step - warm, 0) / (total - warm)
    return peak * min(1, (step + 1) / warm) * np.cos(done * np.pi / 2) ** 2


@wrong("noise-scale", "the mean over the columns")
def noise_scale(gradients):
    mean = gradients.mean(axis=0)
    return gradients.var(axis=0).mean() / (mean**2).sum()


wrong("noise-scale", "the mean over the wrong axis", above("mean(axis=0) -> mean(axis=1)", "0).mean( -> 1).sum("))


@wrong("noise-scale", "signal over noise")
def noise_scale(gradients):
    return (gradients.mean(axis=0) ** 2).sum() / gradients.var(axis=0).sum()


@wrong("noise-scale", "the length of the mean, not its square")
def noise_scale(gradients):
    return gradients.var(axis=0).sum() / np.linalg.norm(gradients.mean(axis=0))


@right("noise-scale", "mean of the squares minus square of the mean")
def noise_scale(gradients):
    signal = float((gradients.mean(axis=0) ** 2).sum())
    return float((gradients**2).sum() / len(gradients)) / signal - 1


wrong("step-optimizers", "one step where two are asked", [0.8, 0.8, 2, 0.9, -199, 0.9])
wrong("step-optimizers", "Momentum averages: 0.9 of the old, 0.1 of the new", [0.6, 0.942, 0.38, 0.9, -199, 0.9])
wrong("step-optimizers", "Momentum is SGD with a factor 0.9", [0.6, 0.64, 1.8, 0.9, -199, 0.9])
wrong("step-optimizers", "Adam steps by rate times gradient", [0.6, 0.42, 3.8, 0.8, -199, -199])
wrong("step-optimizers", "Adam without the bias correction", [0.6, 0.42, 3.8, 0.6838, -199, 0.6838])
wrong("step-optimizers", "uphill", [1.4, 1.58, 3.8, 1.1, 201, 1.1])
wrong("step-optimizers", "Adam's step grows with the gradient's root", [0.6, 0.42, 3.8, 0.8586, -199, -3.4721])
wrong("step-optimizers", "Momentum keeps the step, times the rate", [0.6, 0.42, 0.38, 0.9, -199, 0.9])
wrong("step-optimizers", "large gradients are clipped", [0.6, 0.42, 3.8, 0.9, 0.9, 0.9])
wrong("step-optimizers", "Momentum keeps the sum of the gradients", [0.6, 0.4, 4, 0.9, -199, 0.9])
right("step-optimizers", "as sums of steps", [1 - 2 * 0.2, 1 - 0.2 - 0.38, 2 * 0.9 + 2, 0.9, 1 - 200, 0.9])


@wrong("step-adam", "only m is corrected")
def answer(p, gradients, rate):
    m, v = np.zeros_like(p), np.zeros_like(p)
    for t, g in enumerate(gradients, 1):
        m = 0.9 * m + 0.1 * g
        v = 0.999 * v + 0.001 * g**2
        p = p - rate * (m / (1 - 0.9**t)) / (np.sqrt(v) + 1e-8)
    return p


wrong("step-adam", "the correction alone", above("np.sqrt(v) -> v / (1 - 0.999**t)"))
wrong(
    "step-adam",
    "counts the steps from 0: a division by 0",
    above("(gradients, 1): -> (gradients):", "sqrt(v) + -> sqrt(v / (1 - 0.999**t)) +"),
)
wrong(
    "step-adam",
    "the correction is the same in all steps",
    above("t, g in enumerate(gradients, 1) -> g in gradients", "**t)) / (np.sqrt(v -> )) / (np.sqrt(v / (1 - 0.999)"),
)
wrong(
    "step-adam",
    "the two rates of decay are exchanged in the correction",
    above("9**t)) / (np.sqrt(v -> 999**t)) / (np.sqrt(v / (1 - 0.9**t)"),
)
wrong(
    "step-adam",
    "multiplies by the correction",
    above("/ (1 - 0.9**t)) / (np.sqrt(v) -> * (1 - 0.9**t)) / (np.sqrt(v * (1 - 0.999**t))"),
)


@wrong("step-adam", "the root alone")
def answer(p, gradients, rate):
    m, v = np.zeros_like(p), np.zeros_like(p)
    for g in gradients:
        m = 0.9 * m + 0.1 * g
        v = 0.999 * v + 0.001 * g**2
        p = p - rate * m / (np.sqrt(v) + 1e-8)
    return p


@wrong("step-adam", "the corrected averages go into the next step")
def answer(p, gradients, rate):
    m, v = np.zeros_like(p), np.zeros_like(p)
    for t, g in enumerate(gradients, 1):
        m = 0.9 * m + 0.1 * g
        v = 0.999 * v + 0.001 * g**2
        m = m / (1 - 0.9**t)
        v = v / (1 - 0.999**t)
        p = p - rate * m / (np.sqrt(v) + 1e-8)
    return p


@wrong("step-adam", "the average of the gradient is squared, not of its square")
def answer(p, gradients, rate):
    m, v = np.zeros_like(p), np.zeros_like(p)
    for t, g in enumerate(gradients, 1):
        m = 0.9 * m + 0.1 * g
        v = 0.999 * v + 0.001 * m**2
        p = p - rate * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.999**t)) + 1e-8)
    return p


@wrong("step-adam", "the last gradient alone")
def answer(p, gradients, rate):
    m, v = np.zeros_like(p), np.zeros_like(p)
    for t, g in enumerate(gradients, 1):
        m = 0.9 * m + 0.1 * g
        v = 0.999 * v + 0.001 * g**2
    return p - rate * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.999**t)) + 1e-8)


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
