"""# What do nested gradients return? (3 points)

Predict what each line returns. Answer with a list of five numbers. First write the inner gradient as a formula in `x`.

0. `grad(grad(lambda x: x * x * x * x))(2.0)`
1. `grad(lambda x: x * grad(lambda y: x + y)(5.0))(1.0)`
2. `grad(lambda x: x * grad(lambda y: x * x * y)(3.0))(2.0)`
3. `grad(lambda x: grad(lambda y: x * y * y)(x))(2.0)`
4. `grad(lambda x: grad(lambda y: x * x)(x))(4.0)`
"""

from labkit.classroom.writing import either, judged, wrong
from labkit.engine import grad

answer = [48, 1, 12, 8, 0]
rules = (
    "Differentiate the formula twice, and only then insert the number.",
    "The inner grad is with respect to y alone. Write it as a formula in x, multiply, and then differentiate.",
    "The inner grad is with respect to y alone. Write it as a formula in x, multiply, and then differentiate.",
    "Differentiate with respect to y, then insert x for y. The outer grad differentiates this formula in x.",
    "Does the inner function use y at all? The outer grad differentiates the result of the inner one, not its function.",
)
hints = (
    "The inner gradients of the first three, as formulas in x: 4 * x**3, then 1, then x * x.",
    "Item 3: the derivative with respect to y is 2 * x * y. It is taken at y = x.",
    "What is left to differentiate: 4 * x**3, x * 1, x * x * x, 2 * x**2 and 0.",
)
LINES = (
    lambda: grad(grad(lambda x: x * x * x * x))(2.0),
    lambda: grad(lambda x: x * grad(lambda y: x + y)(5.0))(1.0),
    lambda: grad(lambda x: x * grad(lambda y: x * x * y)(3.0))(2.0),
    lambda: grad(lambda x: grad(lambda y: x * y * y)(x))(2.0),
    lambda: grad(lambda x: grad(lambda y: x * x)(x))(4.0),
)


def reference():
    return [float(line()) for line in LINES]


first_derivative_only = wrong(
    "The inner grad gives 4 * x**3. The outer one differentiates that once more.", {0: either(16, 32)}
)

confused_boxes = wrong(
    "For the inner grad x is a constant: x + y has the slope 1 in y. The inner grad ignores the slope in x.", {1: 2}
)

inner_is_a_number = wrong(
    "The inner gradient is a formula in x, not the number at this x: it changes with x, and the outer grad differentiates "
    "this change, too.",
    {0: 0, 2: 4, 3: 0},
)

one_factor_moves = wrong(
    "The inner grad differentiates in y, which gives 2 * x * y. After you insert y = x, both factors change with x.",
    {3: either(4, 2)},
)

point_before_derivative = wrong(
    "The inner grad first differentiates with respect to y alone, which gives 2 * x * y. Insert y = x only afterwards.",
    {3: 12},
)

called_at_x = wrong(
    "The function does not use y, so its derivative with respect to y is 0 everywhere. The outer grad differentiates 0.",
    {4: either(8, 2, 16, 4, 1)},
)

another = judged("value", {3: 9})
four = judged("structure", [48, 1, 12, 8])

value_for_the_inner_derivative = wrong(
    "The inner grad is the derivative of its function in y: not the value of the function, and not y.",
    {1: either(7, 6, 5), 2: either(36, 24)},
)

value_for_the_outer_derivative = wrong(
    "That is the value of the formula at x. The outer grad differentiates it first.", {2: 8}
)

second_derivative_slips = wrong("4 * x**3 has the derivative 12 * x**2.", {0: either(24, 12, 96)})

derivative_squared = wrong("grad(grad(f)) is the second derivative, not the square of the first.", {0: 1024})
inner_factor_alone = wrong("The product with x is differentiated, too: the product rule.", {1: 0})

other_point = wrong("The inner grad is taken at 3.0, the outer one at 2.0.", {2: either(27, 18)})
point_put_in_first = wrong("Differentiate twice as a formula, and insert 2.0 at the end.", {0: either(128, 8, 64)})
