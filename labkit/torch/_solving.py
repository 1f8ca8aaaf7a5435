"""Systems of linear equations: what is singular is refused in PyTorch's words."""

import numpy as np

from . import _rules
from ._dispatch import apply, off_tape
from ._reduce import PAIRS
from ._shaping import expand
from ._table import FUNCTIONS, both
from ._tensor import Tensor

_SINGULAR = (
    "The diagonal element {} is zero, the inversion could not be completed because the input matrix is singular."
)
_INDEFINITE = ("The factorization could not be completed because the input is not positive-definite (the leading minor of order "
               "{} is not positive-definite).")  # fmt: skip


class _LinAlgError(RuntimeError):
    """A matrix that has no inverse, or no root."""

    __module__ = "torch._C"


LinAlgError = _LinAlgError


def check_square(name, A) -> None:
    """Raise unless `A` has square matrices."""
    if A.ndim < 2:
        raise RuntimeError(f"{name}: The input tensor A must have at least 2 dimensions.")
    if A.shape[-1] != A.shape[-2]:
        rows, columns = A.shape[-2:]
        raise RuntimeError(f"{name}: A must be batches of square matrices, but they are {rows} by {columns} matrices")


def _found(name, rule, text, *given):
    """What a rule gives; LinAlgError where NumPy finds that it is not to be had."""
    check_square(name, given[0])
    try:
        return apply(rule, *given)
    except np.linalg.LinAlgError:
        array = given[0]._array
        place, order = next(
            (i, k) for i in np.ndindex(array.shape[:-2]) if (k := broken(rule is _rules.cholesky, array[i]))
        )
        where = f"(Batch element {np.ravel_multi_index(place, array.shape[:-2])}): " if place else ""
        raise LinAlgError(f"{name}: {where}{text.format(order)}") from None


def broken(for_root, matrix) -> int:
    """The first k for which the first k columns are dependent (for a root: the leading minor is not positive); else 0."""
    good = (lambda k: np.linalg.det(matrix[:k, :k]) > 0) if for_root else (
        lambda k: np.linalg.matrix_rank(matrix[:, :k]) == k)  # fmt: skip
    return next((k for k in range(1, len(matrix) + 1) if not good(k)), 0)


def inv(A) -> Tensor:
    """The inverses of matrices (..., n, n). Raises LinAlgError where there is none.

    >>> import labkit.torch as torch
    >>> torch.linalg.inv(torch.tensor([[2.0, 0.0], [0.0, 4.0]]))
    tensor([[0.5000, 0.0000],
            [0.0000, 0.2500]])
    """
    return _found("linalg.inv", _rules.inv, _SINGULAR, A)


def tensorsolve(A, B, dims=None) -> Tensor:
    """X with tensordot(A, X, X.ndim) = B; the dimensions `dims` of A count as its last.

    >>> import labkit.torch as torch
    >>> torch.linalg.tensorsolve(2 * torch.eye(4).reshape(2, 2, 4), torch.ones(2, 2))
    tensor([0.5000, 0.5000, 0.5000, 0.5000])
    """
    if dims is not None:
        A = A.movedim(tuple(dims), tuple(range(A.ndim - len(dims), A.ndim)))
    shape = A.shape[B.ndim :]
    if np.prod(shape) != B.numel():
        raise RuntimeError(
            "Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == prod(self.shape[:other.ndim]), but "
            f"got {int(np.prod(shape))} != {B.numel()}"
        )
    return solve(A.reshape(B.numel(), -1), B.reshape(-1)).reshape(shape)


def tensorinv(A, ind=2) -> Tensor:
    """The tensor whose product with `A`, over the first `ind` dimensions of A, is `tensorsolve`."""
    rows, columns = (int(np.prod(part)) for part in (A.shape[:ind], A.shape[ind:]))
    if rows != columns:
        raise RuntimeError(
            "Expected self to satisfy the requirement prod(self.shape[ind:]) == prod(self.shape[:ind]), but got "
            f"{columns} != {rows}"
        )
    return inv(A.reshape(rows, columns)).reshape((*A.shape[ind:], *A.shape[:ind]))


def solve(A, B, *, left=True) -> Tensor:
    """x with A @ x = B (x @ A = B without `left`) for matrices (..., n, n), and vectors or matrices B.

    >>> import labkit.torch as torch
    >>> torch.linalg.solve(torch.tensor([[2.0, 1.0], [0.0, 4.0]]), torch.tensor([4.0, 8.0]))
    tensor([1., 2.])
    """
    if not left:
        return solve(A.mT, B.mT).mT
    if B.ndim == 1 or (B.ndim == A.ndim - 1 and B.shape == A.shape[:-1]):
        return solve(A, B.unsqueeze(-1)).squeeze(-1)
    return _found(
        "torch.linalg.solve", _rules.solve, "The solver failed because the input matrix is singular.", *alike(A, B)
    )


def alike(A, B) -> tuple[Tensor, ...]:
    """Both with the same batch."""
    batch = np.broadcast_shapes(A.shape[:-2], B.shape[:-2])
    return tuple(x if x.shape[:-2] == batch else expand(x, *batch, -1, -1) for x in (A, B))


def solve_triangular(A, B, *, upper, left=True, unitriangular=False) -> Tensor:
    """`solve` of triangular matrices, whose other half does not count; with `unitriangular` their diagonal is 1."""
    if unitriangular:
        A = (FUNCTIONS["triu"](A, 1) if upper else FUNCTIONS["tril"](A, -1)) + FUNCTIONS["eye"](
            A.shape[-1], dtype=A.dtype
        )
    if not left:
        return solve_triangular(A.mT, B.mT, upper=not upper).mT
    return apply(_rules.solve_triangular, *alike(A, B), upper)


@both()
def cholesky_solve(input, L, upper=False):
    """x with A @ x = input, of the root `L` of A (`upper`: of its transpose)."""
    root = L.mT if upper else L
    return solve_triangular(root.mT, solve_triangular(root, input, upper=False), upper=True)


def cholesky(A, *, upper=False) -> Tensor:
    """The lower triangular L with L @ L.mT = A, for symmetric positive definite matrices (`upper`: L.mT).

    Raises LinAlgError for others.

    >>> import labkit.torch as torch
    >>> torch.linalg.cholesky(torch.tensor([[4.0, 2.0], [2.0, 2.0]]))
    tensor([[2., 0.],
            [1., 1.]])
    """
    root = _found("linalg.cholesky", _rules.cholesky, _INDEFINITE, A)
    return root.mT if upper else root


def slogdet(A) -> tuple[Tensor, Tensor]:
    """The signs of determinants, and the logarithms of their sizes: `(sign, logabsdet)`."""
    check_square("linalg.slogdet", A)
    sign = off_tape(np.linalg.slogdet(A._array)[0], "slogdet", A)
    return PAIRS["linalg_slogdet"](sign, apply(_rules.logabsdet, A))


@both()
def det(A):
    """The determinants of matrices (..., n, n)."""
    check_square("linalg.det", A)
    return apply(_rules.det, A)


@both()
def logdet(A):
    """The logarithms of determinants; nan where one is negative."""
    sign, size = slogdet(A)
    return FUNCTIONS["where"](sign == -1, float("nan"), size)


both("inverse")(inv)
both("slogdet")(slogdet)


@both("triangular_solve")
def _triangular_solve(b, A, upper=True, transpose=False, unitriangular=False):
    """`solve_triangular`, under its older name, which gives a copy of `A` as well."""
    A, b = alike(A, b)
    turned = A.mT if transpose else A
    solution = solve_triangular(turned, b, upper=upper != transpose, unitriangular=unitriangular)
    return PAIRS["triangular_solve"](solution, A.clone())
