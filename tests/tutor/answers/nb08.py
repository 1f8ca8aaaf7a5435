"""08 Two philosophies: the tape and the transform."""

from sheets import above, right, wrong

import labkit.mindspore as ms
import labkit.torch as torch

wrong("tape-accumulate", "autograd.grad sets .grad to zero", [6, 12, 6, 0])
wrong("tape-accumulate", "neither zeroed nor left alone by grad", [6, 12, 18, 24])
right("tape-accumulate", "floats, as item() gives them", [6.0, 12.0, 6.0, 6.0])


seven = ["fine", "RuntimeError", "RuntimeError", "AttributeError", "fine", "AttributeError", "RuntimeError"]
right("tape-errors", "a tuple", tuple(seven))


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


@right("port-detach", "the target is made outside of the function, in each turn")
def port(x):
    for _ in range(2):
        target = 0.5 * x + 1
        x = x - 0.25 * ms.grad(lambda v: ((v - target) ** 2).sum())(x)
    return x


wrong("port-detach", "the gradient of the mean", above("v: ((v - target) ** 2).sum -> x: ((x - target) ** 2).mean"))


@wrong("port-detach", "PyTorch's name, on a MindSpore Tensor")
def port(x):
    for _ in range(2):
        target = (0.5 * x + 1).detach()
        x = x - 0.25 * ms.grad(lambda x: ((x - target) ** 2).sum())(x)
    return x


@wrong("port-to-torch", "the mean for the sum")
def port(v):
    (gradient,) = torch.autograd.grad((v**2).mean(), v)
    return gradient


wrong("port-to-torch", "v itself as the seed", above("(v**2).mean(), v -> v**2, v, grad_outputs=v.detach()"))


@wrong("port-to-torch", "backward of a vector, without a seed")
def port(v):
    (v**2).backward()
    return v.grad


right("port-to-torch", "backward with ones", above("backward() -> backward(torch.ones(4))"))


@wrong("port-to-torch", "torch.func.grad of a vector output")
def port(v):
    return torch.func.grad(lambda v: v**2)(v)


@right("tape-mend-loop", "cut where it is used")
def train(w, xs):
    h = torch.tensor(0.5)
    for x in xs:
        h = torch.tanh(w * h.detach() + x)
        ((h - 1) ** 2).backward()
    return w.grad


wrong(
    "tape-mend-loop",
    "cut before backward",
    above("h = torch.tanh(w * h.detach() + x) -> h = torch.tanh(w * h + x)\n        h = h.detach()"),
)
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
