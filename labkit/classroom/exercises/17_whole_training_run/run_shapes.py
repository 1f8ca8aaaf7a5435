"""# The shapes inside LeNet-5 (2 points)

A batch of shape `(32, 1, 32, 32)` goes through LeNet-5. Which shape comes out of each layer?
Answer with a list of five tuples.

0. `nn.Conv2d(1, 6, 5, pad_mode="valid")`
1. `nn.MaxPool2d(2, 2)`
2. `nn.Conv2d(6, 16, 5, pad_mode="valid")`
3. `nn.MaxPool2d(2, 2)`
4. `nn.Flatten()`
"""

import numpy as np

from labkit.classroom.writing import judged, wrong

answer = [(32, 6, 28, 28), (32, 6, 14, 14), (32, 16, 10, 10), (32, 16, 5, 5), (32, 400)]
rules = (
    "A window of 5 has 5 - 1 places less than the row is long. The batch stays, and the channels are those of "
    "the output.",
    "Pooling by 2 with stride 2 takes one of two, in both directions; batch and channels stay.",
    "A window of 5 has 5 - 1 places less than the row is long. The batch stays, and the channels are those of "
    "the output.",
    "Pooling by 2 with stride 2 takes one of two, in both directions; batch and channels stay.",
    "Flatten keeps the batch, and puts all that a sample has into one row.",
)
hints = (
    "A window of 5 has 32 - 5 + 1 places in a row of 32. The second number is the number of output channels.",
    "Pooling halves height and width: 28 becomes 14. Then 14 - 5 + 1 = 10.",
    "At the end every sample has 16 channels of 5 by 5.",
)


def reference():
    from labkit import mindspore as ms

    nn, ops = ms.nn, ms.ops
    pool = nn.MaxPool2d(2, 2)
    x = ms.Tensor(np.zeros((32, 1, 32, 32), np.float32))
    first = nn.Conv2d(1, 6, 5, pad_mode="valid")(x)
    half = pool(ops.relu(first))
    second = nn.Conv2d(6, 16, 5, pad_mode="valid")(half)
    quarter = pool(ops.relu(second))
    return [tuple(v.shape) for v in (first, half, second, quarter, nn.Flatten()(quarter))]


padded = wrong(
    "With pad_mode='valid' nothing is padded: a window of 5 has 32 - 5 + 1 = 28 places in a row of 32.",
    {0: lambda expected, got: tuple(got)[-1] == 32},
    answer=[(32, 6, 32, 32), (32, 6, 16, 16), (32, 16, 16, 16), (32, 16, 8, 8), (32, 1024)],
)

window_subtracted = wrong(
    "32 - 5 is the last place, counted from 0. So there are 32 - 5 + 1 places.",
    {0: lambda expected, got: tuple(got)[-1] == 27},
    answer=[(32, 6, 27, 27), (32, 6, 13, 13), (32, 16, 8, 8), (32, 16, 4, 4), (32, 256)],
)

channels_last = wrong("The order is batch, channels, height, width: the channels stand second.", {0: (32, 28, 28, 6)})

batch_flattened = wrong(
    "Flatten keeps the first axis: every sample of the batch becomes a row of its own.", {4: (12800,)}
)

pooled_by_one = judged("value", {1: (32, 6, 27, 27)})
