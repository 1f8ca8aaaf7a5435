"""# Two machines (3 points)

A function is too large for one machine, so its two halves run on two machines:

```python
def first(x):
    return x**2 * x.sum()

def second(h):
    return (h**3).sum()
```

Write `through(x)`, which returns the gradient of `second(first(x))` with respect to `x`. Define `first` and `second` inside
it, call `ms.grad` once for each half, and use both results. No function may contain both halves. `x` is a Tensor of three
elements.
"""

import numpy as np

from labkit import mindspore as ms
from labkit.classroom.ways import delivered
from labkit.classroom.writing import Way, judged, slip, wrong


def through(x):
    def first(x):
        return x**2 * x.sum()

    def second(h):
        return (h**3).sum()

    h = first(x)
    sens = ms.grad(second)(h)
    return ms.grad(first, sens_param=True)(x, sens)


def draw(rng):
    x = rng.uniform(0.4, 1.4, 3) * rng.permutation([-1, 1, 1]) + 0.5
    return ((x * rng.choice([-1, 1])).astype(np.float32),)


tensors = "mindspore"
errors = (
    (
        "unexpected keyword argument 'sens'",
        "sens needs ms.grad(first, sens_param=True), and comes after x.",
    ),
    ("expected 1 cotangents", "sens is one Tensor, the gradient of second with respect to h, without anything else."),
    (
        "grad tensor should be broadcast",
        "sens has the shape of what first returns: one number for each element of h, the gradient of second with respect to it.",
    ),
)


def _first(x):
    return x**2 * x.sum()


def _second(h):
    return (h**3).sum()


@wrong("That is the gradient with respect to h. Pass this gradient back through the first half.")
def second_only(x):
    return ms.grad(_second)(_first(x))


@wrong(
    "You multiplied two gradients element by element. The chain rule multiplies by a Jacobian: each h depends on "
    "all of x here. Pass the gradient with respect to h as sens."
)
def multiplied_element_by_element(x):
    return ms.grad(_first)(x) * ms.grad(_second)(_first(x))


@wrong("You passed h itself as sens. sens is the gradient of the second half with respect to h.")
def h_as_the_seed(x):
    return ms.grad(_first, sens_param=True)(x, _first(x))


@judged("shape")
def one_number(x):
    return ms.grad(_first)(x).sum()


@judged("error")
def a_loss_as_the_seed(x):
    return ms.grad(_first, sens_param=True)(x, _second(_first(x)))


@judged("value")
def itself(x):
    return x * 1


def _two_passes(inputs, expected, got, done):
    """The first half was differentiated times the gradient of the second half: not the loss, which is a third of that."""
    h = _first(inputs[0])
    return delivered(3 * h**2, done, _second(h)) and delivered(got, done, (3 * h**2 * h).sum())


first_at_h = slip(
    "You differentiated the first half at h. It was run at x.",
    "(x, sens) -> (h, sens)",
)

added = slip(
    "The chain rule multiplies by the Jacobian of the first half. You added its gradient.",
    "ms.grad(first, sens_param=True)(x, sens) -> ms.grad(first)(x) + sens",
)

times_x = slip(
    "The gradient of the second half is the sens of the first one. You multiplied it by x.",
    "(x, sens) -> (x, sens * x)",
)


sum_as_a_constant = slip(
    "x.sum() depends on x, too. Here it counts as a constant, so a part of the gradient is missing.",
    "x**2 * x.sum() -> x**2 * ms.ops.stop_gradient(x.sum())",
)

square_as_a_constant = slip(
    "x**2 depends on x, too. Here it counts as a constant, so a part of the gradient is missing.",
    "x**2 * x.sum() -> ms.ops.stop_gradient(x**2) * x.sum()",
)

cube_for_the_sum = slip(
    "first is x**2 times the sum of all elements of x. You multiply each element by itself.",
    "x**2 * x.sum() -> x**3",
)

mean_for_the_sum = slip(
    "sens is a third of what it should be: either you took the mean in second, or the 3 is missing in 3 * h**2.",
    "(h**3).sum() -> (h**3).mean()",
)

all_weighted_alike = slip(
    "Each element of h counts by its own gradient. You gave all of them the sum of these gradients.",
    "ms.grad(first, sens_param=True)(x, sens) -> ms.grad(first)(x) * sens.sum()",
)

times_h = slip(
    "The gradient of the second half is the sens of the first one. You multiplied it by h.",
    "(x, sens) -> (x, sens * h)",
)

square_for_the_cube = slip(
    "second is the sum of h**3.",
    "(h**3).sum() -> (h**2).sum()",
)


mean_for_the_inner_sum = slip(
    "first multiplies by the sum of x. You took its mean.",
    "x**2 * x.sum() -> x**2 * x.mean()",
)


@wrong("You passed the gradient of the first half to the second one. The second half runs at h = first(x), a value.")
def second_at_the_gradient(x):
    return ms.grad(_second)(ms.grad(_first)(x))


no_seed = slip(
    "That is the gradient of the first half alone, with every element of h counting once. The second half determines how "
    "much each of them counts.",
    "ms.grad(first, sens_param=True)(x, sens) -> ms.grad(first)(x)",
)


at_the_wrong_place = slip(
    "You differentiated the second half at x. It was run at h = first(x): differentiate it there.",
    "ms.grad(second)(h) -> ms.grad(second)(x)",
)


value_as_sens = slip(
    "sens is the gradient of the second half with respect to h. You passed its value.",
    "ms.grad(second)(h) -> second(h) * ms.ops.ones_like(h)",
)


arguments_exchanged = slip(
    "x and sens are exchanged: the argument of first comes before sens.",
    "(first, sens_param=True)(x, sens) -> (first, sens_param=True)(sens, x)",
)


power_kept_low = slip(
    "You passed 3 * h as sens. The derivative of h**3 is 3 * h**2.",
    "sens = ms.grad(second)(h) -> sens = 3 * h",
)


square_missing = slip(
    "first contains x**2. You use x.",
    "x**2 * x.sum() -> x * x.sum()",
)

added_in_first = slip(
    "first multiplies x**2 by x.sum(). You add them.",
    "x**2 * x.sum() -> x**2 + x.sum()",
)

twice_for_squared = slip(
    "x**2 is the square, not 2 * x.",
    "x**2 * x.sum() -> 2 * x * x.sum()",
)

three_times_for_cubed = slip(
    "h**3 is the third power, not 3 * h.",
    "(h**3).sum() -> (h * 3).sum()",
)

sum_missing_in_first = slip(
    "first multiplies x**2 by the sum of x. The sum is missing.",
    "x**2 * x.sum() -> x**2",
)

sens_squared = slip(
    "The gradient of the second half is the sens of the first one. You multiplied it by itself.",
    "(x, sens) -> (x, sens * sens)",
)

sens_negated = slip(
    "The sign of sens is wrong: sens is the unchanged gradient with respect to h.",
    "(x, sens) -> (x, -sens)",
)

cube_of_the_sum = slip(
    "second is the sum of the cubes, not the cube of the sum.",
    "(h**3).sum() -> h.sum() ** 3",
)


ways = (Way("Call `ms.grad` once for each half: no function may contain both.", ("passes",), holds=_two_passes),)
hints = (
    "First compute h = first(x), which goes to the second machine.",
    "The second machine sends back one array: the gradient of second with respect to h, with one number for each element of h.",
    "That array is the sens of the first half: ms.grad(first, sens_param=True)(x, sens).",
)
