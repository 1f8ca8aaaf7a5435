"""Distributions of the gamma family, of counts, and mixtures: the real PyTorch's numbers from one seed."""

import pytest

import labkit.torch as torch
import labkit.torch.distributions as D

T = torch.tensor
# what PyTorch 2.13 draws after manual_seed(1), and its log_prob at the value beside it
DRAWN = {
    "D.Beta(T([0.7, 2.0, 5.0]), T([1.5, 0.4, 3.0])), 0.3": (
        [0.3925, 0.93081, 0.5377, 0.50869, 0.99991, 0.73408],
        [0.13972, -1.56979, -0.87528],
    ),
    "D.Gamma(T([0.5, 2.0, 20.0]), T([1.0, 0.5, 2.0])), 1.3": (
        [1.14334, 5.56411, 11.86369, 0.37203, 1.51947, 9.70474],
        [-2.00355, -1.77393, -23.09202],
    ),
    "D.Chi2(T([1.0, 3.5])), 2.0": (
        [2.28668, 4.92058, 0.2756, 3.8425],
        [-2.26551, -1.60875],
    ),
    "D.Dirichlet(T([0.5, 1.5, 3.0])), T([0.2, 0.3, 0.5])": (
        [0.15034, 0.28034, 0.56932, 0.10979, 0.131, 0.75921],
        [0.84976],
    ),
    "D.Poisson(T([0.5, 4.0, 30.0])), 3.0": (
        [0.0, 2.0, 31.0, 0.0, 6.0, 21.0],
        [-4.3712, -1.63288, -21.58817],
    ),
    "D.StudentT(T([1.5, 3.0]), T([0.0, 1.0]), 2.0), 0.7": (
        [1.19688, 1.45046, 0.21834, 2.44788],
        [-1.86793, -1.70898],
    ),
    "D.Cauchy(T([0.0, 1.0]), T([1.0, 2.0])), 0.4": (
        [-5.14955, -1.34835, -1.10418, -2.2159],
        [-1.29315, -1.92405],
    ),
    "D.HalfNormal(T([1.0, 2.0])), 0.4": (
        [0.66135, 0.53385, 0.06168, 1.24263],
        [-0.30579, -0.93894],
    ),
    "D.Geometric(T([0.2, 0.7])), 2.0": (
        [1.0, 1.0, 4.0, 0.0],
        [-2.05573, -2.76462],
    ),
    "D.MixtureSameFamily(D.Categorical(T([0.2, 0.8])), D.Normal(T([-1.0, 2.0]), T([0.5, 1.0]))), 0.4": (
        [-0.96916, 1.83387],
        [-2.38702],
    ),
    "D.HalfCauchy(T([1.0, 2.0])), 0.4": ([5.14955, 2.34835, 1.10418, 3.2159], [-0.6, -1.18395]),
    "D.Weibull(T([1.0, 2.0]), 1.5), 0.4": ([0.15832, 0.80281, 0.41454, 0.67236], [-0.30566, -1.18184]),
    "D.Pareto(T([1.0, 0.5]), 3.0), 1.4": ([1.02122, 0.54423, 1.09305, 0.53357], [-0.24728, -2.32672]),
    "D.LogisticNormal(T([0.1, 0.2]), T([0.5, 1.0])), T([0.2, 0.3, 0.5])": (
        [0.43476, 0.34743, 0.21781, 0.36301, 0.4424, 0.19459],
        [0.85103],
    ),
    "D.Binomial(10, T([0.2, 0.7])), 3.0": ([0.0, 8.0, 1.0, 5.0], [-1.60283, -4.71034]),
    "D.Binomial(T([400.0, 90.0]), logits=T([0.2, -0.7])), 30.0": ([240.0, 26.0, 218.0, 29.0], [-209.28516, -2.4205]),
    "D.NegativeBinomial(5.0, T([0.2, 0.7])), 3.0": ([2.0, 10.0, 0.0, 5.0], [-2.38868, -3.53454]),
    "D.Multinomial(4, T([0.2, 0.3, 0.5])), T([1.0, 1.0, 2.0])": ([1.0, 2.0, 1.0, 2.0, 1.0, 1.0], [-1.7148]),
    "D.RelaxedBernoulli(T(0.5), T([0.2, 0.7])), 0.3": ([0.37916, 0.44988, 0.02771, 0.97661], [-0.74204, -0.89805]),
    "D.RelaxedOneHotCategorical(T(0.5), logits=T([0.1, 0.3, 0.5])), T([0.2, 0.3, 0.5])": (
        [0.78228, 0.05527, 0.16245, 0.19036, 0.00217, 0.80748],
        [-0.4835],
    ),
}


@pytest.mark.parametrize("code", DRAWN)
def test_samples_and_densities_are_those_of_pytorch(code):
    samples, densities = DRAWN[code]
    distribution, value = eval(code, {"D": D, "T": T})
    torch.manual_seed(1)
    assert distribution.sample((2,)).flatten().tolist() == pytest.approx(samples, rel=1e-5, abs=1e-5)
    assert distribution.log_prob(torch.as_tensor(value)).flatten().tolist() == pytest.approx(
        densities, rel=1e-4, abs=1e-5
    )


@pytest.mark.parametrize("kind, given", [(D.Gamma, (3.0, 2.0)), (D.Beta, (2.0, 3.0))])
def test_gradients_through_samples_are_those_of_the_mean(kind, given):
    """The mean of many samples depends on the parameters as the mean does."""
    leaves = [torch.tensor(v, requires_grad=True) for v in given]
    torch.manual_seed(0)
    kind(*leaves).rsample((800,)).mean().backward()
    exact = [torch.tensor(v, requires_grad=True) for v in given]
    kind(*exact).mean.sum().backward()
    for got, expected in zip(leaves, exact, strict=True):
        assert got.grad.item() == pytest.approx(0.0 if expected.grad is None else expected.grad.item(), abs=0.08)


def test_a_shape_s_gradient_is_the_slope_of_the_quantile():
    """-(dF/da) / (dF/dx) is how x moves where F stays: for a = 1, F = 1 - exp(-x); near it by differences of F's integral."""
    a = torch.ones(1, requires_grad=True)
    torch.manual_seed(0)
    x = torch._standard_gamma(a)
    x.sum().backward()
    grid = torch.linspace(0, 1, 200_001, dtype=torch.float64)[1:] * x.double()

    def below(shape):
        return (
            torch.trapezoid(grid ** (shape - 1) * (-grid).exp(), grid).item() / torch.exp(torch.lgamma(T(shape))).item()
        )

    slope = -(below(1.01) - below(0.99)) / 0.02 / (-x).exp().item()
    assert a.grad.item() == pytest.approx(slope, rel=2e-3)


PAIRS = {  # of PyTorch
    "D.Beta(2.0, 3.0), D.Beta(1.0, 0.5)": 0.6363, "D.Gamma(2.0, 3.0), D.Gamma(1.0, 0.5)": 0.5479,
    "D.Poisson(2.0), D.Poisson(3.0)": 0.1891,
    "D.Gamma(2.0, 3.0), D.Exponential(0.5)": 0.5479, "D.Exponential(2.0), D.Gamma(1.0, 0.5)": 0.6363,
    "D.Geometric(0.2), D.Geometric(0.5)": 0.9637, "D.Cauchy(0.0, 1.0), D.Cauchy(2.0, 1.0)": 0.6931,
    "D.HalfNormal(1.0), D.HalfNormal(2.0)": 0.3181, "D.Binomial(5, 0.3), D.Binomial(5, 0.6)": 0.9189,
}  # fmt: skip


@pytest.mark.parametrize("code", PAIRS)
def test_how_far_two_are_apart(code):
    assert D.kl_divergence(*eval(code, {"D": D})).item() == pytest.approx(PAIRS[code], abs=1e-4)


TRANSFORMS = [
    D.AffineTransform(1.0, -2.0), D.ExpTransform(), D.TanhTransform(), D.SigmoidTransform(), D.SoftplusTransform(),
    D.ComposeTransform([D.ExpTransform(), D.PowerTransform(2.0)]), D.SigmoidTransform().inv.inv,
]  # fmt: skip


@pytest.mark.parametrize("transform", TRANSFORMS, ids=repr)
def test_a_transform_finds_back_and_knows_its_slope(transform):
    x = T([-0.7, 0.1, 0.9], dtype=torch.float64, requires_grad=True)
    y = transform(x)
    (slope,) = torch.autograd.grad(y.sum(), x)
    assert torch.allclose(transform.inv(y), x)
    assert torch.allclose(transform.log_abs_det_jacobian(x, y), slope.abs().log())


def test_the_stick_is_broken_into_shares_that_sum_to_one():
    stick, x = D.StickBreakingTransform(), T([0.3, -0.3])
    y = stick(x)
    assert y.sum().item() == pytest.approx(1) and torch.allclose(stick.inv(y), x, atol=1e-6)
    slopes = torch.func.jacrev(lambda x: stick(x)[:-1])(x)
    assert stick.log_abs_det_jacobian(x, y).item() == pytest.approx(slopes.det().log().item(), abs=1e-5)


def test_a_transformed_distribution_has_the_density_of_what_its_samples_become():
    narrow = D.TransformedDistribution(D.Normal(0.3, 1.2), [D.ExpTransform()])
    assert narrow.log_prob(T(2.0)) == pytest.approx(D.LogNormal(0.3, 1.2).log_prob(T(2.0)).item())
    turned = D.TransformedDistribution(D.Normal(0.0, 1.0), [D.AffineTransform(1.0, -2.0)])
    assert turned.cdf(T(0.0)).item() == pytest.approx(D.Normal(1.0, 2.0).cdf(T(0.0)).item())
    wide = D.TransformedDistribution(D.Normal(torch.zeros(3), 1.0), [D.StickBreakingTransform()])
    assert (wide.batch_shape, wide.event_shape, wide.sample((5,)).shape) == ((), (4,), (5, 4))
    with pytest.raises(ValueError, match="must be a Transform or a list"):
        D.TransformedDistribution(D.Normal(0.0, 1.0), [3])


@pytest.mark.parametrize("region", ["positive", "unit_interval", "simplex", "real_vector", "lower_cholesky"])
def test_all_numbers_are_led_into_the_region_of_a_constraint(region):
    constraint, x = getattr(D.constraints, region), torch.linspace(-2, 2, 9).reshape(3, 3)
    assert constraint.check(D.transform_to(constraint)(x)).all()


@pytest.mark.parametrize(
    ("p", "q", "expected"),
    [
        (D.Gumbel(0.0, 1.0), D.Gumbel(1.0, 2.0), 0.365681),
        (D.Normal(0.3, 1.2), D.Laplace(-0.4, 0.7), 0.32935),
        (D.Normal(0.3, 1.2), D.Gumbel(0.2, 0.9), 0.581121),
        (D.Beta(2.0, 0.7), D.Normal(0.3, 1.2), 1.591727),
        (D.Exponential(1.5), D.Gamma(2.0, 0.7), 1.568162),
        (D.TransformedDistribution(D.Normal(0.0, 1.0), [D.ExpTransform()]),
         D.TransformedDistribution(D.Normal(1.0, 1.0), [D.ExpTransform()]), 0.5),
    ],
)  # fmt: skip
def test_how_far_two_kinds_of_distributions_are_apart(p, q, expected):
    assert D.kl_divergence(p, q).item() == pytest.approx(expected, abs=1e-5)
