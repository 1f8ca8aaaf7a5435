"""# The rule of a solver (3 points)

A solver returns the `z` for which `a @ z + z**3 = x` (`a` is a square matrix, `z` and `x` are vectors, `z**3` is elementwise).
`g` is the upstream gradient at `z`. Write `pull(a, z, g)`, which returns the gradient with respect to `x`, in plain NumPy.
You are not given the solver's loop and do not need it. `np.linalg.solve(m, y)` gives the `u` for which `m @ u = y`.
"""

from functools import partial

import numpy as np

from labkit.classroom.writing import PLAIN, judged, same, slip, wrong


def pull(a, z, g):
    return np.linalg.solve((a + np.diag(3 * z**2)).T, g)


def _draw_solved(rng, n):
    a = rng.uniform(-1, 1, (n, n)).round(2) + 3 * np.eye(n)
    return a, (rng.uniform(0.3, 1.5, n) * rng.choice([-1, 1], n)).round(2), rng.uniform(-2, 2, n).round(2)


draw = tuple(partial(_draw_solved, n=n) for n in (2, 3, 3, 4))


def _slope(a, z):
    return a + np.diag(3 * z**2)


@wrong("That is the JVP: how z changes when x changes along g. The gradient, a VJP, solves the transposed system.")
def not_transposed(a, z, g):
    return np.linalg.solve(_slope(a, z), g)


@wrong("You multiplied by the Jacobian of the left side. z as a function of x has its inverse: solve.")
def multiplied(a, z, g):
    return _slope(a, z).T @ g


@judged("multiplied")
def multiplied_untransposed(a, z, g):
    return _slope(a, z) @ g


@wrong("z**3 depends on z, too. Its derivative, 3 * z**2, belongs on the diagonal of the Jacobian.")
def cube_forgotten(a, z, g):
    return np.linalg.solve(a.T, g)


@wrong(
    "The term on your diagonal is not the derivative of z**3, which is 3 * z**2.",
    when=lambda i, expected, got: any(
        same(np.linalg.solve((i[0] + np.diag(factor * z**power)).T, i[2]), got)
        for z in (i[1], abs(i[1]))
        for power in (1, 2, 3, 4)
        for factor in (0.5, 1, 1.5, 2, 3, 4, 6, 9)
        if (factor, power) != (3, 2)
    ),
)
def slope_of_the_cube(a, z, g):
    return np.linalg.solve((a + np.diag(z**2)).T, g)


@judged("slope-of-the-cube")
def slope_of_a_square(a, z, g):
    return np.linalg.solve((a + np.diag(2 * z)).T, g)


@wrong(
    "That has the form of the rule for z = tanh(W @ z + x). This equation is different: differentiate both its sides."
)
def rule_of_the_other_equation(a, z, g):
    s = 3 * z**2
    return np.linalg.solve((np.eye(len(z)) + s[:, None] * a).T, g)


@judged("rule-of-the-other-equation")
def other_equation_with_minus(a, z, g):
    s = 3 * z**2
    return s * np.linalg.solve((np.eye(len(z)) - s[:, None] * a).T, g)


@wrong("3 * z**2 is on the diagonal only. You added it to every row of the matrix: use np.diag.")
def not_on_the_diagonal(a, z, g):
    return np.linalg.solve((a + 3 * z**2).T, g)


@wrong("The sign is wrong. The two sides are equal, so when x grows, the left side grows with it.")
def sign(a, z, g):
    return -np.linalg.solve(_slope(a, z).T, g)


@wrong("You divided by the diagonal. The system mixes all elements: solve with the whole matrix.")
def diagonal_only(a, z, g):
    return g / np.diag(_slope(a, z))


@judged("slope-of-the-cube")
def the_cube_itself(a, z, g):
    return np.linalg.solve((a + np.diag(z**3)).T, g)


@judged("slope-of-the-cube")
def power_kept(a, z, g):
    return np.linalg.solve((a + np.diag(3 * z**3)).T, g)


@judged("slope-of-the-cube")
def power_lowered_twice(a, z, g):
    return np.linalg.solve((a + np.diag(3 * z)).T, g)


solved_for_z = slip("The right-hand side is the upstream gradient g. You used z.", ".T, g) -> .T, z)")
a_forgotten = slip("a @ z depends on z: its Jacobian, a, is missing.", "(a + np.diag(3 * z**2)).T -> np.diag(3 * z**2)")
cube_subtracted = slip("Both terms are on the same side of the equation: add 3 * z**2.", "a + np.diag -> a - np.diag")
a_times_z_on_the_diagonal = slip(
    "a @ z is linear in z: its Jacobian is a alone.", "a + np.diag(3 * z**2) -> a + np.diag(a @ z + 3 * z**2)"
)
a_times_z_for_a = slip(
    "a @ z is linear in z: its Jacobian is the matrix a, not the vector a @ z.",
    "a + np.diag(3 * z**2) -> np.diag(a @ z + 3 * z**2)",
)
divided_by_elements = slip(
    "You divided element by element. The system mixes all elements: solve.",
    "np.linalg.solve((a + np.diag(3 * z**2)).T, g) -> g / (a.sum(axis=0) + 3 * z**2)",
)
one_more_g = slip(
    "The solution is the gradient. You multiplied it by g once more.", "(3 * z**2)).T, g) -> (3 * z**2)).T, g) * g"
)


@wrong("The derivative of the cube belongs in the matrix, before you solve. You added its term to the solution.")
def cube_outside(a, z, g):
    return np.linalg.solve(a.T, g) + 3 * z**2 * g


@judged("cube-outside")
def cube_divided_outside(a, z, g):
    return np.linalg.solve(a.T, g) + g / (3 * z**2)


@judged("slope-of-the-cube")
def sixfold(a, z, g):
    return np.linalg.solve((a + np.diag(6 * z)).T, g)


@judged("slope-of-the-cube")
def sign_lost(a, z, g):
    return np.linalg.solve((a + np.diag(3 * abs(z))).T, g)


jacobians_multiplied = slip(
    "The two terms of the left side are added: a + diag(3 * z**2).", "a + np.diag(3 * z**2) -> a @ np.diag(3 * z**2)"
)
identity_added = slip(
    "The Jacobian of the left side is a + diag(3 * z**2). An identity was added.",
    "a + np.diag(3 * z**2) -> a + np.diag(1 + 3 * z**2)",
)


@wrong("You inverted each element. This is not the inverse of the matrix: solve.")
def inverted_by_elements(a, z, g):
    return (1 / _slope(a, z)).T @ g


times_z = slip("The right-hand side is g alone. You multiplied it by z.", ".T, g) -> .T, g * z)")


both_transposes = slip(
    "a @ z is linear in z: its Jacobian is a alone. You added a.T.", "a + np.diag( -> a + a.T + np.diag("
)
sum_on_the_diagonal = slip(
    "Each entry on the diagonal contains its own element of z. You used the sum of z.",
    "np.diag(3 * z**2) -> np.eye(len(z)) * np.sum(3 * z**2)",
)
times_the_slope = slip(
    "The solution is the gradient. You multiplied it by 3 * z**2 once more.", ".T, g) -> .T, g) * 3 * z**2"
)
slope_on_the_right = slip(
    "The right-hand side is g alone. You multiplied it by 3 * z**2.", ".T, g) -> .T, 3 * z**2 * g)"
)
cubes_for_the_system = slip(
    "z**3 is elementwise: its Jacobian has 3 * z**2 on the diagonal. You put a product of z there.",
    "np.diag(3 * z**2) -> 3 * np.outer(z, z)",
)


errors = (("1-dimensional array given", "solve gets the matrix first, and the vector after it."),)
ways = (PLAIN,)
hints = (
    "Change x a little: (a + diag(3 * z**2)) @ dz = dx. That is the JVP, from dx to dz.",
    "A VJP multiplies by the transpose of the matrix by which the JVP multiplies. Here both are inverses.",
    "Solve (a + diag(3 * z**2)).T @ u = g; u is the answer.",
)
