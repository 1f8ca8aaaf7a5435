"""# How many arrays does each rule keep? (2 points)

`x` and `y` are large arrays that are differentiated. How many large arrays does the rule of each
operation keep? Answer with a list of six numbers.

0. `x + y`
1. `x * y`
2. `x * x`
3. `3 * x`
4. `exp(x)`
5. `x / y`
"""

import numpy as np

from labkit import memory
from labkit import mindspore as ms
from labkit.classroom.writing import judged, wrong

answer = [0, 2, 1, 0, 1, 2]
places = ("x + y", "x * y", "x * x", "3 * x", "exp(x)", "x / y")
rules = (
    "Which large arrays are in the derivative of a sum?",
    "Which large arrays are in the two derivatives of a product?",
    "Both factors are the same array: it is kept as one.",
    "A number is no large array: which arrays does the derivative for x need?",
    "The derivative of exp is its own result.",
    "Write down the derivatives of a quotient, for x and for y: which arrays are in them?",
)
hints = (
    "Write down each derivative. Which large arrays appear in it?",
    "A number such as 3 is no large array. An array that appears twice is kept once.",
    "For x / y: the derivative for x is 1 / y, the one for y is -x / y**2.",
)


def reference():
    x, y = ms.Tensor(np.full(64, 2.0, np.float32)), ms.Tensor(np.full(64, 3.0, np.float32))
    rules = (
        lambda x, y: x + y,
        lambda x, y: x * y,
        lambda x, y: x * x,
        lambda x, y: 3 * x,
        lambda x, y: ms.ops.exp(x),
        lambda x, y: x / y,
    )
    return [memory.memory_report(rule, x, y).rows[-1].kept // x.nbytes for rule in rules]


keeps_its_inputs = wrong(
    "You counted the inputs. A rule keeps what its derivative needs: for x + y that is nothing.",
    {0: 2},
    answer={0: 2, 3: 1},
)

one_factor = wrong(
    "A product passes y to x and x to y. Both are differentiated here, so both factors are needed.", {1: 1}
)

same_array_twice = wrong("Both factors of x * x are one and the same array. It is in memory once.", {2: 2})
result_and_input = wrong("The derivative of exp(x) is exp(x), the result. The rule has no need for x.", {4: 2})

a_scalar_factor = judged("value", {3: 1})
five = judged("structure", [0, 2, 1, 0, 1])
