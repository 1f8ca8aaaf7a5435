"""# Where the two errors balance (2 points)

A forward difference has the truncation error `c * h` and the round-off error `e / h`. Write `best(c, e)`. It
returns a tuple: the `h` for which the sum of both errors is smallest, and that smallest sum.
`c` and `e` are positive numbers.
"""

from labkit.classroom.writing import judged, wrong


def best(c, e):
    h = (e / c) ** 0.5
    return h, c * h + e / h


def reference(c, e):
    return (e / c) ** 0.5, 2 * (e * c) ** 0.5


def draw(rng):
    return float(rng.uniform(1.5, 9.0)), float(rng.uniform(1.0, 9.0) * 10.0 ** rng.integers(-8, -3))


@wrong("A larger round-off error asks for a larger step. Your h gets smaller.", parts=(0,))
def upside_down(c, e):
    return (c / e) ** 0.5, 2 * (c * e) ** 0.5


@wrong("With h = e / c the two errors are far from equal. Put the derivative of c*h + e/h to zero: c = e / h**2.")
def no_root(c, e):
    return e / c, e + c


@wrong("The step is right. At this step both errors are equally large, and the sum has two of them.")
def one_of_two_errors(c, e):
    return (e / c) ** 0.5, (e * c) ** 0.5


@wrong("With a step of the size of e, the round-off error e / h is 1, however small e is.")
def as_small_as_it_gets(c, e):
    return e, c * e + 1


@judged("kind")
def the_step_alone(c, e):
    return (e / c) ** 0.5


@judged("value")
def a_cube_root(c, e):
    return (e / c) ** (1 / 3), 2 * (e * c) ** 0.5


hints = (
    "The sum is c*h + e/h. You know from school how to find where a function is smallest.",
    "Its derivative is c - e / h**2. Where is it zero?",
    "h = (e / c) ** 0.5. Put that h into c*h + e/h for the second number.",
)
