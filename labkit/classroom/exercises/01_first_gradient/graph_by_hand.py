"""# A gradient by hand (3 points)

The graph is

```python
a = x * y
b = a + x
z = b * a
```

Write `by_hand(x, y)`, which returns a tuple of three numbers: `z`, its derivative with respect to `x`, and its derivative with
respect to `y`. Go backward through the graph: first compute the derivative of `z` with respect to `b`, then to `a`, then to
`x` and `y`. Use plain arithmetic, without automatic differentiation. The derivatives are compared to 12 digits.
"""

from functools import partial

from labkit.classroom.writing import EXACT, PLAIN, judged, same, slip, wrong


def by_hand(x, y):
    a = x * y
    b = a + x
    z = b * a
    d_b = a
    d_a = b + d_b
    d_x = d_a * y + d_b
    d_y = d_a * x
    return z, d_x, d_y


def _x_and_y(rng, signs):
    return tuple(float(v) for v in signs * rng.uniform(0.5, 3.0, 2))


draw = tuple(partial(_x_and_y, signs=signs) for signs in ((1, 1), (1, -1), (-1, 1), (-1, -1)))


def _back(x, y, d_a):
    """What follows from this slope at a."""
    a = x * y
    return (a + x) * a, d_a * y + a, d_a * x


@wrong("In a = x * y the local derivative with respect to x is y, and that with respect to y is x.")
def own_factor(x, y):
    a, b = x * y, x * y + x
    return b * a, (a + b) * x + a, (a + b) * y


@judged("structure")
def no_value(x, y):
    return by_hand(x, y)[1:]


@judged("value")
def a_sum(x, y):
    z, d_x, d_y = by_hand(x, y)
    return z, d_x + d_y, d_x + d_y


b_by_b = slip(
    "In z = b * a the local derivative with respect to b is a, the other factor.",
    "d_b = a\n -> d_b = b\n",
)

a_by_a = slip(
    "In z = b * a the local derivative with respect to a is b, the other factor.",
    "d_a = b + d_b -> d_a = a + d_b",
)

x_by_x = slip(
    "In a = x * y the local derivative with respect to x is y.",
    "d_x = d_a * y -> d_x = d_a * x",
)

y_by_y = slip(
    "In a = x * y the local derivative with respect to y is x.",
    "d_y = d_a * x -> d_y = d_a * y",
)

multiplied_at_x = slip(
    "x gets two contributions, one through a and one through b. Add them.",
    "* y + d_b -> * y * d_b",
)

y_into_b = slip(
    "y is used once, in a = x * y. Only x has a second edge, into b.",
    "d_y = d_a * x -> d_y = d_a * x + d_b",
)

second_way_by_a = slip(
    "The second edge of x goes into b = a + x, so it contributes the gradient of b, not that of a.",
    "* y + d_b -> * y + d_a",
)

upstream_missing_at_a = slip(
    "At a = x * y the local derivatives have to be multiplied by the upstream gradient of a.",
    "d_x = d_a * y -> d_x = y",
    "d_y = d_a * x -> d_y = x",
)

sum_as_product = slip(
    "In b = a + x the local derivatives are 1. They do not depend on a and x.",
    "d_a = b + d_b -> d_a = b + d_b * x",
)


y_missing_at_x = slip(
    "At a = x * y the local gradient with respect to x is y. It is missing.",
    "d_x = d_a * y -> d_x = d_a",
)

x_missing_at_y = slip(
    "At a = x * y the local gradient with respect to y is x. It is missing.",
    "d_y = d_a * x -> d_y = d_a",
)

b_for_a_at_y = slip(
    "y goes into a only. Multiply x by the gradient of a, not by that of b.",
    "d_y = d_a * x -> d_y = d_b * x",
)

one_way_for_y = slip(
    "The gradient of a has two contributions, and the gradient of y needs both: one from z directly, one through b.",
    "d_y = d_a * x -> d_y = b * x",
)

one_way_for_x = slip(
    "The gradient of a has two contributions, and the gradient of x needs both: one from z directly, one through b.",
    "d_x = d_a * y -> d_x = b * y",
)

twice_a_for_y = slip(
    "With respect to y, z = b * a changes through b and through a: the contributions are a and b. You took a twice.",
    "d_y = d_a * x -> d_y = 2 * a * x",
)

upstream_missing_at_x = slip(
    "The edge from x into b has the local gradient 1. Multiply it by the gradient of b.",
    "* y + d_b -> * y + 1.0",
)

upstream_missing_at_b = slip(
    "The edge from a into b has the local gradient 1. Multiply it by the gradient of b.",
    "d_a = b + d_b -> d_a = b + 1.0",
)

gradients_of_the_middle = slip(
    "These are the gradients of a and b. One step is left: from them to x and y.",
    "return z, d_x, d_y -> return z, d_a, d_b",
)

gradients_of_the_middle_exchanged = slip(
    "These are the gradients of b and a. One step is left: from them to x and y.",
    "return z, d_x, d_y -> return z, d_b, d_a",
)

subtracted = slip(
    "Contributions to one value add up. At a you subtract one.",
    "d_a = b + d_b -> d_a = b - d_b",
)


@wrong(
    "Both derivatives are right. The first number is not: it is the value z = b * a.",
    when=lambda i, expected, got: same(expected[1:], got[1:]) and not same(expected[0], got[0]),
)
def another_value(x, y):
    return (x * y, *by_hand(x, y)[1:])


through_b_forgotten = slip(
    "a goes into z directly, and also through b. You took only the direct edge.",
    "d_a = b + d_b -> d_a = b",
)


directly_forgotten = slip(
    "a goes into z through b, and also directly: z = b * a. One of the two contributions is missing.",
    "d_a = b + d_b -> d_a = d_b",
)


x_into_b_forgotten = slip(
    "x has a second edge, directly into b.",
    "* y + d_b -> * y",
)


contributions_multiplied = slip(
    "The two contributions to the gradient of a add up. You multiplied them.",
    "d_a = b + d_b -> d_a = b * d_b",
)


x_into_a_forgotten = slip(
    "x goes into b, and also into a. Its path through a is missing.",
    "d_x = d_a * y + d_b -> d_x = d_b",
)

subtracted_at_x = slip(
    "Contributions to one value add up. At x you subtract one.",
    "d_a * y + d_b -> d_a * y - d_b",
)

upstream_missing_at_x_in_a = slip(
    "y is the local derivative of a = x * y with respect to x. Multiply it by the gradient of a.",
    "d_x = d_a * y -> d_x = y",
)

upstream_missing_at_y = slip(
    "x is the local derivative of a = x * y with respect to y. Multiply it by the gradient of a.",
    "d_y = d_a * x -> d_y = x",
)

one_for_b = slip(
    "z = b * a has the local derivative a with respect to b. You took 1.",
    "d_b = a\n -> d_b = 1.0\n",
)

value_for_b = slip(
    "The gradient of b is a, the other factor. You took the value z.",
    "d_b = a\n -> d_b = z\n",
)

added_at_y = slip(
    "A local derivative and the gradient of a are multiplied, not added.",
    "d_y = d_a * x -> d_y = d_a + x",
)

added_at_x = slip(
    "A local derivative and the gradient of a are multiplied, not added.",
    "d_x = d_a * y -> d_x = d_a + y",
)

square_by_its_base = slip(
    "z = b * a is not a square: its derivative with respect to a is not 2 * a or 2 * b.",
    "d_a = b + d_b -> d_a = 2 * b",
)

twice_at_x = slip(
    "The path from x into b counts once. You add it twice.",
    "* y + d_b -> * y + 2 * d_b",
)


@wrong(
    "The first number, the value z = b * a, is already wrong. Check the forward pass before the derivatives.",
    when=lambda i, expected, got: len(got) == 3 and not any(same(expected[0], one) for one in got),
)
def forward_pass_wrong(x, y):
    a = x * y
    b = a - x
    return b * a, (b + a) * y + a, (b + a) * x


b_added_at_y = slip(
    "y goes into a only. Multiply x by the gradient of a, without that of b.",
    "d_y = d_a * x -> d_y = (d_a + d_b) * x",
)

relative = slip(
    "These are the derivatives divided by z. Return the derivatives themselves.",
    "return z, d_x, d_y -> return z, d_x / z, d_y / z",
)

times_z = slip(
    "The backward pass begins with 1, the derivative of z with respect to itself, not with z.",
    "return z, d_x, d_y -> return z, z * d_x, z * d_y",
)


value_of_b_at_x = slip(
    "The edge from x into b contributes the gradient of b, which is a. You add the value b.",
    "* y + d_b -> * y + b",
)

x_for_the_gradient_of_b = slip(
    "a gets the gradient of b times 1 through b = a + x. You add x.",
    "d_a = b + d_b -> d_a = b + x",
)

paths_of_x = slip(
    "Three paths lead from x to z: through a alone, through a and b, and through b alone. You do not have all of them.",
    "d_x = d_a * y + d_b -> d_x = d_b * y + d_b",
)


ways = (EXACT, PLAIN)
hints = (
    "Draw the graph. Two edges leave a, and two edges leave x.",
    "d_b = a. a gets two contributions: b from the product, and d_b * 1 through b. They add up.",
    "d_a = b + d_b. Then d_x = d_a * y + d_b, and d_y = d_a * x.",
)
