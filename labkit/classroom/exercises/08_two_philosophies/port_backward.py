"""# Port backward (1 point)

Port to MindSpore. Write `port(x, y)` for two Tensors; it returns the tuple of both gradients.

```python
z = x**2 + y
z.backward()
return x.grad, y.grad
```
"""

import numpy as np

from labkit import mindspore as ms
from labkit.classroom.writing import judged, wrong


def port(x, y):
    return ms.grad(lambda x, y: x**2 + y, grad_position=(0, 1))(x, y)


def draw(rng):
    return tuple(np.array(v, np.float32) for v in rng.uniform(0.5, 2.5, 2))


tensors = "mindspore"
errors = (("'backward'", "A MindSpore Tensor has no history to walk back. Hand the function itself to ms.grad."),)


@wrong("This is the gradient for x alone. grad_position defaults to 0; ask for (0, 1).")
def first_input_only(x, y):
    return ms.grad(lambda x, y: x**2 + y)(x, y)


@wrong("The two gradients have changed places.")
def swapped(x, y):
    return ms.grad(lambda x, y: x**2 + y, (1, 0))(x, y)


@wrong("The value came along. ms.value_and_grad returns both; ms.grad returns the gradients only.")
def value_too(x, y):
    return ms.value_and_grad(lambda x, y: x**2 + y, (0, 1))(x, y)


@judged("error")
def method_that_is_not_there(x, y):
    (x**2 + y).backward()
    return x.grad, y.grad


hints = (
    "There is no .grad to read: what you want comes back from a function that ms.grad makes.",
    "ms.grad takes the function x**2 + y and the positions you want gradients for.",
    "ms.grad(fn, grad_position=(0, 1))(x, y)",
)
