"""# What is in .grad now? (2 points)

Predict the four numbers. Answer with a list of four.

```python
x = torch.tensor(2.0, requires_grad=True)
(x**3).backward(create_graph=True)
print(x.grad.item())                                       # item 0
x.grad.backward()
print(x.grad.item())                                       # item 1

x = torch.tensor(2.0, requires_grad=True)
(g,) = torch.autograd.grad(x**3, x, create_graph=True)
g.backward()
print(x.grad.item())                                       # item 2

x = torch.tensor(2.0, requires_grad=True)
(g,) = torch.autograd.grad(x**3, x, create_graph=True)
(g**2).backward()
print(x.grad.item())                                       # item 3
```
"""

from labkit import torch
from labkit.classroom.writing import either, judged, ran, wrong

answer = [12.0, 24.0, 12.0, 288.0]
rules = (
    "Differentiate x**3 once, at this x.",
    "The second derivative is added to what is in .grad already.",
    "autograd.grad leaves .grad alone, so it holds what the last backward brought, and nothing else.",
    "The derivative of g**2 is twice g, times the derivative of g.",
)
hints = (
    "The derivatives of x**3 at 2 are 12, 12, 6.",
    "backward adds to .grad. torch.autograd.grad leaves .grad alone.",
    "Item 3: the gradient of g**2 is 2 * 12 * 12.",
)


def reference():
    return ran(__doc__, torch=torch)["printed"]


replaced = wrong(
    "Item 1 is a sum: backward adds the second derivative to the first one, which is still in .grad.", {1: 12}
)

grad_stores = wrong(
    "torch.autograd.grad stores nothing, so in item 2 .grad starts empty: only the second derivative is in it.",
    {2: 24.0},
)

value_of_the_square = wrong(
    "Item 3: g**2 is 144, but .grad holds its gradient. The chain rule: 2 * g, times the derivative of g.",
    {3: either(144.0, 24.0)},
)

g_forgotten = judged("value-of-the-square", [12, 24, 12, 24])
three = judged("structure", [12, 24, 12])
