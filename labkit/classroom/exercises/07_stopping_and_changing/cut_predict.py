"""# Which gradient remains after a cut? (2 points)

`stop` is `ops.stop_gradient`, and `at` is [[at]]. Answer with a list of the six gradients that `ms.grad(...)(at)` returns for
these functions.

0. `lambda x: stop(x) * x`
1. `lambda x: stop(x) ** 2 * x`
2. `lambda x: stop(x**2) + x`
3. `lambda x: x**2 + stop(x - x**2)`
4. `lambda x: stop(x * x)`
5. `lambda x: stop(x**2) * x**2`
"""

from labkit import mindspore as ms
from labkit.classroom.writing import drawn, either, judged, wrong

at = drawn(3, lambda rng: int(rng.choice([4, 5, 6, 7, 8, 9, -4, -5])))

answer = [1.0 * at, 1.0 * at**2, 1.0, 2.0 * at, 0.0, 2.0 * at**3]
rules = (
    "A stopped factor is a number, with the value that it has here. Differentiate the rest.",
    "A stopped factor is a number, with the value that it has here. Differentiate the rest.",
    "A stopped term is a number that is added: what does it contribute to the gradient?",
    "A stopped term is a number that is added: what does it contribute to the gradient?",
    "Everything is stopped.",
    "A stopped factor is a number, with the value that it has here. Differentiate the rest.",
)
hints = (
    f"Write a number for each stop(...): its value at {at}. Then differentiate what is left.",
    f"stop(x) * x is {at} * x at this point, so its derivative is {at}. A stopped term in a sum contributes nothing.",
    "Items 2 to 4: only x remains; only x**2 remains; nothing remains.",
)


def reference():
    stop = ms.ops.stop_gradient
    lines = (
        lambda x: stop(x) * x,
        lambda x: stop(x) ** 2 * x,
        lambda x: stop(x**2) + x,
        lambda x: x**2 + stop(x - x**2),
        lambda x: stop(x * x),
        lambda x: stop(x**2) * x**2,
    )
    return [float(ms.grad(line)(ms.Tensor(float(at))).asnumpy()) for line in lines]


nothing_cut = wrong(
    "These are the gradients without any stop. What is inside stop(...) is a constant to the derivative.",
    answer=[2 * at, 3 * at**2, 2 * at + 1, 1, 2 * at, 4 * at**3],
)

value_zero = wrong(
    "You treated stop(...) as 0. It cuts the gradient, not the value: as a factor it still counts.",
    answer=[0, 0, 1, 2 * at, 0, 0],
)

factor_lost = wrong(
    "You left the stopped factor out. It is a constant, and a constant factor stays: (c * x)' = c.",
    {0: 1, 1: 1, 5: 2 * at},
    answer=[1, 1, 1, 2 * at, 0, 2 * at],
)

value_and_gradient_mixed = wrong(
    "Item 3 has the value x, but the value does not matter here. Which of its terms are not constant?",
    {3: 1},
)

five_of_them = judged("structure", [at, at**2, 1, 2 * at, 0])
a_slip = judged("value", [at, at**2, 1, 2 * at, 0, at**3 + 1])

square_of_the_constant_lost = wrong(
    "The constant is stop(x) ** 2, not stop(x): square its value.",
    {1: at, 5: 2 * at * at},
)

values = wrong(
    "These are values, of the functions or of their parts. The exercise asks for gradients.",
    {0: at * at, 1: at**3, 2: at * at + at, 3: either(at, at * at), 4: at * at, 5: at**4},
)

constant_term_counted = wrong(
    "A stopped term is a constant that is added: its derivative is 0.",
    {2: either(0, at * at + 1), 3: 2 * at + 1},
)


stopped_part_differentiated = wrong(
    "You differentiated the stopped part. It is a constant: differentiate only what is outside stop(...).",
    {1: either(2 * at * at, 2 * at), 2: 2 * at, 3: 1 - 2 * at, 4: 2 * at},
    answer=[at, 2 * at * at, 2 * at, 1 - 2 * at, 2 * at, 2 * at**3],
)

not_cut_here = wrong(
    "This would be the gradient without the stop. What is inside stop(...) is a constant to the derivative.",
    {0: 2 * at, 1: 3 * at * at, 2: 2 * at + 1, 5: 4 * at**3},
    answer={0: 2 * at},
)

stopped_factor_is_zero = wrong(
    "stop(...) cuts the gradient, not the value: as a factor it still counts.", {0: 0, 1: 0, 5: 0}, answer={5: 0}
)

everything_is_stopped = wrong("Everything is inside stop(...): nothing outside depends on x.", {4: either(1, at, 2)})


two_left_out = wrong("The derivative of x**2 is 2 * x: the 2 is missing.", {5: at**3, 3: at})

term_by_its_value = wrong("The derivative of x is 1, not x.", {2: at})


cancelled = wrong("The stopped x**2 cancels the value of the other x**2, not its gradient.", {3: 0})
