"""# Port a clip to PyTorch (2 points)

Port to PyTorch. Write `port(x, y)`; `x` and `y` are leaves of three and two elements that require grad.
Return both clipped gradients as a tuple.

```python
def fn(x, y):
    return (x**2).sum() * (y**2).sum()


gradients = ms.grad(fn, (0, 1))(x, y)
return ops.clip_by_global_norm(gradients, 1.0)
```
"""

from functools import partial

import numpy as np

from labkit import torch
from labkit.classroom.writing import judged, wrong


def port(x, y):
    loss = (x**2).sum() * (y**2).sum()
    loss.backward()
    torch.nn.utils.clip_grad_norm_([x, y], 1.0)
    return x.grad, y.grad


def _leaves(rng, low, high):
    """Leaves of this size: from large ones come gradients longer than 1, from small ones shorter."""
    return tuple((rng.uniform(low, high, n) * rng.choice([-1, 1], n)).astype(np.float32) for n in (3, 2))


draw = (partial(_leaves, low=1.0, high=2.5), partial(_leaves, low=0.2, high=0.35), partial(_leaves, low=0.5, high=0.7))
tensors = "torch"


@wrong("These gradients are not clipped. clip_grad_norm_ changes .grad, so it has to come after backward.")
def not_clipped(x, y):
    torch.nn.utils.clip_grad_norm_([x, y], 1.0)
    ((x**2).sum() * (y**2).sum()).backward()
    return x.grad, y.grad


@wrong("You clipped each gradient alone. The global norm is one for both: give both tensors to one call.")
def each_alone(x, y):
    ((x**2).sum() * (y**2).sum()).backward()
    for leaf in (x, y):
        torch.nn.utils.clip_grad_norm_(leaf, 1.0)
    return x.grad, y.grad


@wrong("You clipped by value: that is clip_grad_value_. It turns the gradient; the norm does not.")
def by_value(x, y):
    ((x**2).sum() * (y**2).sum()).backward()
    torch.nn.utils.clip_grad_value_([x, y], 1.0)
    return x.grad, y.grad


@wrong("You gave the gradients the length 1 in any case. A clip makes long ones shorter, and leaves short ones alone.")
def stretched(x, y):
    ((x**2).sum() * (y**2).sum()).backward()
    norm = ((x.grad**2).sum() + (y.grad**2).sum()) ** 0.5
    return x.grad / norm, y.grad / norm


@wrong("clip_grad_norm_ returns the length before the clip. The clipped gradients are in x.grad and y.grad.")
def norm_returned(x, y):
    ((x**2).sum() * (y**2).sum()).backward()
    return torch.nn.utils.clip_grad_norm_([x, y], 1.0)


@judged("kind")
def no_backward(x, y):
    return x.grad, y.grad


hints = (
    "Three steps: compute the loss and walk back, clip what is in .grad, return what is in .grad.",
    "torch.nn.utils.clip_grad_norm_(tensors, limit) clips the .grad of all tensors by their common norm.",
    "torch.nn.utils.clip_grad_norm_([x, y], 1.0), after backward.",
)
