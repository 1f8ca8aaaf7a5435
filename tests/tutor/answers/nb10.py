"""10 Higher order: the gradient of a gradient."""

import autograd.numpy as np
from sheets import above, right, wrong

import labkit
import labkit.torch as torch

wrong("nested-predict", "the first derivative", [32, 288, 36, 12, 4, 0])
wrong("nested-predict", "the inner derivative of the square is forgotten", [48, 24, 36, 12, 4, 0])
wrong("nested-predict", "the value, not the gradient", [48, 144, 24, 24, 4, 0])
wrong("nested-predict", "a gradient is a constant", [48, 0, 12, 12, 4, 0])
wrong("nested-predict", "stop is overlooked", [48, 288, 36, 36, 12, 0])
wrong("nested-predict", "the inner stop holds for one gradient only", [48, 288, 36, 12, 8, 0])
wrong("nested-predict", "a stop sets the whole product to 0", [48, 288, 36, 0, 0, 0])
wrong("nested-predict", "the third derivative of a square is 2", [48, 288, 36, 12, 4, 2])
wrong("nested-predict", "the product rule without its second part", [48, 288, 24, 12, 4, 0])
right("nested-predict", "floats, a tuple", (48.0, 288.0, 36.0, 12.0, 4.0, 0.0))

wrong("backward-again", "the second backward replaces", [12, 12, 12, 288])
wrong("backward-again", "the value of the gradient is in item 1: 12 + 6 * 12", [12, 84, 12, 288])
wrong("backward-again", "g was stored in .grad as well", [12, 24, 24, 300])
wrong("backward-again", "the square's inner derivative is forgotten", [12, 24, 12, 24])
wrong("backward-again", "the third derivative", [12, 18, 6, 72])
wrong("backward-again", "the value of x**3", [8, 20, 12, 288])
wrong("backward-again", "the first gradient stays", [12, 12, 12, 12])
wrong("backward-again", "grad squared, as a value", [12, 24, 12, 144])
right("backward-again", "floats", [12.0, 24.0, 12.0, 288.0])

rows = [[5, 6, 1], [0, 4, 1], [-4, 2, 1]]
wrong("hessian-rows", "the second gradient is the diagonal", [[0, 2, 0], *rows[1:]])
wrong("hessian-rows", "the mixed derivative v[1] v[0] is forgotten", [[1, 2, 1], [0, 0, 1], [0, -2, 1]])
wrong("hessian-rows", "the seed is multiplied element by element", [rows[0], [5, 0, 0], [5, -6, 0]])
wrong("hessian-rows", "rows are added where they are subtracted", [*rows[:2], [4, 6, 1]])
wrong("hessian-rows", "the first gradient", [[7, 4, 1], [7, 0, 0], [7, -4, 0]])
wrong("hessian-rows", "the slope of v[1]**2 is 2 v[1], also the second time", [[5, 8, 1], [0, 4, 1], [-4, 0, 1]])
wrong("hessian-rows", "the first row for the sum", [[0, 4, 1], [0, 4, 1], [-4, 2, 1]])
wrong("hessian-rows", "the second row's sign is turned round", [*rows[:2], [4, -2, -1]])
right("hessian-rows", "an array", np.array(rows, float))


@wrong("own-hvp", "the directions are exchanged")
def answer(x, y, u, v):
    f = (x * y).sum() ** 2
    gx, gy = torch.autograd.grad(f, (x, y), create_graph=True)
    return torch.autograd.grad((gx * v).sum() + (gy * u).sum(), (x, y))


wrong("own-hvp", "the direction is left out", above("(gx * v).sum() + (gy * u) -> gx.sum() + gy"))
wrong("own-hvp", "only the first gradient is walked back again", above("v).sum() + (gy * u -> u"))


@wrong("own-hvp", "the gradient, not its change")
def answer(x, y, u, v):
    f = (x * y).sum() ** 2
    return torch.autograd.grad(f, (x, y))


@wrong("own-hvp", "each block alone: the mixed ones are forgotten")
def answer(x, y, u, v):
    f = (x * y).sum() ** 2
    gx, gy = torch.autograd.grad(f, (x, y), create_graph=True)
    (hx,) = torch.autograd.grad((gx * u).sum(), x, retain_graph=True)
    (hy,) = torch.autograd.grad((gy * v).sum(), y)
    return hx, hy


@wrong("own-hvp", "create_graph is forgotten")
def answer(x, y, u, v):
    f = (x * y).sum() ** 2
    gx, gy = torch.autograd.grad(f, (x, y))
    return torch.autograd.grad((gx * u).sum() + (gy * v).sum(), (x, y))


@wrong("own-hvp", "a difference of two gradients")
def answer(x, y, u, v):
    def gradient(x, y):
        return torch.autograd.grad((x * y).sum() ** 2, (x, y))

    h = 1e-3
    before = gradient(x, y)
    after = gradient((x + h * u).detach().requires_grad_(), (y + h * v).detach().requires_grad_())
    return tuple((a - b) / h for a, b in zip(after, before))


@wrong("own-hvp", "the gradients are multiplied by the direction afterwards")
def answer(x, y, u, v):
    f = (x * y).sum() ** 2
    gx, gy = torch.autograd.grad(f, (x, y), create_graph=True)
    hx, hy = torch.autograd.grad(gx.sum() + gy.sum(), (x, y))
    return hx * u, hy * v


@wrong("own-hvp", "backward twice: the first gradients stay in .grad")
def answer(x, y, u, v):
    f = (x * y).sum() ** 2
    f.backward(create_graph=True)
    ((x.grad * u).sum() + (y.grad * v).sum()).backward()
    return x.grad, y.grad


@right("own-hvp", "grad_outputs for the direction")
def answer(x, y, u, v):
    gradients = torch.autograd.grad((x * y).sum() ** 2, (x, y), create_graph=True)
    return torch.autograd.grad(gradients, (x, y), grad_outputs=(u, v))


@wrong("newton-step", "the curvature of exp is forgotten")
def answer(a, b, x):
    g = a @ x - b + np.exp(x)
    return x - np.linalg.solve(a, g)


wrong("newton-step", "exp(x) is added to every row of the Hessian", above("solve(a, g) -> solve(a + np.exp(x), g)"))
wrong("newton-step", "a step down the gradient", above("np.linalg.solve(a, g) -> 0.1 * g"))
wrong("newton-step", "multiplies by the Hessian", above("np.linalg.solve(a, g) -> (a + np.diag(np.exp(x))) @ g"))


@wrong("newton-step", "uphill")
def answer(a, b, x):
    g = a @ x - b + np.exp(x)
    h = a + np.diag(np.exp(x))
    return x + np.linalg.solve(h, g)


wrong("newton-step", "divides by the diagonal of the Hessian", above("+ np.linalg.solve(h, g) -> - g / np.diag(h)"))


@wrong("newton-step", "the step, not the place")
def answer(a, b, x):
    g = a @ x - b + np.exp(x)
    return -np.linalg.solve(a + np.diag(np.exp(x)), g)


@wrong("newton-step", "the half of the quadratic form stays in the gradient")
def answer(a, b, x):
    g = a @ x / 2 - b + np.exp(x)
    return x - np.linalg.solve(a / 2 + np.diag(np.exp(x)), g)


@wrong("newton-step", "sums the rows of the Hessian: the gradient of the gradient")
def answer(a, b, x):
    f = lambda x: x @ a @ x / 2 - b @ x + np.sum(np.exp(x))
    g = labkit.grad(f)
    h = labkit.grad(lambda x: np.sum(g(x)))
    return x - g(x) / h(x)


@wrong("newton-step", "two steps")
def answer(a, b, x):
    for _ in range(2):
        x = x - np.linalg.solve(a + np.diag(np.exp(x)), a @ x - b + np.exp(x))
    return x


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
wrong(
    "penalty-repair",
    "half of what has piled up",
    above("    w.grad = None\n -> ", "return w.grad -> return w.grad / 2"),
)


@wrong("penalty-repair", "zeroed at the wrong place: before the first backward")
def answer(w, x):
    value = ((w * x) ** 2).sum()
    w.grad = None
    value.backward(create_graph=True)
    loss = value + (x.grad**2).sum()
    loss.backward()
    return w.grad


@wrong("penalty-repair", "x.grad is detached: the penalty has no gradient")
def answer(w, x):
    value = ((w * x) ** 2).sum()
    (gx,) = torch.autograd.grad(value, x, retain_graph=True)
    loss = value + (gx.detach() ** 2).sum()
    loss.backward()
    return w.grad


@wrong("penalty-repair", "the penalty alone")
def answer(w, x):
    value = ((w * x) ** 2).sum()
    (gx,) = torch.autograd.grad(value, x, create_graph=True)
    (gx**2).sum().backward()
    return w.grad


@wrong("penalty-repair", "the value alone")
def answer(w, x):
    value = ((w * x) ** 2).sum()
    value.backward()
    return w.grad


@wrong("penalty-repair", "the length of the gradient for w")
def answer(w, x):
    value = ((w * x) ** 2).sum()
    (gw,) = torch.autograd.grad(value, w, create_graph=True)
    loss = value + (gw**2).sum()
    (result,) = torch.autograd.grad(loss, w)
    return result


@wrong("penalty-repair", "the length, not its square")
def answer(w, x):
    value = ((w * x) ** 2).sum()
    (gx,) = torch.autograd.grad(value, x, create_graph=True)
    loss = value + torch.sqrt((gx**2).sum())
    (result,) = torch.autograd.grad(loss, w)
    return result


@wrong("penalty-repair", "the gradient for x is returned")
def answer(w, x):
    value = ((w * x) ** 2).sum()
    (gx,) = torch.autograd.grad(value, x, create_graph=True)
    loss = value + (gx**2).sum()
    return torch.autograd.grad(loss, x)[0]


@right("penalty-repair", "the inner gradient by hand")
def answer(w, x):
    value = ((w * x) ** 2).sum()
    loss = value + ((2 * w * w * x) ** 2).sum()
    (result,) = torch.autograd.grad(loss, w)
    return result
