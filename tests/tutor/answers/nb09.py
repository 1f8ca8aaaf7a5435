"""09 Stopping and changing gradients."""

import autograd.numpy as np
from sheets import above, right, wrong

import labkit.mindspore as ms
import labkit.torch as torch
from labkit.mindspore import ops

wrong("cut-predict", "stop has no effect", [6, 27, 7, 1, 6, 108])
wrong("cut-predict", "a function with a stop in it has no gradient", [0, 0, 0, 0, 0, 0])
wrong("cut-predict", "the stopped part is taken as 1", [1, 1, 1, 6, 0, 6])
wrong("cut-predict", "the stopped part's derivative is its value", [3, 9, 10, 0, 9, 54])
wrong("cut-predict", "stop(x - x**2) still counts", [3, 9, 1, 1, 0, 54])
wrong("cut-predict", "the stopped square is stopped x", [3, 3, 1, 6, 0, 18])
wrong("cut-predict", "the value of a stopped square is 0", [3, 9, 1, 6, 0, 0])
wrong("cut-predict", "values, not gradients", [9, 27, 12, 3, 9, 81])
right("cut-predict", "floats", [3.0, 9.0, 1.0, 6.0, 0.0, 54.0])


@wrong("straight-through", "x is not subtracted inside of the stop")
def answer(x, t):
    def rounded(x):
        return x + ms.ops.stop_gradient(ops.round(x))

    return rounded(x), ms.grad(lambda x: ((rounded(x) - t) ** 2).sum())(x)


wrong("straight-through", "the gradient of round is 0", above("x + ms.ops.stop_gradient(ops.round(x)) -> ops.round(x)"))
wrong("straight-through", "the stop is at the wrong term", above("return x + ms -> return ops.round(x) + x - ms"))
wrong("straight-through", "the value is x as well", above("(ops.round(x)) -> (ops.round(x)) - ops.round(x)"))
wrong("straight-through", "the mean for the sum", above("(ops.round(x)) -> (ops.round(x) - x)", "sum -> mean"))


@wrong("straight-through", "differentiates as if nothing were rounded")
def answer(x, t):
    def rounded(x):
        return x + ms.ops.stop_gradient(ops.round(x) - x)

    return rounded(x), ms.grad(lambda x: ((x - t) ** 2).sum())(x)


@wrong("straight-through", "the whole sum is stopped")
def answer(x, t):
    def rounded(x):
        return ms.ops.stop_gradient(x + ops.round(x) - x)

    return rounded(x), ms.grad(lambda x: ((rounded(x) - t) ** 2).sum())(x)


@wrong("straight-through", "the gradient of the rounded value, not of the loss")
def answer(x, t):
    def rounded(x):
        return x + ms.ops.stop_gradient(ops.round(x) - x)

    return rounded(x), ms.grad(rounded)(x)


@wrong("straight-through", "the loss and its gradient, not the rounded value")
def answer(x, t):
    def rounded(x):
        return x + ms.ops.stop_gradient(ops.round(x) - x)

    return ms.value_and_grad(lambda x: ((rounded(x) - t) ** 2).sum())(x)


@right("straight-through", "x minus its own stopped remainder")
def answer(x, t):
    def rounded(x):
        return x - ms.ops.stop_gradient(x - ops.round(x))

    def loss(x):
        error = rounded(x) - t
        return (error * error).sum()

    return rounded(x), ms.grad(loss)(x)


@wrong("logsumexp-rule", "the gradient of the log alone: one over the sum")
def answer(x, g):
    m = np.max(x)
    e = np.exp(x - m)
    return m + np.log(np.sum(e)), g / np.sum(e) * np.ones(4)


wrong("logsumexp-rule", "g is forgotten", above("g / np.sum(e) * np.ones(4) -> e / np.sum(e)"))
wrong("logsumexp-rule", "the gradient is not divided by the sum", above("/ np.sum(e) * np.ones(4) -> * e"))


@wrong("logsumexp-rule", "the textbook's formula, which overflows")
def answer(x, g):
    e = np.exp(x)
    return np.log(np.sum(e)), g * e / np.sum(e)


wrong("logsumexp-rule", "the largest is subtracted, and not added again", above("exp(x) -> exp(x - np.max(x))"))
wrong("logsumexp-rule", "a fixed shift of 2000", above("exp(x) -> exp(x - 2000)", "return np. -> return 2000 + np."))


@wrong("logsumexp-rule", "the value is stable, the gradient is not")
def answer(x, g):
    m = np.max(x)
    value = m + np.log(np.sum(np.exp(x - m)))
    return value, g * np.exp(x) / np.sum(np.exp(x))


@wrong("logsumexp-rule", "the maximum for the value, a one for its place: only the limit")
def answer(x, g):
    return np.max(x), g * (x == np.max(x))


@wrong("logsumexp-rule", "the smallest is subtracted from each, and the size is cut")
def answer(x, g):
    e = np.exp(np.clip(x, -700, 700))
    return np.log(np.sum(e)), g * e / np.sum(e)


@wrong("logsumexp-rule", "the softmax's gradient is the value's: exchanged results")
def answer(x, g):
    m = np.max(x)
    e = np.exp(x - m)
    return g * e / np.sum(e), m + np.log(np.sum(e))


@right("logsumexp-rule", "logaddexp, and the gradient from the value")
def answer(x, g):
    value = np.logaddexp(np.logaddexp(x[0], x[1]), np.logaddexp(x[2], x[3]))
    return value, g * np.exp(x - value)


@right("logsumexp-rule", "the mean is shifted away, not the largest")
def answer(x, g):
    m = x.mean()
    e = np.exp(x - m)
    return m + np.log(e.sum()), g * (e / e.sum())


@wrong("reverse-gradient", "w alone is reversed, before it is multiplied, and its sum is forgotten")
def answer(w, v, x):
    class Reverse(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.clone()

        @staticmethod
        def backward(ctx, g):
            return -g / 4

    loss = ((v * Reverse.apply(w * x) - 1) ** 2).sum()
    return torch.autograd.grad(loss, (w, v))


wrong("reverse-gradient", "the sign is changed forwards, too", above("x.clone() -> -x", "return -g / 4 -> return -g"))
wrong("reverse-gradient", "backwards nothing is changed", above("return -g / 4 -> return g"))
wrong(
    "reverse-gradient",
    "the gradients are exchanged",
    above("return -g / 4 -> return -g", "(loss, (w, v)) -> (loss, (v, w))"),
)
wrong("reverse-gradient", "backward returns -1, not -g", above("return -g / 4 -> return -torch.ones(4)"))


@wrong("reverse-gradient", "both gradients are turned round")
def answer(w, v, x):
    loss = ((v * (w * x) - 1) ** 2).sum()
    dw, dv = torch.autograd.grad(loss, (w, v))
    return -dw, -dv


@wrong("reverse-gradient", "the reverse stands behind v, so v is turned round as well")
def answer(w, v, x):
    class Reverse(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.clone()

        @staticmethod
        def backward(ctx, g):
            return -g

    loss = ((Reverse.apply(v * w * x) - 1) ** 2).sum()
    return torch.autograd.grad(loss, (w, v))


@wrong("reverse-gradient", "the features are detached: w gets nothing")
def answer(w, v, x):
    features = (w * x).detach()
    loss = ((v * features - 1) ** 2).sum()
    loss.backward()
    return w.grad, v.grad


@right("reverse-gradient", "backward() and .grad, x passed on by view_as")
def answer(w, v, x):
    class Reverse(torch.autograd.Function):
        @staticmethod
        def forward(ctx, values):
            return values.view_as(values)

        @staticmethod
        def backward(ctx, cotangent):
            return cotangent * -1

    features = Reverse.apply(w * x)
    loss = ((v * features - 1) ** 2).sum()
    loss.backward()
    return w.grad, v.grad


@wrong("nan-repair", "not mended: the where is turned round")
def answer(x, w):
    root = torch.where(x <= 0, 0.0, w * torch.sqrt(x))
    return torch.autograd.grad(root.sum(), (x, w))


@wrong("nan-repair", "nan is replaced afterwards, in the gradient")
def answer(x, w):
    root = torch.where(x > 0, w * torch.sqrt(x), 0.0)
    dx, dw = torch.autograd.grad(root.sum(), (x, w))
    return torch.nan_to_num(dx), torch.nan_to_num(dw)


@wrong("nan-repair", "a small number is added under the root")
def answer(x, w):
    root = torch.where(x > 0, w * torch.sqrt(torch.abs(x) + 1e-4), 0.0)
    return torch.autograd.grad(root.sum(), (x, w))


@wrong("nan-repair", "the absolute value: elements that are not positive are safe, but 0 is not")
def answer(x, w):
    root = torch.where(x > 0, w * torch.sqrt(torch.abs(x)), 0.0)
    return torch.autograd.grad(root.sum(), (x, w))


@wrong("nan-repair", "clamped at a small number without the outer where: they count")
def answer(x, w):
    root = w * torch.sqrt(torch.clamp(x, min=1e-6))
    return torch.autograd.grad(root.sum(), (x, w))


@wrong("nan-repair", "replaced by 1, but the outer where is gone, so each counts 1")
def answer(x, w):
    safe = torch.where(x > 0, x, 1.0)
    root = w * torch.sqrt(safe)
    return torch.autograd.grad(root.sum(), (x, w))


@right("nan-repair", "relu before the root: its rule chooses 0, it does not multiply")
def answer(x, w):
    root = w * torch.sqrt(torch.relu(x))
    return torch.autograd.grad(root.sum(), (x, w))


@wrong("nan-repair", "multiplied by a mask: 0 times nan is nan")
def answer(x, w):
    mask = (x > 0).float()
    root = mask * w * torch.sqrt(x)
    return torch.autograd.grad(root.sum(), (x, w))


@wrong("nan-repair", "the positive elements alone are returned")
def answer(x, w):
    good = x[x > 0]
    return torch.autograd.grad((w * torch.sqrt(good)).sum(), (good, w))


@right("nan-repair", "the elements are chosen before the root")
def answer(x, w):
    total = (w * torch.sqrt(x[x > 0])).sum()
    return torch.autograd.grad(total, (x, w))


@right("nan-repair", "two wheres, with 2.0 as the harmless number")
def answer(x, w):
    positive = x > 0
    safe = torch.where(positive, x, torch.full_like(x, 2.0))
    root = torch.where(positive, w * safe**0.5, torch.zeros_like(x))
    root.sum().backward()
    return x.grad, w.grad


seven = ["RuntimeError", "fine", "fine", "RuntimeError", "RuntimeError", "RuntimeError", "fine"]
wrong("in-place-errors", "a leaf may be written to", ["fine", *seven[1:]])
wrong("in-place-errors", "a leaf may never be written to", ["RuntimeError", "RuntimeError", *seven[2:]])
wrong(
    "in-place-errors", "every change of a used tensor is refused", ["RuntimeError", "fine", "RuntimeError", *seven[3:]]
)
wrong(
    "in-place-errors",
    "changes are never refused once it is no leaf",
    ["RuntimeError", "fine", "fine", "fine", "fine", "fine", "fine"],
)
wrong("in-place-errors", "exp keeps its input", [*seven[:4], "fine", "fine", "fine"])
wrong("in-place-errors", "detach makes a copy", [*seven[:5], "fine", "fine"])
wrong("in-place-errors", "clone shares its memory", [*seven[:6], "RuntimeError"])
wrong("in-place-errors", "clone and detach are exchanged", [*seven[:5], "fine", "RuntimeError"])
wrong(
    "in-place-errors",
    "the error is a ValueError",
    ["ValueError", "fine", "fine", "ValueError", "ValueError", "ValueError", "fine"],
)
right("in-place-errors", "a tuple", tuple(seven))


@wrong("loss-mend", "the sum of the examples")
def answer(z, y):
    def loss(z):
        return (ops.maximum(z, ms.Tensor(0.0)) + ops.log(1 + ops.exp(-ops.abs(z))) - y * z).sum()

    return ms.value_and_grad(loss)(z)


wrong("loss-mend", "the sign of y * z", above("- y * z).sum( -> + y * z).mean("))


@wrong("loss-mend", "the probability is clipped")
def answer(z, y):
    def loss(z):
        p = ops.clip_by_value(ops.sigmoid(z), 1e-7, 1 - 1e-7)
        return -(y * ops.log(p) + (1 - y) * ops.log(1 - p)).mean()

    return ms.value_and_grad(loss)(z)


wrong(
    "loss-mend",
    "z is clipped",
    above("clip_by_value(ops.sigmoid(z), 1e-7, 1 - 1e-7) -> sigmoid(ops.clip_by_value(z, -10.0, 10.0))"),
)


@wrong("loss-mend", "something small in the logarithm")
def answer(z, y):
    def loss(z):
        p = ops.sigmoid(z)
        return -(y * ops.log(p + 1e-8) + (1 - y) * ops.log(1 - p + 1e-8)).mean()

    return ms.value_and_grad(loss)(z)


@wrong("loss-mend", "softplus as it reads")
def answer(z, y):
    return ms.value_and_grad(lambda z: (ops.log(1 + ops.exp(z)) - y * z).mean())(z)


@right("loss-mend", "the gradient by hand: (sigmoid(z) - y) / 6")
def answer(z, y):
    value = (ops.maximum(z, ms.Tensor(0.0)) + ops.log(1 + ops.exp(-ops.abs(z))) - y * z).mean()
    return value, (ops.sigmoid(z) - y) / 6


@wrong("in-place-mend", "detach shares the memory")
def answer(x):
    t = torch.tanh(x)
    h = t.detach()
    h += x
    (gradient,) = torch.autograd.grad((h * t).sum(), x)
    return gradient


wrong("in-place-mend", "a copy without its history", above("detach() -> detach().clone()"))
right("in-place-mend", "clone, and then in place", above("detach -> clone"))


@wrong("in-place-mend", "t is the new one, too")
def answer(x):
    t = torch.tanh(x) + x
    h = t
    (gradient,) = torch.autograd.grad((h * t).sum(), x)
    return gradient


wrong("in-place-mend", "through .data", above("tanh(x) + x -> tanh(x)", "h = t -> h = t\n    h.data += x"))


@wrong("in-place-mend", "under no_grad")
def answer(x):
    t = torch.tanh(x)
    with torch.no_grad():
        h = t + x
    (gradient,) = torch.autograd.grad((h * t).sum(), x)
    return gradient
