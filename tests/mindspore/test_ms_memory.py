"""What shares memory, as in the real MindSpore 2.10: expected values are what it gives."""

import numpy as np
import pytest

from labkit.mindspore import Parameter, Tensor, grad, nn, ops


def made():
    return Parameter(Tensor([1.0, 2.0, 3.0]), name="p")


WRITES = {
    "data": lambda p: p.data.__setitem__(0, 5.0),
    "item": lambda p: p.__setitem__(0, 5.0),
    "assign": lambda p: ops.assign(p, Tensor([5.0, 2.0, 3.0])),
    "optimizer": lambda p: nn.SGD([p], 1.0)((Tensor([-4.0, 0.0, 0.0]),)),
}


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_a_write_is_seen_by_data_arrays_and_views_but_not_by_the_value(write):
    p = made()
    sharing = [p.data, p.asnumpy(), Tensor(p), p[0:2], p.reshape((3, 1)), p[0]]
    copies = [p.value(), p.clone(), p.copy(), p * 1]
    write(p)
    assert [float(np.ravel(np.asarray(s))[0]) for s in (p, *sharing)] == [5.0] * 7
    assert [float(c.asnumpy()[0]) for c in copies] == [1.0] * 4


def test_set_data_shares_with_what_is_given_and_leaves_those_who_had_the_memory_before():
    p, given = made(), Tensor([4.0, 5.0, 6.0])
    before = p.data
    p.set_data(given)
    p[0] = 9.0
    assert (given.tolist(), before.tolist()) == ([9, 5, 6], [1, 2, 3])
    p.data = Tensor([0.0, 0.0, 1.0])
    assert (p.asnumpy().tolist(), given.tolist()) == ([0, 0, 1], [9, 5, 6])


def test_elements_are_views_so_that_a_swap_writes_one_twice():
    x = Tensor([1.0, 2.0, 3.0])
    x[0], x[1] = x[1], x[0]
    assert x.tolist() == [2, 2, 3]


def test_a_parameter_of_a_tensor_has_memory_of_its_own():
    given = Tensor([1.0, 2.0])
    Parameter(given, name="p")[0] = 7.0
    assert given.tolist() == [1, 2]


def test_what_is_written_while_a_derivative_runs_does_not_change_what_it_has_kept():
    held = Tensor([2.0, 3.0])

    def f(x):
        y = x * held
        held[0] = 50.0
        return y.sum()

    assert grad(f)(Tensor([1.0, 1.0])).tolist() == [2, 3] and held.tolist() == [50, 3]


def test_parameters_of_the_same_name_get_their_paths_at_the_first_call():
    class Pair(nn.Cell):
        def __init__(self, one, other):
            super().__init__(auto_prefix=False)
            self.one, self.other = one, other

        def construct(self, x):
            return self.one(x) + self.other(x)

    pair = Pair(nn.Dense(2, 2, has_bias=False), nn.Dense(2, 2, has_bias=False))
    assert [p.name for p in pair.get_parameters()] == ["weight", "weight"]
    pair(Tensor([[1.0, 2.0]]))
    assert [p.name for p in pair.get_parameters()] == ["one.weight", "other.weight"]
