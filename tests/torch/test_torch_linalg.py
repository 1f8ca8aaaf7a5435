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
    "svd": lambda a: [part.abs() for part in L.svd(a, full_matrices=False)],
    "svd of wide ones": lambda a: [part.abs() for part in L.svd(a.mT, full_matrices=False)],
    "nuclear norm": lambda a: L.matrix_norm(a, "nuc"),
    "cond": L.cond,
    "eigh": lambda a: L.eigvalsh(a.mT @ a),
    "eigenvectors": lambda a: L.eigh(a.mT @ a).eigenvectors.abs(),
    "lu": lambda a: L.lu(a.mT @ a)[1:],
    "lu of tall ones": lambda a: L.lu(a)[1:],
    "lu of wide ones": lambda a: (*L.lu(a.mT)[1:], L.lu_factor(a.mT).LU),
    "lu_factor": lambda a: L.lu_factor(a.mT @ a).LU,
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
    rows, lower, upper = L.lu(a)
    left, sizes, right = L.svd(a, full_matrices=False)
    values, vectors = L.eigh(symmetric(a[:3]))
    assert torch.allclose(q @ r, a)
    assert torch.allclose(rows @ lower @ upper, a)
    assert torch.allclose(left * sizes @ right, a)
    assert [part.shape for part in L.svd(a)] == [(4, 4), (3,), (3, 3)]
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
    with pytest.raises(RuntimeError, match="qr received unrecognized mode 'all'"):
        L.qr(torch.ones(2, 3), "all")


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


def test_of_hermitian_matrices_the_lower_triangle_counts():
    A = torch.tensor([[2.0, 100.0], [1.0, 3.0]])
    assert torch.allclose(L.pinv(A, hermitian=True), torch.tensor([[0.6, -0.2], [-0.2, 0.4]]))
    assert (L.matrix_rank(A, hermitian=True, atol=2.0), L.matrix_rank(A, atol=2.0)) == (1, 1)
    assert (L.matrix_rank(A, hermitian=True, rtol=0.3), L.matrix_rank(A, rtol=0.3)) == (2, 1)


@pytest.mark.parametrize("options", [{}, {"adjoint": True}, {"left": False}])
def test_factors_solve_as_the_matrix_does(options):
    A, B = matrix(2, 3, 3).detach(), torch.ones(2, 3, 3, dtype=torch.float64).cumsum(-1)
    B, of = B + torch.eye(3), A.mT if "adjoint" in options else A
    expected = L.solve(of, B, left=options.get("left", True))
    assert torch.allclose(L.lu_solve(*L.lu_factor(A), B, **options), expected)
    P, lower, upper = L.lu(A)
    assert torch.allclose(P @ lower @ upper, A)


def test_slopes_of_points_are_those_of_the_real_pytorch():
    x = torch.tensor([0.0, 1.0, 3.0, 4.0, 9.0])
    assert torch.gradient(x**2, spacing=(x,))[0].tolist() == [1, 2, 6, 8, 13]
    assert torch.gradient(x**2, spacing=0.5, edge_order=2)[0].tolist() == [-5, 9, 15, 72, 188]
    with pytest.raises(RuntimeError, match=r"at least edge_order\+1"):
        torch.gradient(torch.ones(1))


def test_log_ndtr_is_exact_far_below_zero_and_so_is_its_slope():
    x = torch.tensor([-50.0, -10.0, -1.0, 3.0, 8.0], requires_grad=True)
    found = torch.special.log_ndtr(x)
    found.sum().backward()
    assert found.tolist() == pytest.approx([-1254.8313, -53.231285, -1.8410217, -0.0013508, -6.2210e-16], rel=1e-4)
    assert x.grad[:3].tolist() == pytest.approx([50.01998, 10.0981, 1.52514], rel=1e-5)
