"""# Mend the float64 leak (2 points)

`standard(x)` gets a float16 or a float32 Tensor of shape `(3,)`, and should return a Tensor of the same
dtype as `x`. It returns float64:

[[still_float64 as standard]]

Mend it.
"""

from functools import partial

import numpy as np

from labkit import mindspore as ms
from labkit.classroom.writing import judged, wrong


def standard(x):
    centre = ms.Tensor([0.5, 0.25, 0.125], x.dtype)
    return (x - centre) / 0.25


def _numbers(rng, dtype):
    return (rng.uniform(-2.0, 2.0, 3).astype(dtype),)


draw = tuple(partial(_numbers, dtype=dtype) for dtype in ("float16", "float32"))
tensors = "mindspore"
draws = 6


@wrong(
    "The result is still float64: an array of NumPy is in it somewhere. At first both constants were arrays.",
    when=lambda i, expected, got: got.dtype == np.float64,
)
def still_float64(x):
    centre = ms.Tensor(np.array([0.5, 0.25, 0.125]))
    return (x - centre) / ms.Tensor(np.array(0.25))


@wrong("For a float32 input it is right. For a float16 input the constants are wider than x, and the wider dtype wins.")
def float32_for_all(x):
    centre = ms.Tensor([0.5, 0.25, 0.125])
    return (x - centre) / 0.25


@wrong("For a float16 input it is right. A float32 input must not lose its bits: use the dtype of x.")
def float16_for_all(x):
    centre = ms.Tensor([0.5, 0.25, 0.125], ms.float16)
    return ((x - centre) / 0.25).astype(ms.float16)


@wrong("Dividing by 0.25 is multiplying by 4.")
def multiplied(x):
    centre = ms.Tensor([0.5, 0.25, 0.125], x.dtype)
    return (x - centre) * 0.25


@judged("still-float64")
def one_of_two(x):
    centre = ms.Tensor(np.array([0.5, 0.25, 0.125]))
    return (x - centre) / 0.25


@judged("kind")
def an_array(x):
    centre = np.array([0.5, 0.25, 0.125])
    return ((x.asnumpy() - centre) / 0.25).tolist()


hints = (
    "A Python number takes the dtype of the tensor. Which of the constants can be a Python number?",
    "A Tensor can be made in any dtype: ms.Tensor([0.5, 0.25, 0.125], dtype). And x knows its own: x.dtype.",
    "centre = ms.Tensor([0.5, 0.25, 0.125], x.dtype), and divide by 0.25.",
)
