"""# A whole engine (3 points)

Here a program is given as data, so it is already a record. For two inputs,

```python
program = (("multiply", 0, 1), ("tanh", 2), ("add", 3, 0))
```

means: values 0 and 1 are the inputs; value 2 is their product; value 3 is `tanh` of value 2; value 4 is the sum of
values 3 and 0. The last value is the result.

Write `run(program, inputs)`, which returns a tuple: the result, and the list of the gradients of the inputs. The operations
are `"add"`, `"multiply"` and `"tanh"`; use `np.tanh` or `math.tanh`. Write the backward pass yourself, without automatic
differentiation or finite differences. The gradients are compared to 12 digits.
"""

import math
from functools import partial

import numpy as np

from labkit.classroom.writing import EXACT, PLAIN, judged, same, slip, wrong


def run(program, inputs):
    values = list(inputs)
    for op, *places in program:
        args = [values[i] for i in places]
        values.append({"add": sum, "multiply": math.prod, "tanh": lambda a: math.tanh(a[0])}[op](args))
    grads = [0.0] * len(values)
    grads[-1] = 1.0
    for node in reversed(range(len(inputs), len(values))):
        op, *places = program[node - len(inputs)]
        if op == "add":
            slopes = 1.0, 1.0
        elif op == "multiply":
            slopes = values[places[1]], values[places[0]]
        else:
            slopes = (1 - values[node] ** 2,)
        for parent, slope in zip(places, slopes):
            grads[parent] += slope * grads[node]
    return values[-1], grads[: len(inputs)]


def _program(rng, inputs, twice=""):
    """Five instructions, all three kinds among them; each uses the value before it, so that all count.

    An instruction called `twice` uses that value two times. With three inputs, the first may count for nothing.
    """
    kinds = [str(k) for k in rng.permutation(["add", "multiply", "tanh", "multiply", "add"])]
    program = []
    for node, kind in enumerate(kinds, inputs):
        other = node - 1 if kind == twice else int(rng.integers(inputs > 2, node))
        both = (node - 1, other) if rng.random() < 0.5 else (other, node - 1)
        program.append((kind, node - 1) if kind == "tanh" else (kind, *both))
    program.append(("multiply", inputs + 4, int(rng.integers(inputs, inputs + 4))))
    values = np.round(rng.uniform(0.4, 1.6, inputs) * rng.choice([-1, 1], inputs), 2)
    return tuple(program), tuple(float(v) for v in values)


errors = (
    ("'tuple' object has no attribute 'append'", "inputs is a tuple. Begin with a list of its values: list(inputs)."),
    (
        "list index out of range",
        "The inputs come first in the list: instruction k has the value at place len(inputs) + k.",
    ),
    ("'tuple' object does not support item assignment", "inputs is a tuple. Begin with a list: list(inputs)."),
)


def _one_instruction(rng, *instruction):
    values = np.round(rng.uniform(0.4, 1.6, 2) * rng.choice([-1, 1], 2), 2)
    return (instruction,), tuple(float(v) for v in values)


draw = tuple(
    partial(_program, inputs=inputs, twice=twice)
    for inputs, twice in ((2, ""), (3, ""), (2, "multiply"), (2, "add"), (1, ""))
) + tuple(
    (lambda rng, instruction=instruction: _one_instruction(rng, *instruction))
    for instruction in (("add", 0, 1), ("multiply", 0, 1), ("tanh", 1), ("add", 1, 1), ("multiply", 0, 0), ("tanh", 0))
)


def _values(program, inputs):
    values = list(inputs)
    for op, *places in program:
        args = [values[i] for i in places]
        values.append({"add": sum, "multiply": math.prod, "tanh": lambda a: math.tanh(a[0])}[op](args))
    return values


def _slopes(op, args, ans):
    return {"add": (1.0, 1.0), "multiply": args[::-1], "tanh": (1 - ans**2,)}[op]


def _run(
    program, inputs, order=reversed, slopes=_slopes, uses=list, seed=1.0, add=lambda sum, slope, g: sum + slope * g
):
    values = _values(program, inputs)
    grads = [0.0] * len(values)
    grads[-1] = seed
    for node in order(range(len(inputs), len(values))):
        op, *places = program[node - len(inputs)]
        for parent, slope in zip(uses(places), slopes(op, [values[i] for i in places], values[node])):
            grads[parent] = add(grads[parent], slope, grads[node])
    return values[-1], grads[: len(inputs)]


@wrong("A later contribution to a gradient replaces an earlier one: add it.")
def overwritten(program, inputs):
    return _run(program, inputs, add=lambda sum, slope, g: slope * g)


@wrong("In a product the local gradient with respect to one factor is the other factor.")
def own_factor(program, inputs):
    return _run(program, inputs, slopes=lambda op, args, ans: args if op == "multiply" else _slopes(op, args, ans))


@wrong(
    "The derivative of tanh is 1 - tanh(x)**2. You squared the argument x: take tanh(x), the value of this instruction."
)
def x_for_the_result(program, inputs):
    return _run(program, inputs, slopes=lambda op, args, ans: _slopes(op, args, args[0]))


@wrong(
    "All gradients are 0: nothing is sent to the inputs. The last value needs the gradient 1, the loop begins at the last "
    "instruction, and instruction k has its gradient at place len(inputs) + k."
)
def nothing_arrives(program, inputs):
    return _run(program, inputs, order=list)


@wrong("You sent the local gradient alone. Multiply it by the gradient of the value.")
def slopes_alone(program, inputs):
    return _run(program, inputs, add=lambda sum, slope, g: sum + slope)


@wrong("When the same value is used twice, as in u * u, only one of the two uses contributes. Both do.")
def one_path_short(program, inputs):
    return _run(program, inputs, uses=dict.fromkeys)


@judged("nothing-arrives")
def no_seed(program, inputs):
    return _run(program, inputs, seed=0.0)


@judged("structure")
def with_the_result(program, inputs):
    result, grads = run(program, inputs)
    return result, [*grads, 1.0]


@judged("kind")
def value_alone(program, inputs):
    return run(program, inputs)[0]


not_squared = slip(
    "The derivative of tanh is 1 - tanh(x)**2. The square is missing.",
    "1 - values[node] ** 2 -> 1 - values[node]",
)

tanh_twice = slip(
    "The value of the node is tanh(x) already. You took tanh of it once more.",
    "1 - values[node] ** 2 -> 1 - math.tanh(values[node]) ** 2",
)

all_values = slip(
    "You return the derivatives of all values. The exercise asks for those of the inputs, the first len(inputs).",
    "grads[: len(inputs)] -> grads",
)

the_last_ones = slip(
    "You return the last derivatives of the list. The inputs are the first values.",
    "grads[: len(inputs)] -> grads[-len(inputs) :]",
)

a_sum_by_its_terms = slip(
    "The derivative of a sum with respect to each term is 1.",
    "slopes = 1.0, 1.0 -> slopes = values[places[0]], values[places[1]]",
)

tanh_passed_through = slip(
    "tanh has a derivative of its own, 1 - tanh(x)**2. You pass the gradient through unchanged.",
    "(1 - values[node] ** 2,) -> (1.0,)",
)

slopes_added_to_gradients = slip(
    "A local gradient and the gradient of the value are multiplied, not added.",
    "slope * grads[node] -> slope + grads[node]",
)

sign_of_tanh = slip(
    "The derivative of tanh is 1 - tanh(x)**2, with a minus.",
    "1 - values[node] ** 2 -> 1 + values[node] ** 2",
)

value_of_an_input = slip(
    "The first part of the result is the last value of the program.",
    "return values[-1] -> return values[len(inputs) - 1]",
)


product_overwrites = slip(
    "In a product the contribution replaces the earlier ones. Add it, as in a sum.",
    'grads[parent] += slope * grads[node] -> grads[parent] = (op != "multiply") * grads[parent] + slope * grads[node]',
)

sum_overwrites = slip(
    "In a sum the contribution replaces the earlier ones. Contributions are added.",
    'grads[parent] += slope * grads[node] -> grads[parent] = (op != "add") * grads[parent] + slope * grads[node]',
)

tanh_overwrites = slip(
    "In tanh the contribution replaces the earlier ones. Contributions are added.",
    'grads[parent] += slope * grads[node] -> grads[parent] = (op != "tanh") * grads[parent] + slope * grads[node]',
)

ones_everywhere = slip(
    "Only the result begins with 1. All other gradients begin at 0.",
    "[0.0] * len(values) -> [1.0] * len(values)",
)

result_last = slip(
    "The result comes first, then the list of gradients.",
    "return values[-1], grads[: len(inputs)] -> return grads[: len(inputs)], values[-1]",
)

first_input_only = slip(
    "You return the gradient of the first input only. Return the list for all inputs.",
    "grads[: len(inputs)] -> grads[0]",
)

inputs_in_reverse = slip(
    "The gradients of the inputs are in the opposite order.",
    "grads[: len(inputs)] -> grads[: len(inputs)][::-1]",
)

one_term = slip(
    "In a sum only the first term gets a gradient. Both terms do.",
    "slopes = 1.0, 1.0 -> slopes = 1.0, 0.0",
)

one_factor = slip(
    "In a product only the first factor gets a gradient. Both factors do.",
    "slopes = values[places[1]], values[places[0]] -> slopes = values[places[1]], 0.0",
)

product_itself = slip(
    "In a product the local gradient is the other factor, not the product.",
    "slopes = values[places[1]], values[places[0]] -> slopes = values[node], values[node]",
)

first_instruction_left_out = slip(
    "The backward pass leaves out the first instruction.",
    "reversed(range(len(inputs), len(values))) -> reversed(range(len(inputs) + 1, len(values)))",
)

rule_of_the_sigmoid = slip(
    "t * (1 - t) is the derivative of the sigmoid. The derivative of tanh is 1 - tanh(x)**2.",
    "1 - values[node] ** 2 -> values[node] * (1 - values[node])",
)

bracket_squared = slip(
    "In the derivative of tanh the square belongs to tanh(x) alone: 1 - tanh(x)**2.",
    "1 - values[node] ** 2 -> (1 - values[node]) ** 2",
)

products_added = slip(
    'A "multiply" instruction multiplies its two values. You add them.',
    '"multiply": math.prod -> "multiply": sum',
)


one_minus_missing = slip(
    "The derivative of tanh is 1 - tanh(x)**2. The 1 is missing.",
    "1 - values[node] ** 2 -> -(values[node] ** 2)",
)

square_alone = slip(
    "tanh(x)**2 alone is not the derivative of tanh: it is 1 - tanh(x)**2.",
    "1 - values[node] ** 2 -> values[node] ** 2",
)

twice_for_squared = slip(
    "The derivative of tanh contains tanh(x) squared, not doubled.",
    "1 - values[node] ** 2 -> 1 - values[node] * 2",
)

local_gradient_missing = slip(
    "The gradient is passed on unchanged. Multiply it by the local gradient of each argument.",
    "slope * grads[node] -> grads[node]",
)

second_term_only = slip(
    "In a sum only the second term gets a gradient. Both terms do.",
    "slopes = 1.0, 1.0 -> slopes = 0.0, 1.0",
)

second_factor_only = slip(
    "In a product only the second factor gets a gradient. Both factors do.",
    "slopes = values[places[1]], values[places[0]] -> slopes = 0.0, values[places[0]]",
)

values_of_the_first_arguments = slip(
    "The local gradients of a product are values at the places that the instruction names, not the first two values.",
    "slopes = values[places[1]], values[places[0]] -> slopes = values[1], values[0]",
)

same_factor_twice = slip(
    "In a product each factor gets the other one. You give both of them the same.",
    "slopes = values[places[1]], values[places[0]] -> slopes = values[places[0]], values[places[0]]",
)


@wrong(
    "The first part, the value of the program, is already wrong. Check the forward pass before the gradients.",
    when=lambda i, expected, got: len(got) == 2 and np.shape(got[0]) == () and not same(expected[0], got[0]),
)
def another_value(program, inputs):
    return _values(program, inputs)[-2], run(program, inputs)[1]


@wrong(
    "The loop goes through the program from the first instruction, but the index of the value counts down. The last "
    "instruction comes first: reversed(program)."
)
def program_not_reversed(program, inputs):
    values, count = _values(program, inputs), len(inputs)
    grads = [0.0] * len(values)
    grads[-1] = 1.0
    for node, (op, *places) in zip(range(len(values) - 1, count - 1, -1), program):
        for parent, slope in zip(places, _slopes(op, [values[i] for i in places], values[node])):
            grads[parent] += slope * grads[node]
    return values[-1], grads[:count]


tanh_after_add = slip(
    "An addition also takes the branch of tanh: if ..., if ..., else ... has to be if ..., elif ..., else ....",
    "slopes = 1.0, 1.0 -> slopes = 2 - values[node] ** 2, 1.0",
)


product_as_a_sum = slip(
    "In a product the local gradients are the other factors. 1 and 1 belong to a sum.",
    "slopes = values[places[1]], values[places[0]] -> slopes = 1.0, 1.0",
)

two_inputs_always = slip(
    "There need not be two inputs: return the first len(inputs) gradients.",
    "grads[: len(inputs)] -> grads[:2]",
)


equal_terms_once = slip(
    "In u + u the same value is used twice, and both uses contribute.",
    'slope * grads[node] -> slope * grads[node] / (places.count(parent) if op == "add" else 1)',
)

equal_factors_once = slip(
    "In u * u the same value is used twice, and both uses contribute.",
    'slope * grads[node] -> slope * grads[node] / (places.count(parent) if op == "multiply" else 1)',
)

products_local_gradient_alone = slip(
    "In a product the local gradient is sent alone. Multiply it by the gradient of the product.",
    'slope * grads[node] -> slope * (1 if op == "multiply" else grads[node])',
)

tanh_local_gradient_alone = slip(
    "In tanh the local gradient is sent alone. Multiply it by the gradient of the value.",
    'slope * grads[node] -> slope * (1 if op == "tanh" else grads[node])',
)

sums_local_gradient_alone = slip(
    "In a sum you send 1. Send the gradient of the sum to each term.",
    'slope * grads[node] -> slope * (1 if op == "add" else grads[node])',
)


begins_with_the_value = slip(
    "The backward pass begins with 1, the derivative of the result with respect to itself, not with its value.",
    "grads[-1] = 1.0 -> grads[-1] = values[-1]",
)


sign_of_tanh = slip(
    "The sign of the derivative of tanh is wrong: it is 1 - tanh(x)**2.",
    "(1 - values[node] ** 2,) -> (values[node] ** 2 - 1,)",
)

value_for_the_derivative = slip(
    "In tanh you multiply by tanh(x), the value. The derivative is 1 - tanh(x)**2.",
    "(1 - values[node] ** 2,) -> (values[node],)",
)


plus_for_minus = slip(
    "The derivative of tanh is 1 - tanh(x)**2, with a minus.",
    "1 - values[node] ** 2 -> 1 + values[node] ** 2",
)

another_power = slip(
    "tanh(x)**2 is a square, not another power.",
    "1 - values[node] ** 2 -> 1 - values[node] ** 3",
)

subtracted = slip(
    "Contributions are added. You subtract them.",
    "grads[parent] += slope -> grads[parent] -= slope",
)


def _replacing(program, inputs, ops, place):
    """The gradients where the contribution to argument `place` of these instructions replaces what is there."""
    values = list(inputs)
    for op, *places in program:
        args = [values[i] for i in places]
        values.append({"add": sum, "multiply": math.prod, "tanh": lambda a: math.tanh(a[0])}[op](args))
    grads = [0.0] * len(values)
    grads[-1] = 1.0
    for node in reversed(range(len(inputs), len(values))):
        op, *places = program[node - len(inputs)]
        slopes = {
            "add": lambda args: (1.0, 1.0),
            "multiply": lambda args: (args[1], args[0]),
            "tanh": lambda args: (1 - math.tanh(args[0]) ** 2,),
        }[op]([values[i] for i in places])
        for k, (parent, slope) in enumerate(zip(places, slopes, strict=True)):
            kept = 0.0 if op in ops and k == place else grads[parent]
            grads[parent] = kept + slope * grads[node]
    return values[-1], grads[: len(inputs)]


@wrong(
    "The contribution to the second argument of an instruction replaces the earlier ones. Add it, as you add the first one."
)
def second_overwrites(program, inputs):
    return _replacing(program, inputs, ("add", "multiply"), 1)


@wrong(
    "In a product the contribution to the second factor replaces the earlier ones. Add it, as you add the first one."
)
def second_factor_overwrites(program, inputs):
    return _replacing(program, inputs, ("multiply",), 1)


@wrong("In a sum the contribution to the second term replaces the earlier ones. Add it, as you add the first one.")
def second_term_overwrites(program, inputs):
    return _replacing(program, inputs, ("add",), 1)


@wrong(
    "The contribution to the first argument of an instruction replaces the earlier ones. Add it, as you add the second one."
)
def first_overwrites(program, inputs):
    return _replacing(program, inputs, ("add", "multiply"), 0)


@wrong(
    "In a product the contribution to the first factor replaces the earlier ones. Add it, as you add the second one."
)
def first_factor_overwrites(program, inputs):
    return _replacing(program, inputs, ("multiply",), 0)


@wrong("In a sum the contribution to the first term replaces the earlier ones. Add it, as you add the second one.")
def first_term_overwrites(program, inputs):
    return _replacing(program, inputs, ("add",), 0)


every_value_begins_with_one = slip(
    "Only the last value begins with 1. All other gradients begin at 0.",
    "grads[-1] = 1.0 -> grads[len(inputs):] = [1.0] * len(program)",
)

root_taken = slip(
    "The derivative of tanh is 1 - tanh(x)**2 = 1 / cosh(x)**2. The square of 1 / cosh(x) is missing.",
    "(1 - values[node] ** 2,) -> (math.sqrt(1 - values[node] ** 2),)",
)

gradients_of_the_rest = slip(
    "You return the gradients of the computed values. The inputs are the first values.",
    "grads[: len(inputs)] -> grads[len(inputs) :]",
)

product_for_each = slip(
    "In a product the local gradient with respect to a factor is the other factor alone.",
    "values[places[1]], values[places[0]] -> values[places[1]] + values[places[0]], values[places[1]] + values[places[0]]",
)


@wrong("You visit the arguments after every contribution, so the first contribution counts twice.")
def recursion(program, inputs):
    values = list(inputs)
    for op, *places in program:
        args = [values[i] for i in places]
        values.append({"add": sum, "multiply": math.prod, "tanh": lambda a: math.tanh(a[0])}[op](args))
    grads = [0.0] * len(values)

    def visit(node, part):
        grads[node] += part
        if node < len(inputs):
            return
        op, *places = program[node - len(inputs)]
        for k, place in enumerate(places):
            other = values[places[1 - k]] if op == "multiply" else 1.0
            visit(place, grads[node] * (1 - values[node] ** 2 if op == "tanh" else other))

    visit(len(values) - 1, 1.0)
    return values[-1], grads[: len(inputs)]


halves = slip(
    "In a sum each term gets the whole gradient, not half of it.",
    "slopes = 1.0, 1.0 -> slopes = 0.5, 0.5",
)

one_instruction_off = slip(
    "Each value takes the instruction before its own: the places are one off.",
    "program[node - len(inputs)] -> program[node - len(inputs) - 1]",
)


sum_as_a_product = slip(
    "In a sum both local gradients are 1. The values of the arguments belong to a product.",
    "slopes = 1.0, 1.0 -> slopes = values[places[-1]], values[places[0]]",
)

tanh_divided = slip(
    "The gradient is multiplied by 1 - tanh(x)**2, not divided by it.",
    "(1 - values[node] ** 2,) -> (1 / (1 - values[node] ** 2),)",
)

begins_at_the_first_value = slip(
    "The 1 belongs to the result, the last value. You give it to the first computed value.",
    "grads[-1] = 1.0 -> grads[len(inputs)] = 1.0",
)


ways = (EXACT, PLAIN)
hints = (
    "Write two loops. The first appends a value for each instruction; the second is the backward pass of unit 02.",
    "Start with a list of zeros, one gradient for each value, and set the last one to 1.0.",
    "Local gradients: 1 and 1 for add; the other factor for multiply; 1 - (its own value)**2 for tanh.",
)
