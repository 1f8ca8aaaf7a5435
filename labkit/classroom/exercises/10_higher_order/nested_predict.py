"""# Gradients of what? (2 points)

`grad` is `ms.grad`, `stop` is `ops.stop_gradient`, `at` is 2, and `cube = grad(lambda x: x**3)`.
Predict what these give. Answer with a list of six numbers.

0. `grad(grad(lambda x: x**4))(at)`
1. `grad(lambda x: cube(x) ** 2)(at)`
2. `grad(lambda x: x * cube(x))(at)`
3. `grad(lambda x: x * stop(cube(x)))(at)`
4. `grad(grad(lambda x: stop(x) * x**2))(at)`
5. `grad(grad(grad(lambda x: x**2)))(at)`
"""

from labkit import mindspore as ms
from labkit.classroom.writing import judged, same, wrong

answer = [48.0, 288.0, 36.0, 12.0, 4.0, 0.0]
rules = (
    "Differentiate twice as a formula, and only then put in the number.",
    "Write cube(x) as a formula, square it, and differentiate: the inner function counts, too.",
    "Write cube(x) as a formula, multiply, and differentiate the product.",
    "The stopped factor is a number: the value of cube(x) here. x itself is still differentiated.",
    "The stopped factor is a number in both derivatives. Differentiate the rest twice.",
    "Each grad takes one power off.",
)
hints = (
    "First write each inner gradient as a formula in x. Then differentiate that formula.",
    "cube(x) is 3 * x**2. So item 1 is the derivative of 9 * x**4, item 2 that of 3 * x**3.",
    "Item 3: x times the constant 12. Item 4: c * x**2 with c = 2, twice differentiated.",
)


def reference():
    grad, at, stop = ms.grad, ms.Tensor(2.0), ms.ops.stop_gradient
    cube = grad(lambda x: x**3)
    lines = (
        grad(grad(lambda x: x**4)),
        grad(lambda x: cube(x) ** 2),
        grad(lambda x: x * cube(x)),
        grad(lambda x: x * stop(cube(x))),
        grad(grad(lambda x: stop(x) * x**2)),
        grad(grad(grad(lambda x: x**2))),
    )
    return [float(line(at).asnumpy()) for line in lines]


gradient_is_constant = wrong(
    "You took the inner gradient for a constant. It depends on x, so it is differentiated, too.",
    when=lambda inputs, expected, got: same([0.0, 0.0], got[:2]) or same([0.0, 12.0], got[1:3]),
    answer=[0, 0, 12, 12, 0, 0],
)

name_is_not_the_function = wrong(
    "cube is not x**3, it is its gradient: 3 * x**2. Differentiate that.",
    {1: 192, 2: 32},
    together=True,
    answer=[48, 192, 32, 8, 4, 0],
)

first_order_only = wrong(
    "Item 0 is the first derivative of x**4. There are two grads, so differentiate twice.", {0: 32.0}
)

stop_forgotten = wrong(
    "In items 3 and 4, something is stopped: for every derivative around it, it is a constant.", {3: 36, 4: 12}
)

a_slip = judged("value", [48, 144, 36, 12, 4, 0])
five = judged("structure", [48, 288, 36, 12, 4])
