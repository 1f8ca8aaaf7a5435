"""03 Backprop step by step."""

import autograd.numpy as np
from sheets import above, right, wrong


@wrong("backprop-write", "the list is returned back to front")
def backward(parents):
    grads = [0.0] * len(parents)
    grads[-1] = 1.0
    for node in reversed(range(len(parents))):
        for parent, slope in parents[node]:
            grads[parent] += slope * grads[node]
    return grads[::-1]


wrong(
    "backprop-write",
    "what arrives replaces what was there",
    above("[parent] += slope * -> [parent] = slope *", "grads[::-1] -> grads"),
)
wrong(
    "backprop-write",
    "a node used twice by the same operation gets one part",
    above("parents[node] -> dict(parents[node]).items()", "grads[::-1] -> grads"),
)


@right("backprop-write", "forwards: for each node the slopes of all others are pushed along")
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


@wrong("backprop-mend-order", "never goes to a node twice, so what arrives later is not passed on")
def mended(parents, output):
    grads = [0.0] * len(parents)
    used = 0
    visited = set()

    def visit(node, part):
        nonlocal used
        grads[node] += part
        if node in visited:
            return
        visited.add(node)
        for parent, slope in parents[node]:
            used += 1
            visit(parent, slope * grads[node])

    visit(output, 1.0)
    return grads, used


@right("backprop-mend-order", "also walks, with zeros, what the result does not need: each edge once")
def mended(parents, output):
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


@right("backprop-mend-twice", "a list of parts for each parent")
def mended(parents):
    grads = [0.0] * len(parents)
    grads[-1] = 1.0
    for node in reversed(range(len(parents))):
        sent = [(parent, slope * grads[node]) for parent, slope in parents[node]]
        for parent, part in sent:
            grads[parent] = grads[parent] + part
    return grads


@wrong("backprop-mend-shapes", "both are summed to one number")
def mended(x, w, b):
    d_h = 2 * (x * w + b)
    return np.sum(d_h * x), np.sum(d_h)


wrong("backprop-mend-shapes", "the wrong axis for w", above("(d_h * x), np.sum -> (d_h * x, axis=1), np.sum"))
wrong("backprop-mend-shapes", "the mean over the rows", above("sum(d_h * x), np.sum -> mean(d_h * x, axis=0), np.mean"))
wrong("backprop-mend-shapes", "sums before it multiplies", above("(d_h * x), -> (d_h, axis=0) * np.sum(x, axis=0),"))


@right("backprop-mend-shapes", "einsum")
def mended(x, w, b):
    d_h = 2 * (x * w + b)
    return np.einsum("ij,ij->j", d_h, x), np.einsum("ij->", d_h)
