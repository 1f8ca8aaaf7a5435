"""# Repair: a Jacobian by pushes (2 points)

This function is to return the Jacobian of `f(x) = a @ tanh(x)`, one push per input.
`a` has shape `(m, n)`, `x` has shape `(n,)`. Two things are wrong. Mend them.

[[outputs_instead_of_slopes as jacobian]]
"""

import autograd.numpy as np

from labkit import jvp
from labkit.classroom.writing import Way, judged, same, wrong


def jacobian(a, x):
    def f(x):
        return a @ np.tanh(x)

    pushes = [jvp(f, (x,), (t,))[1] for t in np.eye(len(x))]
    return np.stack(pushes, axis=1)


def draw(rng):
    m, n = int(rng.integers(2, 4)), int(rng.integers(4, 6))
    return rng.uniform(-2, 2, (m, n)).round(2), rng.uniform(-1, 1, n).round(2)


@wrong(
    "The numbers are right, but they are the transpose. np.array puts what it gets into rows, and a push gives a "
    "column."
)
def still_transposed(a, x):
    return np.array([jvp(lambda x: a @ np.tanh(x), (x,), (t,))[1] for t in np.eye(len(x))])


@wrong(
    "These are outputs of f, not slopes. jvp returns a pair: the output, and the derivative along t.",
    when=lambda i, expected, got: (
        same(np.stack([i[0] @ np.tanh(i[1])] * len(i[1]), axis=1), got)
        or same(np.stack([i[0] @ np.tanh(i[1])] * len(i[1])), got)
    ),
)
def outputs_instead_of_slopes(a, x):
    def f(x):
        return a @ np.tanh(x)

    pushes = [jvp(f, (x,), (t,))[0] for t in np.eye(len(x))]
    return np.array(pushes)


@wrong("The shape is right, but the numbers are shuffled: reshape does not transpose. Put each push into a column.")
def reshaped(a, x):
    return np.array([jvp(lambda x: a @ np.tanh(x), (x,), (t,))[1] for t in np.eye(len(x))]).reshape(a.shape)


@wrong("That is a, the Jacobian of a @ x. By the chain rule each column also has the slope of tanh as a factor.")
def tanh_forgotten(a, x):
    return a.copy()


@judged("outputs-instead-of-slopes")
def outputs_in_columns(a, x):
    return np.array([jvp(lambda x: a @ np.tanh(x), (x,), (t,))[0] for t in np.eye(len(x))]).T


@judged("error")
def units_of_the_output(a, x):
    return np.stack([jvp(lambda x: a @ np.tanh(x), (x,), (t,))[1] for t in np.eye(len(a))], 1)


ways = (Way("One push for each input is asked for, and no walk back.", ("walk back",)),)
hints = (
    "Print what jvp returns for one t. Which of the two do you want?",
    "A push gives a column, with one number per output. How many rows does the result need?",
    "np.stack(pushes, axis=1) puts each array into a column; .T after np.array does the same.",
)
