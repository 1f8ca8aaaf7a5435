"""# Mend the relay (3 points)

Three machines, each with a part of a function. The values go from the first to the last, the gradients come back. This
program fails; and when it no longer fails, it is not yet right. Mend it: `relay(x)` returns the tuple of the loss and its
gradient with respect to `x`. Each machine calls `ms.grad` or `ms.value_and_grad` for its own part. `x` is a Tensor
of three elements.

[[as_it_was as relay]]
"""

import numpy as np

from labkit import mindspore as ms
from labkit.classroom.writing import Way, judged, wrong


def relay(x):
    first = lambda x: x * x.sum()
    second = lambda h: ms.ops.exp(-h) + h
    third = lambda k: (k**2).sum()

    h = first(x)
    k = second(h)
    loss, seed = ms.value_and_grad(third)(k)
    seed = ms.grad(second, sens_param=True)(h, seed)
    return loss, ms.grad(first, sens_param=True)(x, seed)


def draw(rng):
    return (rng.uniform(0.3, 1.2, 3).astype(np.float32),)


tensors = "mindspore"
errors = (
    (
        "positional argument",
        "A seed is the last argument, and only with sens_param=True: else it goes to the function itself.",
    ),
    ("The shape should be", "A seed has the shape of the output of the part that it goes into."),
)


@judged("error")
def as_it_was(x):
    first = lambda x: x * x.sum()
    second = lambda h: ms.ops.exp(-h) + h
    third = lambda k: (k**2).sum()

    h = first(x)
    k = second(h)
    loss, seed = ms.value_and_grad(third)(k)
    seed = ms.grad(second, sens_param=True)(k, seed)
    return loss, ms.grad(first)(x, seed)


def _first(x):
    return x * x.sum()


def _second(h):
    return ms.ops.exp(-h) + h


def _third(k):
    return (k**2).sum()


def _back(x, at, seed=None):
    """The loss, and what comes back if the second machine differentiates at `at(h, k)`, the third one sends `seed`."""
    h = _first(x)
    k = _second(h)
    loss, sent = ms.value_and_grad(_third)(k)
    sent = sent if seed is None else seed(h, k)
    return loss, ms.grad(_first, sens_param=True)(x, ms.grad(_second, sens_param=True)(at(h, k), sent))


@wrong(
    "The error is gone. But the second machine differentiates at k, which it gave: its slopes belong to h, which it got."
)
def at_its_output(x):
    return _back(x, lambda h, k: k)


@wrong(
    "The first machine got no seed: every element of h counts once there. It has to count as the second machine says."
)
def seed_dropped(x):
    h = _first(x)
    return _third(_second(h)), ms.grad(_first)(x)


@wrong("The second machine got no seed: it sent its own slopes, as if every element of k counted once.")
def second_without_a_seed(x):
    h = _first(x)
    return _third(_second(h)), ms.grad(_first, sens_param=True)(x, ms.grad(_second)(h))


@wrong("The seed of the third machine went past the second one: each machine on the way back has its part.")
def second_left_out(x):
    loss, seed = ms.value_and_grad(_third)(_second(_first(x)))
    return loss, ms.grad(_first, sens_param=True)(x, seed)


@wrong("The second machine was seeded with its output. The seed is the gradient of what comes after: of third, at k.")
def output_as_the_seed(x):
    return _back(x, lambda h, k: h, lambda h, k: k)


@judged("kind")
def gradient_alone(x):
    return relay(x)[1]


ways = (
    Way("Each machine calls `ms.grad` or `ms.value_and_grad` for its own part.", ("walk back",), most=None, least=3),
)
hints = (
    "The error: first takes one argument, and got two. What makes the last one a seed?",
    "Each part is differentiated at what went into it, with the seed that came from the part after it.",
    "seed = ms.grad(second, sens_param=True)(h, seed); then ms.grad(first, sens_param=True)(x, seed)",
)
