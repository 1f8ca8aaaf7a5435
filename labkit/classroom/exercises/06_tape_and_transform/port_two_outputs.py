"""# Port two outputs (1 point)

The program minimises `z` and adds up `total`, which it only reports. Port it to MindSpore: write `port(x, y)` for two
Tensors, which returns the tuple of `x` and `seen`. Let MindSpore compute the gradients.

[[_program as program]]
"""

import numpy as np

from labkit import mindspore as ms
from labkit import torch
from labkit.classroom.ways import DELIVERED, delivered
from labkit.classroom.writing import Way, judged, same, slip, wrong


def port(x, y):
    step = ms.grad(lambda x, y: (x**2 * y, x + y), has_aux=True)
    seen = ms.Tensor(0.0)
    for _ in range(3):
        dx, (total,) = step(x, y)
        x, seen = x - 0.1 * dx, seen + total
    return x, seen


def _program(x, y):
    seen = torch.tensor(0.0)
    for _ in range(3):
        z, total = x**2 * y, x + y
        z.backward()
        seen += total.detach()
        with torch.no_grad():
            x -= 0.1 * x.grad
        x.grad = None
    return x, seen


def reference(x, y):
    found = _program(*(torch.tensor(t.asnumpy(), requires_grad=True) for t in (x, y)))
    return tuple(ms.Tensor(t.detach().numpy()) for t in found)


def draw(rng):
    return tuple(np.array(v, np.float32) for v in rng.uniform(0.5, 2.5, 2) * rng.choice([-1, 1], 2))


tensors = "mindspore"
errors = (
    ("'backward'", "A MindSpore Tensor has no history for a backward pass. Pass the function itself to ms.grad."),
    ("'detach'", "MindSpore has no detach, and here it needs none: no total is differentiated again."),
    ("'tuple'", "With has_aux=True the result is (gradient, (others, ...)): unpack both."),
)


def _outputs(x, y):
    return x**2 * y, x + y


@wrong(
    "The other outputs are not unpacked. With has_aux=True the result is (gradient, (others, ...)).",
    when=lambda i, expected, got: same(expected[0], got[0]) and np.shape(got[1]) == (1,),
)
def aux_returned(x, y):
    for _ in range(3):
        dx, aux = ms.grad(_outputs, has_aux=True)(x, y)
        x = x - 0.1 * dx
    return x, aux


@wrong(
    "x goes down by 0.1 in each step: that is the gradient of total, or none at all. z is the first output.", parts=(0,)
)
def second_output(x, y):
    seen = 0.0
    for _ in range(3):
        dx, (z,) = ms.grad(lambda x, y: (x + y, x**2 * y), has_aux=True)(x, y)
        x, seen = x - 0.1 * dx, seen + z
    return x, seen


def _each_step(inputs, expected, got, done):
    x, y = inputs
    places = (x * (1 - 0.2 * y) ** step for step in range(3))
    return all(delivered(2 * one * y, done, one**2 * y) for one in places)


y_moves = slip(
    "Only x takes steps in the program. y does not change.",
    "        x, seen = x - 0.1 * dx, seen + total ->         dy = ms.grad(lambda y: x**2 * y)(y)\n        x, y, "
    "seen = x - 0.1 * dx, y - 0.1 * dy, seen + total",
)

gradient_for_y = slip(
    "This is the gradient with respect to y. x is position 0, the default.",
    "x + y), has_aux -> x + y), 1, has_aux",
)

uphill = slip(
    "x moves against the gradient: subtract.",
    "x - 0.1 * dx -> x + 0.1 * dx",
)

two_steps = slip(
    "The program takes three steps.",
    "range(3) -> range(2)",
)

whole_gradient = slip(
    "The rate 0.1 is missing.",
    "0.1 * dx -> dx",
)

averaged = slip(
    "total is added up over the steps, not averaged.",
    "seen + total -> seen + total / 3",
)


z_added_up = slip(
    "You add up z, the first output. seen adds up total, x + y.",
    "x + y), has_aux -> x**2 * y), has_aux",
)

four_steps = slip(
    "The program takes three steps.",
    "range(3) -> range(4)",
)

one_step = slip(
    "The program takes three steps. A return inside the loop ends it after the first.",
    "range(3) -> range(1)",
)

product_reported = slip(
    "total is x + y. You add up x * y.",
    "x + y), has_aux -> x * y), has_aux",
)

seen_not_from_zero = slip(
    "seen begins at 0.",
    "seen = ms.Tensor(0.0) -> seen = x + y",
)

gradient_reported = slip(
    "You add up the gradients. seen adds up total, x + y.",
    "seen + total -> seen + dx",
)


@wrong("The gradient is computed once, before the loop. Each step needs the gradient at its own x.")
def gradient_of_the_first_step(x, y):
    dx, (total,) = ms.grad(_outputs, has_aux=True)(x, y)
    seen = 0.0
    for _ in range(3):
        x, seen = x - 0.1 * dx, seen + total
    return x, seen


@judged("gradient-of-the-first-step")
def with_new_totals(x, y):
    dx, _ = ms.grad(_outputs, has_aux=True)(x, y)
    seen = 0.0
    for _ in range(3):
        x, seen = x - 0.1 * dx, seen + x + y
    return x, seen


@wrong(
    "x did not move. Either you do not assign the new x to x, or the gradient is 0: z has to be computed from x inside the "
    "function that ms.grad differentiates."
)
def x_unmoved(x, y):
    return x, 3 * (x + y)


outputs_summed = slip(
    "Your steps minimise the sum of both outputs. The program calls backward only on z: pass has_aux=True.",
    "(x**2 * y, x + y), has_aux=True) -> x**2 * y + x + y)",
    "dx, (total,) = step(x, y) -> dx, total = step(x, y), x + y",
)


total_after_the_step = slip(
    "Each total belongs to the x before the step: add it up before x moves.",
    "        x, seen = x - 0.1 * dx, seen + total ->         x = x - 0.1 * dx\n        seen = seen + x + y",
)


last_total = slip(
    "You report the last total alone: the program adds up those of all steps.",
    "seen + total -> total",
)


x_reported = slip(
    "total is x + y. You add up x alone.",
    "x + y), has_aux -> x + 0 * y), has_aux",
)

y_reported = slip(
    "total is x + y. You add up y alone.",
    "x + y), has_aux -> y + 0 * x), has_aux",
)

difference_reported = slip(
    "total is x + y. You add up x - y.",
    "x + y), has_aux -> x - y), has_aux",
)

y_missing_in_z = slip(
    "z is x**2 * y. The factor y is missing in your gradient.",
    "(x**2 * y, x -> (x**2 + 0 * y, x",
)

square_missing_in_z = slip(
    "z is x**2 * y. You take x * y.",
    "(x**2 * y, x -> (x * y, x",
)

twice_for_squared = slip(
    "x**2 is the square, not 2 * x.",
    "(x**2 * y, x -> (2 * x * y, x",
)

doubled_rate = slip(
    "The steps are twice as long as they should be. The rate is 0.1.",
    "0.1 * dx -> 0.2 * dx",
)

half_rate = slip(
    "The steps are half as long as they should be. The rate is 0.1, and x**2 has the derivative 2 * x.",
    "0.1 * dx -> 0.05 * dx",
)

small_rate = slip(
    "The rate is 0.1.",
    "0.1 * dx -> 0.01 * dx",
)

three_last_totals = slip(
    "You add the last total three times. Each step has its own total.",
    "return x, seen -> return x, 3 * total",
)

step_for_x = slip(
    "x becomes x minus the step. You replace it by the step.",
    "x, seen = x - 0.1 * dx, seen -> x, seen = 0.1 * dx, seen",
)


@wrong("The gradients accumulate. The program resets x.grad after each step, so each step uses its own gradient only.")
def gradients_accumulate(x, y):
    seen = sum_of_gradients = 0.0
    for _ in range(3):
        dx, (total,) = ms.grad(_outputs, has_aux=True)(x, y)
        sum_of_gradients = sum_of_gradients + dx
        x, seen = x - 0.1 * sum_of_gradients, seen + total
    return x, seen


@wrong("The total of the last x is added, too. Each total belongs to the x before its step: there are three.")
def a_total_too_many(x, y):
    x, seen = port(x, y)
    return x, seen + x + y


@wrong("Only two totals are added up. There are three, one for each step.")
def a_total_too_few(x, y):
    return port(x, y)[0], port(x, y)[1] - x - y


step_times_x = slip(
    "The step is 0.1 times the gradient. You also multiply by x.",
    "0.1 * dx -> 0.1 * dx * x",
)

z_besides = slip(
    "seen adds up total alone. You add z, too.",
    "seen + total -> seen + total + x**2 * y",
)

both_gradients = slip(
    "You add the gradient with respect to y. x takes a step by its own gradient.",
    "0.1 * dx -> 0.1 * (dx + x**2)",
)


x_for_the_gradient = slip(
    "You subtract 0.1 * x. The step is 0.1 times the gradient.",
    "0.1 * dx -> 0.1 * x",
)


@wrong("You return z. The exercise asks for x after the third step, and seen.", parts=(0,))
def z_returned(x, y):
    x, seen = port(x, y)
    before = x / (1 - 0.2 * y)
    return before**2 * y, seen


@judged("z-returned")
def z_of_the_last_x(x, y):
    x, seen = port(x, y)
    return x**2 * y, seen


cube_for_the_square = slip(
    "z is x**2 * y. You take the third power.",
    "(x**2 * y, x -> (x**3 * y, x",
)


ways = (Way(DELIVERED, ("passes",), holds=_each_step),)
hints = (
    "ms.grad of a function with two outputs differentiates their sum, unless you say otherwise.",
    "With has_aux=True, ms.grad differentiates only the first output, and returns the others in a tuple.",
    "dx, (total,) = ms.grad(outputs, has_aux=True)(x, y); then x - 0.1 * dx, and seen + total",
)
