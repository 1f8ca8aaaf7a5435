"""# What is in .grad? (2 points)

Predict the four numbers that this prints. Answer with a list of four.

```python
x = torch.tensor(3.0, requires_grad=True)
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
from labkit.classroom.writing import judged, ran, wrong

answer = [6.0, 12.0, 6.0, 6.0]
rules = (
    "backward adds the derivative, at this x, to what is in .grad, which is empty at first.",
    "backward adds to .grad: nobody has emptied it in between.",
    "zero_() has emptied .grad: what does this backward add?",
    "autograd.grad hands its result to the caller. Does it touch .grad?",
)
hints = (
    "The derivative of x**2 at 3 is 6. That is item 0.",
    "backward adds to .grad. Only zero_() empties it.",
    "Item 1 is 6 + 6, item 2 starts from 0; autograd.grad hands its result to you alone.",
)


def reference():
    return ran(__doc__, torch=torch)["printed"]


no_accumulation = wrong(
    "You expected each backward to replace what was there. It adds to .grad: only you empty it.", answer=[6, 6, 6, 6]
)

zero_forgotten = wrong(
    "You kept adding after zero_(). From there the sum starts again at 0.", {2: 18}, answer=[6, 12, 18, 18]
)

grad_accumulates = wrong("torch.autograd.grad returns its gradients and leaves every .grad as it was.", {3: 12})

one_number = judged("kind", 6.0)
