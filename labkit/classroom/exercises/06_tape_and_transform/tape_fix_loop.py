"""# Fix the loop that fails at the second backward (3 points)

A recurrent network reads one number after another, and calls `backward` on the loss of each, which fails at the second number.
Fix the program so that each loss is differentiated only through its own step, where the previous `h` is a constant. `w` is a
scalar leaf tensor, and `xs` has four elements; the gradients of all four losses accumulate in `w.grad`.

[[as_it_was as train]]
"""

import numpy as np

from labkit import torch
from labkit.classroom.writing import judged, slip, wrong


def train(w, xs):
    h = torch.tensor(0.5)
    for x in xs:
        h = torch.tanh(w * h + x)
        ((h - 1) ** 2).backward()
        h = h.detach()
    return w.grad


def draw(rng):
    return np.array(rng.uniform(0.5, 1.5) * rng.choice([-1, 1]), np.float32), rng.uniform(-0.6, 0.6, 4).astype(
        np.float32
    )


tensors = "torch"
errors = (
    (
        "returned nothing",
        ".grad is None until a backward pass reaches the leaf: each loss needs a path to w.",
    ),
    (
        "second time",
        "The backward pass of the second loss goes into the first step, whose saved values are freed. Which value connects "
        "the two steps? h.detach() returns another tensor.",
    ),
    (
        "does not require grad",
        "Now nothing is left on the tape: compute the loss from an h that still has its history.",
    ),
)


@judged("error")
def as_it_was(w, xs):
    h = torch.tensor(0.5)
    for x in xs:
        h = torch.tanh(w * h + x)
        ((h - 1) ** 2).backward()
    return w.grad


@wrong(
    "It runs, and each loss goes back through all the steps before it, because nothing cuts the history between them. Each "
    "loss should go back through its own step only: cut h between the steps."
)
def retained(w, xs):
    h = torch.tensor(0.5)
    for x in xs:
        h = torch.tanh(w * h + x)
        ((h - 1) ** 2).backward(retain_graph=True)
    return w.grad


@judged("retained")
def one_backward_at_the_end(w, xs):
    h, total = torch.tensor(0.5), 0.0
    for x in xs:
        h = torch.tanh(w * h + x)
        total = total + (h - 1) ** 2
    total.backward()
    return w.grad


@wrong("You averaged over the steps. backward adds gradients and does not average them.")
def averaged(w, xs):
    return train(w, xs) / len(xs)


@judged("error")
def cut_too_early(w, xs):
    h = torch.tensor(0.5)
    for x in xs:
        h = torch.tanh(w * h + x).detach()
        ((h - 1) ** 2).backward()
    return w.grad


@wrong("This is the gradient of the first loss alone. Those of all four losses add up: return w.grad after the loop.")
def first_alone(w, xs):
    h = torch.tanh(w * torch.tensor(0.5) + xs[0])
    ((h - 1) ** 2).backward()
    return w.grad


@wrong("You use the input x of the previous step as h. Pass on the value of h, without its history.")
def input_as_memory(w, xs):
    h = torch.tensor(0.5)
    for x in xs:
        h = torch.tanh(w * h + x)
        ((h - 1) ** 2).backward()
        h = x.detach()
    return w.grad


@wrong("The first backward counts twice or more: w.grad is already a sum, and you add it again.")
def added_again(w, xs):
    h, total = torch.tensor(0.5), 0.0
    for x in xs:
        h = torch.tanh(w * h + x)
        ((h - 1) ** 2).backward()
        total = total + w.grad
        h = h.detach()
    return total


@wrong(
    "w.grad is 0 at the end: it was reset after the last backward, or no loss depends on w. The gradients of all four "
    "losses add up in it.",
    when=lambda i, expected, got: not np.any(got),
)
def emptied(w, xs):
    return 0 * train(w, xs)


memory_lost = slip(
    "The loop runs because each step begins with the same h. Pass on the value of h, without its history.",
    "h = h.detach() -> h = torch.tensor(0.5)",
)


last_alone = slip(
    "This is the gradient of the last loss alone. Those of all four losses add up.",
    "        h = torch.tanh( ->         w.grad = None\n        h = torch.tanh(",
)


@wrong(
    "This is the gradient of the last loss alone, through all steps before it. Each step calls backward on its own loss."
)
def last_through_all(w, xs):
    h = torch.tensor(0.5)
    for x in xs:
        h = torch.tanh(w * h + x)
    ((h - 1) ** 2).backward()
    return w.grad


@wrong("The square is missing in the loss: each loss is (h - 1) ** 2.")
def square_missing(w, xs):
    h = torch.tensor(0.5)
    for x in xs:
        h = torch.tanh(w * h.detach() + x)
        (h - 1).backward()
    return w.grad


@wrong("You return the last h. The exercise asks for w.grad.")
def last_h(w, xs):
    h = torch.tensor(0.5)
    for x in xs:
        h = torch.tanh(w * h.detach() + x)
        ((h - 1) ** 2).backward()
    return h


input_missing = slip(
    "x is missing in the step: h becomes tanh(w * h + x).",
    "w * h + x) -> w * h)",
)

tanh_missing = slip(
    "tanh is missing: h becomes tanh(w * h + x).",
    "torch.tanh(w * h + x) -> (w * h + x)",
)

one_missing = slip(
    "The - 1 is missing: each loss is (h - 1) ** 2.",
    "(h - 1) ** 2 -> h ** 2",
)

sign_of_one = slip(
    "Each loss is (h - 1) ** 2. You add 1.",
    "(h - 1) ** 2 -> (h + 1) ** 2",
)

begins_at_zero = slip(
    "h begins at 0.5.",
    "torch.tensor(0.5) -> torch.tensor(0.0)",
)

begins_at_one = slip(
    "h begins at 0.5, not at 1.",
    "torch.tensor(0.5) -> torch.tensor(1.0)",
)

first_input_left_out = slip(
    "The loop leaves out the first number.",
    "in xs: -> in xs[1:]:",
)

last_input_left_out = slip(
    "The loop leaves out the last number.",
    "in xs: -> in xs[:-1]:",
)

inputs_in_reverse = slip(
    "The numbers are read in the opposite order.",
    "in xs: -> in reversed(list(xs)):",
)

weight_added = slip(
    "w multiplies h. You add them.",
    "w * h + x -> w + h + x",
)

input_multiplied = slip(
    "x is added to w * h. You multiply by it.",
    "w * h + x -> w * h * x",
)

weight_for_the_input = slip(
    "w multiplies h, not x.",
    "w * h + x -> h + w * x",
)

input_subtracted = slip(
    "x is added to w * h. You subtract it.",
    "w * h + x -> w * h - x",
)

loss_as_memory = slip(
    "You pass on the loss. The next step needs h.",
    "h = h.detach() -> h = ((h - 1) ** 2).detach()",
)

doubled = slip(
    "The gradient is twice as large as it should be: each loss counts once.",
    "((h - 1) ** 2).backward() -> (2 * (h - 1) ** 2).backward()",
)


memory_halved = slip(
    "The value of h is passed on unchanged, only without its history.",
    "h = h.detach() -> h = h.detach() * 0.5",
)


@wrong("h is cut at every second step only, so a loss goes back through two steps. Cut h after each step.")
def cut_every_second_step(w, xs):
    h = torch.tensor(0.5)
    for i, x in enumerate(xs):
        h = torch.tanh(w * h + x)
        ((h - 1) ** 2).backward(retain_graph=True)
        if i % 2:
            h = h.detach()
    return w.grad


@wrong("Only every second loss has a backward pass. Each of the four losses needs one.")
def every_second_loss(w, xs):
    h = torch.tensor(0.5)
    for i, x in enumerate(xs):
        h = torch.tanh(w * h + x)
        if i % 2:
            ((h - 1) ** 2).backward()
            h = h.detach()
    return w.grad


@wrong("Each number is read twice: h takes a second step before the next number.")
def second_step(w, xs):
    h = torch.tensor(0.5)
    for x in xs:
        h = torch.tanh(w * h + x)
        ((h - 1) ** 2).backward()
        h = torch.tanh(w * h + x).detach()
    return w.grad


another_target = slip(
    "Each loss is (h - 1) ** 2. You subtract 0.5.",
    "(h - 1) ** 2 -> (h - 0.5) ** 2",
)

difference_turned_round = slip(
    "The square is missing: each loss is (h - 1) ** 2, not 1 - h.",
    "((h - 1) ** 2) -> (1 - h)",
)


hints = (
    "Draw the tape of two steps. On which value of the first step does the second step still depend?",
    "The next step needs the value of h, but not its history. From which line on is the history no longer needed?",
    "h = h.detach(), after backward",
)
