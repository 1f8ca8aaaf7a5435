"""# Fix the nan (3 points)

`x` has six elements, some of them negative and one 0; `w` is a number. Both are leaf tensors that require grad. This function
should return the gradients of `sum(w * sqrt(x))`, where an element that is not positive counts as 0. It returns nan for `x`
and, far worse, for `w`, which all elements share. Fix the function so that every gradient is finite and exact.

[[nan_in_the_weight as answer]]
"""

import numpy as np

from labkit import torch
from labkit.classroom.ways import exact
from labkit.classroom.writing import Way, judged, same, slip, wrong


def answer(x, w):
    safe = torch.where(x > 0, x, 1.0)
    root = torch.where(x > 0, w * torch.sqrt(safe), 0.0)
    return torch.autograd.grad(root.sum(), (x, w))


def draw(rng):
    """Six elements, of which one is 0 and two are negative, in any order; and a weight."""
    x = np.concatenate([rng.uniform(0.5, 4.0, 3), [0.0], -rng.uniform(0.5, 4.0, 2)])
    return rng.permutation(x), np.array(rng.uniform(0.5, 2.0) * rng.choice([-1, 1]))


tensors = "torch"


@wrong(
    "There is still nan in the gradient for w: sqrt gets elements below 0, or is multiplied by 0 too late. Give sqrt a "
    "harmless input wherever x is not positive.",
    when=lambda i, expected, got: np.isnan(got[1]),
)
def nan_in_the_weight(x, w):
    root = torch.where(x > 0, w * torch.sqrt(x), 0.0)
    return torch.autograd.grad(root.sum(), (x, w))


@wrong(
    "Your gradient of w is 0. If nan is replaced at the end, all of this sum is lost; if w is detached, no gradient "
    "reaches it."
)
def painted_over(x, w):
    root = torch.where(x > 0, w * torch.sqrt(x), 0.0)
    found = torch.autograd.grad(root.sum(), (x, w))
    return tuple(torch.where(torch.isnan(g), 0.0, g) for g in found)


@wrong(
    "Negative elements are fixed; where x is 0, the gradient is still nan or inf, because the derivative of sqrt at 0 is "
    "infinite. Exclude 0, too."
)
def zero_left(x, w):
    root = torch.where(x > 0, w * torch.sqrt(x.clamp(min=0.0)), 0.0)
    return torch.autograd.grad(root.sum(), (x, w))


@wrong(
    "The gradient of x is right. That of w is too large: elements that are not positive count in it. The outer where "
    "selects x > 0, and 0.0 elsewhere.",
    when=lambda i, expected, got: (
        same(expected[0], got[0]) and np.isfinite(got[1]) and float(got[1]) > float(expected[1]) * (1 + 1e-6)
    ),
)
def harmless_input_counted(x, w):
    root = w * torch.sqrt(torch.where(x > 0, x, 1.0))
    return torch.autograd.grad(root.sum(), (x, w))


@wrong(
    "Every element is finite now, but those that are not positive have a gradient. They count as 0, so their gradient "
    "must be 0."
)
def others_count(x, w):
    root = w * torch.sqrt(torch.abs(x) + 1e-6)
    return torch.autograd.grad(root.sum(), (x, w))


@judged("structure")
def weight_forgotten(x, w):
    root = torch.where(x > 0, w * torch.sqrt(torch.where(x > 0, x, 1.0)), 0.0)
    return torch.autograd.grad(root.sum(), x)


mean = slip(
    "You differentiated the mean. The sum was asked for.",
    "root.sum() -> root.mean()",
)

exchanged = slip(
    "The two gradients are exchanged: the one for x comes first.",
    "(x, w)) -> (w, x))",
)

root_twice = slip(
    "The gradient of sqrt occurs twice: you took the root of a root.",
    "torch.sqrt(safe) -> torch.sqrt(torch.sqrt(safe))",
)


@wrong(
    "sqrt gets 0, where its derivative is infinite. Select only x > 0.",
    when=lambda i, expected, got: same(expected[1], got[1]) and np.isinf(got[0]).any(),
)
def zero_included(x, w):
    safe = torch.where(x >= 0, x, 1.0)
    return torch.autograd.grad(torch.where(x >= 0, w * torch.sqrt(safe), 0.0).sum(), (x, w))


@wrong(
    "No gradient reaches w: it is detached, or left out.",
    when=lambda i, e, got: same(e[0], got[0]) and not np.any(got[1] or 0.0),
)
def weight_detached(x, w):
    return answer(x, w)[0], None


@wrong(
    "The gradient of w is now right, but that of x still contains nan. Give sqrt a harmless input where x is not positive.",
    when=lambda i, expected, got: same(expected[1], got[1]) and np.isnan(got[0]).any(),
)
def nan_in_x(x, w):
    root = w * torch.where(x > 0, torch.sqrt(x), 0.0)
    return torch.autograd.grad(root.sum(), (x, w))


@wrong("Your gradient of x is that of sum(sqrt(x)). The factor w is missing in it.", parts=(0,))
def without_the_weight(x, w):
    safe = torch.where(x > 0, x, 1.0)
    return torch.autograd.grad(torch.where(x > 0, torch.sqrt(safe), 0.0).sum() + 0 * w, (x, w))


errors = (
    (
        "second time",
        "One call of torch.autograd.grad gives both gradients, (x, w). After it the saved values are freed.",
    ),
    (
        "nan_to_num",
        "Replacing nan at the end is too late: the gradient of w is one sum, and all of it is nan. Give sqrt harmless inputs.",
    ),
)


@wrong(
    "You added a number under the root, so no gradient is exact. Give sqrt x itself where it is positive, and 1.0 elsewhere.",
    when=lambda i, expected, got: (
        np.any(added := (0.5 * i[1] / got[0][i[0] > 0]) ** 2 - i[0][i[0] > 0])
        and 0 < np.ptp(added) < 1e-3 * np.min(added)
    ),
)
def small_number_under_the_root(x, w):
    safe = torch.where(x > 0, x, 1.0) + 0.01
    return torch.autograd.grad(torch.where(x > 0, w * torch.sqrt(safe), 0.0).sum(), (x, w))


@wrong(
    "No gradient reaches x: sqrt is detached, or the positive elements are cut off.",
    when=lambda i, expected, got: got[0] is None or not np.any(got[0]),
)
def x_detached(x, w):
    safe = torch.where(x > 0, x, 1.0)
    root = torch.where(x > 0, w * torch.sqrt(safe).detach(), 0.0)
    return torch.zeros(6), torch.autograd.grad(root.sum(), w)[0]


@wrong(
    "The gradient of x belongs to all six elements: 0 for those that are not positive.",
    when=lambda i, e, got: np.size(got[0]) == 3,
)
def positive_elements_alone(x, w):
    found = answer(x, w)
    return found[0][x > 0], found[1]


@wrong(
    "An element that is not positive still has a gradient. It counts as 0, which is a constant: the outer where has 0.0 there.",
    when=lambda i, expected, got: (
        same(expected[0][i[0] > 0], got[0][i[0] > 0]) and np.isfinite(got[0]).all() and np.any(got[0][i[0] <= 0])
    ),
)
def gradient_of_the_others(x, w):
    root = torch.where(x > 0, w * torch.sqrt(torch.where(x > 0, x, 1.0)), x)
    return torch.autograd.grad(root.sum(), (x, w))


@wrong(
    "Some positive elements have the gradient 0. The sum is over all positive elements.",
    when=lambda i, expected, got: (
        (bad := [g == 0 for g, e in zip(got[0], expected[0]) if e != 0 and not same(float(e), float(g))]) and all(bad)
    ),
)
def small_ones_replaced(x, w):
    root = torch.where(x > 0, w * torch.sqrt(torch.where(x > 3.0, x, 3.0)), 0.0)
    return torch.autograd.grad(root.sum(), (x, w))


value_added = slip(
    "Where x is positive, sqrt has to get x itself. You gave it another number.", "sqrt(safe) -> sqrt(safe + 1)"
)
weight_under_the_root = slip(
    "w multiplies the root. It is not under the root.", "w * torch.sqrt(safe) -> torch.sqrt(w * safe)"
)
weight_squared = slip(
    "w is a factor once. You multiplied by it twice.", "w * torch.sqrt(safe) -> w * w * torch.sqrt(safe)"
)
not_rooted = slip("The square root is missing.", "w * torch.sqrt(safe) -> w * safe")


@wrong("The derivative of sqrt(x) is 1 / (2 * sqrt(x)). The 2 is missing in the gradient of x.")
def derivative_without_the_half(x, w):
    found = answer(x, w)
    return 2 * found[0], found[1]


@wrong(
    "The derivative of w * sqrt(x) in w is sqrt(x), added up over the elements. Your gradient of w is not that sum.",
    parts=(1,),
)
def weight_times_root(x, w):
    found = answer(x, w)
    return found[0], w.detach() * found[1]


squared = slip("The square root is taken, not the square.", "torch.sqrt(safe) -> safe**2")

ways = (
    Way(
        "Only some digits are right: a number added to x changes every gradient. Give sqrt x itself.",
        (),
        holds=exact,
    ),
)
hints = (
    "where computes both of its branches in full. In the backward pass it sends 0 to the elements that it did "
    "not select.",
    "0 * nan is nan, and 0 * inf is nan. So the derivative of sqrt must be finite for the elements that are not "
    "selected.",
    "safe = torch.where(x > 0, x, 1.0); then sqrt(safe) inside the where of the statement.",
)
