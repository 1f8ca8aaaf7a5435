"""# Which clip changes the ratio? (2 points)

Two parameters have the gradients `a = ms.Tensor([3.0, 4.0])` and `b = ms.Tensor([0.0, 12.0])`.
For each line: the length of the second result, divided by the length of the first. Answer with a list of six numbers.

0. `a, b` (no clip)
1. `ops.clip_by_global_norm((a, b), 1.0)`
2. `ops.clip_by_norm((a, b), 1.0)`
3. `ops.clip_by_norm(a, 1.0), ops.clip_by_norm(b, 1.0)`
4. `ops.clip_by_norm(a, 6.0), ops.clip_by_norm(b, 6.0)`
5. `ops.clip_by_value((a, b), -4.0, 4.0)`
"""

import numpy as np

from labkit.classroom.writing import judged, wrong
from labkit.mindspore import Tensor, ops

answer = [2.4, 2.4, 2.4, 1.0, 1.2, 0.8]
rules = (
    "Both lengths as they are: the second over the first.",
    "One norm over both gradients gives one factor for both.",
    "A tuple is clipped with one norm over all of it: one factor for both.",
    "Each is clipped alone: how long is each of them then?",
    "Each is clipped alone: which of them is longer than the limit at all?",
    "By value each element is cut for itself: what is left of each gradient?",
)
hints = (
    "The lengths are 5 and 12 before the clip, so line 0 is 12 / 5.",
    "Where one factor multiplies both, the ratio stays. In which lines is there one factor for both?",
    "Line 3 gives two gradients of length 1. In line 5, b becomes [0, 4] and a stays.",
)


def _ratio(pair):
    first, second = (float(np.linalg.norm(tensor.asnumpy())) for tensor in pair)
    return second / first


def reference():
    a, b = Tensor([3.0, 4.0]), Tensor([0.0, 12.0])
    pairs = [
        (a, b),
        ops.clip_by_global_norm((a, b), 1.0),
        ops.clip_by_norm((a, b), 1.0),
        (ops.clip_by_norm(a, 1.0), ops.clip_by_norm(b, 1.0)),
        (ops.clip_by_norm(a, 6.0), ops.clip_by_norm(b, 6.0)),
        ops.clip_by_value((a, b), -4.0, 4.0),
    ]
    return [_ratio(pair) for pair in pairs]


global_means_each = wrong(
    "A global norm is the length of all gradients together. There is one factor, so the ratio stays.", {1: 1.0}
)

tuple_means_each = wrong(
    "Given a tuple, ops.clip_by_norm takes one norm of all its tensors together. Only line 3 clips each alone.", {2: 1}
)

all_to_the_limit = wrong("In line 4 only b is longer than 6. a has the length 5 and keeps it.", {4: 1})
by_value_keeps_ratios = wrong("By value, each element is limited for itself: 12 becomes 4, and 3 and 4 stay.", {5: 2.4})

upside_down = judged("value", [5 / 12, 5 / 12, 5 / 12, 1, 5 / 6, 5 / 4])
five = judged("structure", [2.4, 2.4, 2.4, 1, 1.2])
