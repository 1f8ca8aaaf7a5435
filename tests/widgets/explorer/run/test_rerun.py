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
    story = Rerun(lambda x, y: x * y, [1.0, 3.0]).run("x", words)
    assert [float(n.value) for n in story.leaves] == [value, 3.0]


@pytest.mark.parametrize(
    "old",
    [1.5, np.float32(1.5), onp.array(1.5), onp.array(1.5, "float16"), torch.tensor(1.5), ms.Tensor(1.5, ms.float32)],
)
def test_the_argument_stays_of_its_kind(old):
    seen = []
    again = Rerun(lambda x: (seen.append(x), x * 2)[1], [old], program=False)
    first, second = again.run("x", "1.5"), again.run("x", "2.5")
    assert first.leaves[0].dtype == second.leaves[0].dtype
    assert float(second.nodes[-1].value) == 5.0 and type(again.args[0]) in (type(old), onp.ndarray)


def test_an_integer_takes_whole_numbers_only():
    again = Rerun(lambda n: n * 2, [3])
    assert int(again.run("n", "-4").nodes[-1].value) == -8
    with pytest.raises(NotANumber, match=r"a whole number is expected here, but '2.5' came"):
        again.run("n", "2.5")


@pytest.mark.parametrize("words", ["", "two", "1.2.3", "1 000", "0x3"])
def test_other_words_are_refused(words):
    with pytest.raises(NotANumber, match=r"a number is expected here, such as -2\.5, but"):
        Rerun(lambda x: x, [1.0]).run("x", words)


def test_only_numbers_that_there_are_can_be_changed():
    with pytest.raises(KeyError, match="expected one of x, but got 'y'"):
        Rerun(lambda x, y: x, [1.0, onp.ones(2)]).run("y", "3")


def test_what_fails_is_not_kept():
    again = Rerun(lambda x: 1 / (x - 2), [1.0])
    with pytest.raises(ZeroDivisionError):
        Rerun(lambda x: 1 / 0, [1.0]).run("x", "2")
    with pytest.raises(NotANumber):
        again.run("x", "?")
    assert again.args == [1.0]
    again.run("x", "3")
    assert again.values == {"x": 3.0}
