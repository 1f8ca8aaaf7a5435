"""Convolution and pooling in any number of dimensions; windows as columns; images at any place."""

import numpy as np
import pytest

import labkit.torch as torch

F, nn = torch.nn.functional, torch.nn


def drawn(*shape):
    return torch.tensor(np.random.default_rng(0).normal(size=shape))


@pytest.mark.parametrize("dims", [1, 2, 3])
@pytest.mark.parametrize(
    "name, how", [("max_pool{}d", (2,)), ("avg_pool{}d", (2, 1, 1)), ("max_pool{}d", (3, 2, 1, 1, True)),
                  ("lp_pool{}d", (2.0, 2)), ("adaptive_avg_pool{}d", (2,)), ("adaptive_max_pool{}d", (2,))]
)  # fmt: skip
def test_a_slope_of_pooling_is_that_of_small_steps(name, how, dims):
    pool = getattr(F, name.format(dims))
    assert torch.autograd.gradcheck(lambda x: pool(x, *how), (drawn(1, 2, *(4, 3, 5)[:dims]).abs().requires_grad_(),))


@pytest.mark.parametrize("dims", [1, 2, 3])
@pytest.mark.parametrize("transposed", [False, True])
def test_convolutions_have_the_slopes_of_small_steps_twice(dims, transposed):
    convolve = getattr(F, f"conv_transpose{dims}d" if transposed else f"conv{dims}d")
    x, w = drawn(1, 2, *(3, 4, 3)[:dims]).requires_grad_(), drawn(2, 2, *(2, 2, 1)[:dims]).requires_grad_()
    given = x, w, drawn(2).requires_grad_()
    assert torch.autograd.gradcheck(lambda *a: convolve(*a, stride=2, padding=1), given)
    assert torch.autograd.gradgradcheck(lambda x, w: convolve(x, w), given[:2])


def test_a_volume_of_depth_1_is_an_image():
    x, w = drawn(2, 3, 5, 6), drawn(4, 3, 2, 2)
    flat = F.conv3d(x.unsqueeze(2), w.unsqueeze(2), padding=(0, 1, 1)).squeeze(2)
    assert torch.allclose(flat, F.conv2d(x, w, padding=1))
    assert torch.equal(F.max_pool3d(x.unsqueeze(2), (1, 2, 2)).squeeze(2), F.max_pool2d(x, 2))
    layer = nn.Conv3d(3, 4, (1, 3, 3), stride=2)
    assert layer(x.float().unsqueeze(2)).shape == (2, 4, 1, 2, 2)
    assert repr(layer) == "Conv3d(3, 4, kernel_size=(1, 3, 3), stride=(2, 2, 2))"
    assert nn.LazyConv3d(4, 1)(x.float().unsqueeze(2)).shape == (2, 4, 1, 5, 6)


@pytest.mark.parametrize("dims", [1, 2, 3])
def test_what_is_unpooled_stands_where_it_was_and_the_rest_is_0(dims):
    x = drawn(2, 3, *(4, 6, 2)[:dims]).requires_grad_()
    pool, unpool = getattr(nn, f"MaxPool{dims}d")(2, return_indices=True), getattr(nn, f"MaxUnpool{dims}d")(2)
    made = unpool(*pool(x))
    assert ((made == x) | (made == 0)).all() and (made != 0).sum() == pool(x)[0].numel()
    made.sum().backward()
    assert torch.equal(x.grad != 0, made != 0)
    with pytest.raises(RuntimeError, match="Found an invalid max index"):
        unpool(torch.ones(1, 1, *(1,) * dims), torch.full((1, 1, *(1,) * dims), 99))


def test_columns_of_windows_times_the_weight_are_the_convolution():
    x, w = drawn(2, 3, 5, 6), drawn(4, 3, 2, 3)
    columns = F.unfold(x, (2, 3), padding=1, stride=2)
    assert torch.allclose((w.reshape(4, -1) @ columns).reshape(2, 4, 3, 3), F.conv2d(x, w, padding=1, stride=2))
    ones = F.fold(F.unfold(torch.ones(1, 1, 3, 3), 2), (3, 3), 2)
    assert ones.tolist() == [[[[1, 2, 1], [2, 4, 2], [1, 2, 1]]]]
    assert torch.autograd.gradcheck(lambda x: nn.Fold((5, 6), 2)(nn.Unfold(2)(x)), (x.requires_grad_(),))


def test_windows_along_a_dimension_are_a_view():
    x = torch.arange(7.0)
    seen = x.unfold(0, 2, 2)
    assert seen.tolist() == [[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]]
    seen[1] = 9.0
    assert x.tolist() == [0.0, 1.0, 9.0, 9.0, 4.0, 5.0, 6.0]
    assert torch.autograd.gradgradcheck(lambda x: x.unfold(1, 3, 2) ** 2, (drawn(2, 6).requires_grad_(),))


@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
@pytest.mark.parametrize("beyond", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("align", [False, True])
def test_an_image_at_any_place_has_the_slopes_of_small_steps(mode, beyond, align):
    x, grid = drawn(1, 2, 3, 4).requires_grad_(), (drawn(1, 2, 3, 2) * 0.9).requires_grad_()
    assert torch.autograd.gradcheck(lambda x, g: F.grid_sample(x, g, mode, beyond, align), (x, grid))


def test_the_places_of_the_identity_give_the_image_back():
    x, same = drawn(2, 1, 4, 5), torch.eye(2, 3, dtype=torch.float64).repeat(2, 1, 1)
    for align in (False, True):
        grid = F.affine_grid(same, x.shape, align_corners=align)
        for mode in ("bilinear", "nearest", "bicubic"):
            assert torch.allclose(F.grid_sample(x, grid, mode, align_corners=align), x)
    assert torch.autograd.gradcheck(lambda t: F.affine_grid(t, (2, 1, 2, 3)), (same.requires_grad_(),))
    with pytest.raises(RuntimeError, match="expected grid to have size 2 in last dimension"):
        F.grid_sample(x, torch.zeros(2, 1, 1, 3))


def test_dropping_to_the_least_of_selu_keeps_mean_and_variance():
    torch.manual_seed(0)
    x = torch.randn(200, 100)
    for drop in (nn.AlphaDropout(0.3), nn.FeatureAlphaDropout(0.3)):
        made = drop(x)
        assert abs(made.mean()) < 0.02 and abs(made.var() - 1) < 0.03
        assert torch.equal(drop.eval()(x), x)
    assert (nn.Dropout3d(0.5)(torch.ones(4, 5, 2, 2, 2)).flatten(2).std(-1) == 0).all()


def test_a_hard_choice_has_the_gradient_of_the_soft_one():
    logits = drawn(3, 4).requires_grad_()
    torch.manual_seed(0)
    soft = F.gumbel_softmax(logits, tau=0.5)
    torch.manual_seed(0)
    hard = F.gumbel_softmax(logits, tau=0.5, hard=True)
    assert torch.equal(hard.argmax(-1), soft.argmax(-1)) and torch.allclose(hard.sum(-1), torch.ones(3).double())
    weights = drawn(4)
    slopes = [torch.autograd.grad((made * weights).sum(), logits)[0] for made in (soft, hard)]
    assert torch.allclose(*slopes)
