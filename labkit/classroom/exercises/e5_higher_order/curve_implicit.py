"""# The rule of a solver (3 points)

A solver returns the `z` for which `a @ z + z**3 = x` (`a` is a square matrix, `z` and `x` are vectors, `z**3` is elementwise).
`g` is the upstream gradient at `z`. Write `pull(a, z, g)`, which returns the gradient with respect to `x`, in plain NumPy.
You are not given the solver's loop and do not need it. `np.linalg.solve(m, y)` gives the `u` for which `m @ u = y`.
"""

from functools import partial

import numpy as np

from labkit.classroom.writing import PLAIN, judged, wrong


def pull(a, z, g):
    return np.linalg.solve((a + np.diag(3 * z**2)).T, g)


def _draw_solved(rng, n):
    a = rng.uniform(-1, 1, (n, n)).round(2) + 3 * np.eye(n)
    return a, (rng.uniform(0.3, 1.5, n) * rng.choice([-1, 1], n)).round(2), rng.uniform(-2, 2, n).round(2)


draw = tuple(partial(_draw_solved, n=n) for n in (2, 3, 3, 4))


def _slope(a, z):
    return a + np.diag(3 * z**2)


@wrong("That is the push: how z moves when x moves along g. Going back, the system is the transposed one.")
def not_transposed(a, z, g):
    return np.linalg.solve(_slope(a, z), g)


@wrong("You multiplied with the slope of the left side. z follows x, so its slope is the inverse: solve.")
def multiplied(a, z, g):
    return _slope(a, z).T @ g


@judged("multiplied")
def multiplied_untransposed(a, z, g):
    return _slope(a, z) @ g


@wrong("z**3 moves with z, too. Its slope, 3 * z**2, belongs on the diagonal.")
def cube_forgotten(a, z, g):
    return np.linalg.solve(a.T, g)


@wrong("The slope of z**3 is 3 * z**2.")
def slope_of_the_cube(a, z, g):
    return np.linalg.solve((a + np.diag(z**2)).T, g)


@judged("slope-of-the-cube")
def slope_of_a_square(a, z, g):
    return np.linalg.solve((a + np.diag(2 * z)).T, g)


@wrong(
    "That has the form of the rule for z = tanh(W @ z + x). This equation is another one: differentiate both its sides."
)
def rule_of_the_other_equation(a, z, g):
    s = 3 * z**2
    return np.linalg.solve((np.eye(len(z)) + s[:, None] * a).T, g)


@judged("rule-of-the-other-equation")
def other_equation_with_minus(a, z, g):
    s = 3 * z**2
    return s * np.linalg.solve((np.eye(len(z)) - s[:, None] * a).T, g)


@wrong("3 * z**2 stands on the diagonal only. Added to the whole matrix, it goes into every row: np.diag.")
def not_on_the_diagonal(a, z, g):
    return np.linalg.solve((a + 3 * z**2).T, g)


@wrong("The sign is wrong. More x means more of the left side: the two sides move the same way.")
def sign(a, z, g):
    return -np.linalg.solve(_slope(a, z).T, g)


@wrong("You divided by the diagonal. The system mixes all elements: solve with the whole matrix.")
def diagonal_only(a, z, g):
    return g / np.diag(_slope(a, z))


ways = (PLAIN,)
hints = (
    "Move x a little: (a + diag(3 * z**2)) @ dz = dx. That is the push, from dx to dz.",
    "A pull multiplies with the transpose of what a push multiplies with. Here both are inverses.",
    "Solve (a + diag(3 * z**2)).T @ u = g; u is the answer.",
)
