"""# Repair: the loss is right, the step is not (2 points)

This step is to go downhill on the *loss*. It returns the loss, the logits and the new weight, and it has to
return all three. The loss that it returns is right, and yet the weight goes to the wrong place. Mend it.
`w` and `x` are Tensors of three elements, `y` is a Tensor with one number.

```python
def step(w, x, y):
    def forward(w):
        logits = (w * x).sum()
        return (logits - y) ** 2, logits

    (loss, logits), dw = ms.value_and_grad(forward)(w)
    return loss, logits, w - 0.1 * dw
```
"""

import numpy as np

from labkit import mindspore as ms
from labkit.classroom.writing import judged, same, wrong


def step(w, x, y):
    def forward(w):
        logits = (w * x).sum()
        return (logits - y) ** 2, logits

    (loss, logits), dw = ms.value_and_grad(forward, has_aux=True)(w)
    return loss, logits, w - 0.1 * dw


def _moved(factor):
    """The weight after a step with `factor(slope of the loss for the logits)` times x."""

    def weight(w, x, y):
        slope = 2 * (np.sum(w * x) - y)
        return np.asarray(w - 0.1 * factor(slope) * x, np.float32)

    return lambda i, expected, got: same(weight(*i), got[2])


def reference(w, x, y):
    def forward(w):
        logits = (w * x).sum()
        return (logits - y) ** 2, logits

    (loss, logits), dw = ms.value_and_grad(forward, has_aux=True)(w)
    return loss, logits, w - 0.1 * dw


def draw(rng):
    w, x = rng.uniform(-1, 1, (2, 3)).astype(np.float32)
    return w, x, np.array(rng.uniform(1, 2), np.float32)


tensors = "mindspore"


@wrong(
    "The weight still goes downhill on loss + logits. One word to value_and_grad says that only the first output "
    "counts.",
)
def still_summed(w, x, y):
    def forward(w):
        logits = (w * x).sum()
        return (logits - y) ** 2, logits

    (loss, logits), dw = ms.value_and_grad(forward)(w)
    return loss, logits, w - 0.1 * dw


@wrong(
    "Now the weight goes downhill on the logits alone. The first output is the one that counts.",
    when=_moved(lambda slope: 1),
)
def logits_only(w, x, y):
    (logits, loss), dw = ms.value_and_grad(lambda w: ((w * x).sum(), ((w * x).sum() - y) ** 2), has_aux=True)(w)
    return loss, logits, w - 0.1 * dw


@wrong(
    "That is uphill: a step against the gradient subtracts it.",
    when=_moved(lambda slope: -slope),
)
def uphill(w, x, y):
    def forward(w):
        logits = (w * x).sum()
        return (logits - y) ** 2, logits

    (loss, logits), dw = ms.value_and_grad(forward, has_aux=True)(w)
    return loss, logits, w + 0.1 * dw


@wrong("You subtracted the logits from the loss. They are not to count at all: neither +1 nor -1.")
def difference_of_outputs(w, x, y):
    g = ms.grad(lambda w: ((w * x).sum() - y) ** 2 - (w * x).sum())(w)
    return ((w * x).sum() - y) ** 2, (w * x).sum(), w - 0.1 * g


@judged("structure")
def logits_left_out(w, x, y):
    loss, dw = ms.value_and_grad(lambda w: ((w * x).sum() - y) ** 2)(w)
    return loss, w - 0.1 * dw


@judged("value")
def no_step(w, x, y):
    return (((w * x).sum() - y) ** 2, (w * x).sum(), w)


hints = (
    "Which function does value_and_grad differentiate when forward returns two outputs?",
    "The logits are to be returned, but not to be differentiated: they are auxiliary.",
    "ms.value_and_grad(forward, has_aux=True): the value is still the pair (loss, logits).",
)
