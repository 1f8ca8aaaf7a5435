"""What the table says of the functions of one number is what both dialects compute."""

import numpy as np
import pytest

from labkit import mindspore as ms
from labkit import torch
from labkit.ops import FUNCTIONS

POINTS = np.array([-7.0, -2.3, -1.0, -0.6, 0.0, 0.3, 0.6, 1.0, 2.3, 5.0])


def by_mindspore(name):
    x = ms.Tensor(POINTS, ms.float32 if name == "relu6" else ms.float64)  # the real one has no ReLU6 of Float64
    return tuple(t.asnumpy() for t in ms.value_and_grad(getattr(ms.ops, name))(x))


def by_torch(name):
    x = torch.tensor(POINTS, requires_grad=True)
    value = getattr(torch, name)(x)
    value.sum().backward()
    return value.detach().numpy(), x.grad.numpy()


CASES = [
    (name, by)
    for name in FUNCTIONS
    for room, by in ((ms.ops, by_mindspore), (torch, by_torch))
    if "Derivative" in (getattr(getattr(room, name, None), "__doc__", None) or "")
]


@pytest.mark.parametrize("name, by", CASES)
def test_domain_and_derivative_are_as_the_table_says(name, by):
    function = FUNCTIONS[name]
    value, slope = by(name)
    condition = function.domain.partition(";")[0].partition(",")[0]
    there = {"all x": "True", "all x but 0": "x != 0"}.get(condition.removesuffix(" where it is infinite"), condition)
    inside = np.array([eval(there, {"x": x}) for x in POINTS])
    assert (np.isfinite(value) == inside).all()
    with np.errstate(all="ignore"):
        expected = np.broadcast_to(eval(function.slope, vars(np), {"x": POINTS}), POINTS.shape)
    np.testing.assert_allclose(slope[inside], expected[inside], rtol=1e-9)


def test_the_table_has_no_function_that_neither_dialect_has():
    rooms = (torch, torch.nn.functional, ms.ops)
    assert [name for name in FUNCTIONS if not any(hasattr(room, name) for room in rooms)] == []
