"""# Port a vector output to PyTorch (1 point)

Port this line to PyTorch: write `port(v)`, which lets PyTorch compute the gradient and returns one tensor. `v` is a leaf of
four elements that requires grad.

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
    return ((rng.uniform(0.5, 2.5, 4) * rng.permutation([-1, -1, 1, 1])).astype(np.float32),)


tensors = "torch"
errors = (
    ("returned nothing", "backward() returns None. It adds the gradient to v.grad, the .grad of the leaf."),
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
    "You return the values v**2. The exercise asks for the gradient.",
    "return v.grad -> return v**2",
)

two_missing = slip(
    "This is v itself. The derivative of v**2 is 2 * v.",
    "return v.grad -> return v.grad / 2",
)

norm = slip(
    "You differentiated the norm of v, or a function other than v**2.",
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


@wrong("You differentiated the square of the sum. The sum is of the squares: (v**2).sum().")
def square_of_the_sum(v):
    return torch.autograd.grad(v.sum() ** 2, v)[0]


@wrong(
    "Your gradient is twice as large as it should be: either two backward passes added up in v.grad, or v**2 has a "
    "factor of 2."
)
def twice(v):
    return torch.autograd.grad(2 * (v**2).sum(), v)[0]


@wrong(
    "This is the whole Jacobian. ms.grad gives the gradient of the sum of all outputs: one number for each element of v."
)
def jacobian(v):
    return torch.autograd.grad((v**2).sum(), v)[0] * torch.tensor(np.eye(4, dtype=np.float32))


@wrong("You differentiated 2 * v. The function is v**2.")
def twice_for_squared(v):
    return 2 * torch.ones_like(v)


@wrong("The gradient has the wrong sign.")
def negative(v):
    return -port(v)


ways = (Way(DELIVERED, ("passes",), holds=_one_pass_or_several),)
hints = (
    "backward without an argument starts from a scalar. Which scalar does ms.grad start from?",
    "ms.grad differentiates the sum of all output elements.",
    "(v**2).sum().backward(), then v.grad; or v**2 with backward(torch.ones(4)).",
)
