"""Inverses, linear equations, determinants and singular values: their gradients are those of differences."""

import pytest

import labkit.torch as torch

L = torch.linalg


def matrix(*shape):
    torch.manual_seed(0)
    return torch.randn(*shape, dtype=torch.float64, requires_grad=True)


OF_TALL = {
    "inv": lambda a: L.inv(a.mT @ a),
    "solve": lambda a: L.solve(a.mT @ a, a.mT),
    "det": lambda a: L.det(a.mT @ a),
    "norm": lambda a: torch.norm(a, 3, dim=0),
    "einsum": lambda a: torch.einsum("ij,kj,lm->ik", a, a**2, a),
    "einsum of a diagonal": lambda a: torch.einsum("...ii,i->...", a[:3], a[3]),
    "svd": lambda a: [part.abs() for part in L.svd(a, full_matrices=False)],
    "svd of wide ones": lambda a: [part.abs() for part in L.svd(a.mT, full_matrices=False)],
    "cross": lambda a: torch.cross(a, a.flatten().reshape(3, 4).mT.cos(), dim=1),
    "index_add": lambda a: a.index_add(0, torch.tensor([1, 1]), a[:2] ** 2, alpha=2.0),
}


@pytest.mark.parametrize("name", OF_TALL)
def test_first_and_second_derivatives_are_those_of_differences(name):
    a = matrix(4, 3)
    assert torch.autograd.gradcheck(OF_TALL[name], (a,))
    assert torch.autograd.gradgradcheck(OF_TALL[name], (a,), atol=1e-4)


def test_factors_multiply_to_the_matrix():
    a = matrix(4, 3).detach()
    left, sizes, right = L.svd(a, full_matrices=False)
    assert torch.allclose(left * sizes @ right, a)
    assert [part.shape for part in L.svd(a)] == [(4, 4), (3,), (3, 3)]
    u, s, v = torch.svd(a)
    assert torch.allclose(u * s @ v.T, a) and torch.svd(a, some=False).U.shape == (4, 4)


@pytest.mark.parametrize(
    "call, text",
    [
        (lambda: L.inv(torch.ones(2, 2)), "linalg.inv: The diagonal element 2 is zero"),
        (lambda: L.inv(torch.ones(2, 3)), "linalg.inv: A must be batches of square matrices, but they are 2 by 3"),
        (lambda: torch.cross(torch.ones(2), torch.ones(2)), "inputs dimension 0 must have length 3"),
        (lambda: torch.cross(torch.ones(2, 3), torch.ones(3)), "must have the same number of dimensions"),
    ],
)
def test_what_does_not_fit_is_refused_in_pytorch_s_words(call, text):
    with pytest.raises(RuntimeError, match=text):
        call()


def test_cross_products_stand_at_right_angles_to_both():
    x, y = torch.tensor([[1.0, 2.0, 3.0]]), torch.tensor([[3.0, 2.0, 1.0]])
    assert torch.cross(x, y).tolist() == [[-4.0, 8.0, -4.0]] and torch.cross(x.T, y.T).T.tolist() == [[-4.0, 8.0, -4.0]]


def test_sizes_go_by_their_names_too():
    x = torch.arange(6.0).reshape(2, 3)
    assert x.view(size=(3, 2)).equal(x.reshape(shape=(3, 2)))
    assert x.repeat(repeats=(1, 2)).shape == (2, 6)
    assert torch.max(x, other=2 * x).equal(2 * x)


def test_a_result_is_written_into_out():
    a, out = torch.ones(2, 2), torch.zeros(2, 2)
    assert torch.matmul(a, a, out=out) is out and out.tolist() == [[2.0, 2.0], [2.0, 2.0]]
    with pytest.raises(RuntimeError, match=r"mul\(\): functions with out=... arguments don't support automatic"):
        torch.mul(a, torch.ones(2, 2, requires_grad=True), out=out)
