"""# Port a vector output to PyTorch (1 point)

Port this line to PyTorch. Write `port(v)`, where `v` is a leaf of four elements that requires grad. Return one tensor.

```python
return ms.grad(lambda v: v**2)(v)
```
"""

import numpy as np

from labkit import torch
from labkit.classroom.ways import DELIVERED, delivered
from labkit.classroom.writing import Way, judged, wrong


def port(v):
    (v**2).sum().backward()
    return v.grad


def draw(rng):
    return (rng.uniform(0.5, 2.5, 4).astype(np.float32),)


tensors = "torch"
errors = (
    (
        "only for scalar outputs",
        "backward needs one number to start from; ms.grad starts from the sum of all elements.",
    ),
)


@wrong("You took the mean. ms.grad differentiates the sum of all output elements.")
def averaged(v):
    (v**2).mean().backward()
    return v.grad


@wrong(
    "The backward pass started from one output element only. All of them count, once each.",
    when=lambda i, expected, got: np.count_nonzero(got) == 1 and bool(np.isin(got[got != 0], expected).all()),
)
def one_element(v):
    (v**2)[0].backward()
    return v.grad


@wrong("torch.autograd.grad returns a tuple, even for one input. Take its first element.")
def tuple_returned(v):
    return torch.autograd.grad((v**2).sum(), v)


@judged("error")
def no_seed(v):
    (v**2).backward()
    return v.grad


ways = (Way(DELIVERED, ("passes",), holds=lambda i, expected, got, done: delivered(got, done, (i[0] ** 2).sum())),)
hints = (
    "backward without an argument starts from a scalar. Which scalar does ms.grad start from?",
    "ms.grad differentiates the sum of all output elements.",
    "(v**2).sum().backward(), then v.grad; or v**2 with backward(torch.ones(4)).",
)
