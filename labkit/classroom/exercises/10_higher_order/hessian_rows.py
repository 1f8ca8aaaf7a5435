"""# Which rows? (2 points)

The function is `f(v) = v[0] * v[1]**2 + v[0] * v[2]`, the place `v = [1, 2, 3]`. Work out its Hessian there.
Then predict three vectors. Answer with a list of three lists of three numbers.

0. `ms.grad(ms.grad(f))(v)`
1. `ms.grad(ms.grad(f), sens_param=True)(v, ms.Tensor([1.0, 0.0, 0.0]))`
2. `ms.grad(ms.grad(f), sens_param=True)(v, ms.Tensor([1.0, -1.0, 0.0]))`
"""

from labkit import mindspore as ms
from labkit.classroom.writing import judged, same, wrong

answer = [[5.0, 6.0, 1.0], [0.0, 4.0, 1.0], [-4.0, 2.0, 1.0]]
rules = (
    "The outer grad differentiates the sum of all elements of the gradient: add up the rows of the Hessian.",
    "The seed picks rows of the Hessian: each row times its element of the seed, all added up.",
    "The seed weighs the rows of the Hessian: each row times its element of the seed, all added up.",
)
hints = (
    "The gradient is [v1**2 + v2, 2 * v0 * v1, v0]. Differentiate each of its elements: that is one row.",
    "The Hessian at this place has the rows [0, 4, 1], [4, 2, 0], [1, 0, 0].",
    "Item 0 is the sum of the rows. Item 1 is the first row. Item 2 is the first row minus the second one.",
)


def _function(v):
    return v[0] * v[1] ** 2 + v[0] * v[2]


def reference():
    at, gradient = ms.Tensor([1.0, 2.0, 3.0]), ms.grad(_function)

    def along(v):
        return ms.grad(gradient, sens_param=True)(at, ms.Tensor(v)).asnumpy().tolist()

    return [ms.grad(gradient)(at).asnumpy().tolist(), along([1.0, 0.0, 0.0]), along([1.0, -1.0, 0.0])]


whole_matrix = wrong(
    "Item 0 is not the Hessian: grad gives one vector of the shape of its input. The rows have been added up.",
    {0: [[0, 4, 1], [4, 2, 0], [1, 0, 0]], 1: [4, 2, 0]},
    answer=[[0, 4, 1], [4, 2, 0], [1, 0, 0]],
)

diagonal = wrong(
    "Item 0 is not the diagonal. grad adds up all elements of the inner gradient, so whole rows are added up, "
    "with what stands beside the diagonal.",
    {0: [0, 2, 0]},
)

cotangent_ignored = wrong(
    "You gave the same answer for every cotangent. With sens_param, the rows are weighted with it before they "
    "are added up.",
    when=lambda inputs, expected, got: same([got[0]] * 3, got),
    answer=[[5, 6, 1], [5, 6, 1], [5, 6, 1]],
)

sign_lost = wrong("In item 2 the second row counts -1: take it away, do not add it.", {2: [4, 6, 1]})

the_gradient = judged("value", [[7, 4, 1], [0, 4, 1], [-4, 2, 1]])
one_list = judged("structure", [5, 6, 1])
