"""# Fix a change in place (2 points)

`h` should be `tanh(x) + x`, and the function should return the gradient of `sum(h * tanh(x))` with respect to `x`. Fix the
function, which fails with a message about a version. `.data` and `.detach()` can also remove the error, but give a wrong
gradient. `x` is a leaf tensor of six elements that requires grad.

[[as_it_was as answer]]
"""

import numpy as np

from labkit import torch
from labkit.classroom.writing import judged, slip, wrong


def answer(x):
    t = torch.tanh(x)
    h = t + x
    (gradient,) = torch.autograd.grad((h * t).sum(), x)
    return gradient


def draw(rng):
    return ((rng.choice([-1, 1], 6) * rng.uniform(0.3, 1.5, 6)).astype(np.float32),)


tensors = "torch"
errors = (
    (
        "inplace operation",
        "tanh saved its result, and the result was changed. detach() does not help: it shares the memory, and the version.",
    ),
    ("does not require grad", "Nothing is left on the tape: detach cuts, clone copies and does not cut."),
)


@judged("error")
def as_it_was(x):
    t = torch.tanh(x)
    h = t
    h += x
    (gradient,) = torch.autograd.grad((h * t).sum(), x)
    return gradient


@wrong(
    "It runs because PyTorch does not see the change: .data has a version of its own. The saved result of tanh is still "
    "overwritten, and t is no longer tanh(x). Make a new tensor instead."
)
def behind_its_back(x):
    t = torch.tanh(x)
    h = t
    h.data += x.data
    (gradient,) = torch.autograd.grad((h * t).sum(), x)
    return gradient


@wrong("h has lost part of its history: a copy of t.detach() is cut off. clone alone copies and does not cut.")
def cut_from_tanh(x):
    t = torch.tanh(x)
    h = t.detach().clone() + x
    return torch.autograd.grad((h * t).sum(), x)[0]


@wrong("h counts as a constant here. It depends on x twice: through tanh(x), and through the x that is added.")
def h_is_a_constant(x):
    t = torch.tanh(x)
    return torch.autograd.grad(((t + x).detach() * t).sum(), x)[0]


@wrong("The x that is added counts as a constant here: without its history it passes no gradient back.")
def x_is_a_constant(x):
    t = torch.tanh(x)
    return torch.autograd.grad(((t + x.detach()) * t).sum(), x)[0]


@wrong("That is the gradient of sum(h * h). The second factor is tanh(x) as it was, before x was added.")
def both_changed(x):
    h = torch.tanh(x) + x
    return torch.autograd.grad((h * h).sum(), x)[0]


@judged("behind-its-back")
def copied_back(x):
    t = torch.tanh(x)
    t.data.copy_(t.data + x.data)
    return torch.autograd.grad((t * t).sum(), x)[0]


second_factor_missing = slip(
    "That is the gradient of sum(h). The second factor, tanh(x), is missing.",
    "(h * t).sum() -> h.sum()",
)

x_not_added = slip(
    "That is the gradient of sum(tanh(x) * tanh(x)). x has to be added to h.",
    "(h * t).sum() -> (t * t).sum()",
)

mean = slip(
    "You differentiated the mean. The exercise asks for the sum.",
    "(h * t).sum() -> (h * t).mean()",
)

factors_added = slip(
    "h and tanh(x) are multiplied, not added.",
    "(h * t) -> (h + t)",
)

times_x = slip(
    "That is the gradient of sum(h * x). The second factor is tanh(x).",
    "(h * t) -> (h * x)",
)


factor_cut_off = slip(
    "The second factor, tanh(x), counts as a constant here: it depends on x, too.",
    "(h * t) -> (h * t.detach())",
)

tanh_twice = slip(
    "In h you take the tanh of t once more. h is t + x.",
    "h = t + x -> h = torch.tanh(t) + x",
)

tanh_left_out = slip(
    "h is tanh(x) + x. tanh(x) is missing.",
    "h = t + x -> h = x",
)

multiplied = slip(
    "h is the sum of tanh(x) and x. You multiply them.",
    "h = t + x -> h = t * x",
)

added_twice = slip(
    "h is tanh(x) + x. x is added twice.",
    "h = t + x -> h = t + 2 * x",
)

subtracted = slip(
    "h is tanh(x) + x. You subtract x.",
    "h = t + x -> h = t - x",
)

tanh_counts_twice = slip(
    "h is tanh(x) + x. Your h contains tanh(x) twice.",
    "h = t + x -> h = 2 * t + x",
)


sums_multiplied = slip(
    "You multiply two sums. First multiply element by element, then sum: (h * t).sum().",
    "(h * t).sum() -> h.sum() * t.sum()",
)


first_factor_missing = slip(
    "That is the gradient of sum(tanh(x)). The first factor, h, is missing.",
    "(h * t).sum() -> t.sum()",
)

value_returned = slip(
    "You return h * tanh(x). The exercise asks for the gradient of its sum.",
    "return gradient -> return h * t",
)

with_respect_to_h = slip(
    "Your result is tanh(x), the gradient with respect to h. Differentiate with respect to x, and detach nothing: h and tanh(x) "
    "depend on x, too.",
    "(h * t).sum(), x) -> (h * t).sum(), h)",
)

with_respect_to_t = slip(
    "That is the gradient with respect to tanh(x). The exercise asks for the one with respect to x.",
    "(h * t).sum(), x) -> (h * t).sum(), t)",
)

h_returned = slip(
    "You return h. The exercise asks for the gradient.",
    "return gradient -> return h",
)

divided = slip(
    "h and tanh(x) are multiplied, not divided.",
    "(h * t).sum() -> (h / t).sum()",
)


tanh_of_the_sum = slip(
    "The second factor is tanh(x), not the tanh of h.",
    "(h * t).sum() -> (h * torch.tanh(h)).sum()",
)

tanh_doubled = slip(
    "h is tanh(x) + x. You add tanh(x) a second time instead of x.",
    "h = t + x -> h = t + t",
)

argument_doubled = slip(
    "tanh(x) is computed before x is added. You take the tanh of 2 * x.",
    "torch.tanh(x) -> torch.tanh(x + x)",
)


input_returned = slip(
    "You return x. The exercise asks for the gradient.",
    "return gradient -> return x",
)

tanh_missing_in_h = slip(
    "h is tanh(x) + x. You take 2 * x.",
    "h = t + x -> h = x + x",
)


tanh_missing = slip(
    "Both factors contain tanh(x). You use x instead.",
    "torch.tanh(x) -> x * 1",
)


hints = (
    "Which tensor does tanh save, and which line changes it?",
    "h and t are two names for one tensor, but you need two tensors.",
    "h = t + x instead of h = t and h += x; or h = t.clone() before the change",
)
