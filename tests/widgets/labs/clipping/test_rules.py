"""The rules of clipping agree with their formulas, and length and angle measure what they do."""

import numpy as np
import pytest

import labkit.torch as torch
from labkit.widgets.labs.clipping.rules import angle, by_global_norm, by_value, each_by_norm, length

GRADIENTS = [np.array([[3.0, -4.0], [0.5, 1.0]]), np.array([12.0]), np.array(-0.25)]
FLAT = np.concatenate([np.ravel(g) for g in GRADIENTS])


@pytest.mark.parametrize("limit", [0.1, 2.0, 100.0])
def test_the_global_norm_is_one_factor_for_all(limit):
    factor = min(1.0, limit / np.linalg.norm(FLAT))
    for before, after in zip(GRADIENTS, by_global_norm(GRADIENTS, limit), strict=True):
        assert np.allclose(after, before * factor)


@pytest.mark.parametrize("limit", [0.1, 2.0, 100.0])
def test_a_norm_each_is_a_factor_each(limit):
    for before, after in zip(GRADIENTS, each_by_norm(GRADIENTS, limit), strict=True):
        assert np.allclose(after, before * min(1.0, limit / np.linalg.norm(before)), atol=1e-5)


@pytest.mark.parametrize("limit", [0.1, 2.0, 100.0])
def test_by_value_limits_every_element(limit):
    for before, after in zip(GRADIENTS, by_value(GRADIENTS, limit), strict=True):
        assert np.allclose(after, np.clip(before, -limit, limit))


def test_the_other_dialect_clips_alike():
    parameters = [torch.nn.Parameter(torch.tensor(g)) for g in GRADIENTS]
    for parameter, gradient in zip(parameters, GRADIENTS, strict=True):
        parameter.grad = torch.tensor(gradient)
    torch.nn.utils.clip_grad_norm_(parameters, 2.0)
    for parameter, ours in zip(parameters, by_global_norm(GRADIENTS, 2.0), strict=True):
        assert np.allclose(parameter.grad.numpy(), ours, atol=1e-5)


def test_shapes_stay():
    for rule in (by_global_norm, each_by_norm, by_value):
        assert [g.shape for g in rule(GRADIENTS, 1.0)] == [g.shape for g in GRADIENTS]


def test_clipping_twice_is_clipping_once():
    for rule in (by_global_norm, each_by_norm, by_value):
        once = rule(GRADIENTS, 1.0)
        assert np.allclose(length(rule(once, 1.0)), length(once), rtol=1e-5)


def test_a_longer_or_shorter_gradient_is_not_turned():
    assert angle(GRADIENTS, [0.1 * g for g in GRADIENTS]) == 0
    assert angle(GRADIENTS, [-g for g in GRADIENTS]) == pytest.approx(180)


def test_the_angle_is_that_of_the_cosine():
    after = by_value(GRADIENTS, 1.0)
    flat = np.concatenate([np.ravel(g) for g in after])
    cosine = FLAT @ flat / np.linalg.norm(FLAT) / np.linalg.norm(flat)
    assert angle(GRADIENTS, after) == pytest.approx(np.degrees(np.arccos(cosine)))


def test_what_is_zero_or_not_finite_has_an_angle_to_say():
    assert angle([np.zeros(2)], [np.ones(2)]) == 0
    assert np.isnan(angle([np.ones(2)], [np.array([np.nan, 1.0])]))
    assert length([np.zeros(0)]) == 0


def test_lengths_whose_squares_overflow_are_measured():
    assert length([np.array([3e200, 4e200])]) == pytest.approx(5e200)
    assert length([np.array([3e-200, 4e-200])]) == pytest.approx(5e-200)
