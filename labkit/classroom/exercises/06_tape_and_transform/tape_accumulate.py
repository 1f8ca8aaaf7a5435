"""# What is in .grad? (2 points)

Answer with a list of the four numbers that this program prints.

```python
x = torch.tensor([[x]], requires_grad=True)
(x**2).backward()
print(x.grad.item())             # item 0
(x**2).backward()
print(x.grad.item())             # item 1
x.grad.zero_()
(x**2).backward()
print(x.grad.item())             # item 2
torch.autograd.grad(x**2, x)
print(x.grad.item())             # item 3
```
"""

from labkit import torch
from labkit.classroom.writing import drawn, either, judged, ran, wrong

x = drawn(3.0, lambda rng: float(rng.integers(4, 30)) / 2)
slope = 2 * x

answer = [slope, 2 * slope, slope, slope]
rules = (
    "backward adds the derivative, at this x, to .grad, which is None at first.",
    "backward adds to .grad, which was not reset in between.",
    "zero_() has reset .grad: what does this backward add?",
    "autograd.grad returns its result to the caller. Does it change .grad?",
)
hints = (
    f"The derivative of x**2 at {x:g} is {slope:g}. That is item 0.",
    "backward adds to .grad. Here only zero_() resets it.",
    f"Item 1 is {slope:g} + {slope:g}, item 2 starts from 0; autograd.grad only returns its result.",
)


def reference():
    return ran(__doc__, torch=torch, x=x)["printed"]


no_accumulation = wrong(
    "The second backward does not replace what is in .grad. It adds the derivative. PyTorch never resets .grad by itself.",
    answer=[slope] * 4,
)

zero_forgotten = wrong(
    "You kept adding after zero_(), which resets the sum to 0.",
    {2: 3 * slope, 3: either(3 * slope, 4 * slope)},
    together=True,
    answer=[slope, 2 * slope, 3 * slope, 3 * slope],
)

grad_accumulates = wrong(
    "torch.autograd.grad returns its gradients and does not change any .grad.", {3: either(2 * slope, 3 * slope)}
)

one_number = judged("kind", slope)

grad_empties = wrong(
    "torch.autograd.grad returns its gradients. It neither adds to .grad nor resets it.",
    {3: 0.0},
)

value_for_derivative = wrong(
    f"You gave values of x**2. .grad holds the derivative at x = {x:g}.",
    {0: x * x, 1: 2 * x * x, 2: x * x, 3: x * x},
)


zero_printed = wrong(
    "zero_() resets .grad, and the next backward adds the derivative again.",
    {2: 0.0},
)

zero_stays = wrong(
    "zero_() resets .grad once. The next backward adds the derivative again.",
    {2: 0.0, 3: 0.0},
    together=True,
)

derivative_alone = wrong(
    "The derivative of x**2 is 2 * x, taken at this x.", {0: either(2.0, x, 0.0), 2: either(2.0, x)}
)

second_backward_in_vain = wrong(
    "Each line computes x**2 again: the second backward runs, and it adds to .grad.",
    {1: either(0.0, x * slope, slope * slope)},
)

zeroed_once_too_few = wrong(
    "zero_() runs before this backward, so the earlier gradients are gone.", {2: either(2 * slope, 3 * slope)}
)


kept_after_zero = wrong(
    "zero_() runs before the third backward, so the earlier gradients are gone.",
    {2: 2 * slope, 3: 2 * slope},
    together=True,
)
