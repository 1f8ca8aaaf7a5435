"""The program of a run is written by a second run that nobody notices, or the story says why there is none."""

import random

import autograd.numpy as np
import pytest

import labkit.mindspore as ms
from labkit.mindspore import nn
from labkit.widgets.explorer.run.recorded import MOST_WITH_PROGRAM, of_function


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(3, 2)

    def construct(self, x):
        return ms.ops.tanh(self.fc(x)).sum()


def test_a_cells_program_takes_its_parameters():
    story = of_function(Net(), [ms.Tensor([[1.0, 2.0, 3.0]])])
    assert "def program(x, fc_weight, fc_bias):" in story.program


def test_the_second_run_is_not_noticed(capsys):
    def noisy(x):
        print("once")
        return x * 2

    np.random.seed(3)
    random.seed(3)
    before = np.random.get_state()[1].copy(), random.getstate()
    of_function(noisy, [1.0])
    assert capsys.readouterr().out == "once\n"
    assert (np.random.get_state()[1] == before[0]).all() and random.getstate() == before[1]


@pytest.mark.parametrize(
    "fun, words",
    [
        (lambda x: x * 2 if x > 0 else x, "branch or loop on a tensor's value"),
        (lambda x: x * np.random.rand(), "draw random numbers"),
        (lambda x: x * float(str(x)[:0] or 2), ""),
    ],
)
def test_where_there_can_be_no_program_the_reason_is_told_and_the_rest_is_there(fun, words):
    story = of_function(fun, [1.5])
    assert len(story.steps) == 1
    if words:
        assert story.program == "" and words in story.no_program


def test_numbers_drawn_by_the_first_run_are_drawn_once():
    np.random.seed(5)
    story = of_function(lambda x: x * np.random.rand(), [1.0])
    np.random.seed(5)
    assert float(story.nodes[-1].value) == np.random.rand()
    following = np.random.rand()
    np.random.seed(5)
    of_function(lambda x: x * np.random.rand(), [1.0])
    assert np.random.rand() == following


def test_a_second_run_that_fails_leaves_the_story():
    runs = []

    def once(x):
        if runs:
            raise OSError("only once")
        runs.__iadd__([1])
        return x * 2

    story = of_function(once, [1.0])
    assert story.program == "" and story.no_program and len(story.steps) == 1


def test_a_very_long_run_has_no_program():
    def deep(x):
        for _ in range(MOST_WITH_PROGRAM + 1):
            x = np.sin(x)
        return x

    assert "more than" in of_function(deep, [1.0]).no_program
    assert of_function(np.sin, [1.0], program=False).no_program == ""
