"""06 Tape and transform."""

from sheets import above, right, wrong

import labkit.mindspore as ms
import labkit.torch as torch

wrong("tape-accumulate", "autograd.grad sets .grad to zero", [6, 12, 6, 0])
wrong("tape-accumulate", "zero_grad does nothing, and autograd.grad accumulates", [6, 12, 18, 24])
right("tape-accumulate", "floats, as item() gives them", [6.0, 12.0, 6.0, 6.0])

ok, run, attr = "fine", "RuntimeError", "AttributeError"
right("tape-errors", "a tuple", (ok, run, run, attr, ok, attr, run))


@wrong("port-two-outputs", "the gradient for y moves x")
def port(x, y):
    seen = 0.0
    for _ in range(3):
        dx, (total,) = ms.grad(lambda x, y: (x**2 * y, x + y), 1, has_aux=True)(x, y)
        x, seen = x - 0.1 * dx, seen + total
    return x, seen


wrong("port-two-outputs", "the pair is not unpacked", above("dx, (total,) -> dx", ", 1, -> , ", "+ total -> + x + y"))
wrong("port-two-outputs", "the last total only", above(", 1, -> , ", "seen + total -> total"))
right(
    "port-two-outputs",
    "the second output is computed outside",
    above("(total,) -> total", "(x**2 * y, x + y), 1, has_aux=True)(x, y) -> x**2 * y)(x, y), x + y"),
)


@right("port-detach", "the target is computed outside of the function, in each iteration")
def port(x):
    for _ in range(2):
        target = 0.5 * x + 1
        x = x - 0.25 * ms.grad(lambda v: ((v - target) ** 2).sum())(x)
    return x


wrong("port-detach", "the gradient of the mean", above("sum -> mean"))
wrong("port-detach", "PyTorch's name, on a MindSpore Tensor", above("0.5 * x + 1 -> (0.5 * x + 1).detach()"))


@right("port-to-torch", "backward with ones")
def port(v):
    (v**2).backward(torch.ones(4))
    return v.grad


wrong("port-to-torch", "the sum is squared", above("(v**2).backward(torch.ones(4)) -> (v.sum() ** 2).backward()"))
wrong("port-to-torch", "v itself as the upstream gradient", above("torch.ones(4) -> v.detach()"))
wrong("port-to-torch", "backward of a vector, without an upstream gradient", above("torch.ones(4) -> "))
wrong(
    "port-to-torch",
    "torch.func.grad of a vector output",
    above("    (v**2).backward(torch.ones(4))\n -> ", "v.grad -> torch.func.grad(lambda v: v**2)(v)"),
)


@right("tape-fix-loop", "detached where it is used")
def train(w, xs):
    h = torch.tensor(0.5)
    for x in xs:
        h = torch.tanh(w * h.detach() + x)
        ((h - 1) ** 2).backward()
    return w.grad


wrong("tape-fix-loop", "detached before backward", above("h.detach() + x) -> h + x)\n        h = h.detach()"))
wrong("tape-fix-loop", "w is detached, too", above("w * h.detach() -> (w * h).detach()"))
wrong("tape-fix-loop", "the loss is detached: w.grad is None", above("+ x) -> + x).detach().requires_grad_()"))


@wrong("in-place-fix", "detach shares the memory")
def answer(x):
    t = torch.tanh(x)
    h = t.detach()
    h += x
    (gradient,) = torch.autograd.grad((h * t).sum(), x)
    return gradient


right("in-place-fix", "clone, and then in place", above("detach -> clone"))
wrong("in-place-fix", "t is changed, too", above("tanh(x) -> tanh(x) + x", "t.detach()\n    h += x -> t"))
