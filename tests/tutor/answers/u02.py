"""02 Backpropagation."""

import autograd.numpy as np
from sheets import above, right, wrong


@wrong("backprop-write", "the list is returned in reverse")
def backward(parents):
    grads = [0.0] * len(parents)
    grads[-1] = 1.0
    for node in reversed(range(len(parents))):
        for parent, slope in parents[node]:
            grads[parent] += slope * grads[node]
    return grads[::-1]


right(
    "backprop-fix-twice",
    "a list of contributions for each node",
    above(
        "in parents[node]: -> in [(p, s * grads[node]) for p, s in parents[node]]:",
        "slope * grads[node]\n -> slope\n",
        "grads[::-1] -> grads",
    ),
)


@right("backprop-write", "forward mode: the derivative of each node is carried to the last")
def backward(parents):
    n = len(parents)
    result = []
    for start in range(n):
        along = [0.0] * n
        along[start] = 1.0
        for node in range(start + 1, n):
            along[node] = sum((slope * along[parent] for parent, slope in parents[node]), 0.0)
        result.append(along[-1])
    return result


wrong("backprop-engines", "overwrite keeps the first contribution: 18 of a alone, then 6", [36, 6, 48, 18])
right("backprop-engines", "floats", (36.0, 12.0, 48.0, 18.0))


@right("backprop-fix-order", "also visits, with zeros, what the result does not need: each edge once")
def fixed(parents, output):
    waiting = [0] * len(parents)
    for pairs in parents:
        for parent, _ in pairs:
            waiting[parent] += 1
    grads = [0.0] * len(parents)
    grads[output] = 1.0
    used = sum(len(pairs) for pairs in parents)
    ready = [i for i, n in enumerate(waiting) if n == 0]
    while ready:
        node = ready.pop()
        for parent, slope in parents[node]:
            grads[parent] += slope * grads[node]
            waiting[parent] -= 1
            if waiting[parent] == 0:
                ready.append(parent)
    return grads, used


@wrong("backprop-fix-shapes", "both are summed to one number")
def fixed(x, w, b):
    d_h = 2 * (x * w + b)
    return np.sum(d_h * x), np.sum(d_h)


wrong("backprop-fix-shapes", "the wrong axis for w", above("(d_h * x), np.sum -> (d_h * x, axis=1), np.sum"))
wrong(
    "backprop-fix-shapes",
    "h has the wrong sign of b, and w is summed over rows",
    above("w + b -> w - b", "h * x) -> h * x, axis=0)"),
)
wrong("backprop-fix-shapes", "sums before it multiplies", above("(d_h * x), -> (d_h, axis=0) * np.sum(x, axis=0),"))
right(
    "backprop-fix-shapes",
    "einsum",
    above('sum(d_h * x), np.sum(d_h) -> einsum("ij,ij->j", d_h, x), np.einsum("ij->", d_h)'),
)
