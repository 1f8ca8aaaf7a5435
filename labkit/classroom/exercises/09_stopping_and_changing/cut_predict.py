"""# What is left after a cut? (2 points)

`stop` is `ops.stop_gradient`, and `at` is 3. Predict the six gradients that `ms.grad(...)(at)` gives for these
functions. Answer with a list of six numbers.

0. `lambda x: stop(x) * x`
1. `lambda x: stop(x) ** 2 * x`
2. `lambda x: stop(x**2) + x`
3. `lambda x: x**2 + stop(x - x**2)`
4. `lambda x: stop(x * x)`
5. `lambda x: stop(x**2) * x**2`
"""

from labkit import mindspore as ms
from labkit.classroom.writing import judged, wrong

answer = [3.0, 9.0, 1.0, 6.0, 0.0, 54.0]
rules = (
    "A stopped factor is a number, with the value that it has here. Differentiate the rest.",
    "A stopped factor is a number, with the value that it has here. Differentiate the rest.",
    "A stopped term is a number that is added: what does it give to the gradient?",
    "A stopped term is a number that is added: what does it give to the gradient?",
    "Everything is stopped.",
    "A stopped factor is a number, with the value that it has here. Differentiate the rest.",
)
hints = (
    "Write a number for each stop(...): its value at 3. Then differentiate what is left.",
    "stop(x) * x is 3 * x at this point, so its derivative is 3. A stopped term that is added gives nothing.",
    "Items 2 to 4: x alone; x**2 alone; nothing at all.",
)


def reference():
    at, stop = ms.Tensor(3.0), ms.ops.stop_gradient
    lines = (
        lambda x: stop(x) * x,
        lambda x: stop(x) ** 2 * x,
        lambda x: stop(x**2) + x,
        lambda x: x**2 + stop(x - x**2),
        lambda x: stop(x * x),
        lambda x: stop(x**2) * x**2,
    )
    return [float(ms.grad(line)(at).asnumpy()) for line in lines]


nothing_cut = wrong(
    "These are the gradients without any stop. What is inside stop(...) is a constant to the derivative.",
    answer=[6, 27, 7, 1, 6, 108],
)

value_zero = wrong(
    "You took stop(...) for 0. It cuts the gradient, not the value: as a factor it still counts.",
    answer=[0, 0, 1, 6, 0, 0],
)

factor_lost = wrong(
    "You left the stopped factor out. It is a constant, and a constant factor stays: (c * x)' = c.",
    {0: 1, 1: 1},
    together=True,
    answer=[1, 1, 1, 6, 0, 6],
)

value_and_gradient_mixed = wrong(
    "Item 3 has the value x, but the value does not matter here. Which of its terms can the derivative still see?",
    {3: 1},
    alone=True,
)

five_of_them = judged("structure", [3, 9, 1, 6, 0])
a_slip = judged("value", [3, 9, 1, 6, 0, 27])
