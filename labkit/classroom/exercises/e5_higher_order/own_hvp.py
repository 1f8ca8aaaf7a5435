"""# Hessian times vector, with two inputs (3 points)

The function `f(x, y) = (x * y).sum() ** 2` has two inputs of three elements each, so its Hessian is 6 by 6. The inputs move
from `(x, y)` along the direction `(u, v)`. Write `answer(x, y, u, v)` in PyTorch; it returns how the gradients with
respect to `x` and `y` change, as a tuple of two tensors. This change is the Hessian times the six elements of the direction.
Compute it with a second backward pass (or a JVP) through the first gradient. All four arguments are tensors of three
elements; `x` and `y` are leaf tensors that require grad.
"""

import numpy as np

from labkit import torch
from labkit.classroom.ways import delivered
from labkit.classroom.writing import Way, judged, same, wrong


def answer(x, y, u, v):
    first = torch.autograd.grad((x * y).sum() ** 2, (x, y), create_graph=True)
    return torch.autograd.grad(first, (x, y), grad_outputs=(u, v))


def draw(rng):
    x, y = rng.uniform(0.5, 1.5, (2, 3)).astype(np.float32)
    u, v = rng.uniform(0.5, 2.0, (2, 3)).astype(np.float32) * rng.choice([-1, 1], (2, 3)).astype(np.float32)
    return x, y, u, v


tensors = "torch"
errors = (
    ("does not require grad", "The first gradient has no history: pass create_graph=True when you compute it."),
    (
        "second time",
        "The first backward pass freed its saved values. One pass can take both gradients and both inputs.",
    ),
    (
        "only for scalar outputs",
        "A gradient has three elements. Give each a weight: grad_outputs=(u, v), or a sum of products.",
    ),
)


def _first(x, y):
    return torch.autograd.grad((x * y).sum() ** 2, (x, y), create_graph=True)


@wrong(
    "You let each input affect only its own gradient. But the gradient with respect to x also changes with y, because x and "
    "y are multiplied. Run one backward pass from both gradients."
)
def own_blocks_only(x, y, u, v):
    g, h = _first(x, y)
    along_x = torch.autograd.grad(g, x, grad_outputs=u, retain_graph=True)[0]
    return along_x, torch.autograd.grad(h, y, grad_outputs=v)[0]


@wrong(
    "You have the effect of y on the gradient with respect to x, and of x on the other gradient. The effect of each input "
    "on its own gradient is missing."
)
def other_blocks_only(x, y, u, v):
    g, h = _first(x, y)
    along_y = torch.autograd.grad(h, x, grad_outputs=v, retain_graph=True)[0]
    return along_y, torch.autograd.grad(g, y, grad_outputs=u)[0]


@wrong(
    "Your result does not use the direction: this is the sum of the Hessian's rows. Weight the gradients with u and v "
    "before the second backward pass."
)
def direction_ignored(x, y, u, v):
    g, h = _first(x, y)
    return torch.autograd.grad(g.sum() + h.sum(), (x, y))


@wrong("You multiplied by the direction after the second backward pass. Weight the gradients before it.")
def weighted_afterwards(x, y, u, v):
    g, h = _first(x, y)
    a, b = torch.autograd.grad(g.sum() + h.sum(), (x, y))
    return a * u, b * v


@wrong("These are the gradients with u and v, first derivatives. Differentiate once more.")
def first_order(x, y, u, v):
    g, h = torch.autograd.grad((x * y).sum() ** 2, (x, y))
    return g * u, h * v


@wrong("The two results are exchanged.")
def swapped(x, y, u, v):
    first = torch.autograd.grad((x * y).sum() ** 2, (x, y), create_graph=True)
    return torch.autograd.grad(first, (y, x), grad_outputs=(u, v))


@judged("error")
def no_history(x, y, u, v):
    first = torch.autograd.grad((x * y).sum() ** 2, (x, y))
    return torch.autograd.grad(first, (x, y), grad_outputs=(u, v))


@judged("kind")
def for_x_alone(x, y, u, v):
    g, h = _first(x, y)
    return torch.autograd.grad((g * u).sum() + (h * v).sum(), x)[0]


def _along_the_direction(inputs, expected, got, done):
    """A pass through the product of gradient and direction, or a JVP of the gradient, delivered the result."""
    x, y, u, v = inputs
    gradients = 2 * (x * y).sum() * y, 2 * (x * y).sum() * x
    product, total = (gradients[0] * u + gradients[1] * v).sum(), sum(g.sum() for g in gradients)
    got = tuple(got)  # also from one array of two rows
    return delivered(got, done, product) or delivered(got, done, total)


@wrong("Your result depends only on u. v, the direction of y, is missing: add (h * v).sum().")
def v_left_out(x, y, u, v):
    g, h = _first(x, y)
    return torch.autograd.grad((g * u).sum(), (x, y))


@wrong("Your result depends only on v. u, the direction of x, is missing: add (g * u).sum().")
def u_left_out(x, y, u, v):
    g, h = _first(x, y)
    return torch.autograd.grad((h * v).sum(), (x, y))


@wrong("These are the gradients. The exercise asks how they change along the direction: a second backward pass.")
def gradients(x, y, u, v):
    return torch.autograd.grad((x * y).sum() ** 2, (x, y))


@wrong("u belongs to the gradient with respect to x, and v to the other one. You exchanged them.")
def directions_exchanged(x, y, u, v):
    g, h = _first(x, y)
    return torch.autograd.grad((g * v).sum() + (h * u).sum(), (x, y))


@wrong("After the second backward pass you multiplied by the direction once more.")
def direction_twice(x, y, u, v):
    a, b = answer(x, y, u, v)
    return a * u, b * v


@wrong("backward adds to .grad, where the first gradient still is. Use torch.autograd.grad, or reset .grad first.")
def added_to_the_gradient(x, y, u, v):
    (a, b), (g, h) = answer(x, y, u, v), _first(x, y)
    return a + g, b + h


@wrong("f is the square of the sum. You left out the square.")
def not_squared(x, y, u, v):
    first = torch.autograd.grad((x * y).sum(), (x, y), create_graph=True)
    return torch.autograd.grad(first, (x, y), grad_outputs=(u, v))


@wrong("f squares the sum. You squared the elements, and then added.")
def elements_squared(x, y, u, v):
    first = torch.autograd.grad(((x * y) ** 2).sum(), (x, y), create_graph=True)
    return torch.autograd.grad(first, (x, y), grad_outputs=(u, v))


@wrong("(g * u).sum() and (h * v).sum() are added. You multiplied them.")
def products_multiplied(x, y, u, v):
    g, h = _first(x, y)
    return torch.autograd.grad((g * u).sum() * (h * v).sum(), (x, y))


@wrong("The direction is subtracted in one of the two: add both (g * u).sum() and (h * v).sum().")
def v_subtracted(x, y, u, v):
    return answer(x, y, u, -v)


@wrong("The six products of the gradients with u and v are added. You took their mean.")
def mean_of_the_products(x, y, u, v):
    return tuple(change / 6 for change in answer(x, y, u, v))


@judged("v-subtracted")
def u_subtracted(x, y, u, v):
    return answer(x, y, -u, v)


@wrong(
    "That is the gradient of the squared norm of the gradient. Weight the gradients with u and v, not with themselves."
)
def along_the_gradient(x, y, u, v):
    g, h = _first(x, y)
    return torch.autograd.grad((g**2).sum() + (h**2).sum(), (x, y))


@judged("own-blocks-only")
def own_blocks_weighted_afterwards(x, y, u, v):
    g, h = _first(x, y)
    return torch.autograd.grad(g.sum(), x, retain_graph=True)[0] * u, torch.autograd.grad(h.sum(), y)[0] * v


@wrong(
    "That is the change of the gradients over the whole step (u, v). The exercise asks for the derivative: a second "
    "backward pass."
)
def difference_of_gradients(x, y, u, v):
    there, here = _first(x + u, y + v), _first(x, y)
    return tuple(a - b for a, b in zip(there, here))


@wrong("f squares the sum of the products. You squared their mean.")
def mean_in_the_function(x, y, u, v):
    a, b = answer(x, y, u, v)
    return a / 9, b / 9


@wrong("Your result lacks the change of the sum: the derivative of the square, 2 * sum, also changes with x and y.")
def sum_held_still(x, y, u, v):
    return 2 * (x * y).sum() * v, 2 * (x * y).sum() * u


@wrong("In your result only the sum changes. The gradient with respect to x has y as a factor, and the other one x.")
def factors_held_still(x, y, u, v):
    change = 2 * (u * y + x * v).sum()
    return change * y, change * x


@judged("not-squared")
def doubled_instead(x, y, u, v):
    return 2 * v, 2 * u


@wrong("The gradient with respect to x has no weights. u belongs to it: (g * u).sum().")
def u_as_ones(x, y, u, v):
    return answer(x, y, torch.ones(3), v)


@wrong("The gradient with respect to y has no weights. v belongs to it: (h * v).sum().")
def v_as_ones(x, y, u, v):
    return answer(x, y, u, torch.ones(3))


@wrong("u weights both gradients in your result. v, the direction of y, belongs to the gradient with respect to y.")
def u_for_both(x, y, u, v):
    return answer(x, y, u, u)


@wrong("v weights both gradients in your result. u, the direction of x, belongs to the gradient with respect to x.")
def v_for_both(x, y, u, v):
    return answer(x, y, v, v)


@wrong("You used the diagonal of the Hessian. Each gradient changes with all six elements of x and y.")
def diagonal_of_the_hessian(x, y, u, v):
    return 2 * y**2 * u, 2 * x**2 * v


@wrong("The direction is (u, v). You took (x, y): differentiate along u and v.")
def along_the_inputs(x, y, u, v):
    return answer(x, y, x, y)


@judged("along-the-inputs")
def along_inputs_with_a_history(x, y, u, v):
    g, h = _first(x, y)
    return torch.autograd.grad((g * x).sum() + (h * y).sum(), (x, y))


@wrong(
    "You return one tensor of six elements. The exercise asks for a tuple of two tensors of three.",
    when=lambda i, expected, got: np.shape(got) == (6,) and same(np.concatenate(expected), got),
)
def in_one_tensor(x, y, u, v):
    return torch.cat(answer(x, y, u, v))


ways = (
    Way(
        "Weight the second backward pass with the direction (u, v): your result does not come from such a pass.",
        ("passes",),
        holds=_along_the_direction,
    ),
)
hints = (
    "Call the gradients g and h. The number (g * u).sum() + (h * v).sum() is all you need.",
    "Its gradient for (x, y) is the answer, if g and h are on the tape: create_graph=True.",
    "first = torch.autograd.grad(..., (x, y), create_graph=True); then grad(first, (x, y), grad_outputs=(u, v)).",
)
