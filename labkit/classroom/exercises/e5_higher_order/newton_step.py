"""# One step of Newton's method (3 points)

The function is `f(x) = x @ a @ x / 2 - b @ x + sum(exp(x))`, where `a` is a symmetric matrix (3 by 3), and `b` and `x` are
vectors of three elements. Write `answer(a, b, x)`, which returns the point after one Newton step from `x`, an array.
Let labkit compute the gradient `labkit.grad(f)` and its Jacobian, the Hessian (write `f` with `autograd.numpy`), or work them
out by hand.
`np.linalg.solve(m, y)` gives the `z` for which `m @ z = y`.
"""

import autograd.numpy as anp
import numpy as np

import labkit
from labkit.classroom.writing import judged, same, slip, wrong


def answer(a, b, x):
    f = lambda x: x @ a @ x / 2 - b @ x + anp.sum(anp.exp(x))
    gradient = labkit.grad(f)
    return x - np.linalg.solve(labkit.jacfwd(gradient)(x), gradient(x))


def draw(rng):
    """A symmetric matrix with clearly positive eigenvalues, a vector, and a place."""
    m = rng.uniform(-1, 1, (3, 3))
    return m @ m.T + 2 * np.eye(3), rng.uniform(-2, 2, 3), rng.uniform(-1, 1, 3)


def _gradient(a, b, x):
    return a @ x - b + np.exp(x)


def _hessian(a, x):
    return a + np.diag(np.exp(x))


@wrong("The size of the step is right, but not its direction: subtract it, x - step.")
def wrong_way(a, b, x):
    return x + np.linalg.solve(_hessian(a, x), _gradient(a, b, x))


@wrong(
    "That is the step. The exercise asks for the point after the step: x - step.",
    when=lambda i, expected, got: same(i[2] - expected, got) or same(expected - i[2], got),
)
def step_alone(a, b, x):
    return np.linalg.solve(_hessian(a, x), _gradient(a, b, x))


@wrong(
    "That is a step of gradient descent. Newton's step divides by the curvature: solve(hessian, gradient).",
    when=lambda i, expected, got: any(
        same(i[2] - rate * _gradient(*i), got) for rate in (1, 0.5, 0.1, 0.05, 0.01, 0.001)
    ),
)
def gradient_step(a, b, x):
    return x - _gradient(a, b, x)


@wrong("You multiplied by the Hessian. Where the curvature is large, the minimum is near, so divide: solve.")
def multiplied(a, b, x):
    return x - _hessian(a, x) @ _gradient(a, b, x)


@wrong("You divided by the diagonal of the Hessian. The other entries count, too: solve with the whole matrix.")
def diagonal_only(a, b, x):
    return x - _gradient(a, b, x) / np.diag(_hessian(a, x))


@wrong(
    "You divided by the sums of the Hessian's rows, which is what grad of grad returns. Solve with the whole Hessian: "
    "jacfwd of grad."
)
def rows_added_up(a, b, x):
    g = labkit.grad(lambda x: x @ a @ x / 2 - b @ x + anp.sum(anp.exp(x)))
    return x - g(x) / labkit.grad(g)(x)


@wrong("You used a as the Hessian. sum(exp(x)) is curved as well: exp(x) on the diagonal.")
def curvature_of_exp_forgotten(a, b, x):
    return x - np.linalg.solve(a, _gradient(a, b, x))


@judged("kind")
def as_a_list(a, b, x):
    return list(x)


half_a_step = slip(
    "The step is half as long as Newton's step.",
    "x - np.linalg -> x - 0.5 * np.linalg",
)


def _step(a, b, x, gradient=None, hessian=None):
    gradient = _gradient(a, b, x) if gradient is None else gradient
    return x - np.linalg.solve(_hessian(a, x) if hessian is None else hessian, gradient)


@wrong("exp(x) is missing in the gradient: sum(exp(x)) has the gradient exp(x).")
def exp_missing_in_the_gradient(a, b, x):
    return _step(a, b, x, a @ x - b)


@wrong("The gradient of x @ a @ x / 2 is a @ x: the square gives a 2, and the half cancels it.")
def half_in_the_gradient(a, b, x):
    return _step(a, b, x, a @ x / 2 - b + np.exp(x))


@judged("half-in-the-gradient")
def twice_in_the_gradient(a, b, x):
    return _step(a, b, x, 2 * a @ x - b + np.exp(x))


@wrong("The Hessian of x @ a @ x / 2 is a: no half, no 2.")
def half_in_the_hessian(a, b, x):
    return _step(a, b, x, None, _hessian(a / 2, x))


@judged("half-in-the-hessian")
def twice_in_the_hessian(a, b, x):
    return _step(a, b, x, None, _hessian(2 * a, x))


@wrong("-b @ x has the gradient -b. This term is missing, or has the wrong sign.")
def b_missing(a, b, x):
    return _step(a, b, x, a @ x + np.exp(x))


@judged("b-missing")
def b_added(a, b, x):
    return _step(a, b, x, a @ x + b + np.exp(x))


@wrong("exp(x) is on the diagonal of the Hessian only. You added it to every row of a: use np.diag(exp(x)).")
def exp_in_every_row(a, b, x):
    return _step(a, b, x, None, a + np.exp(x))


@wrong("a is missing in the Hessian: x @ a @ x / 2 is curved, too.")
def a_missing_in_the_hessian(a, b, x):
    return _step(a, b, x, None, np.diag(np.exp(x)))


def _many_steps(a, b, x):
    for _ in range(50):
        x = _step(a, b, x)
        yield x


@wrong(
    "You took more than one Newton step.",
    when=lambda i, expected, got: any(same(x, got) for x in _many_steps(*i)) and not same(expected, got),
)
def two_newton_steps(a, b, x):
    return _step(a, b, _step(a, b, x))


@wrong("That solves a @ x = b, without the exponentials. Newton's step starts at x, with gradient and Hessian there.")
def linear_system(a, b, x):
    return np.linalg.solve(a, b)


@wrong("The half of x @ a @ x / 2 is missing, in the gradient and in the Hessian.")
def half_forgotten(a, b, x):
    return _step(a, b, x, 2 * a @ x - b + np.exp(x), _hessian(2 * a, x))


@wrong("sum(exp(x)) has the gradient exp(x), a vector. You added its sum.")
def sum_in_the_gradient(a, b, x):
    return _step(a, b, x, a @ x - b + np.exp(x).sum())


@wrong("exp(x) is its own derivative: no factor x.")
def power_rule_for_exp(a, b, x):
    return _step(a, b, x, a @ x - b + x * np.exp(x))


@judged("power-rule-for-exp")
def power_rule_in_the_hessian(a, b, x):
    return _step(a, b, x, None, a + np.diag(x * np.exp(x)))


@wrong("The vector b belongs to the gradient alone: the Hessian does not contain it.")
def b_in_the_hessian(a, b, x):
    return _step(a, b, x, None, _hessian(a, x) - np.diag(b))


@wrong("solve takes the gradient alone: x - solve(hessian, gradient). You put x inside solve.")
def x_inside(a, b, x):
    return np.linalg.solve(_hessian(a, x), x - _gradient(a, b, x))


@wrong("The exponentials are those of x, not of a @ x.")
def exp_of_the_product(a, b, x):
    return _step(a, b, x, a @ x - b + np.exp(a @ x))


@wrong(
    "exp(x) is added, as the function adds sum(exp(x)): in the gradient, and on the diagonal of the Hessian. You subtracted it."
)
def exp_subtracted(a, b, x):
    return _step(a, b, x, None, a - np.diag(np.exp(x)))


@judged("exp-subtracted")
def exp_subtracted_in_the_gradient(a, b, x):
    return _step(a, b, x, a @ x - b - np.exp(x))


@wrong("You divided f by its gradient: that is Newton's step to a zero of f. Here the gradient should become 0.")
def to_a_zero_of_f(a, b, x):
    return x - (x @ a @ x / 2 - b @ x + np.exp(x).sum()) / _gradient(a, b, x)


@wrong("The sum of exp(x) is on the whole diagonal. Each entry has the exp of its own x.")
def sum_on_the_diagonal(a, b, x):
    return _step(a, b, x, None, a + np.eye(3) * np.exp(x).sum())


@wrong("f adds up the exponentials. You took their mean, or left out the sum.")
def mean_of_exp(a, b, x):
    return _step(a, b, x, a @ x - b + np.exp(x) / 3, a + np.diag(np.exp(x)) / 3)


@wrong("In your gradient and Hessian, the sign of the exponentials does not fit that of the other terms.")
def signs_do_not_fit(a, b, x):
    return _step(a, b, x, a @ x - b - np.exp(x), a - np.diag(np.exp(x)))


@wrong("The first term, x @ a @ x / 2, is missing, in the gradient and in the Hessian.")
def first_term_missing(a, b, x):
    return _step(a, b, x, np.exp(x) - b, np.diag(np.exp(x)))


@wrong("Newton's step starts at x. Yours starts at 0.")
def starts_at_zero(a, b, x):
    return _step(a, b, 0 * x)


@wrong("You inverted each element of the Hessian. The inverse of a matrix is another one: solve.")
def inverted_by_elements(a, b, x):
    with np.errstate(divide="ignore"):
        return x - (1 / _hessian(a, x)) @ _gradient(a, b, x)


@wrong("You added 1 on the diagonal of the Hessian. The second derivative of exp(x) is exp(x).")
def ones_on_the_diagonal(a, b, x):
    return _step(a, b, x, None, a + np.eye(3))


errors = (
    (
        "1-dimensional array given",
        "solve gets a matrix first, and a vector after it. The Hessian is the Jacobian of the gradient, not of f.",
    ),
)
hints = (
    "The step is the solution z of hessian @ z = gradient; the new point is x - z.",
    "hessian = labkit.jacfwd(labkit.grad(f))(x); labkit.grad(f)(x) is the gradient.",
    "By hand: gradient = a @ x - b + exp(x), hessian = a + diag(exp(x)).",
)
