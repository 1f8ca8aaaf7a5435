"""# Port a vector output to PyTorch (1 point)

Port this line to PyTorch: write `port(v)`, which returns one tensor. `v` is a leaf of four elements that requires grad.

```python
return ms.grad(lambda v: v**2)(v)
```
"""

import numpy as np

from labkit import torch
from labkit.classroom.ways import DELIVERED, delivered, passes_of
from labkit.classroom.writing import Way, judged, slip, wrong


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


def _one_pass_or_several(inputs, expected, got, done):
    """One backward pass from the sum, or several from parts of it whose gradients are added."""
    (v,) = inputs
    passes = passes_of(done, v.shape)
    several = np.allclose([value for value, _ in passes], v**2) and np.allclose(sum(grad for _, grad in passes), got)
    return delivered(got, done, (v**2).sum()) or several


v_as_upstream = slip(
    "The upstream gradient is v here. ms.grad begins with ones.",
    "(v**2).sum().backward() -> (v**2).backward(v)",
)

values = slip(
    "You return the values v**2. Asked for is the gradient.",
    "return v.grad -> return v**2",
)

two_missing = slip(
    "This is v itself. The derivative of v**2 is 2 * v.",
    "return v.grad -> return v.grad / 2",
)

norm = slip(
    "You differentiated the norm of v, or another function than v**2.",
    "(v**2).sum().backward() -> (v**2).sum().sqrt().backward()",
)

cube = slip(
    "You differentiated v**3. The function is v**2.",
    "(v**2).sum().backward() -> (v**3).sum().backward()",
)

summed = slip(
    "You sum the gradient. Return one number for each element of v.",
    "return v.grad -> return v.grad.sum()",
)


@wrong("You differentiated the sum of v itself. The output is v**2.")
def square_missing(v):
    return torch.autograd.grad(v.sum(), v)[0]


ways = (Way(DELIVERED, ("passes",), holds=_one_pass_or_several),)
hints = (
    "backward without an argument starts from a scalar. Which scalar does ms.grad start from?",
    "ms.grad differentiates the sum of all output elements.",
    "(v**2).sum().backward(), then v.grad; or v**2 with backward(torch.ones(4)).",
)
