"""# Port two outputs (1 point)

Port to MindSpore. Write `port(x, y)`; keep both outputs in the function that you differentiate.

```python
z, total = x**2 * y, x + y
z.backward()
return x.grad
```
"""

import numpy as np

from labkit import mindspore as ms
from labkit.classroom.writing import same, wrong


def outputs(x, y):
    return x**2 * y, x + y


def port(x, y):
    gradient, _ = ms.grad(outputs, has_aux=True)(x, y)
    return gradient


answer = port


def draw(rng):
    return tuple(np.array(v, np.float32) for v in rng.uniform(0.5, 2.5, 2))


tensors = "mindspore"
errors = (("'backward'", "A MindSpore Tensor has no history to walk back. Hand the function itself to ms.grad."),)


@wrong("Your gradient belongs to the sum of both outputs. The snippet walks back from z alone: say has_aux=True.")
def outputs_summed(x, y):
    return ms.grad(outputs)(x, y)


@wrong(
    "The gradient is right, but the other outputs came along. With has_aux=True the result is (gradient, aux).",
    when=lambda i, expected, got: isinstance(got, tuple) and same(expected, got[0]),
)
def aux_returned(x, y):
    return ms.grad(outputs, has_aux=True)(x, y)


@wrong("You walked back from total. z is the first output.")
def second_output(x, y):
    return ms.grad(lambda x, y: (x + y, x**2 * y), has_aux=True)(x, y)[0]


hints = (
    "ms.grad of a function with two outputs differentiates their sum, unless you say otherwise.",
    "has_aux=True: only the first output is differentiated, the others are passed on.",
    "gradient, aux = ms.grad(outputs, has_aux=True)(x, y)",
)
