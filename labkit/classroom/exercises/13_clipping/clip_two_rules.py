"""# By norm and by value (2 points)

`g` is `ms.Tensor([-6.0, 8.0])`; its length is 10. What does each line give?
Answer with a list of five lists of two numbers.

0. `ops.clip_by_norm(g, 5.0)`
1. `ops.clip_by_value(g, -5.0, 5.0)`
2. `ops.clip_by_value(g, clip_value_max=5.0)`
3. `ops.clip_by_norm(g, 20.0)`
4. `ops.clip_by_value(ops.clip_by_norm(g, 5.0), -5.0, 5.0)`
"""

from labkit.classroom.writing import judged, wrong
from labkit.mindspore import Tensor, ops

answer = [[-3, 4], [-5, 5], [-6, 5], [-6, 8], [-3, 4]]
rules = (
    "By norm: where it is too long, one factor brings all of it to the limit.",
    "By value: each element for itself, between both bounds.",
    "By value: only the bounds that are given. Which one is not?",
    "By norm: is it too long at all?",
    "First by norm, then by value: does the second clip still find something to change?",
)
hints = (
    "By norm: the factor is limit / length where that is below 1, and the same for both elements.",
    "By value: each element for itself, and only the bounds that are given.",
    "Two of the five lines give the same, and one gives g itself.",
)


def reference():
    g = Tensor([-6.0, 8.0])
    by_norm = ops.clip_by_norm(g, 5.0)
    clipped = [
        by_norm,
        ops.clip_by_value(g, -5.0, 5.0),
        ops.clip_by_value(g, clip_value_max=5.0),
        ops.clip_by_norm(g, 20.0),
        ops.clip_by_value(by_norm, -5.0, 5.0),
    ]
    return [[float(v) for v in tensor.asnumpy()] for tensor in clipped]


norm_of_each_element = wrong(
    "In line 0 you limited each element on its own. By norm, one factor multiplies both elements.", {0: [-5, 5]}
)

always_of_length_one = wrong(
    "In line 0 you made a gradient of length 1. The limit is 5, and so is the new length.", {0: [-0.6, 0.8]}
)

sign_lost = wrong("By value, an element that is too low becomes the lower limit: it keeps its sign.", {1: [5, 5]})

one_limit_for_both_sides = wrong(
    "clip_value_max limits from above only. −6 is below 5, so it stays as it is.", {2: [-5, 5]}
)

stretched = wrong(
    "You made the gradient longer. A clip leaves a gradient alone that is shorter than the limit.", {3: [-12, 16]}
)

box_inside_ball = wrong(
    "After the clip by norm no element is larger than the limit: the ball lies inside the box. The second clip "
    "has nothing to do.",
    {4: [-5, 5]},
)

ten_numbers = judged("structure", [-3, 4, -5, 5, -6, 5, -6, 8, -3, 4])
