"""10b Curvature at work."""

import autograd.numpy as anp
import numpy as np
from sheets import above, right, wrong

import labkit

fates = ["falls", "swings", "grows", "falls", "swings", "grows", "grows", "grows"]
wrong("curve-rates", "the edge is 1 / h", ["grows", "grows", "grows", "grows", "grows", "grows", "grows", "grows"])
wrong("curve-rates", "the smaller curvature counts", ["falls", "falls", "falls", *fates[3:]])
wrong(
    "curve-rates",
    "at the edge it still falls",
    ["falls", "falls", "grows", "falls", "falls", "grows", "grows", "grows"],
)
wrong("curve-rates", "at the edge it grows", ["falls", "grows", "grows", "falls", "grows", "grows", "grows", "grows"])
wrong("curve-rates", "the 5 is the curvature", [*fates[:4], "falls", *fates[5:]])
wrong("curve-rates", "a factor of the loss does not matter", [*fates[:5], "falls", "grows", "grows"])
wrong("curve-rates", "a small rate always falls", [*fates[:6], "falls", "grows"])
wrong("curve-rates", "the saddle keeps its distance", [*fates[:6], "swings", "grows"])
wrong("curve-rates", "u has twice the curvature: 2 / 8 = 0.25", [*fates[:7], "falls"])
right("curve-rates", "a tuple", tuple(fates))


@wrong("curve-power", "the last product is the result's length")
def power(a, x, v, steps):
    f = lambda x: anp.sum(anp.log(anp.cosh(a @ x)))
    for _ in range(steps):
        v = labkit.hvp(f, x, v)
        v = v / np.linalg.norm(v)
    return np.linalg.norm(labkit.hvp(f, x, v))


wrong(
    "curve-power",
    "one turn more",
    above("(steps): -> (steps + 1):", "np.linalg.norm(labkit.hvp(f, x, v)) -> v @ labkit.hvp(f, x, v)"),
)
wrong("curve-power", "the vector, not the number", above("np.linalg.norm(labkit.hvp(f, x, v)) -> v"))
wrong(
    "curve-power",
    "divided by the square of the length",
    above("/ np.linalg.norm(v) -> / (v @ v)", "np.linalg.norm(labkit.hvp(f, x, v)) -> v @ labkit.hvp(f, x, v)"),
)


@wrong("curve-power", "not divided by the length")
def power(a, x, v, steps):
    f = lambda x: anp.sum(anp.log(anp.cosh(a @ x)))
    for _ in range(steps):
        v = labkit.hvp(f, x, v)
    return v @ labkit.hvp(f, x, v)


wrong(
    "curve-power",
    "the quotient of the start",
    above("v = labkit.hvp(f, x, v) -> w = labkit.hvp(f, x, v)\n        w = w / np.linalg.norm(w)"),
)


@wrong("curve-power", "the largest eigenvalue, by eigh")
def power(a, x, v, steps):
    f = lambda x: anp.sum(anp.log(anp.cosh(a @ x)))
    return np.linalg.eigvalsh(labkit.jacfwd(labkit.grad(f))(x))[-1]


@right("curve-power", "the product by hand")
def power(a, x, v, steps):
    s = 1 / np.cosh(a @ x) ** 2
    h = lambda v: a.T @ (s * (a @ v))
    for _ in range(steps):
        v = h(v) / np.linalg.norm(h(v))
    return v @ h(v)


@right("curve-power", "with the whole Hessian")
def power(a, x, v, steps):
    f = lambda x: anp.sum(anp.log(anp.cosh(anp.dot(a, x))))
    H = labkit.jacrev(labkit.grad(f))(x)
    for _ in range(steps):
        v = H @ v
        v = v / np.sqrt(np.sum(v**2))
    return np.dot(v, H @ v)


@wrong("curve-implicit", "the push")
def pull(a, z, g):
    return np.linalg.solve(a + np.diag(3 * z**2), g)


wrong("curve-implicit", "the cube is left out", above("a + np.diag(3 * z**2), -> a.T,"))
wrong("curve-implicit", "2 z for the slope of the cube", above("a + np.diag(3 * z**2) -> (a + np.diag(2 * z)).T"))
wrong("curve-implicit", "two solutions added", above("(a + np.diag(3 * z**2), g) -> (a.T, g) + g / (3 * z**2)"))


@wrong("curve-implicit", "the slope of the left side itself")
def pull(a, z, g):
    return (a + np.diag(3 * z**2)).T @ g


@wrong("curve-implicit", "the sign of the implicit function theorem is kept")
def pull(a, z, g):
    return -np.linalg.solve((a + np.diag(3 * z**2)).T, g)


@wrong("curve-implicit", "the rule of the example, with I")
def pull(a, z, g):
    s = 3 * z**2
    return np.linalg.solve((np.eye(len(z)) + s[:, None] * a).T, g)


@right("curve-implicit", "by the inverse")
def pull(a, z, g):
    return g @ np.linalg.inv(a + 3 * np.diag(z * z))


@right("curve-implicit", "the diagonal is added in place to a copy")
def pull(a, z, g):
    m = a.T.copy()
    m[np.diag_indices(len(z))] += 3 * z**2
    return np.linalg.solve(m, g)
