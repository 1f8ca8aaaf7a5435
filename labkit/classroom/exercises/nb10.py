"""The predictions of notebook 10: gradients of gradients, rows of a Hessian, and what backward leaves in .grad."""

import numpy as np

from ... import mindspore as ms
from ... import torch
from ..compare import same
from ..exercise import Exercise, Misconception, WrongAnswer

NOTEBOOK = "10_higher_order"


# ---- nested-predict ----


def _nested():
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


NESTED = Exercise(
    name="nested-predict",
    notebook=NOTEBOOK,
    title="Gradients of what?",
    points=2,
    statement="""`grad` is `ms.grad`, `stop` is `ops.stop_gradient`, `at` is 2, and `cube = grad(lambda x: x**3)`.
Predict what these give. Answer with a list of six numbers.

0. `grad(grad(lambda x: x**4))(at)`
1. `grad(lambda x: cube(x) ** 2)(at)`
2. `grad(lambda x: x * cube(x))(at)`
3. `grad(lambda x: x * stop(cube(x)))(at)`
4. `grad(grad(lambda x: stop(x) * x**2))(at)`
5. `grad(grad(grad(lambda x: x**2)))(at)`""",
    reference=_nested,
    misconceptions=(
        Misconception(
            "gradient-is-constant",
            "You took the inner gradient for a constant. It depends on x, so it is differentiated, too.",
            lambda inputs, expected, got: same([0.0, 0.0], got[:2]) or same([0.0, 12.0], got[1:3]),
        ),
        Misconception(
            "name-is-not-the-function",
            "cube is not x**3, it is its gradient: 3 * x**2. Differentiate that.",
            lambda inputs, expected, got: same([192.0, 32.0], got[1:3]),
        ),
        Misconception(
            "first-order-only",
            "Item 0 is the first derivative of x**4. There are two grads, so differentiate twice.",
            lambda inputs, expected, got: same(32.0, got[0]),
        ),
        Misconception(
            "stop-forgotten",
            "In items 3 and 4, something is stopped: for every derivative around it, it is a constant.",
            lambda inputs, expected, got: same(expected[:3], got[:3]) and (same(36.0, got[3]) or same(12.0, got[4])),
        ),
    ),
    rules=(
        "Differentiate twice as a formula, and only then put in the number.",
        "Write cube(x) as a formula, square it, and differentiate: the inner function counts, too.",
        "Write cube(x) as a formula, multiply, and differentiate the product.",
        "The stopped factor is a number: the value of cube(x) here. x itself is still differentiated.",
        "The stopped factor is a number in both derivatives. Differentiate the rest twice.",
        "Each grad takes one power off.",
    ),
    hints=(
        "First write each inner gradient as a formula in x. Then differentiate that formula.",
        "cube(x) is 3 * x**2. So item 1 is the derivative of 9 * x**4, item 2 that of 3 * x**3.",
        "Item 3: x times the constant 12. Item 4: c * x**2 with c = 2, twice differentiated.",
    ),
    solution="answer = [48.0, 288.0, 36.0, 12.0, 4.0, 0.0]",
    wrong_answers=(
        WrongAnswer("gradients are constants", "answer = [0, 0, 12, 12, 0, 0]", "gradient-is-constant"),
        WrongAnswer("cube is x**3", "answer = [48, 192, 32, 8, 4, 0]", "name-is-not-the-function"),
        WrongAnswer("first order", "answer = [32, 288, 36, 12, 4, 0]", "first-order-only"),
        WrongAnswer("nothing stopped", "answer = [48, 288, 36, 36, 12, 0]", "stop-forgotten"),
        WrongAnswer("a slip", "answer = [48, 144, 36, 12, 4, 0]", "value"),
        WrongAnswer("five", "answer = [48, 288, 36, 12, 4]", "structure"),
    ),
)


# ---- hessian-rows ----


def _function(v):
    return v[0] * v[1] ** 2 + v[0] * v[2]


def _rows():
    at, gradient = ms.Tensor([1.0, 2.0, 3.0]), ms.grad(_function)

    def along(v):
        return ms.grad(gradient, sens_param=True)(at, ms.Tensor(v)).asnumpy().tolist()

    return [ms.grad(gradient)(at).asnumpy().tolist(), along([1.0, 0.0, 0.0]), along([1.0, -1.0, 0.0])]


_HESSIAN = np.array([[0.0, 4.0, 1.0], [4.0, 2.0, 0.0], [1.0, 0.0, 0.0]])

ROWS = Exercise(
    name="hessian-rows",
    notebook=NOTEBOOK,
    title="Which rows?",
    points=2,
    statement="""The function is `f(v) = v[0] * v[1]**2 + v[0] * v[2]`, the place `v = [1, 2, 3]`. Work out its Hessian there.
Then predict three vectors. Answer with a list of three lists of three numbers.

0. `ms.grad(ms.grad(f))(v)`
1. `ms.grad(ms.grad(f), sens_param=True)(v, ms.Tensor([1.0, 0.0, 0.0]))`
2. `ms.grad(ms.grad(f), sens_param=True)(v, ms.Tensor([1.0, -1.0, 0.0]))`""",
    reference=_rows,
    misconceptions=(
        Misconception(
            "whole-matrix",
            "Item 0 is not the Hessian: grad gives one vector of the shape of its input. The rows have been added up.",
            lambda inputs, expected, got: same(_HESSIAN.tolist(), got) or same(_HESSIAN.tolist(), got[0]),
        ),
        Misconception(
            "diagonal",
            "Item 0 is not the diagonal. grad adds up all elements of the inner gradient, so whole rows are added up, with "
            "what stands beside the diagonal.",
            lambda inputs, expected, got: same(np.diag(_HESSIAN).tolist(), got[0]),
        ),
        Misconception(
            "cotangent-ignored",
            "You gave the same answer for every cotangent. With sens_param, the rows are weighted with it before they are "
            "added up.",
            lambda inputs, expected, got: same([got[0]] * 3, got),
        ),
        Misconception(
            "sign-lost",
            "In item 2 the second row counts -1: take it away, do not add it.",
            lambda inputs, expected, got: (
                same(expected[:2], got[:2]) and same((_HESSIAN[0] + _HESSIAN[1]).tolist(), got[2])
            ),
        ),
    ),
    rules=(
        "The outer grad differentiates the sum of all elements of the gradient: add up the rows of the Hessian.",
        "The seed picks rows of the Hessian: each row times its element of the seed, all added up.",
        "The seed weighs the rows of the Hessian: each row times its element of the seed, all added up.",
    ),
    hints=(
        "The gradient is [v1**2 + v2, 2 * v0 * v1, v0]. Differentiate each of its elements: that is one row.",
        "The Hessian at this place has the rows [0, 4, 1], [4, 2, 0], [1, 0, 0].",
        "Item 0 is the sum of the rows. Item 1 is the first row. Item 2 is the first row minus the second one.",
    ),
    solution="answer = [[5.0, 6.0, 1.0], [0.0, 4.0, 1.0], [-4.0, 2.0, 1.0]]",
    wrong_answers=(
        WrongAnswer("the matrix", "answer = [[0, 4, 1], [4, 2, 0], [1, 0, 0]]", "whole-matrix"),
        WrongAnswer("the diagonal", "answer = [[0, 2, 0], [0, 4, 1], [-4, 2, 1]]", "diagonal"),
        WrongAnswer("always the sum", "answer = [[5, 6, 1], [5, 6, 1], [5, 6, 1]]", "cotangent-ignored"),
        WrongAnswer("rows added", "answer = [[5, 6, 1], [0, 4, 1], [4, 6, 1]]", "sign-lost"),
        WrongAnswer("the gradient", "answer = [[7, 4, 1], [0, 4, 1], [-4, 2, 1]]", "value"),
        WrongAnswer("one list", "answer = [5, 6, 1]", "structure"),
    ),
)


# ---- backward-again ----


def _backward_again():
    x = torch.tensor(2.0, requires_grad=True)
    (x**3).backward(create_graph=True)
    seen = [x.grad.item()]
    x.grad.backward()
    seen.append(x.grad.item())
    for loss in (lambda g: g, lambda g: g**2):
        x = torch.tensor(2.0, requires_grad=True)
        (g,) = torch.autograd.grad(x**3, x, create_graph=True)
        loss(g).backward()
        seen.append(x.grad.item())
    return seen


AGAIN = Exercise(
    name="backward-again",
    notebook=NOTEBOOK,
    title="What is in .grad now?",
    points=2,
    statement="""Predict the four numbers. Answer with a list of four.

```python
x = torch.tensor(2.0, requires_grad=True)
(x**3).backward(create_graph=True)
print(x.grad.item())                                       # item 0
x.grad.backward()
print(x.grad.item())                                       # item 1

x = torch.tensor(2.0, requires_grad=True)
(g,) = torch.autograd.grad(x**3, x, create_graph=True)
g.backward()
print(x.grad.item())                                       # item 2

x = torch.tensor(2.0, requires_grad=True)
(g,) = torch.autograd.grad(x**3, x, create_graph=True)
(g**2).backward()
print(x.grad.item())                                       # item 3
```""",
    reference=_backward_again,
    misconceptions=(
        Misconception(
            "replaced",
            "Item 1 is a sum: backward adds the second derivative to the first one, which is still in .grad.",
            lambda inputs, expected, got: same(12.0, got[1]) and same(expected[0], got[0]),
        ),
        Misconception(
            "grad-stores",
            "torch.autograd.grad stores nothing, so in item 2 .grad starts empty: only the second derivative is in it.",
            lambda inputs, expected, got: same(24.0, got[2]),
        ),
        Misconception(
            "value-of-the-square",
            "Item 3: g**2 is 144, but .grad holds its gradient. The chain rule: 2 * g, times the derivative of g.",
            lambda inputs, expected, got: same(144.0, got[3]) or same(24.0, got[3]),
        ),
    ),
    rules=(
        "Differentiate x**3 once, at this x.",
        "The second derivative is added to what is in .grad already.",
        "autograd.grad leaves .grad alone, so it holds what the last backward brought, and nothing else.",
        "The derivative of g**2 is twice g, times the derivative of g.",
    ),
    hints=(
        "The derivatives of x**3 at 2 are 12, 12, 6.",
        "backward adds to .grad. torch.autograd.grad leaves .grad alone.",
        "Item 3: the gradient of g**2 is 2 * 12 * 12.",
    ),
    solution="answer = [12.0, 24.0, 12.0, 288.0]",
    wrong_answers=(
        WrongAnswer("replaced", "answer = [12, 12, 12, 288]", "replaced"),
        WrongAnswer("always added", "answer = [12, 24, 24, 288]", "grad-stores"),
        WrongAnswer("the square itself", "answer = [12, 24, 12, 144]", "value-of-the-square"),
        WrongAnswer("g forgotten", "answer = [12, 24, 12, 24]", "value-of-the-square"),
        WrongAnswer("three", "answer = [12, 24, 12]", "structure"),
    ),
)

EXERCISES = (NESTED, ROWS, AGAIN)
