"""08 Two philosophies: the tape and the transform."""

from sheets import above, right, wrong

import labkit.mindspore as ms
import labkit.torch as torch
from labkit.mindspore import ops

wrong("tape-accumulate", "each backward replaces the gradient", [6, 6, 6, 6])
wrong("tape-accumulate", "zero_ has no effect", [6, 12, 18, 18])
wrong("tape-accumulate", "autograd.grad adds to .grad, too", [6, 12, 6, 12])
wrong("tape-accumulate", "autograd.grad sets .grad to zero", [6, 12, 6, 0])
wrong("tape-accumulate", "the values of x**2", [9, 18, 9, 9])
wrong("tape-accumulate", "the second backward squares the gradient", [6, 36, 6, 6])
wrong("tape-accumulate", "neither zeroed nor left alone by grad", [6, 12, 18, 24])
wrong("tape-accumulate", "the derivative of x**2 is x", [3, 6, 3, 3])
right("tape-accumulate", "floats, as item() gives them", [6.0, 12.0, 6.0, 6.0])

T, F = True, False
wrong("tape-leaves", "a leaf is what requires grad", [T, F, F, F, F, F])
wrong("tape-leaves", "what an operation made is no leaf", [T, F, T, F, F, F])
wrong("tape-leaves", "under no_grad the node is still made", [T, F, T, T, F, T])
wrong("tape-leaves", "detach keeps the history", [T, F, T, F, T, T])
wrong("tape-leaves", "f is computed, so it is no leaf", [T, F, T, T, T, F])
wrong("tape-leaves", "a constant is no leaf", [T, F, F, T, T, T])
wrong("tape-leaves", "the end of the graph is the leaf", [F, T, F, F, F, T])
wrong("tape-leaves", "is_leaf is the same as requires_grad", [T, T, F, F, F, F])
right("tape-leaves", "numbers", [1, 0, 1, 1, 1, 1])

seven = ["fine", "RuntimeError", "RuntimeError", "AttributeError", "fine", "AttributeError", "RuntimeError"]
wrong("tape-errors", "a second backward always fails", ["RuntimeError", *seven[1:]])
wrong("tape-errors", "a second backward never fails", ["fine", "fine", *seven[2:]])
wrong("tape-errors", "backward of a vector adds up its elements", [*seven[:2], "fine", *seven[3:]])
wrong("tape-errors", "a vector's backward is a ValueError", [*seven[:2], "ValueError", *seven[3:]])
wrong("tape-errors", "the elements of a tuple are summed, as in MindSpore", [*seven[:3], "fine", *seven[4:]])
wrong("tape-errors", "a transform is used up as well", [*seven[:4], "RuntimeError", *seven[5:]])
wrong("tape-errors", "MindSpore's tensors have a backward", [*seven[:5], "fine", seven[6]])
wrong("tape-errors", "a gradient can always be differentiated again", [*seven[:6], "fine"])
wrong("tape-errors", "a tuple's backward is a TypeError", [*seven[:3], "TypeError", seven[4], "TypeError", seven[6]])
right("tape-errors", "a tuple", tuple(seven))


@wrong("port-backward", "the gradients are returned, not x and y")
def port(x, y):
    for _ in range(3):
        dx, dy = ms.grad(lambda x, y: x**2 + x * y + 2 * y**2, (0, 1))(x, y)
        x, y = x - 0.1 * dx, y - 0.1 * dy
    return dx, dy


wrong("port-backward", "uphill", above("- 0.1 * dx, y - -> + 0.1 * dx, y +", "return dx, dy -> return x, y"))
wrong("port-backward", "two steps", above("range(3): -> range(2):", "return dx, dy -> return x, y"))


@wrong("port-backward", "one gradient alone: x moves")
def port(x, y):
    slope = ms.grad(lambda x, y: x**2 + x * y + 2 * y**2)
    for _ in range(3):
        x = x - 0.1 * slope(x, y)
    return x, y


@wrong("port-backward", "PyTorch's words on MindSpore's tensors")
def port(x, y):
    for _ in range(3):
        z = x**2 + x * y + 2 * y**2
        z.backward()
        x = x - 0.1 * x.grad
        y = y - 0.1 * y.grad
    return x, y


@wrong("port-backward", "the positions the wrong way round")
def port(x, y):
    for _ in range(3):
        dx, dy = ms.grad(lambda x, y: x**2 + x * y + 2 * y**2, (1, 0))(x, y)
        x, y = x - 0.1 * dx, y - 0.1 * dy
    return x, y


@wrong("port-backward", "a list of positions")
def port(x, y):
    for _ in range(3):
        dx, dy = ms.grad(lambda x, y: x**2 + x * y + 2 * y**2, [0, 1])(x, y)
        x, y = x - 0.1 * dx, y - 0.1 * dy
    return x, y


@wrong("port-backward", "y follows the x that has moved")
def port(x, y):
    def z(x, y):
        return x**2 + x * y + 2 * y**2

    for _ in range(3):
        x = x - 0.1 * ms.grad(z, 0)(x, y)
        y = y - 0.1 * ms.grad(z, 1)(x, y)
    return x, y


@right("port-backward", "two calls, then both steps")
def port(x, y):
    def z(x, y):
        return x**2 + x * y + 2 * y**2

    for _ in range(3):
        dx = ms.grad(z, 0)(x, y)
        dy = ms.grad(z, 1)(x, y)
        x -= 0.1 * dx
        y -= 0.1 * dy
    return x, y


@right("port-backward", "GradOperation with get_all")
def port(x, y):
    slopes = ops.GradOperation(get_all=True)(lambda x, y: x**2 + x * y + 2 * y**2)
    for _ in range(3):
        dx, dy = slopes(x, y)
        x, y = x - 0.1 * dx, y - 0.1 * dy
    return x, y


@wrong("port-two-outputs", "both outputs are differentiated")
def port(x, y):
    seen = ms.Tensor(0.0)
    for _ in range(3):
        (z, total), dx = ms.value_and_grad(lambda x, y: (x**2 * y, x + y))(x, y)
        seen = seen + total
        x = x - 0.1 * dx
    return x, seen


@wrong("port-two-outputs", "the pair is not unpacked")
def port(x, y):
    seen = ms.Tensor(0.0)
    for _ in range(3):
        dx = ms.grad(lambda x, y: (x**2 * y, x + y), has_aux=True)(x, y)
        seen = seen + x + y
        x = x - 0.1 * dx
    return x, seen


@right("port-two-outputs", "the second output is made outside")
def port(x, y):
    seen = 0.0
    for _ in range(3):
        seen = seen + x + y
        x = x - 0.1 * ms.grad(lambda x, y: x**2 * y)(x, y)
    return x, seen


@wrong("port-two-outputs", "the outputs are exchanged")
def port(x, y):
    seen = 0.0
    for _ in range(3):
        dx, (z,) = ms.grad(lambda x, y: (x + y, x**2 * y), has_aux=True)(x, y)
        x, seen = x - 0.1 * dx, seen + z
    return x, seen


@wrong("port-two-outputs", "the last total alone")
def port(x, y):
    for _ in range(3):
        dx, (total,) = ms.grad(lambda x, y: (x**2 * y, x + y), has_aux=True)(x, y)
        x = x - 0.1 * dx
    return x, total


@wrong("port-two-outputs", "the gradient for y moves x")
def port(x, y):
    seen = 0.0
    for _ in range(3):
        dx, (total,) = ms.grad(lambda x, y: (x**2 * y, x + y), 1, has_aux=True)(x, y)
        x, seen = x - 0.1 * dx, seen + total
    return x, seen


@wrong("port-two-outputs", "y moves, too")
def port(x, y):
    seen = 0.0
    for _ in range(3):
        (dx, dy), (total,) = ms.grad(lambda x, y: (x**2 * y, x + y), (0, 1), has_aux=True)(x, y)
        x, y, seen = x - 0.1 * dx, y - 0.1 * dy, seen + total
    return x, seen


@right("port-two-outputs", "the second output is stopped")
def port(x, y):
    seen = 0.0
    for _ in range(3):
        (_, total), dx = ms.value_and_grad(lambda x, y: (x**2 * y, ops.stop_gradient(x + y)))(x, y)
        x, seen = x - 0.1 * dx, seen + total
    return x, seen


@wrong("port-accumulate", "the mean")
def port(x, v):
    for _ in range(2):
        x = x - 0.01 * ms.grad(lambda x: ((x * v - 1) ** 2).mean())(x)
    return x


wrong("port-accumulate", "the sum is squared", above("((x * v - 1) ** 2).mean())( -> (x * v - 1).sum() ** 2)("))
right("port-accumulate", "the sum is differentiated, in one call", above("mean -> sum"))


@wrong("port-accumulate", "the last gradient alone")
def port(x, v):
    for _ in range(2):
        for i in range(4):
            gradient = ms.grad(lambda x: (x * v[i] - 1) ** 2)(x)
        x = x - 0.01 * gradient
    return x


wrong("port-accumulate", "expects a .grad that adds up", above("gradient = ms -> ms", "* gradient -> * x.grad"))


@wrong("port-accumulate", "one step alone")
def port(x, v):
    return x - 0.01 * ms.grad(lambda x: ((x * v - 1) ** 2).sum())(x)


@wrong("port-accumulate", "one element too few")
def port(x, v):
    for _ in range(2):
        total = 0
        for i in range(3):
            total = total + ms.grad(lambda x: (x * v[i] - 1) ** 2)(x)
        x = x - 0.01 * total
    return x


@wrong("port-accumulate", "a step for each gradient")
def port(x, v):
    for _ in range(2):
        for i in range(4):
            x = x - 0.01 * ms.grad(lambda x: (x * v[i] - 1) ** 2)(x)
    return x


@wrong("port-accumulate", "the sum is returned, not x")
def port(x, v):
    for _ in range(2):
        total = ms.grad(lambda x: ((x * v - 1) ** 2).sum())(x)
        x = x - 0.01 * total
    return total


@right("port-accumulate", "all four losses as outputs")
def port(x, v):
    slope = ms.grad(lambda x: tuple((x * v[i] - 1) ** 2 for i in range(4)))
    for _ in range(2):
        x -= 0.01 * slope(x)
    return x


@right("port-detach", "the target is made outside of the function, in each turn")
def port(x):
    for _ in range(2):
        target = 0.5 * x + 1
        x = x - 0.25 * ms.grad(lambda v: ((v - target) ** 2).sum())(x)
    return x


wrong("port-detach", "the gradient of the mean", above("v: ((v - target) ** 2).sum -> x: ((x - target) ** 2).mean"))


@wrong("port-detach", "half of the target is stopped: the 1 alone")
def port(x):
    for _ in range(2):
        x = x - 0.25 * ms.grad(lambda x: ((x - (0.5 * x + ops.stop_gradient(ms.Tensor(1.0)))) ** 2).sum())(x)
    return x


wrong("port-detach", "nothing is stopped", above("ops.stop_gradient(ms.Tensor(1.0)) -> 1"))


@wrong("port-detach", "everything is stopped")
def port(x):
    for _ in range(2):
        x = x - 0.25 * ms.grad(lambda x: ops.stop_gradient((x - 0.5 * x - 1) ** 2).sum())(x)
    return x


@wrong("port-detach", "PyTorch's name, on a MindSpore Tensor")
def port(x):
    for _ in range(2):
        target = (0.5 * x + 1).detach()
        x = x - 0.25 * ms.grad(lambda x: ((x - target) ** 2).sum())(x)
    return x


@wrong("port-detach", "the target is made once")
def port(x):
    target = ops.stop_gradient(0.5 * x + 1)
    for _ in range(2):
        x = x - 0.25 * ms.grad(lambda x: ((x - target) ** 2).sum())(x)
    return x


@wrong("port-detach", "one step")
def port(x):
    return x - 0.25 * ms.grad(lambda x: ((x - ops.stop_gradient(0.5 * x + 1)) ** 2).sum())(x)


@wrong("port-to-torch", "the mean for the sum")
def port(v):
    (gradient,) = torch.autograd.grad((v**2).mean(), v)
    return gradient


wrong("port-to-torch", "the first element alone", above(".mean() -> [0]"))
wrong("port-to-torch", "v itself as the seed", above("(v**2).mean(), v -> v**2, v, grad_outputs=v.detach()"))


@wrong("port-to-torch", "backward of a vector, without a seed")
def port(v):
    (v**2).backward()
    return v.grad


wrong("port-to-torch", "the output, detached", above("(v**2).backward()\n    return v.grad -> return (v**2).detach()"))
right("port-to-torch", "backward with ones", above("backward() -> backward(torch.ones(4))"))


@wrong("port-to-torch", "the tuple is not unpacked")
def port(v):
    return torch.autograd.grad((v**2).sum(), v)


@wrong("port-to-torch", "torch.func.grad of a vector output")
def port(v):
    return torch.func.grad(lambda v: v**2)(v)


@right("port-to-torch", "the diagonal of the Jacobian, summed over its rows")
def port(v):
    return torch.func.jacrev(lambda v: v**2)(v).sum(0)


@wrong("port-second-order", "retain_graph for create_graph")
def port(x):
    for _ in range(2):
        (g,) = torch.autograd.grad(x**4 - 8 * x, x, retain_graph=True)
        (second,) = torch.autograd.grad(g, x)
        x = x - g / second
    return x


wrong("port-second-order", "create_graph is forgotten", above(", retain_graph=True -> "))
wrong("port-second-order", "a tuple is returned", above("retain_graph -> create_graph", "return x -> return (x,)"))


@wrong("port-second-order", "backward twice: the first gradient stays in .grad")
def port(x):
    for _ in range(2):
        x = x.detach().requires_grad_()
        (x**4 - 8 * x).backward(create_graph=True)
        first = x.grad.detach().clone()
        x.grad.backward()
        x = x - first / x.grad
    return x


@wrong("port-second-order", "descent with the first derivative")
def port(x):
    for _ in range(2):
        (g,) = torch.autograd.grad(x**4 - 8 * x, x)
        x = x - g
    return x


@wrong("port-second-order", "the first derivative squared")
def port(x):
    for _ in range(2):
        (g,) = torch.autograd.grad(x**4 - 8 * x, x)
        x = x - g / g**2
    return x


@wrong("port-second-order", "the value for the slope: Newton looks for a root of f")
def port(x):
    for _ in range(2):
        f = x**4 - 8 * x
        (g,) = torch.autograd.grad(f, x)
        x = x - f / g
    return x


@right("port-second-order", "torch.func, nested")
def port(x):
    first = torch.func.grad(lambda x: x**4 - 8 * x)
    second = torch.func.grad(first)
    for _ in range(2):
        x = x - first(x) / second(x)
    return x


@right("port-second-order", "both derivatives by hand")
def port(x):
    for _ in range(2):
        x = x - (4 * x**3 - 8) / (12 * x**2)
    return x


@right("tape-mend-loop", "cut where it is used")
def train(w, xs):
    h = torch.tensor(0.5)
    for x in xs:
        h = torch.tanh(w * h.detach() + x)
        ((h - 1) ** 2).backward()
    return w.grad


wrong("tape-mend-loop", "the graph is retained", above(".detach() -> ", "backward() -> backward(retain_graph=True)"))
wrong(
    "tape-mend-loop",
    "detach without taking what it gives",
    above(".detach() -> ", "((h - 1) ** 2).backward() -> ((h - 1) ** 2).backward()\n        h.detach()"),
)
wrong(
    "tape-mend-loop",
    "cut before backward",
    above("h = torch.tanh(w * h.detach() + x) -> h = torch.tanh(w * h + x)\n        h = h.detach()"),
)
wrong("tape-mend-loop", ".grad is emptied in each turn", above("for x in xs: -> for x in xs:\n        w.grad = None"))
wrong(
    "tape-mend-loop",
    "w is cut, too",
    above("h = torch.tanh(w * h.detach() + x) -> h = torch.tanh((w * h).detach() + x)"),
)


@wrong("tape-mend-loop", "the losses are added, one backward")
def train(w, xs):
    h = torch.tensor(0.5)
    loss = 0
    for x in xs:
        h = torch.tanh(w * h + x)
        loss = loss + (h - 1) ** 2
    loss.backward()
    return w.grad


@wrong("tape-mend-loop", "h begins anew in each turn")
def train(w, xs):
    for x in xs:
        h = torch.tensor(0.5)
        h = torch.tanh(w * h + x)
        ((h - 1) ** 2).backward()
    return w.grad


@right("tape-mend-loop", "the losses are added, h is cut in each turn")
def train(w, xs):
    h, loss = torch.tensor(0.5), 0
    for x in xs:
        h = torch.tanh(w * h.detach() + x)
        loss = loss + (h - 1) ** 2
    (gradient,) = torch.autograd.grad(loss, w)
    return gradient
