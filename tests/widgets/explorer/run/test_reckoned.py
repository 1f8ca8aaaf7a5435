"""All numbers of a run as lines: at other inputs they are what a run there gives; what decides by its numbers has none."""

import autograd.numpy as np
import numpy as onp
import pytest
from hypothesis import given, settings
from small_programs import programs

import labkit.mindspore as ms
import labkit.torch as torch
from labkit.widgets.explorer.run.reckoned import reckoned
from labkit.widgets.explorer.run.recorded import of_function


def numbers(story):
    """Values, what arrives and what is sent on, and local slopes."""
    yield from (node.value for node in story.nodes)
    for step in story.steps:
        yield step.gradient
        for sent in step.sent:
            yield from (sent.value, sent.total, sent.slope)


@settings(max_examples=40)
@given(programs(most=6))
def test_each_number_of_a_run_at_other_inputs_is_a_quantity(program):
    names = ["x", "w", "b"][: len(program.leaves)]
    fun = eval(f"lambda {', '.join(names)}: program({', '.join(names)})", {"program": program})
    inputs = [0.3 + 0.7 * i for i in range(len(names))]
    story = of_function(fun, inputs, program=False)
    lines = reckoned(fun, program.leaves, names)
    quantities = onp.array(
        [*(row[0] for row in lines.values([dict(zip(names, inputs, strict=True))])), *lines.constants, 0.0, 1.0]
    )
    for number in numbers(story):
        assert onp.isclose(quantities, float(number), 1e-12, 0.0).any(), float(number)


@pytest.mark.parametrize("fun, args", [
    (lambda x: x**3 if x > 0 else x, (1.0,)), (lambda x: x * float(x), (1.0,)), (lambda x: x * round(x), (1.0,)),
    (lambda x: x**3 if x > 0 else x, (torch.tensor(1.0),)), (lambda x: x * x.item(), (torch.tensor(1.0),)),
    (lambda x: torch.where(x > 0, x, 2 * x), (torch.tensor(1.0),)), (lambda x: x * x.detach(), (torch.tensor(1.0),)),
    (lambda x: x**3 if x > 0 else x, (ms.Tensor(1.0, ms.float32),)), (lambda x: np.sum(x * onp.ones(3)), (1.0,)),
])  # fmt: skip
def test_what_decides_by_its_numbers_or_has_arrays_has_no_lines(fun, args):
    assert reckoned(fun, args, ["x"]) is None


@pytest.mark.parametrize("fun, args", [
    (lambda x, w: torch.sigmoid(x * w) + torch.relu(x), (torch.tensor(0.5), torch.tensor(2.0))),
    (lambda x, w: torch.nn.functional.silu(x) / w, (torch.tensor(0.5), torch.tensor(2.0))),
    (lambda x, w: ms.ops.tanh(x) - w, (ms.Tensor(1.0, ms.float32), ms.Tensor(2.0, ms.float32))),
    (lambda x, w: np.where(x > w, np.exp(x), w), (0.5, 2.0)), (lambda x, w: x**w, (1.5, 2)),
])  # fmt: skip
def test_dialects_choices_and_whole_numbers_have_lines(fun, args):
    assert reckoned(fun, args, ["x", "w"])
