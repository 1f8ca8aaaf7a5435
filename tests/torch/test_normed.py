"""Weights whose length a hook takes apart: names, values and gradients."""

import pytest

import labkit.torch as torch
from labkit.torch import nn
from labkit.torch.nn.utils import remove_spectral_norm, remove_weight_norm, spectral_norm, weight_norm


@pytest.mark.parametrize(
    "make", [lambda: nn.Linear(4, 3), lambda: nn.Conv2d(2, 3, 2), lambda: nn.ConvTranspose2d(2, 3, 2)]
)
def test_the_largest_singular_value_comes_to_one(make):
    torch.manual_seed(0)
    layer = spectral_norm(make())
    x = torch.randn(2, 4) if isinstance(layer, nn.Linear) else torch.randn(1, 2, 4, 4)
    for _ in range(40):
        layer(x)
    rows = layer.weight.movedim(1, 0) if isinstance(layer, nn.ConvTranspose2d) else layer.weight
    assert torch.linalg.matrix_norm(rows.reshape(rows.shape[0], -1), 2).item() == pytest.approx(1, abs=1e-4)
    layer(x).sum().backward()
    assert layer.weight_orig.grad.shape == layer.weight_orig.shape
    layer.eval()
    before, u = layer(x), layer.weight_u.clone()
    assert layer.weight_u.equal(u)
    assert remove_spectral_norm(layer)(x).equal(before)
    assert [name for name, _ in layer.named_parameters()] == ["bias", "weight"]


def test_a_weight_is_its_length_times_its_direction():
    layer = nn.Linear(2, 2)
    x, before = torch.randn(3, 2), layer.weight.detach().clone()
    assert torch.allclose(weight_norm(layer).weight, before)
    with torch.no_grad():
        layer.weight_g.mul_(2)
    layer(x).sum().backward()
    assert torch.allclose(layer.weight, 2 * before)
    assert torch.allclose(
        (layer.weight_v.grad * layer.weight_v).sum(1), torch.zeros(2), atol=1e-6
    )  # across the direction
    assert torch.allclose(remove_weight_norm(layer).weight, 2 * before)


def test_twice_or_never():
    for put, away in ((spectral_norm, remove_spectral_norm), (weight_norm, remove_weight_norm)):
        with pytest.raises(RuntimeError, match=f"Cannot register two {put.__name__} hooks"):
            put(put(nn.Linear(1, 1)))
        with pytest.raises(ValueError, match=f"{put.__name__} of 'weight' not found"):
            away(nn.Linear(1, 1))
