"""In graph mode a name has a value: a write gives it another one, and what else has a name for the old one keeps that.

Each function's values and gradients are what MindSpore 2.10 gives.
"""

import pytest

import labkit.mindspore as ms
from labkit.mindspore import Tensor
from labkit.program import TraceError

X = [1.0, 2.0, 3.0]


def tensor(x):
    y = x * 2
    z = y
    y[0] = 5.0
    return z + y


def part_of_a_tensor(x):
    y = x * 1
    z = y
    y[1:] += 10
    return z * y


def constant(x):
    t = Tensor([1.0, 2.0, 3.0])
    u = t
    t[0] = 10.0
    return u + t + x


def in_a_list(x):
    a = [x, x * 2]
    b = a
    b[0] = x * 5
    return a[0]


def appended(x):
    a = [x]
    b = a
    b.append(x * 2)
    return len(a) * b[1]


def in_a_dictionary(x):
    d = {"k": x}
    e = d
    e["k"] = x * 3
    return d["k"]


def in_a_branch(x):
    y = x * 1
    z = y
    if x.sum() > 3:
        y[0] = 5.0
    return y + z


def in_a_loop(x):
    y = x * 1
    z = y
    for i in range(2):
        y[i] = 0.0
    return y + z


def by_a_function(x):
    def write(t):
        t[0] = 100.0
        return t

    y = x * 1
    return y + write(y)


def in_a_part_of_a_tensor(x):
    y = (x * 1).reshape((1, 3))
    z = y
    y[0][1] = 9.0
    y[0][2] *= 2
    return (y + z).sum(0)


def in_a_list_in_a_list(x):
    a = [[x], [x]]
    b = a[1]
    a[1][0] = x * 9
    return b[0] + a[1][0]


CASES = [
    (tensor, [7.0, 8.0, 12.0], [2.0, 4.0, 4.0]),
    (part_of_a_tensor, [1.0, 24.0, 39.0], [2.0, 14.0, 16.0]),
    (constant, [12.0, 6.0, 9.0], [1.0, 1.0, 1.0]),
    (in_a_list, [1.0, 2.0, 3.0], [1.0, 1.0, 1.0]),
    (appended, [2.0, 4.0, 6.0], [2.0, 2.0, 2.0]),
    (in_a_dictionary, [1.0, 2.0, 3.0], [1.0, 1.0, 1.0]),
    (in_a_branch, [6.0, 4.0, 6.0], [1.0, 2.0, 2.0]),
    (in_a_loop, [1.0, 2.0, 6.0], [1.0, 1.0, 2.0]),
    (in_a_part_of_a_tensor, [2.0, 11.0, 9.0], [2.0, 1.0, 3.0]),
    (in_a_list_in_a_list, [10.0, 20.0, 30.0], [10.0, 10.0, 10.0]),
    (by_a_function, [101.0, 4.0, 6.0], [1.0, 2.0, 2.0]),
]


@pytest.mark.parametrize(("fun", "value", "slope"), CASES, ids=[case[0].__name__ for case in CASES])
def test_a_write_is_seen_by_its_name_alone(fun, value, slope):
    compiled, x = ms.jit(fun), Tensor(X)
    assert compiled(x).tolist() == value and compiled(x).tolist() == value
    assert ms.grad(lambda x: compiled(x).sum())(x).tolist() == slope
    assert x.tolist() == X


def test_outside_of_graph_mode_both_names_see_it():
    assert tensor(Tensor(X)).tolist() == [10.0, 8.0, 12.0]


def test_a_list_from_outside_is_not_written():
    kept = []

    @ms.jit
    def keep(x):
        kept.append(x)
        return x

    with pytest.raises(TraceError, match="change a list from outside"):
        keep(Tensor(X))
    assert kept == []


def test_a_cell_with_parameters_can_be_made_in_a_compiled_function():
    @ms.jit
    def summed(x):
        return ms.nn.Dense(2, 1, weight_init="ones", bias_init="zeros")(x)

    x = ms.Tensor([[1.0, 2.0]])
    assert summed(x).asnumpy().tolist() == [[3.0]] and ms.grad(summed)(x).asnumpy().tolist() == [[1.0, 1.0]]
