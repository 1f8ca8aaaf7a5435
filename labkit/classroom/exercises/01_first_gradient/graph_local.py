"""# The local gradients of four operations (2 points)

Write `local(op, a, b)`, where `a` and `b` are numbers and `op` is one of the strings `"add"`, `"subtract"`, `"multiply"` and
`"divide"`. Return a tuple of two numbers: the local gradient of `a + b`, `a - b`, `a * b` or `a / b` with respect to `a`, and
the one with respect to `b`. The numbers are compared to 12 digits.
"""

from functools import partial

from labkit.classroom.writing import EXACT, judged, slip, wrong


def local(op, a, b):
    if op == "add":
        return 1.0, 1.0
    if op == "subtract":
        return 1.0, -1.0
    if op == "multiply":
        return b, a
    return 1 / b, -a / b**2


def _operation(rng, op):
    """Two numbers of either sign, of different size."""
    signs = rng.choice([-1, 1], 2)
    return op, float(signs[0] * rng.uniform(1.2, 3.0)), float(signs[1] * rng.uniform(3.5, 6.0))


errors = (
    (
        "KeyError",
        "op is one of the strings 'add', 'subtract', 'multiply' and 'divide': your dict needs exactly these keys.",
    ),
)


draw = tuple(partial(_operation, op=op) for op in ("multiply", "subtract", "divide", "add"))
draws = 12


whole_numbers = slip("// drops the fraction. Divide with /.", "return 1 / b, -a / b**2 -> return 1 // b, -a // b**2")


@judged("whole-numbers")
def first_whole(op, a, b):
    return (1 // b, -a / b**2) if op == "divide" else local(op, a, b)


@judged("whole-numbers")
def second_whole(op, a, b):
    return (1 / b, -a // b**2) if op == "divide" else local(op, a, b)


@wrong("In a product the local derivative with respect to a is b, the other factor.")
def own_factor(op, a, b):
    return (a, b) if op == "multiply" else local(op, a, b)


@wrong("When b grows, a - b gets smaller: its local derivative is -1.")
def minus_forgotten(op, a, b):
    return (1.0, 1.0) if op == "subtract" else local(op, a, b)


@wrong("The sign is missing: a / b is a * b**-1, and the exponent -1 becomes a factor: -a * b**-2.")
def a_larger_divisor(op, a, b):
    return (1 / b, a / b**2) if op == "divide" else local(op, a, b)


@wrong("-1 / b**2 belongs to 1 / b. Here the numerator is a, and it stays as a factor.")
def numerator_forgotten(op, a, b):
    return (1 / b, -1 / b**2) if op == "divide" else local(op, a, b)


@wrong("a / b is not symmetric. Write it as a * b**-1: its derivative with respect to b is -a * b**-2.")
def divide_the_other_way(op, a, b):
    return (1 / b, 1 / a) if op == "divide" else local(op, a, b)


@wrong("That is the value of the operation, not how it reacts to a and to b.")
def values_returned(op, a, b):
    return {"add": a + b, "subtract": a - b, "multiply": a * b, "divide": a / b}[op]


@wrong(
    'You give (1, 1) for several operations. A condition such as op == "add" or "subtract" is always true: compare op with '
    "each string."
)
def ones_for_all(op, a, b):
    return 1.0, 1.0


not_squared = slip(
    "The derivative of a / b with respect to b has b squared in the denominator.",
    "-a / b**2 -> -a / b",
)

numerator_derivative_inverted = slip(
    "The derivative of a / b with respect to a is the factor by which a is multiplied: 1 / b, not b.",
    "return 1 / b -> return b",
)

values_of_the_sum = slip(
    "The derivative of a + b with respect to each of them is 1, whatever a and b are.",
    "1.0, 1.0 -> a, b",
)

values_of_the_difference = slip(
    "The derivatives of a - b are 1 and -1, whatever a and b are.",
    "1.0, -1.0 -> a, -b",
)

minus_at_a = slip(
    "In a - b the minus belongs to b: the derivative with respect to a is 1.",
    "1.0, -1.0 -> -1.0, 1.0",
)

whole_numbers = slip(
    "`//` drops the fraction. Divide with `/`.",
    "1 / b, -a / b**2 -> 1 // b, -a // b**2",
)

one_over_a = slip(
    "The derivative of a / b with respect to a is 1 / b: it does not depend on a.",
    "return 1 / b -> return 1 / a",
)

value_as_derivative = slip(
    "a / b is the value. Its derivative with respect to a is 1 / b.",
    "return 1 / b -> return a / b",
)


inverse_for_quotient = slip(
    "The derivative of a / b with respect to b is -a / b**2. The numerator a and the square are missing.",
    "-a / b**2 -> -1 / b",
)


numerators_alone = slip(
    "You have the numerators of the quotient rule. Divide them by b**2.",
    "1 / b, -a / b**2 -> b, -a",
)

denominator_missing = slip(
    "The denominator is missing in the derivative of a / b with respect to b: it is b**2.",
    "-a / b**2 -> -a",
)

multiplied_by_the_square = slip(
    "In the derivative of a / b with respect to b, b**2 is the denominator. You multiply by it.",
    "-a / b**2 -> -a * b**2",
)

twice_for_squared = slip(
    "The denominator is b squared, not 2 * b.",
    "-a / b**2 -> -a / (b * 2)",
)

roles_exchanged = slip(
    "With respect to b, the denominator b is squared and the numerator a stays. You exchanged a and b.",
    "-a / b**2 -> -b / a**2",
)

numerator_and_sign_forgotten = slip(
    "In the derivative of a / b with respect to b, the minus and the numerator a are missing.",
    "-a / b**2 -> 1 / b**2",
)

product_as_a_sum = slip(
    "(1, 1) belongs to a sum. In a product each local gradient is the other factor.",
    "b, a -> 1.0, 1.0",
)

value_of_the_product = slip(
    "a * b is the value of the product. Its local gradients are b and a.",
    "b, a -> a * b, a * b",
)

sum_as_a_product = slip(
    "The other number belongs to a product. In a sum both local gradients are 1.",
    "1.0, 1.0 -> b, a",
)

constants_of_the_sum = slip(
    "The local gradients of a + b are 1: when a changes a little, a + b changes by the same amount.",
    "1.0, 1.0 -> 0.0, 0.0",
)

quotient_by_its_first_argument = slip(
    "1 / b is the local gradient for a. The one for b is different, because b is in the denominator.",
    "-a / b**2 -> 1 / b",
)

subtract_divides = slip(
    'For "subtract" you give the local gradients of a / b: none of your earlier conditions is true for this string.',
    'op == "subtract" -> op == "minus"',
)

multiply_divides = slip(
    'For "multiply" you give the local gradients of a / b: none of your earlier conditions is true for this string.',
    'op == "multiply" -> op == "times"',
)

add_divides = slip(
    'For "add" you give the local gradients of a / b: none of your earlier conditions is true for this string.',
    'op == "add" -> op == "plus"',
)

both_negative = slip(
    "In a - b the minus belongs to b alone.",
    "1.0, -1.0 -> -1.0, -1.0",
)

quotient_as_a_product = slip(
    "(b, a) belongs to a product. a / b has other local gradients.",
    "1 / b, -a / b**2 -> b, a",
)


numerator_as_b = slip(
    "In the quotient rule the derivative of the numerator a with respect to b is 0, not 1.",
    "-a / b**2 -> (b - a) / b**2",
)


same_factor_twice = slip(
    "In a product each local gradient is the other factor: two different ones.",
    "b, a -> b, b",
)

first_factor_twice = slip(
    "In a product each local gradient is the other factor. You give a for both.",
    "b, a -> a, a",
)

quotient_by_itself = slip(
    "a / b is the value. Its local gradient with respect to b contains b**2 and a minus.",
    "-a / b**2 -> a / b",
)

denominator_left_out = slip(
    "The local gradient of a / b with respect to a is 1 / b: when a changes by 1, a / b changes by 1 / b.",
    "return 1 / b -> return 1.0",
)

b_cubed = slip(
    "The derivative of b**-1 is -b**-2: the denominator is squared, and has no other power.",
    "b**2 -> b**3",
)

minus_in_front_of_all = slip(
    "In a / b only the local gradient with respect to b has a minus.",
    "return 1 / b -> return -1 / b",
)


operands_added = slip(
    "In a product each local gradient is the other factor, not the sum of both.",
    "b, a -> a + b, a + b",
)

whole_quotient_rule = slip(
    "The quotient rule gives a derivative along one variable. Here a and b change separately: hold the other one fixed.",
    "1 / b, -a / b**2 -> (b - a) / b**2, (b - a) / b**2",
)


b_squared_for_a = slip(
    "The local gradient of a / b with respect to a is 1 / b. b**2 belongs to the other one.",
    "return 1 / b, -> return 1 / b**2,",
)


ways = (EXACT,)
hints = (
    "Hold b fixed and change a. Then hold a fixed and change b.",
    "add: (1, 1). subtract: (1, -1). multiply: (b, a).",
    "divide: a / b is a * b**-1. So (1 / b, -a / b**2).",
)
