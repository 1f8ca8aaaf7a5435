"""A picture's function is run again with other numbers, of the kind that the argument is."""

import autograd.numpy as np
import numpy as onp
import pytest

import labkit.mindspore as ms
import labkit.torch as torch
from labkit.widgets.explorer.run.rerun import MOST_ENTRIES, Rerun


def test_the_numbers_of_floating_point_among_the_arguments_can_be_changed():
    again = Rerun(lambda x, w, n, t: x, [1.5, onp.array([[1.0, 2.0]]), 4, torch.tensor(2.0)])
    assert again.entries == {"x": 1.5, "w[0, 0]": 1.0, "w[0, 1]": 2.0, "t": 2.0}
    assert Rerun(lambda x: x, [onp.ones(MOST_ENTRIES + 1)]).entries == {}


@pytest.mark.parametrize("old", [1.5, onp.array(1.5, "float16"), torch.tensor(1.5), ms.Tensor(1.5, ms.float32)])
def test_the_argument_stays_of_its_kind_and_the_first_one_as_it_was(old):
    again = Rerun(lambda x: x * 2, [old], program=False)
    first, second = again.story(), (other := again.beside({"x": 2.5})).story()
    assert first.leaves[0].dtype == second.leaves[0].dtype
    assert float(second.nodes[-1].value) == 5.0 and type(other.args[0]) in (type(old), onp.ndarray)
    assert again.entries == {"x": 1.5}


def test_one_number_of_an_array_and_what_cannot_be_changed():
    again = Rerun(lambda x, n: np.sum(x * n), [onp.array([1.0, 2.0]), 3], program=False)
    assert float(again.beside({"x[1]": 5.0}).story().nodes[-1].value) == 18.0
    with pytest.raises(KeyError, match=r"expected some of x\[0\], x\[1\], but got 'n'"):
        again.beside({"n": 4.0})
