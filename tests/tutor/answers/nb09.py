"""09 Stopping and changing gradients."""

import autograd.numpy as np
from sheets import above, right, wrong

import labkit.mindspore as ms
import labkit.torch as torch
from labkit.mindspore import ops

wrong("cut-predict", "stop has no effect", [6, 27, 7, 1, 6, 108])
wrong("cut-predict", "the stopped part is taken as 1", [1, 1, 1, 6, 0, 6])
right("cut-predict", "floats", [3.0, 9.0, 1.0, 6.0, 0.0, 54.0])


@wrong("straight-through", "x is not subtracted inside of the stop")
def answer(x, t):
    def rounded(x):
        return x + ms.ops.stop_gradient(ops.round(x))

    return rounded(x), ms.grad(lambda x: ((rounded(x) - t) ** 2).sum())(x)


wrong("straight-through", "the mean for the sum", above("(ops.round(x)) -> (ops.round(x) - x)", "sum -> mean"))


@wrong("straight-through", "the whole sum is stopped")
def answer(x, t):
    def rounded(x):
        return ms.ops.stop_gradient(x + ops.round(x) - x)

    return rounded(x), ms.grad(lambda x: ((rounded(x) - t) ** 2).sum())(x)


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


@wrong("logsumexp-rule", "the textbook's formula, which overflows")
def answer(x, g):
    e = np.exp(x)
    return np.log(np.sum(e)), g * e / np.sum(e)


wrong("logsumexp-rule", "the largest is subtracted, and not added again", above("exp(x) -> exp(x - np.max(x))"))


@wrong("logsumexp-rule", "the maximum for the value, a one for its place: only the limit")
def answer(x, g):
    return np.max(x), g * (x == np.max(x))


@wrong("logsumexp-rule", "the smallest is subtracted from each, and the size is cut")
def answer(x, g):
    e = np.exp(np.clip(x, -700, 700))
    return np.log(np.sum(e)), g * e / np.sum(e)


@right("logsumexp-rule", "logaddexp, and the gradient from the value")
def answer(x, g):
    value = np.logaddexp(np.logaddexp(x[0], x[1]), np.logaddexp(x[2], x[3]))
    return value, g * np.exp(x - value)


@wrong("reverse-gradient", "both gradients are turned round")
def answer(w, v, x):
    loss = ((v * (w * x) - 1) ** 2).sum()
    dw, dv = torch.autograd.grad(loss, (w, v))
    return -dw, -dv


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


@wrong("nan-repair", "a small number is added under the root")
def answer(x, w):
    root = torch.where(x > 0, w * torch.sqrt(torch.abs(x) + 1e-4), 0.0)
    return torch.autograd.grad(root.sum(), (x, w))


@right("nan-repair", "relu before the root: its rule chooses 0, it does not multiply")
def answer(x, w):
    root = w * torch.sqrt(torch.relu(x))
    return torch.autograd.grad(root.sum(), (x, w))


@wrong("in-place-mend", "detach shares the memory")
def answer(x):
    t = torch.tanh(x)
    h = t.detach()
    h += x
    (gradient,) = torch.autograd.grad((h * t).sum(), x)
    return gradient


right("in-place-mend", "clone, and then in place", above("detach -> clone"))


@wrong("in-place-mend", "t is the new one, too")
def answer(x):
    t = torch.tanh(x) + x
    h = t
    (gradient,) = torch.autograd.grad((h * t).sum(), x)
    return gradient
