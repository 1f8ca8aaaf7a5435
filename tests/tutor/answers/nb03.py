"""03 Backprop step by step."""

import autograd.numpy as np
from sheets import above, right, wrong

wrong("backprop-orders", "every order gives the gradient", [(8, 2)] * 6)
wrong("backprop-orders", "every order that starts at z gives the gradient", [(8, 2)] * 5 + [(0, 0)])
wrong("backprop-orders", "a wrong order gives nothing", [(8, 2), (8, 2), (0, 0), (0, 0), (0, 0), (0, 0)])
wrong("backprop-orders", "the slope from x to a is forgotten", [(4, 2), (4, 2), (3, 2), (1, 2), (4, 0), (0, 0)])
wrong("backprop-orders", "each factor gets itself", [(6, 3), (6, 3), (4, 3), (2, 3), (6, 0), (0, 0)])
wrong("backprop-orders", "what comes last replaces what was there", [(6, 2), (2, 2), (6, 2), (2, 2), (6, 0), (0, 0)])
wrong("backprop-orders", "b can be visited at any time", [(8, 2), (8, 2), (6, 2), (2, 2), (8, 2), (0, 0)])
wrong(
    "backprop-orders",
    "the walk forwards gives each node its own slope",
    [(8, 2), (8, 2), (6, 2), (2, 2), (8, 0), (2, 1)],
)
right("backprop-orders", "floats", [(8.0, 2.0), (8.0, 2.0), (6.0, 2.0), (2.0, 2.0), (8.0, 0.0), (0.0, 0.0)])
right("backprop-orders", "a tuple of pairs", ((8, 2), (8, 2), (6, 2), (2, 2), (8, 0), (0, 0)))


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
    "walks forwards",
    above("in reversed(range(len(parents))) -> in range(len(parents))", "grads[::-1] -> grads"),
)
wrong(
    "backprop-write",
    "what arrives replaces what was there",
    above("[parent] += slope * -> [parent] = slope *", "grads[::-1] -> grads"),
)
wrong(
    "backprop-write",
    "the local slope alone is sent, not times what has arrived",
    above("slope * grads[node] -> slope", "grads[::-1] -> grads"),
)
wrong("backprop-write", "the seed of 1 is forgotten", above("    grads[-1] = 1.0\n -> ", "grads[::-1] -> grads"))
wrong(
    "backprop-write",
    "every node starts with 1",
    above("grads = [0.0] * len(parents)\n    grads[-1] = 1.0 -> grads = [1.0] * len(parents)", "grads[::-1] -> grads"),
)
wrong(
    "backprop-write", "slopes are added along a path", above("slope * grads -> slope + grads", "grads[::-1] -> grads")
)
wrong(
    "backprop-write",
    "a node used twice by the same operation gets one part",
    above("parents[node] -> dict(parents[node]).items()", "grads[::-1] -> grads"),
)


@wrong("backprop-write", "only the first parent of each node is served")
def backward(parents):
    grads = [0.0] * len(parents)
    grads[-1] = 1.0
    for node in range(len(parents) - 1, -1, -1):
        for parent, slope in parents[node][:1]:
            grads[parent] += slope * grads[node]
    return grads


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


@right("backprop-write", "a NumPy array of gradients")
def backward(parents):
    grads = np.zeros(len(parents))
    grads[-1] = 1
    for i in range(len(parents) - 1, -1, -1):
        for p, s in parents[i]:
            grads[p] += s * grads[i]
    return grads.tolist()


wrong("backprop-engines", "all engines find the same", [36, 36, 36, 36])
wrong("backprop-engines", "overwrite keeps the first contribution: 18 of a alone, then 6", [36, 6, 48, 18])
wrong("backprop-engines", "in the recursion the part alone is passed on, which is right", [36, 12, 36, 18])
wrong("backprop-engines", "visited once drops what arrives later", [36, 12, 48, 12])
wrong("backprop-engines", "overwrite adds at x", [36, 18, 48, 18])
wrong("backprop-engines", "the right one forgets the direct use of x in b", [30, 12, 48, 18])
wrong("backprop-engines", "z's slopes are exchanged", [45, 18, 66, 27])
wrong("backprop-engines", "the recursion comes to x once more", [36, 12, 54, 18])
right("backprop-engines", "floats", (36.0, 12.0, 48.0, 18.0))


@wrong("backprop-mend-order", "the order is found, but walked from the inputs to the result")
def mended(parents, output):
    order = []

    def visit(node):
        if node not in order:
            for parent, _ in parents[node]:
                visit(parent)
            order.append(node)

    visit(output)
    grads = [0.0] * len(parents)
    grads[output] = 1.0
    used = 0
    for node in order:
        for parent, slope in parents[node]:
            used += 1
            grads[parent] += slope * grads[node]
    return grads, used


wrong(
    "backprop-mend-order",
    "counts nodes, not edges",
    above("for node in order: -> for node in reversed(order):\n        used += 1", "            used += 1\n -> "),
)


@wrong("backprop-mend-order", "passes the part on: the gradients are right, but slopes are used for every path")
def mended(parents, output):
    grads = [0.0] * len(parents)
    used = 0

    def visit(node, part):
        nonlocal used
        grads[node] += part
        for parent, slope in parents[node]:
            used += 1
            visit(parent, slope * part)

    visit(output, 1.0)
    return grads, used


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


@wrong("backprop-mend-order", "trusts the numbers of the nodes")
def mended(parents, output):
    grads = [0.0] * len(parents)
    grads[output] = 1.0
    used = 0
    for node in reversed(range(len(parents))):
        for parent, slope in parents[node]:
            used += 1
            grads[parent] += slope * grads[node]
    return grads, used


@wrong("backprop-mend-order", "breadth first, by distance from the result")
def mended(parents, output):
    grads = [0.0] * len(parents)
    grads[output] = 1.0
    used = 0
    queue, seen = [output], {output}
    while queue:
        node = queue.pop(0)
        for parent, slope in parents[node]:
            used += 1
            grads[parent] += slope * grads[node]
            if parent not in seen:
                seen.add(parent)
                queue.append(parent)
    return grads, used


@wrong("backprop-mend-order", "noted before its parents: a pre-order is no order of dependence")
def mended(parents, output):
    order = []

    def visit(node):
        if node not in order:
            order.append(node)
            for parent, _ in parents[node]:
                visit(parent)

    visit(output)
    grads = [0.0] * len(parents)
    grads[output] = 1.0
    used = 0
    for node in order:
        for parent, slope in parents[node]:
            used += 1
            grads[parent] += slope * grads[node]
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


@right("backprop-mend-order", "counts how many users of each node are still to come")
def mended(parents, output):
    needed, stack = set(), [output]
    while stack:
        node = stack.pop()
        if node not in needed:
            needed.add(node)
            stack.extend(parent for parent, _ in parents[node])
    waiting = dict.fromkeys(needed, 0)
    for node in needed:
        for parent, _ in parents[node]:
            waiting[parent] += 1
    grads = [0.0] * len(parents)
    grads[output] = 1.0
    ready, used = [output], 0
    while ready:
        node = ready.pop()
        for parent, slope in parents[node]:
            used += 1
            grads[parent] += slope * grads[node]
            waiting[parent] -= 1
            if not waiting[parent]:
                ready.append(parent)
    return grads, used


@wrong("backprop-mend-twice", "adds up the parts in `sent`, but starts them with 1")
def mended(parents):
    grads = [0.0] * len(parents)
    grads[-1] = 1.0
    for node in reversed(range(len(parents))):
        sent = {}
        for parent, slope in parents[node]:
            sent[parent] = sent.get(parent, 1.0) + slope * grads[node]
        for parent, part in sent.items():
            grads[parent] = grads[parent] + part
    return grads


wrong("backprop-mend-twice", "adds inside and once more outside", above("sent.get(parent, 1.0) -> grads[parent]"))
wrong(
    "backprop-mend-twice",
    "multiplies the two parts",
    above("(parent, 1.0) + slope * grads[node] -> (parent, 1.0) * slope * grads[node]"),
)
wrong(
    "backprop-mend-twice",
    "nothing is mended: += in the second loop is the same as before",
    above("sent.get(parent, 1.0) + slope -> slope", "= grads[parent] + -> +="),
)


@wrong("backprop-mend-twice", "overwrites at the parent, too")
def mended(parents):
    grads = [0.0] * len(parents)
    grads[-1] = 1.0
    for node in reversed(range(len(parents))):
        for parent, slope in parents[node]:
            grads[parent] = slope * grads[node]
    return grads


@wrong("backprop-mend-twice", "doubles whatever is sent to a parent that is there already")
def mended(parents):
    grads = [0.0] * len(parents)
    grads[-1] = 1.0
    for node in reversed(range(len(parents))):
        sent = {}
        for parent, slope in parents[node]:
            if parent in sent:
                sent[parent] = 2 * slope * grads[node]
            else:
                sent[parent] = slope * grads[node]
        for parent, part in sent.items():
            grads[parent] = grads[parent] + part
    return grads


@wrong("backprop-mend-twice", "`sent` is made once for all nodes")
def mended(parents):
    grads = [0.0] * len(parents)
    grads[-1] = 1.0
    sent = {}
    for node in reversed(range(len(parents))):
        for parent, slope in parents[node]:
            sent[parent] = sent.get(parent, 0.0) + slope * grads[node]
        for parent, part in sent.items():
            grads[parent] = grads[parent] + part
    return grads


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
wrong("backprop-mend-shapes", "b gets one number per row", above("), np.sum(d_h -> , axis=0), np.sum(d_h, axis=1"))
wrong("backprop-mend-shapes", "the mean over the rows", above("sum(d_h * x), np.sum -> mean(d_h * x, axis=0), np.mean"))
wrong("backprop-mend-shapes", "sums before it multiplies", above("(d_h * x), -> (d_h, axis=0) * np.sum(x, axis=0),"))


@wrong("backprop-mend-shapes", "b is summed along the rows alone")
def mended(x, w, b):
    d_h = 2 * (x * w + b)
    return np.sum(d_h * x, axis=0), np.sum(d_h, axis=0)


@wrong("backprop-mend-shapes", "takes the first row for all of them")
def mended(x, w, b):
    d_h = 2 * (x * w + b)
    return (d_h * x)[0], d_h[0, 0]


@wrong("backprop-mend-shapes", "the results are exchanged")
def mended(x, w, b):
    d_h = 2 * (x * w + b)
    return np.sum(d_h), np.sum(d_h * x, axis=0)


@wrong("backprop-mend-shapes", "d_w keeps an axis of length 1")
def mended(x, w, b):
    d_h = 2 * (x * w + b)
    return np.sum(d_h * x, axis=0, keepdims=True), np.sum(d_h)


@right("backprop-mend-shapes", "einsum")
def mended(x, w, b):
    d_h = 2 * (x * w + b)
    return np.einsum("ij,ij->j", d_h, x), np.einsum("ij->", d_h)


@wrong("backprop-mend-reset", "the second part replaces the first one")
def mended(x, y, w, steps, rate):
    path = []
    for _ in range(steps):
        error = x * w - y
        grad = 2 * error * x
        grad = 2 * w
        w = w - rate * grad
        path.append(w)
    return path


wrong("backprop-mend-reset", "the penalty's part is lost", above("        grad = 2 * w\n -> "))
wrong("backprop-mend-reset", "the parts are averaged", above("grad = 2 * w -> grad = (grad + 2 * w) / 2"))


@wrong("backprop-mend-reset", "it is set back, but too early: between the two parts")
def mended(x, y, w, steps, rate):
    path = []
    grad = 0.0
    for _ in range(steps):
        error = x * w - y
        grad = grad + 2 * error * x
        w = w - rate * grad
        path.append(w)
        grad = 0.0
        grad = grad + 2 * w
    return path


@wrong("backprop-mend-reset", "w is set back in each step, too")
def mended(x, y, w, steps, rate):
    path = []
    start = w
    for _ in range(steps):
        w = start
        grad = 0.0
        error = x * w - y
        grad = grad + 2 * error * x
        grad = grad + 2 * w
        w = w - rate * grad
        path.append(w)
    return path


@wrong("backprop-mend-reset", "only the last value is returned")
def mended(x, y, w, steps, rate):
    for _ in range(steps):
        w = w - rate * (2 * (x * w - y) * x + 2 * w)
    return w


@wrong("backprop-mend-reset", "the value before the step is noted")
def mended(x, y, w, steps, rate):
    path = []
    for _ in range(steps):
        grad = 0.0
        error = x * w - y
        grad = grad + 2 * error * x
        grad = grad + 2 * w
        path.append(w)
        w = w - rate * grad
    return path


@wrong("backprop-mend-reset", "two steps: the second part sees the new w")
def mended(x, y, w, steps, rate):
    path = []
    for _ in range(steps):
        w = w - rate * 2 * (x * w - y) * x
        w = w - rate * 2 * w
        path.append(w)
    return path


@wrong("backprop-mend-reset", "steps uphill")
def mended(x, y, w, steps, rate):
    path = []
    for _ in range(steps):
        grad = 2 * (x * w - y) * x + 2 * w
        w = w + rate * grad
        path.append(w)
    return path


@right("backprop-mend-reset", "the closed form of a step: w is multiplied and shifted")
def mended(x, y, w, steps, rate):
    factor, shift = 1 - 2 * rate * (x * x + 1), 2 * rate * x * y
    path = [w]
    for _ in range(steps):
        path.append(factor * path[-1] + shift)
    return path[1:]


@right("backprop-mend-reset", "set back at the end of each step")
def mended(x, y, w, steps, rate):
    path = []
    grad = 0.0
    for _ in range(steps):
        error = x * w - y
        grad += 2 * error * x
        grad += 2 * w
        w -= rate * grad
        path.append(w)
        grad = 0.0
    return path
