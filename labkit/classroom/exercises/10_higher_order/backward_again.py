"""# What is in .grad now? (2 points)

Predict the four numbers. Answer with a list of four.

```python
x = torch.tensor([[x]], requires_grad=True)
(x**3).backward(create_graph=True)
print(x.grad.item())                                       # item 0
x.grad.backward()
print(x.grad.item())                                       # item 1

x = torch.tensor([[x]], requires_grad=True)
(g,) = torch.autograd.grad(x**3, x, create_graph=True)
g.backward()
print(x.grad.item())                                       # item 2

x = torch.tensor([[x]], requires_grad=True)
(g,) = torch.autograd.grad(x**3, x, create_graph=True)
(g**2).backward()
print(x.grad.item())                                       # item 3
```
"""

from labkit import torch
from labkit.classroom.writing import drawn, either, judged, ran, wrong

x = drawn(2.0, lambda rng: float(rng.choice([-5, -3, -2, -1.5, 1.5, 2.5, 3, 3.5, 5, 6])))
g, slope = 3 * x**2, 6 * x

answer = [g, g + slope, slope, 2 * g * slope]
rules = (
    "Differentiate x**3 once, at this x.",
    "The second derivative is added to what is in .grad already.",
    "autograd.grad leaves .grad alone, so it holds what the last backward brought, and nothing else.",
    "The derivative of g**2 is twice g, times the derivative of g.",
)
hints = (
    f"The derivatives of x**3 at {x:g} are {g:g}, {slope:g}, 6.",
    "backward adds to .grad. torch.autograd.grad leaves .grad alone.",
    f"Item 3: the gradient of g**2 is 2 * {g:g} * {slope:g}.",
)


def reference():
    return ran(__doc__, torch=torch, x=x)["printed"]


replaced = wrong(
    "Item 1 is a sum: backward adds the second derivative to the first one, which is still in .grad.", {1: slope}
)

grad_stores = wrong(
    "torch.autograd.grad stores nothing, so in item 2 .grad starts empty: only the second derivative is in it.",
    {2: g + slope},
)

value_of_the_square = wrong(
    f"Item 3: g**2 is {g**2:g}, but .grad holds its gradient. The chain rule: 2 * g, times the derivative of g.",
    {3: either(g**2, 2 * g)},
)

g_forgotten = judged("value-of-the-square", [g, g + slope, slope, 2 * g])
three = judged("structure", [g, g + slope, slope])
