"""07 value_and_grad, aux and sens."""

import numpy as np
from sheets import above, right, wrong

import labkit.mindspore as ms
from labkit.mindspore import ops

both = ("loss", "logits")
six = [(both, "dx"), (both, "sx"), ("dx", ("logits",)), "sx", ("loss", "dx"), (both, (("dx", "dy"), ("dw",)))]
wrong("sens-structures", "without has_aux the first output counts", [six[0], (both, "dx"), six[2], "dx", *six[4:]])
wrong("sens-structures", "grad's other outputs come bare", [*six[:2], ("dx", "logits"), *six[3:]])
wrong("sens-structures", "with has_aux the value is the loss alone", [("loss", "dx"), *six[1:5], ("loss", six[5][1])])
wrong(
    "sens-structures",
    "one flat tuple",
    [("loss", "logits", "dx"), ("loss", "logits", "sx"), *six[2:5], ("loss", "logits", "dx", "dy", "dw")],
)
wrong("sens-structures", "one weight of a list comes bare", [*six[:5], (both, (("dx", "dy"), "dw"))])
wrong("sens-structures", "grad returns the value, too", [*six[:2], (both, "dx"), (both, "sx"), *six[4:]])
wrong("sens-structures", "has_aux's grad returns the gradient alone", [*six[:2], "dx", *six[3:]])
wrong(
    "sens-structures",
    "the gradients come first",
    [pair[::-1] if i in (0, 1, 4, 5) else pair for i, pair in enumerate(six)],
)
wrong(
    "sens-structures",
    "has_aux=True and False are exchanged",
    [(both, "sx"), (both, "dx"), ("sx", ("logits",)), "dx", *six[4:]],
)
right("sens-structures", "a tuple of six", tuple(six))


@wrong("sens-repair-aux", "the sign of the step is changed")
def step(w, x, y):
    def forward(w):
        logits = (w * x).sum()
        return (logits - y) ** 2, logits

    (loss, logits), dw = ms.value_and_grad(forward)(w)
    return loss, logits, w + 0.1 * dw


wrong(
    "sens-repair-aux",
    "the loss is stopped instead of the logits",
    above("(logits - y) ** 2 -> ops.stop_gradient((logits - y) ** 2)", "logits, w + 0.1 * -> logits, w - 0.1 *"),
)
wrong(
    "sens-repair-aux",
    "the logits are stopped before the loss is made: no gradient at all",
    above("(w * x).sum() -> ops.stop_gradient((w * x).sum())", "logits, w + 0.1 * -> logits, w - 0.1 *"),
)
wrong(
    "sens-repair-aux",
    "returns the gradient, not the new weight",
    above("forward)( -> forward, has_aux=True)(", "w + 0.1 * dw -> dw"),
)
wrong("sens-repair-aux", "the rate is lost", above("forward)( -> forward, has_aux=True)(", "w + 0.1 * dw -> w - dw"))
wrong("sens-repair-aux", "half of the gradient, as there are two outputs", above("+ 0.1 * dw -> - 0.1 * dw / 2"))
right(
    "sens-repair-aux",
    "the logits are stopped on their way out",
    above("2, logits -> 2, ops.stop_gradient(logits)", "logits, w + 0.1 * -> logits, w - 0.1 *"),
)


@wrong("sens-repair-aux", "the logits are cut out of the result")
def step(w, x, y):
    def forward(w):
        logits = (w * x).sum()
        return (logits - y) ** 2

    loss, dw = ms.value_and_grad(forward)(w)
    return loss, w - 0.1 * dw


@wrong("sens-repair-aux", "the outputs are exchanged, and so the logits are differentiated")
def step(w, x, y):
    def forward(w):
        logits = (w * x).sum()
        return logits, (logits - y) ** 2

    (logits, loss), dw = ms.value_and_grad(forward, has_aux=True)(w)
    return loss, logits, w - 0.1 * dw


@right("sens-repair-aux", "the gradient by hand")
def step(w, x, y):
    logits = (w * x).sum()
    error = logits - y
    return error**2, logits, w - 0.2 * error * x


third = 1 / 3
seeds = [[1, 1, 1], [third] * 3, [0, 1, 0], [2, 0, -1], [6, -2, 4], [1, 0, 0]]
wrong("sens-choose", "the outputs themselves for the sum of squares", [*seeds[:4], [3, -1, 2], seeds[5]])
wrong("sens-choose", "the squares for the sum of squares", [*seeds[:4], [9, 1, 4], seeds[5]])
wrong("sens-choose", "the mean is seeded with the mean", [seeds[0], [4 / 3] * 3, *seeds[2:]])
wrong(
    "sens-choose",
    "the seed is the value that is picked",
    [seeds[0], seeds[1], [0, -1, 0], seeds[3], seeds[4], [3, 0, 0]],
)
wrong("sens-choose", "the minus is forgotten", [*seeds[:3], [2, 0, 1], *seeds[4:]])
wrong("sens-choose", "counts from 1", [*seeds[:2], [1, 0, 0], *seeds[3:]])
wrong(
    "sens-choose",
    "the weighted values, not the weights",
    [[3, -1, 2], [1, third * -1, 2 / 3], [0, -1, 0], [6, 0, -2], [9, 1, 4], [3, 0, 0]],
)
wrong("sens-choose", "the largest is the last", [*seeds[:5], [0, 0, 1]])
wrong("sens-choose", "the squares' seed is 2 for each", [*seeds[:4], [2, 2, 2], seeds[5]])
right("sens-choose", "a table of floats", np.array(seeds, float))


@wrong("sens-examples", "the gradient is multiplied by the sum of c afterwards")
def weighted(w, x, y, c):
    def losses(w):
        return ((x * w).sum(1) - y) ** 2

    return ms.grad(losses)(w) * c.sum()


wrong("sens-examples", "the examples are not weighted", above("(w) * c.sum() -> (w)"))
wrong("sens-examples", "the seed is normalised to a mean", above(")(w) * c.sum( -> , sens_param=True)(w, c / c.sum()"))
wrong("sens-examples", "the root of c is the seed", above(")(w) * c.sum( -> , sens_param=True)(w, ops.sqrt(c)"))
wrong("sens-examples", "the seed is forgotten in the call", above(")(w) * c.sum( -> , sens_param=True)(w"))
wrong("sens-examples", "divided by the number of examples", above(")(w) * c.sum( -> , sens_param=True)(w, c) / len(c"))
wrong("sens-examples", "the losses are the seed", above(")(w) * c.sum( -> , sens_param=True)(w, c * losses(w)"))


@wrong("sens-examples", "the weight is inside of the square")
def weighted(w, x, y, c):
    def losses(w):
        return (c * ((x * w).sum(1) - y)) ** 2

    return ms.grad(losses)(w)


@wrong("sens-examples", "the gradient for x")
def weighted(w, x, y, c):
    def losses(w, x):
        return ((x * w).sum(1) - y) ** 2

    return ms.grad(losses, 1, sens_param=True)(w, x, c)


@right("sens-examples", "a pull with c")
def weighted(w, x, y, c):
    def losses(w):
        return ((x * w).sum(1) - y) ** 2

    _, pull = ms.vjp(losses, w)
    (gradient,) = pull(c)
    return gradient


@right("sens-examples", "GradOperation with sens_param")
def weighted(w, x, y, c):
    def losses(w):
        return ((x * w).sum(1) - y) ** 2

    return ops.GradOperation(sens_param=True)(losses)(w, c)


@wrong("sens-two-parts", "the gradient for h is returned")
def through(x):
    def first(x):
        return x**2 * x.sum()

    def second(h):
        return (h**3).sum()

    return ms.grad(second)(first(x))


wrong(
    "sens-two-parts",
    "the second half's gradient is taken at x",
    above(
        "return ms.grad(second)(first(x)) -> dh = ms.grad(second)(x)\n    return ms.grad(first, sens_param=True)(x, dh)"
    ),
)
wrong(
    "sens-two-parts",
    "the gradients are multiplied element by element",
    above("(first(x)) -> (first(x)) * ms.grad(first)(x)"),
)
wrong("sens-two-parts", "one function holds both halves", above("second)(first(x) -> lambda x: second(first(x)))(x"))
wrong(
    "sens-two-parts",
    "the value is the seed, not the gradient",
    above("return ms.grad(second)(first(x)) -> h = first(x)\n    return ms.grad(first, sens_param=True)(x, h)"),
)
wrong(
    "sens-two-parts",
    "the seed is left out",
    above(
        "return ms.grad(second)(first(x)) -> h = first(x)\n    dh = ms.grad(second)(h)\n    return ms.grad(first)(x)"
    ),
)
wrong("sens-two-parts", "the gradients are added up", above("(second) -> (first)(x) + ms.grad(second)"))


@wrong("sens-two-parts", "the halves in the wrong order")
def through(x):
    def first(x):
        return x**2 * x.sum()

    def second(h):
        return (h**3).sum()

    d_first = ms.grad(first)(x)
    return ms.grad(second, sens_param=True)(first(x), d_first.sum())


@wrong("sens-two-parts", "the second half's derivative by hand, with a wrong power")
def through(x):
    def first(x):
        return x**2 * x.sum()

    h = first(x)
    return ms.grad(first, sens_param=True)(x, 3 * h)


@right("sens-two-parts", "the inner product with the stopped seed is differentiated")
def through(x):
    def first(x):
        return x**2 * x.sum()

    def second(h):
        return (h**3).sum()

    seed = ms.grad(second)(first(x))
    return ms.grad(lambda x: (first(x) * seed).sum())(x)


wrong("sens-errors", "a missing seed means ones", ["fine", "fine", "ValueError", "TypeError", "ValueError", "fine"])
wrong("sens-errors", "the seed is broadcast", ["fine", "TypeError", "fine", "TypeError", "ValueError", "fine"])
wrong("sens-errors", "what is too much is ignored", ["fine", "TypeError", "ValueError", "fine", "ValueError", "fine"])
wrong(
    "sens-errors", "has_aux with one output is fine", ["fine", "TypeError", "ValueError", "TypeError", "fine", "fine"]
)
wrong(
    "sens-errors",
    "sens cannot be given by its name",
    ["fine", "TypeError", "ValueError", "TypeError", "ValueError", "TypeError"],
)
wrong(
    "sens-errors",
    "value_and_grad knows no seed",
    ["fine", "TypeError", "ValueError", "TypeError", "ValueError", "ValueError"],
)
wrong(
    "sens-errors",
    "a shape that does not fit is a TypeError",
    ["fine", "TypeError", "TypeError", "TypeError", "ValueError", "fine"],
)
wrong(
    "sens-errors",
    "all of them are ValueErrors",
    ["fine", "ValueError", "ValueError", "ValueError", "ValueError", "fine"],
)
wrong(
    "sens-errors",
    "a seed is for grad of several outputs, not of one",
    ["TypeError", "fine", "TypeError", "TypeError", "ValueError", "TypeError"],
)
right("sens-errors", "a tuple", ("fine", "TypeError", "ValueError", "TypeError", "ValueError", "fine"))


@wrong("sens-mend-relay", "the seed is left out")
def relay(x):
    first = lambda x: x * x.sum()
    second = lambda h: ops.exp(-h) + h
    third = lambda k: (k**2).sum()

    h = first(x)
    k = second(h)
    loss, seed = ms.value_and_grad(third)(k)
    seed = ms.grad(second, sens_param=True)(h, seed)
    return loss, ms.grad(first)(x)


wrong(
    "sens-mend-relay",
    "sens_param alone: the second machine still stands at k",
    above(")(h, seed -> )(k, seed", "(first)(x) -> (first, sens_param=True)(x, seed)"),
)
wrong("sens-mend-relay", "the seed is still given to first itself", above("(first)(x) -> (first)(x, seed)"))


@wrong("sens-mend-relay", "local slopes, multiplied element by element")
def relay(x):
    first = lambda x: x * x.sum()
    second = lambda h: ops.exp(-h) + h
    third = lambda k: (k**2).sum()

    h = first(x)
    k = second(h)
    loss, seed = ms.value_and_grad(third)(k)
    return loss, ms.grad(first)(x) * ms.grad(second)(h) * seed


@wrong("sens-mend-relay", "all at once: no machine has all three parts")
def relay(x):
    return ms.value_and_grad(lambda x: ((ops.exp(-x * x.sum()) + x * x.sum()) ** 2).sum())(x)


@right("sens-mend-relay", "value_and_grad everywhere, the seed by name")
def relay(x):
    first = lambda x: x * x.sum()
    second = lambda h: ops.exp(-h) + h

    h = first(x)
    k = second(h)
    loss, of_k = ms.value_and_grad(lambda k: (k**2).sum())(k)
    _, of_h = ms.value_and_grad(second, sens_param=True)(h, sens=of_k)
    _, of_x = ms.value_and_grad(first, sens_param=True)(x, sens=of_h)
    return loss, of_x
