"""# Port detach (1 point)

Port to MindSpore. Write `port(x)` for a Tensor of four elements.

```python
z = (x.detach() * x).sum()
z.backward()
return x.grad
```
"""

import numpy as np

from labkit import mindspore as ms
from labkit.classroom.writing import wrong


def port(x):
    return ms.grad(lambda x: (ms.ops.stop_gradient(x) * x).sum())(x)


def draw(rng):
    return (rng.uniform(0.5, 2.5, 4).astype(np.float32),)


tensors = "mindspore"
errors = (
    ("'detach'", "MindSpore has no detach. Its word for a value that counts as a constant is ops.stop_gradient."),
    ("'backward'", "A MindSpore Tensor has no history to walk back. Hand the function itself to ms.grad."),
)


@wrong("Both factors were differentiated. The detached one counts as a constant: use ops.stop_gradient.")
def not_stopped(x):
    return ms.grad(lambda x: (x * x).sum())(x)


@wrong("You stopped everything. Only the first factor is detached; the gradient still flows through the second.")
def all_stopped(x):
    return ms.grad(lambda x: ms.ops.stop_gradient(x * x).sum())(x)


@wrong("This is the value of the products, not the gradient.")
def value_instead(x):
    return ms.ops.stop_gradient(x) * x


hints = (
    "x.detach() has the value of x, but the tape does not connect it to x.",
    "MindSpore's name for it is ops.stop_gradient.",
    "ms.grad(lambda x: (ms.ops.stop_gradient(x) * x).sum())(x)",
)
