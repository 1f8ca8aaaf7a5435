"""08 Two philosophies: the tape and the transform."""

from sheets import right, wrong

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


@wrong("port-backward", "one gradient alone")
def port(x, y):
    return ms.grad(lambda x, y: x**2 + y)(x, y)


@wrong("port-backward", "PyTorch's attributes on MindSpore's tensors")
def port(x, y):
    z = x**2 + y
    z.backward()
    return x.grad, y.grad


@wrong("port-backward", "the positions the wrong way round")
def port(x, y):
    return ms.grad(lambda x, y: x**2 + y, (1, 0))(x, y)


@wrong("port-backward", "a list of positions")
def port(x, y):
    return ms.grad(lambda x, y: x**2 + y, [0, 1])(x, y)


@wrong("port-backward", "the value comes along")
def port(x, y):
    return ms.value_and_grad(lambda x, y: x**2 + y, (0, 1))(x, y)


@wrong("port-backward", "the gradient function is not called")
def port(x, y):
    return ms.grad(lambda x, y: x**2 + y, (0, 1))


@wrong("port-backward", "the second gradient is that of a product")
def port(x, y):
    return ms.grad(lambda x, y: x**2 * y, (0, 1))(x, y)


@right("port-backward", "two calls")
def port(x, y):
    def z(x, y):
        return x**2 + y

    return ms.grad(z, 0)(x, y), ms.grad(z, 1)(x, y)


@right("port-backward", "GradOperation with get_all")
def port(x, y):
    return ops.GradOperation(get_all=True)(lambda x, y: x**2 + y)(x, y)


@wrong("port-two-outputs", "both outputs are differentiated")
def port(x, y):
    return ms.grad(lambda x, y: (x**2 * y, x + y))(x, y)


@wrong("port-two-outputs", "the pair is not unpacked")
def port(x, y):
    return ms.grad(lambda x, y: (x**2 * y, x + y), has_aux=True)(x, y)


@wrong("port-two-outputs", "the second output is dropped")
def port(x, y):
    return ms.grad(lambda x, y: x**2 * y)(x, y)


@wrong("port-two-outputs", "the outputs are exchanged")
def port(x, y):
    gradient, _ = ms.grad(lambda x, y: (x + y, x**2 * y), has_aux=True)(x, y)
    return gradient


@wrong("port-two-outputs", "the other outputs are returned")
def port(x, y):
    _, others = ms.grad(lambda x, y: (x**2 * y, x + y), has_aux=True)(x, y)
    return others[0]


@wrong("port-two-outputs", "the gradient for y")
def port(x, y):
    gradient, _ = ms.grad(lambda x, y: (x**2 * y, x + y), 1, has_aux=True)(x, y)
    return gradient


@wrong("port-two-outputs", "both gradients")
def port(x, y):
    gradient, _ = ms.grad(lambda x, y: (x**2 * y, x + y), (0, 1), has_aux=True)(x, y)
    return gradient


@right("port-two-outputs", "the second output is stopped")
def port(x, y):
    return ms.grad(lambda x, y: (x**2 * y, ops.stop_gradient(x + y)))(x, y)


@wrong("port-accumulate", "the last gradient alone")
def port(x, v):
    for i in range(4):
        gradient = ms.grad(lambda x: (x * v[i]) ** 2)(x)
    return gradient


@wrong("port-accumulate", "the mean")
def port(x, v):
    return ms.grad(lambda x: ((x * v) ** 2).mean())(x)


@wrong("port-accumulate", "the sum is squared")
def port(x, v):
    return ms.grad(lambda x: (x * v).sum() ** 2)(x)


@wrong("port-accumulate", "a list of gradients")
def port(x, v):
    return [ms.grad(lambda x: (x * v[i]) ** 2)(x) for i in range(4)]


@wrong("port-accumulate", "one element too few")
def port(x, v):
    total = 0
    for i in range(3):
        total = total + ms.grad(lambda x: (x * v[i]) ** 2)(x)
    return total


@wrong("port-accumulate", "the gradient for v")
def port(x, v):
    return ms.grad(lambda v: ((x * v) ** 2).sum())(v)


@wrong("port-accumulate", "expects a .grad that adds up")
def port(x, v):
    for i in range(4):
        ms.grad(lambda x: (x * v[i]) ** 2)(x)
    return x.grad


@right("port-accumulate", "the sum is differentiated, in one call")
def port(x, v):
    return ms.grad(lambda x: ((x * v) ** 2).sum())(x)


@right("port-accumulate", "all four losses as outputs")
def port(x, v):
    return ms.grad(lambda x: tuple((x * v[i]) ** 2 for i in range(4)))(x)


@wrong("port-detach", "nothing is stopped")
def port(x):
    return ms.grad(lambda x: (x * x).sum())(x)


@wrong("port-detach", "both factors are stopped")
def port(x):
    return ms.grad(lambda x: (ops.stop_gradient(x) * ops.stop_gradient(x)).sum())(x)


@wrong("port-detach", "the product is stopped")
def port(x):
    return ms.grad(lambda x: ops.stop_gradient(x * x).sum())(x)


@wrong("port-detach", "PyTorch's name, on a MindSpore Tensor")
def port(x):
    return ms.grad(lambda x: (x.detach() * x).sum())(x)


@wrong("port-detach", "the gradient of the mean")
def port(x):
    return ms.grad(lambda x: (ops.stop_gradient(x) * x).mean())(x)


@wrong("port-detach", "the value of z")
def port(x):
    return (ops.stop_gradient(x) * x).sum()


@wrong("port-detach", "ones: the stopped factor is dropped")
def port(x):
    return ms.grad(lambda x: x.sum())(x)


@right("port-detach", "a copy from outside of the function")
def port(x):
    fixed = x.copy()
    return ms.grad(lambda v: (fixed * v).sum())(x)


@wrong("port-to-torch", "backward of a vector, without a seed")
def port(v):
    (v**2).backward()
    return v.grad


@wrong("port-to-torch", "the tuple is not unpacked")
def port(v):
    return torch.autograd.grad((v**2).sum(), v)


@wrong("port-to-torch", "the mean for the sum")
def port(v):
    (gradient,) = torch.autograd.grad((v**2).mean(), v)
    return gradient


@wrong("port-to-torch", "the first element alone")
def port(v):
    (gradient,) = torch.autograd.grad((v**2)[0], v)
    return gradient


@wrong("port-to-torch", "v itself as the seed")
def port(v):
    (gradient,) = torch.autograd.grad(v**2, v, grad_outputs=v.detach())
    return gradient


@wrong("port-to-torch", "the output, detached")
def port(v):
    return (v**2).detach()


@wrong("port-to-torch", "torch.func.grad of a vector output")
def port(v):
    return torch.func.grad(lambda v: v**2)(v)


@right("port-to-torch", "backward with ones")
def port(v):
    (v**2).backward(torch.ones(4))
    return v.grad


@right("port-to-torch", "the diagonal of the Jacobian, summed over its rows")
def port(v):
    return torch.func.jacrev(lambda v: v**2)(v).sum(0)


@wrong("port-second-order", "create_graph is forgotten")
def port(x):
    (g,) = torch.autograd.grad(x**3, x)
    (second,) = torch.autograd.grad(g, x)
    return second


@wrong("port-second-order", "retain_graph for create_graph")
def port(x):
    (g,) = torch.autograd.grad(x**3, x, retain_graph=True)
    (second,) = torch.autograd.grad(g, x)
    return second


@wrong("port-second-order", "backward twice: the first gradient stays in .grad")
def port(x):
    (x**3).backward(create_graph=True)
    x.grad.backward()
    return x.grad


@wrong("port-second-order", "the first derivative")
def port(x):
    (g,) = torch.autograd.grad(x**3, x, create_graph=True)
    return g


@wrong("port-second-order", "the first derivative squared")
def port(x):
    (g,) = torch.autograd.grad(x**3, x)
    return g**2


@wrong("port-second-order", "a tuple is returned")
def port(x):
    (g,) = torch.autograd.grad(x**3, x, create_graph=True)
    return torch.autograd.grad(g, x)


@wrong("port-second-order", "two backwards of the same loss: twice the first derivative")
def port(x):
    (x**3).backward()
    (x**3).backward()
    return x.grad


@right("port-second-order", "torch.func, nested")
def port(x):
    return torch.func.grad(torch.func.grad(lambda x: x**3))(x)


@right("port-second-order", "backward into .grad of a first gradient that was not stored there")
def port(x):
    (g,) = torch.autograd.grad(x**3, x, create_graph=True)
    g.backward()
    return x.grad
