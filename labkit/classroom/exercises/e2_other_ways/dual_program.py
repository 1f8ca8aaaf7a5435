"""# Forward mode through a program (3 points)

As in unit 03, a program is given as data. For two inputs,

```python
program = (("multiply", 0, 1), ("tanh", 2), ("add", 3, 0))
```

means: values 0 and 1 are the inputs, value 2 is their product, value 3 is `tanh` of value 2, and value 4 is the sum of values 3
and 0. The last value is the result.

Write `run(program, inputs, direction)`, where `direction` contains the rate of each input. The function returns a tuple: the
result, and the rate at which the result changes. The operations are `"add"`, `"multiply"` and `"tanh"`. `math.tanh`
computes `tanh`. Use no automatic differentiation other than your own. The rate is compared to 12 digits.
"""

import math
from functools import partial

import numpy as np

from labkit.classroom.writing import EXACT, PLAIN, judged, slip, wrong


def run(program, inputs, direction):
    values, slopes = list(inputs), list(direction)
    for op, *places in program:
        a, b = places[0], places[-1]
        if op == "add":
            value, slope = values[a] + values[b], slopes[a] + slopes[b]
        elif op == "multiply":
            value, slope = values[a] * values[b], slopes[a] * values[b] + values[a] * slopes[b]
        else:
            value = math.tanh(values[a])
            slope = (1 - value**2) * slopes[a]
        values.append(value)
        slopes.append(slope)
    return values[-1], slopes[-1]


def _program(rng, inputs, twice="", early=False):
    """Six instructions, all three kinds among them; each uses the value before it, an instruction called `twice` two times.

    With `early`, tanh uses another one.
    """
    kinds = [str(k) for k in rng.permutation(["add", "multiply", "tanh", "multiply", "add"])]
    program = []
    for node, kind in enumerate(kinds, inputs):
        other = node - 1 if kind == twice else int(rng.integers(0, node))
        both = (node - 1, other) if rng.random() < 0.5 else (other, node - 1)
        program.append((kind, node - 1 - early) if kind == "tanh" else (kind, *both))
    program.append(("multiply", inputs + 4, int(rng.integers(0, inputs))))
    values, direction = (
        tuple(float(n) for n in np.round(rng.uniform(0.4, 1.6, inputs) * rng.choice([-1, 1], inputs), 2))
        for _ in range(2)
    )
    return tuple(program), values, direction


draw = tuple(
    partial(_program, inputs=inputs, twice=twice, early=early)
    for inputs, twice, early in (
        (2, "", False),
        (3, "", False),
        (2, "multiply", False),
        (2, "add", False),
        (1, "", False),
        (2, "", True),
    )
)


def _run(program, inputs, direction, product=None, slope_of_tanh=None):
    values, slopes = list(inputs), list(direction)
    product = product or (lambda x, y, dx, dy: dx * y + x * dy)
    slope_of_tanh = slope_of_tanh or (lambda x, ans, dx: (1 - ans**2) * dx)
    for op, *places in program:
        x, y, dx, dy = values[places[0]], values[places[-1]], slopes[places[0]], slopes[places[-1]]
        if op == "add":
            values.append(x + y)
            slopes.append(dx + dy)
        elif op == "multiply":
            values.append(x * y)
            slopes.append(product(x, y, dx, dy))
        else:
            values.append(math.tanh(x))
            slopes.append(slope_of_tanh(x, values[-1], dx))
    return values[-1], slopes[-1]


@wrong("In a product both factors move: x' * y + x * y'. You multiplied the two slopes.")
def slopes_multiplied(program, inputs, direction):
    return _run(program, inputs, direction, product=lambda x, y, dx, dy: dx * dy)


@wrong("In a product each slope is multiplied by the *other* factor.")
def own_factor(program, inputs, direction):
    return _run(program, inputs, direction, product=lambda x, y, dx, dy: dx * x + y * dy)


@wrong("In a product both factors move. You kept the second one fixed.")
def one_factor_stands(program, inputs, direction):
    return _run(program, inputs, direction, product=lambda x, y, dx, dy: dx * y)


@wrong("The slope of tanh is 1 - tanh(x)**2. You squared the argument; square the value of tanh.")
def x_for_the_result(program, inputs, direction):
    return _run(program, inputs, direction, slope_of_tanh=lambda x, ans, dx: (1 - x**2) * dx)


@wrong("You gave the local derivative of tanh alone. Its input has a rate of its own: multiply by it.")
def chain_cut(program, inputs, direction):
    return _run(program, inputs, direction, slope_of_tanh=lambda x, ans, dx: 1 - ans**2)


@wrong("You let every input move at the rate 1. The rates are in direction.")
def direction_ignored(program, inputs, direction):
    return _run(program, inputs, [1.0] * len(inputs))


@wrong("You let only the first input move. All inputs move, each at its own rate.")
def first_input_alone(program, inputs, direction):
    return _run(program, inputs, [direction[0]] + [0.0] * (len(inputs) - 1))


@judged("kind")
def slope_alone(program, inputs, direction):
    return _run(program, inputs, direction)[1]


not_squared = slip(
    "The derivative of tanh is 1 - tanh(x)**2. The square is missing.",
    "(1 - value**2) -> (1 - value)",
)

all_rates = slip(
    "You return the rates of all values. The exercise asks for that of the result.",
    "return values[-1], slopes[-1] -> return values[-1], slopes",
)

tanh_twice = slip(
    "value is tanh(x) already. You took tanh of it once more.",
    "(1 - value**2) -> (1 - math.tanh(value) ** 2)",
)

product_minus = slip(
    "In a product both terms are added: x' * y + x * y'.",
    "* values[b] + values[a] * slopes[b] -> * values[b] - values[a] * slopes[b]",
)

rates_multiplied_in_a_sum = slip(
    "In a sum the rates are added. You multiplied them.", "slopes[a] + slopes[b] -> slopes[a] * slopes[b]"
)
rates_subtracted_in_a_sum = slip(
    "In a sum the rates are added. You subtracted one.", "slopes[a] + slopes[b] -> slopes[a] - slopes[b]", alone=True
)
mean_of_the_rates = slip(
    "In a sum the rates are added. You took their mean.",
    "slopes[a] + slopes[b] -> (slopes[a] + slopes[b]) / 2",
    alone=True,
)
rule_of_arctan = slip(
    "1 / (1 + x**2) is the derivative of arctan. That of tanh is 1 - tanh(x)**2.",
    "(1 - value**2) -> 1 / (1 + values[a] ** 2)",
    alone=True,
)
first_term_alone = slip("In a sum both terms move: add both rates.", "slopes[a] + slopes[b] -> slopes[a]")
second_term_alone = slip("In a sum both terms move: add both rates.", "slopes[a] + slopes[b] -> slopes[b]")
second_factor_alone = slip(
    "In a product both factors move. You kept the first one fixed.",
    "slopes[a] * values[b] + values[a] * slopes[b] -> values[a] * slopes[b]",
)
past_tanh = slip("The derivative of tanh is missing: 1 - tanh(x)**2.", "(1 - value**2) * slopes[a] -> slopes[a]")
tanh_of_the_rate = slip(
    "The rate is not tanh of a rate: multiply it by 1 - tanh(x)**2.",
    "(1 - value**2) * slopes[a] -> math.tanh(slopes[a])",
)
sign_of_the_derivative = slip(
    "The derivative of tanh is 1 - tanh(x)**2. Yours has the opposite sign.", "(1 - value**2) -> (value**2 - 1)"
)
first_term_subtracted = slip(
    "In a product both terms are added: x' * y + x * y'.", "* slopes[b]\n -> * slopes[b] - 2 * slopes[a] * values[b]\n"
)
both_changes_multiplied = slip(
    "The rate of a product has two terms: x' * y + x * y'. The product of both rates is not one of them.",
    "* slopes[b]\n -> * slopes[b] + slopes[a] * slopes[b]\n",
)
plus_for_minus = slip("The derivative of tanh is 1 - tanh(x)**2. Yours has a plus.", "(1 - value**2) -> (1 + value**2)")
last_left_out = slip(
    "You return the value before the last one. Run all instructions, and return the last value.",
    "in program: -> in program[:-1]:",
)
first_instruction_only = slip(
    "The return is inside the loop: only the first instruction is run.",
    "    return values[-1], slopes[-1] ->         return values[-1], slopes[-1]",
)
rate_before_the_last = slip(
    "You return the rate of the value before the last.",
    "return values[-1], slopes[-1] -> return values[-1], slopes[-2]",
)
sum_for_product = slip(
    "multiply multiplies the values. You added them.", "values[a] * values[b], slopes -> values[a] + values[b], slopes"
)

cosh_not_squared = slip(
    "The derivative of tanh is 1 / cosh(x)**2, which is 1 - tanh(x)**2. You took its root.",
    "(1 - value**2) * -> 1 / math.cosh(values[a]) *",
)
second_factor_twice = slip(
    "In a product each rate is multiplied by the *other* factor. You took the second factor in both terms.",
    "values[a] * slopes[b]\n -> values[b] * slopes[b]\n",
)
first_factor_twice = slip(
    "In a product each rate is multiplied by the *other* factor. You took the first factor in both terms.",
    "slopes[a] * values[b] + -> slopes[a] * values[a] +",
)

first_rate_returned = slip(
    "You return the rate of an input. The exercise asks for that of the result, the last one.",
    "return values[-1], slopes[-1] -> return values[-1], slopes[0]",
)
last_direction_returned = slip(
    "You return the rate of an input. Asked for is that of the result, the last one.",
    "return values[-1], slopes[-1] -> return values[-1], direction[-1]",
)


@wrong("An instruction may use one value twice: x + x is 2 * x, and x * x has both terms. You counted the value once.")
def used_once(program, inputs, direction):
    values, slopes = list(inputs), list(direction)
    for op, *places in program:
        a, b = places[0], places[-1]
        if op == "tanh" or a == b:
            values.append(math.tanh(values[a]) if op == "tanh" else values[a])
            slopes.append((1 - values[-1] ** 2) * slopes[a] if op == "tanh" else slopes[a])
        else:
            values.append(values[a] + values[b] if op == "add" else values[a] * values[b])
            slopes.append(slopes[a] + slopes[b] if op == "add" else slopes[a] * values[b] + values[a] * slopes[b])
    return values[-1], slopes[-1]


double_of_the_value = slip(
    "The derivative of tanh(x) is 1 - tanh(x)**2. 2 * t belongs to t**2.", "(1 - value**2) -> 2 * value"
)
rates_added_in_a_product = slip(
    "In a product each rate is multiplied by the *other* factor. You added the rates.",
    "slopes[a] * values[b] + values[a] * slopes[b] -> slopes[a] + slopes[b]",
)
rates_added_up = slip(
    "You add up the rates of all values. The exercise asks for that of the last one.",
    "return values[-1], slopes[-1] -> return values[-1], sum(slopes)",
)
direction_shortened = slip(
    "You gave the direction the length 1. The rates are used as they are.",
    "list(direction) -> [d / math.hypot(*direction) for d in direction]",
)
nothing_moves = slip(
    "Your rate is 0, as if no input moved. The rates begin with direction.", "list(direction) -> [0.0] * len(inputs)"
)
rate_of_a_square_missing = slip(
    "x * x has the rate 2 * x * x'. The rate x' is missing.",
    "slopes[a] * values[b] + -> slopes[a] * values[b] + values[a] * slopes[b] if a != b else 2 * values[a] + 0 *",
)
square_counted_once = slip(
    "x * x has the rate x' * x + x * x'. You counted one of the two.",
    "slopes[a] * values[b] + -> (a != b) * slopes[a] * values[b] +",
)
sign_of_tanh = slip(
    "tanh(x) has the sign of x. Yours has the opposite one.", "math.tanh(values[a]) -> -math.tanh(values[a])"
)
last_value_for_tanh = slip(
    "tanh takes the value that the instruction names, which need not be the last one.",
    "math.tanh(values[a]) -> math.tanh(values[-1])",
    "(1 - value**2) * slopes[a] -> (1 - value**2) * slopes[-1]",
)
last_rate_for_tanh = slip(
    "The rate that tanh passes on is that of its own argument, not of the last value.",
    "(1 - value**2) * slopes[a] -> (1 - value**2) * slopes[-1]",
)
value_before_for_tanh = slip(
    "values[-1] is still the value of the previous instruction. Use the value of tanh.",
    "(1 - value**2) -> (1 - values[-1] ** 2)",
)
rate_squared = slip(
    "The rate of the argument counts once. You squared it.",
    "(1 - value**2) * slopes[a] -> (1 - value**2) * slopes[a] ** 2",
)

direction_turned = slip(
    "The rates belong to the inputs in their order. Yours are in the opposite order.",
    "list(direction) -> list(direction)[::-1]",
)
tanh_left_out = slip("tanh is not applied to the value.", "math.tanh(values[a]) -> values[a]")
rule_of_the_sigmoid = slip(
    "value * (1 - value) is the slope of the sigmoid. That of tanh is 1 - tanh(x)**2.",
    "(1 - value**2) -> value * (1 - value)",
)
both_factors_left = slip(
    "In a product each rate is multiplied by the *other* factor only, not by the whole product.",
    "slopes[a] * values[b] + values[a] * slopes[b] -> values[a] * values[b] * (slopes[a] + slopes[b])",
)
rate_in_the_rule = slip(
    "The derivative of tanh uses the value: 1 - tanh(x)**2. You squared the rate.",
    "(1 - value**2) -> (1 - slopes[a] ** 2)",
)
size_of_the_rate = slip(
    "A rate has a sign. You took its absolute value.",
    "return values[-1], slopes[-1] -> return values[-1], abs(slopes[-1])",
)
direction_twice = slip(
    "The direction is in the slopes already. You multiplied by a rate once more.",
    "return values[-1], slopes[-1] -> return values[-1], direction[0] * slopes[-1]",
)
averaged = slip(
    "You divided the rate by the number of inputs. The rates of all inputs add up.",
    "return values[-1], slopes[-1] -> return values[-1], slopes[-1] / len(inputs)",
)

difference_squared = slip(
    "The derivative of tanh is 1 - tanh(x)**2. You squared the difference.", "(1 - value**2) -> (1 - value) ** 2"
)
cosh_above = slip(
    "The derivative of tanh is 1 / cosh(x)**2. You multiplied by cosh(x)**2.",
    "(1 - value**2) -> math.cosh(values[a]) ** 2",
)
first_value_twice = slip(
    "A sum has two terms. You took the first one twice.", "values[a] + values[b], -> values[a] + values[a],"
)

errors = (
    ("no attribute 'append'", "list(inputs) and list(direction) make lists, to which values can be appended."),
    ("to unpack", "tanh has one argument, and the other operations have two: for op, *places in program."),
)
ways = (EXACT, PLAIN)
hints = (
    "Keep two lists, the values and their slopes. The list of slopes starts as direction.",
    "Each instruction appends to both. For a product: slopes[a] * values[b] + values[a] * slopes[b].",
    "For tanh: value = math.tanh(values[a]), slope = (1 - value**2) * slopes[a]. Return the last of each list.",
)
