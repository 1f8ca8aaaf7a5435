"""# Port a second derivative to PyTorch (1 point)

Port to PyTorch. Write `port(x)`; `x` is a scalar leaf that requires grad. Return one tensor.

```python
return ms.grad(ms.grad(lambda x: x**3))(x)
```
"""

import numpy as np

from labkit import torch
from labkit.classroom.writing import judged, wrong


def port(x):
    (first,) = torch.autograd.grad(x**3, x, create_graph=True)
    (second,) = torch.autograd.grad(first, x)
    return second


def draw(rng):
    return (np.array(rng.uniform(0.5, 2.5), np.float32),)


tensors = "torch"
errors = (
    ("does not require grad", "The first gradient has no history: say create_graph=True when you compute it."),
    ("second time", "The first walk freed its saved values: say create_graph=True, which also keeps them."),
)


@wrong("This is the first derivative. Differentiate it once more.")
def first_order(x):
    return torch.autograd.grad(x**3, x)[0]


@wrong(
    "The first derivative is still in .grad, and the second one was added to it. Empty it in between, or use "
    "torch.autograd.grad."
)
def accumulated(x):
    (x**3).backward(create_graph=True)
    x.grad.backward()
    return x.grad.detach()


@wrong("You squared the first derivative. The second derivative is the derivative of the first.")
def squared(x):
    return torch.autograd.grad(x**3, x)[0] ** 2


@judged("error")
def no_create_graph(x):
    (first,) = torch.autograd.grad(x**3, x)
    return torch.autograd.grad(first, x)[0]


hints = (
    "The tape has to record how the first gradient is computed.",
    "create_graph=True makes the first gradient a tensor with a history.",
    "first, = torch.autograd.grad(x**3, x, create_graph=True), and then torch.autograd.grad(first, x)",
)
