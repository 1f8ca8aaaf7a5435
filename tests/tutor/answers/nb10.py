"""10 Higher order: the gradient of a gradient."""

import autograd.numpy as np
from sheets import above, right, wrong

import labkit
import labkit.torch as torch


@right("own-hvp", "grad_outputs for the direction")
def answer(x, y, u, v):
    gradients = torch.autograd.grad((x * y).sum() ** 2, (x, y), create_graph=True)
    return torch.autograd.grad(gradients, (x, y), grad_outputs=(u, v))


@wrong("newton-step", "the curvature of exp is forgotten")
def answer(a, b, x):
    g = a @ x - b + np.exp(x)
    return x - np.linalg.solve(a, g)


wrong("newton-step", "a step down the gradient", above("np.linalg.solve(a, g) -> 0.1 * g"))
wrong("newton-step", "multiplies by the Hessian", above("np.linalg.solve(a, g) -> (a + np.diag(np.exp(x))) @ g"))


@right("newton-step", "the inverse, and labkit's Jacobian of the gradient")
def answer(a, b, x):
    f = lambda x: x @ a @ x / 2 - b @ x + np.sum(np.exp(x))
    g = labkit.grad(f)
    return x - np.linalg.inv(labkit.jacrev(g)(x)) @ g(x)


@right("penalty-repair", "w.grad is emptied between the two")
def answer(w, x):
    value = ((w * x) ** 2).sum()
    value.backward(create_graph=True)
    loss = value + (x.grad**2).sum()
    w.grad = None
    loss.backward()
    return w.grad


wrong("penalty-repair", "create_graph is taken out", above("create_graph -> retain_graph"))


@wrong("penalty-repair", "zeroed at the wrong place: before the first backward")
def answer(w, x):
    value = ((w * x) ** 2).sum()
    w.grad = None
    value.backward(create_graph=True)
    loss = value + (x.grad**2).sum()
    loss.backward()
    return w.grad


@wrong("penalty-repair", "the penalty alone")
def answer(w, x):
    value = ((w * x) ** 2).sum()
    (gx,) = torch.autograd.grad(value, x, create_graph=True)
    (gx**2).sum().backward()
    return w.grad
