"""# Write the static scaler (3 points)

`w` is a float32 Tensor of weights, `x` a float16 Tensor of data. The loss is computed in float16:

```python
def loss(w):
    return (w.astype(ms.float16) * x).sum() * 2**-16
```

The gradient of this loss vanishes. Write `step(w, x, scale, lr)`, which takes one training step with the loss scale `scale` and
returns the new weights, `w - lr * gradient`, where `gradient` is the gradient of the loss *without* the scale. (`lr` is large,
because the loss is tiny.) With a small scale, elements of the gradient may still underflow; their weights then do not move.
"""

from functools import partial

import numpy as np

from labkit import mindspore as ms
from labkit.classroom.writing import judged, slip, wrong


def step(w, x, scale, lr):
    def loss(w):
        return (w.astype(ms.float16) * x).sum() * 2**-16

    gradient = ms.grad(lambda w: loss(w) * scale)(w)
    return w - lr * (gradient / scale)


def _drawn(rng, low, high):
    return (
        (rng.uniform(0.5, 2.0, 4) * rng.permutation([-1, -1, 1, 1])).astype(np.float32),
        (rng.uniform(0.5, 1.0, 4) * rng.permutation([-1, -1, 1, 1]) * 2.0**-10).astype(np.float16),
        2.0 ** int(rng.integers(low, high)),
        2.0**22,
    )


draw = tuple(partial(_drawn, low=low, high=high) for low, high in ((11, 14), (3, 6), (11, 14), (3, 6)))


tensors = "mindspore"
errors = (("should be callable", "ms.grad takes the function, not a loss that is already computed."),)


def _gradient(w, x, scale=1.0):
    return ms.grad(lambda w: (w.astype(ms.float16) * x).sum() * 2**-16 * scale)(w)


@wrong(
    "Your weights are the old ones: the step is 0, or rounded away. It needs lr, and the gradient of the "
    "scaled loss, unscaled in float32.",
    when=lambda i, expected, got: np.array_equal(i[0], got),
)
def vanished(w, x, scale, lr):
    return w - lr * _gradient(w, x)


@wrong("The step is too large, by the factor scale: divide the gradient by it before the step.")
def not_unscaled(w, x, scale, lr):
    return w - lr * _gradient(w, x, scale)


@wrong("The step is too small: divide by the scale once.")
def divided_twice(w, x, scale, lr):
    return w - lr * (_gradient(w, x, scale) / scale / scale)


@wrong("The weights moved in the wrong direction: w - lr * gradient.")
def uphill(w, x, scale, lr):
    return step(w, x, scale, -lr)


@judged("vanished")
def too_late(w, x, scale, lr):
    return w - lr * (_gradient(w, x) * scale / scale)


@judged("dtype")
def float16_weights(w, x, scale, lr):
    return step(w, x, scale, lr).astype(ms.float16)


@judged("gradient-returned")
def gradient_alone(w, x, scale, lr):
    return _gradient(w, x, scale) / scale


multiplied_again = slip(
    "The gradient is multiplied by the scale once more. Divide by it.",
    "(gradient / scale) -> (gradient * scale)",
)

gradient_returned = slip(
    "You return the gradient. The exercise asks for the new weights, w - lr * gradient.",
    "return w - lr * (gradient / scale) -> return gradient / scale",
)

step_returned = slip(
    "You return the step. The exercise asks for the new weights.",
    "return w - lr -> return -lr",
)

computed_in_float32 = slip(
    "Your gradient is that of a float32 loss, in which nothing underflows. The loss is float16: w.astype(ms.float16) * x.",
    "w.astype(ms.float16) * x) -> w * x.astype(ms.float32))",
)

mean_for_sum = slip("The loss is a sum. You took the mean.", ".sum() * 2**-16 -> .mean() * 2**-16")
weight_of_the_loss = slip("The loss has the factor 2**-16.", ".sum() * 2**-16 -> .sum()")

scaled_twice = slip(
    "The loss is multiplied by the scale twice, and the gradient divided by it once.",
    "loss(w) * scale -> loss(w) * scale * scale",
)


@wrong(
    "Your weights are inf or nan: the gradient or the step has left the range of float16. Keep the factor "
    "2**-16 in the loss, and unscale and step in float32.",
    when=lambda i, expected, got: not np.isfinite(np.asarray(got, float)).any(),
)
def stepped_in_float16(w, x, scale, lr):
    return w - lr * (_gradient(w, x, scale).astype(ms.float16) / scale)


weights_unscaled = slip(
    "You divide the new weights by the scale. Only the gradient contains the scale.",
    "w - lr * (gradient / scale) -> (w - lr * gradient) / scale",
)
data_scaled = slip(
    "x is multiplied by the scale as well as the loss, so the gradient contains the scale twice.",
    "(w.astype(ms.float16) * x) -> (w.astype(ms.float16) * x * scale)",
)
step_of_one_weight = slip(
    "You subtract the same number from all weights. Each weight moves by its own element of the gradient.",
    "(gradient / scale) -> (gradient / scale).sum()",
)
root_of_the_scale = slip(
    "The gradient contains the whole scale. Divide by the scale, not by its root.",
    "gradient / scale -> gradient / scale**0.5",
)


scale_added = slip(
    "You added the scale to the loss: a number that is added has no gradient. Multiply.",
    "loss(w) * scale -> loss(w) + scale",
    "gradient / scale -> gradient - scale",
)
weights_rounded = slip(
    "w was rounded to float16 before the update. The weights stay float32.",
    "return w - -> return w.astype(ms.float16) -",
)


@judged("step-of-one-weight")
def mean_step(w, x, scale, lr):
    return w - lr * (_gradient(w, x, scale) / scale).mean()


@wrong("You differentiated with respect to x. Differentiate with respect to w.")
def for_the_data(w, x, scale, lr):
    gradient = ms.grad(lambda x: (w.astype(ms.float16) * x).sum() * 2**-16 * scale)(x)
    return w - lr * (gradient.astype(ms.float32) / scale)


hints = (
    "Three lines: the gradient of the scaled loss, divided by the scale, and the step.",
    "ms.grad takes a function. Give it one that multiplies: lambda w: loss(w) * scale.",
    "gradient = ms.grad(lambda w: loss(w) * scale)(w) / scale; return w - lr * gradient.",
)
