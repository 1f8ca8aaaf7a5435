"""Eigenvalues, least squares, singular values: the numbers and gradients of the real PyTorch, and what holds of them."""

import pytest

import labkit.torch as torch

L = torch.linalg


def matrix(*shape):
    torch.manual_seed(0)
    return torch.randn(*shape, dtype=torch.float64, requires_grad=True)


def symmetric(x):
    return x + x.mT


WEIGHTS = torch.arange(12.0, dtype=torch.float64).reshape(4, 3).cos()
OF_TALL = {
    "pinv": L.pinv,
    "pinv of wide ones": lambda a: L.pinv(a.mT),
    "lstsq": lambda a: L.lstsq(a, WEIGHTS[:, :1]).solution,
    "qr": lambda a: (L.qr(a).Q * WEIGHTS, L.qr(a).R),
    "svdvals": L.svdvals,
    "nuclear norm": lambda a: L.matrix_norm(a, "nuc"),
    "cond": L.cond,
    "eigh": lambda a: L.eigvalsh(a.mT @ a),
    "eigenvectors": lambda a: L.eigh(a.mT @ a).eigenvectors.abs(),
    "matrix_exp": lambda a: L.matrix_exp(a.mT @ a / 4),
    "cholesky_inverse": lambda a: torch.cholesky_inverse(L.cholesky(a.mT @ a)),
}


@pytest.mark.parametrize("name", OF_TALL)
def test_first_and_second_derivatives_are_those_of_differences(name):
    a = matrix(4, 3)
    assert torch.autograd.gradcheck(OF_TALL[name], (a,))
    assert torch.autograd.gradgradcheck(OF_TALL[name], (a,), atol=1e-4)


def test_factors_multiply_to_the_matrix():
    a = matrix(4, 3).detach()
    q, r = L.qr(a)
    values, vectors = L.eigh(symmetric(a[:3]))
    assert torch.allclose(q @ r, a)
    assert torch.allclose((vectors * values) @ vectors.mT, symmetric(a[:3]))
    assert (r.tril(-1) == 0).all()
    assert values.equal(values.sort().values)


def test_the_shortest_solution_has_the_pseudo_inverse():
    a, b = matrix(5, 3).detach(), matrix(5, 2).detach()
    found = L.lstsq(a, b)
    assert torch.allclose(found.solution, L.pinv(a) @ b)
    assert found.rank.item() == L.matrix_rank(a).item() == 3
    assert L.matrix_rank(torch.ones(3, 3)).item() == 1


def test_what_does_not_fit_is_refused_in_pytorch_s_words():
    with pytest.raises(RuntimeError, match=r"linalg.lstsq: input.size\(-2\) should match other.size\(-2\)"):
        L.lstsq(torch.ones(3, 2), torch.ones(2, 1))
    with pytest.raises(RuntimeError, match=r"linalg.eigh: A must be batches of square matrices, but they are 3 by 2"):
        L.eigh(torch.ones(3, 2))
    with pytest.raises(NotImplementedError, match="no more columns than rows"):
        L.qr(torch.ones(2, 3))


def test_sizes_go_by_their_names_too():
    x = torch.arange(6.0).reshape(2, 3)
    assert torch.flip(x, dims=(0,)).equal(x.flip(0))
    assert x.view(size=(3, 2)).equal(x.reshape(shape=(3, 2)))
    assert x.repeat(repeats=(1, 2)).shape == (2, 6)
    assert x.new_zeros(size=(2,)).shape == (2,)
    assert torch.max(x, other=2 * x).equal(2 * x)
    assert torch.randint_like(x, low=3, high=4).equal(torch.full_like(x, 3))


def test_the_diagonal_is_filled_in_place_on_the_tape():
    x = torch.ones(3, 3, requires_grad=True)
    y = x * 2
    assert y.fill_diagonal_(5.0) is y
    y.sum().backward()
    assert x.grad.equal(2 - 2 * torch.eye(3))
