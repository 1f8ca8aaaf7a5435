"""A picture's function is run again with another number, of the kind that the argument is."""

import autograd.numpy as np
import numpy as onp
import pytest

import labkit.mindspore as ms
import labkit.torch as torch
from labkit.widgets.explorer.run.rerun import MOST_FIELDS, NotANumber, Rerun


def test_the_numbers_among_the_arguments_can_be_changed():
    again = Rerun(lambda x, w, n, t, s: x, [1.5, onp.ones(3), 4, torch.tensor(2.0), onp.array(-1.0, "float16")])
    assert again.values == {"x": 1.5, "n": 4, "t": 2.0, "s": -1.0}
    assert len(Rerun(lambda *a: a[0], [1.0] * 9).values) == MOST_FIELDS


@pytest.mark.parametrize(
    "words, value", [("2", 2.0), (" -2.5 ", -2.5), ("−2.5", -2.5), ("2,5", 2.5), ("1e-3", 1e-3), ("inf", np.inf)]
)
def test_a_number_may_be_written_as_people_write(words, value):
    story = Rerun(lambda x, y: x * y, [1.0, 3.0]).beside({"x": words}).story()
    assert [float(n.value) for n in story.leaves] == [value, 3.0]


@pytest.mark.parametrize(
    "old",
    [1.5, np.float32(1.5), onp.array(1.5), onp.array(1.5, "float16"), torch.tensor(1.5), ms.Tensor(1.5, ms.float32)],
)
def test_the_argument_stays_of_its_kind(old):
    seen = []
    again = Rerun(lambda x: (seen.append(x), x * 2)[1], [old], program=False)
    first, second = again.beside({"x": "1.5"}).story(), (other := again.beside({"x": "2.5"})).story()
    assert first.leaves[0].dtype == second.leaves[0].dtype
    assert float(second.nodes[-1].value) == 5.0 and type(other.args[0]) in (type(old), onp.ndarray)


def test_an_integer_takes_whole_numbers_only():
    again = Rerun(lambda n: n * 2, [3])
    assert int(again.beside({"n": "-4"}).story().nodes[-1].value) == -8
    with pytest.raises(NotANumber, match=r"a whole number is expected here, but '2.5' came"):
        again.beside({"n": "2.5"}).story()


@pytest.mark.parametrize("words", ["", "two", "1.2.3", "1 000", "0x3"])
def test_other_words_are_refused(words):
    with pytest.raises(NotANumber, match=r"a number is expected here, such as -2\.5, but"):
        Rerun(lambda x: x, [1.0]).beside({"x": words}).story()


def test_only_numbers_that_there_are_can_be_changed():
    with pytest.raises(KeyError, match="expected one of x, but got 'y'"):
        Rerun(lambda x, y: x, [1.0, onp.ones(2)]).beside({"y": "3"}).story()


def test_the_first_one_stays_as_it_was():
    again = Rerun(lambda x, y: x * (1 if y != 1 else 1 // 0), [1.0, 0.0])
    with pytest.raises(ZeroDivisionError):
        again.beside({"y": 1}).story()
    with pytest.raises(NotANumber):
        again.beside({"x": 3.0, "y": "?"})
    assert again.beside({"x": 3.0, "y": "2"}).values == {"x": 3.0, "y": 2.0}
    assert again.values == {"x": 1.0, "y": 0.0}
