"""The lines of the program that belong to a node compute that node, and its derivative."""

import random
from contextlib import suppress

import autograd.numpy as np
import numpy as onp
import pytest
from drawn import drawn
from hypothesis import given
from small_programs import programs

import labkit
import labkit.mindspore as ms
from labkit.mindspore import nn
from labkit.widgets.explorer.run.recorded import MOST_WITH_PROGRAM, of_function


def executed(story, *inputs):
    """The value of each line's variable, by the line's number; lines with constant arrays, which only the program has, are
    left out, and so is what follows from them."""
    source = story.program.splitlines()
    head = next(i for i, line in enumerate(source) if line.startswith("def program("))
    names = [n.strip() for n in source[head].partition("(")[2].rpartition(")")[0].split(",")]
    space, values = {"np": onp, **dict(zip(names, inputs, strict=True))}, {}
    for number, line in enumerate(source[head + 1 :], head + 2):
        code = line.partition("  #")[0].strip()
        if " = " in code:
            with suppress(NameError):
                exec(code, space)
                values[number] = space[code.partition(" = ")[0]]
    return values


def comment(story, number):
    return story.program.splitlines()[number - 1].partition("  # ")[2]


@given(programs(ends=2))
@drawn(10)
def test_a_line_computes_the_node_that_lights_up_with_it(program):
    story = of_function(program, program.leaves)
    values = executed(story, *program.leaves)
    for node in story.nodes:
        for number in node.lines:
            assert comment(story, number).startswith(node.op)
        if node.lines:
            assert float(values[node.lines[-1]]) == pytest.approx(float(node.value))


@given(programs(ends=2))
@drawn(10)
def test_a_line_of_the_backward_half_belongs_to_the_op_whose_derivative_it_is(program):
    story = of_function(program, program.leaves)
    owners = {number: node for node in story.nodes for number in node.back_lines}
    for number, line in enumerate(story.program.splitlines(), 1):
        derived = line.partition("# backward of ")[2].partition(":")[0]
        assert (owners[number].op == derived) if derived else number not in owners


@given(programs())
@drawn(8)
def test_no_line_belongs_to_two_nodes(program):
    story = of_function(program, program.leaves)
    numbers = [number for node in story.nodes for number in (*node.lines, *node.back_lines)]
    assert len(numbers) == len(set(numbers))


def test_in_a_higher_derivative_the_inner_backward_is_part_of_the_forward_half():
    f = labkit.grad(lambda x: np.sin(x) * x**3)
    story = of_function(f, [0.7])
    values = executed(story, 0.7)
    for node in story.nodes:
        if node.lines:
            assert float(values[node.lines[-1]]) == pytest.approx(float(node.value))
    assert sum(bool(node.derives) for node in story.nodes if node.lines) >= 3


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(3, 2)

    def construct(self, x):
        return ms.ops.tanh(self.fc(x)).sum()


def test_a_cells_program_takes_its_parameters():
    story = of_function(Net(), [ms.Tensor([[1.0, 2.0, 3.0]])])
    assert "def program(x, fc_weight, fc_bias):" in story.program
    assert all(node.lines or node.back_lines for node in story.nodes if node.title in ("tanh", "dense"))


def test_comparisons_between_do_not_shift_the_lines():
    story = of_function(lambda x: (x * 2) * (x * 2 > 1) + x * 2 * (x > 0), [onp.array([0.1, 0.9])])
    values = executed(story, onp.array([0.1, 0.9]))
    for node in story.nodes:
        if node.lines:
            assert values[node.lines[-1]] == pytest.approx(node.value)


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
