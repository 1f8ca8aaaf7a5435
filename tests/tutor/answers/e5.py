"""e5 Higher order."""

import autograd.numpy as np
from sheets import above, right, wrong

import labkit
import labkit.torch as torch


@right("own-hvp", "grad_outputs for the direction")
def answer(x, y, u, v):
    gradients = torch.autograd.grad((x * y).sum() ** 2, (x, y), create_graph=True)
    return torch.autograd.grad(gradients, (x, y), grad_outputs=(u, v))


@right("newton-step", "the inverse, and labkit's Jacobian of the gradient")
def answer(a, b, x):
    f = lambda x: x @ a @ x / 2 - b @ x + np.sum(np.exp(x))
    g = labkit.grad(f)
    return x - np.linalg.inv(labkit.jacrev(g)(x)) @ g(x)


wrong("newton-step", "f divided by its gradient", above("np.linalg.inv(labkit.jacrev(g)(x)) @ g(x) -> f(x) / g(x)"))


@right("penalty-repair", "w.grad is reset between the two")
def answer(w, x):
    value = ((w * x) ** 2).sum()
    value.backward(create_graph=True)
    loss = value + (x.grad**2).sum()
    w.grad = None
    loss.backward()
    return w.grad


@right("curve-implicit", "by the inverse")
def pull(a, z, g):
    return g @ np.linalg.inv(a + 3 * np.diag(z * z))
