"""07 Stopping and changing gradients."""

import autograd.numpy as np
from sheets import above, right, wrong

import labkit.mindspore as ms
import labkit.torch as torch
from labkit.mindspore import ops

wrong("cut-predict", "stop has no effect", [6, 27, 7, 1, 6, 108])
wrong("cut-predict", "the stopped part is taken as 1", [1, 1, 1, 6, 0, 6])
right("cut-predict", "floats", [3.0, 9.0, 1.0, 6.0, 0.0, 54.0])


@right("straight-through", "x minus its own stopped remainder")
def answer(x, t):
    def rounded(x):
        return x - ops.stop_gradient(x - ops.round(x))

    return rounded(x), ms.grad(lambda x: ((rounded(x) - t) ** 2).sum())(x)


wrong("straight-through", "x is not subtracted", above("x - ops.stop_gradient(x - -> x + ops.stop_gradient("))
wrong("straight-through", "the target is added", above("rounded(x) - t -> rounded(x) + t"))
wrong("straight-through", "the whole sum is stopped", above("x - ops.stop_gradient(x - -> ops.stop_gradient("))


@wrong("logsumexp-rule", "the textbook's formula, which overflows")
def answer(x, g):
    e = np.exp(x)
    return np.log(np.sum(e)), g * e / np.sum(e)


wrong("logsumexp-rule", "the mean is taken out", above("exp(x) -> exp(x - x.mean())", "np.log( -> x.mean() + np.log("))
wrong("logsumexp-rule", "x is clipped to what exp can take", above("exp(x) -> exp(np.clip(x, -700, 700))"))


@right("logsumexp-rule", "logaddexp, and the gradient from the value")
def answer(x, g):
    value = np.logaddexp(np.logaddexp(x[0], x[1]), np.logaddexp(x[2], x[3]))
    return value, g * np.exp(x - value)


@right("reverse-gradient", "backward() and .grad, x passed on by view_as")
def answer(w, v, x):
    class Reverse(torch.autograd.Function):
        @staticmethod
        def forward(ctx, values):
            return values.view_as(values)

        @staticmethod
        def backward(ctx, cotangent):
            return cotangent * -1

    loss = ((v * Reverse.apply(w * x) - 1) ** 2).sum()
    loss.backward()
    return w.grad, v.grad


wrong("reverse-gradient", "both gradients are reversed", above("v.grad -> -v.grad"))
