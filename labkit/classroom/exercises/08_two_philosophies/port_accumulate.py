"""# Port accumulation (1 point)

Port to MindSpore. Write `port(x, v)`; `x` is a scalar Tensor, `v` has four elements.

```python
for i in range(4):
    ((x * v[i]) ** 2).backward()
return x.grad
```
"""

import numpy as np

from labkit import mindspore as ms
from labkit.classroom.writing import wrong


def port(x, v):
    one = ms.grad(lambda x, c: (x * c) ** 2)
    total = ms.Tensor(0.0)
    for i in range(4):
        total = total + one(x, v[i])
    return total


def draw(rng):
    return np.array(rng.uniform(0.5, 2.5), np.float32), rng.uniform(0.5, 2.5, 4).astype(np.float32)


tensors = "mindspore"
errors = (("'backward'", "A MindSpore Tensor has no history to walk back. Hand the function itself to ms.grad."),)


@wrong("This is the last gradient alone. Nothing accumulates in MindSpore: add the gradients up yourself.")
def last_only(x, v):
    for c in v:
        g = ms.grad(lambda x: (x * c) ** 2)(x)
    return g


@wrong("You averaged. backward adds; it never divides by the number of calls.")
def averaged(x, v):
    return ms.grad(lambda x: ((x * v) ** 2).mean())(x)


@wrong("You summed before squaring: the snippet squares each product, then the gradients add up.")
def squared_sum(x, v):
    return ms.grad(lambda x: (x * v).sum() ** 2)(x)


hints = (
    "x.grad holds the sum of four gradients. What holds it in MindSpore?",
    "Make the gradient function once, outside the loop, and add up what it returns.",
    "one = ms.grad(lambda x, c: (x * c) ** 2), then total = total + one(x, v[i])",
)
