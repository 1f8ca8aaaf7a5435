"""Eigenvalues, orthogonal factors, least squares and what follows from them, as `torch.linalg` has them."""

import numpy as np

from . import _rules
from ._dispatch import apply, off_tape
from ._reduce import PAIRS
from ._solving import alike, check_square, cholesky_solve
from ._table import FUNCTIONS, both
from ._tensor import Tensor


def eigh(A, UPLO="L") -> tuple[Tensor, Tensor]:
    """`(eigenvalues, eigenvectors)` of symmetric matrices (..., n, n), of which one triangle counts; the values ascend.

    >>> import labkit.torch as torch
    >>> torch.linalg.eigh(torch.tensor([[2.0, 0.0], [0.0, 1.0]])).eigenvalues
    tensor([1., 2.])
    """
    A = _symmetric(A, UPLO)
    return PAIRS["linalg_eigh"](apply(_rules.eigenvalues, A), apply(_rules.eigenvectors, A))


def eigvalsh(A, UPLO="L") -> Tensor:
    """The eigenvalues of `eigh`."""
    return apply(_rules.eigenvalues, _symmetric(A, UPLO))


def _symmetric(A, UPLO):
    """`A`, or what it is where one of its triangles counts."""
    check_square("linalg.eigh", A)
    if UPLO not in ("L", "U"):
        raise RuntimeError(f"Expected UPLO argument to be 'L' or 'U', but got {UPLO}")
    return A if UPLO == "L" else A.mT


_QR = {"reduced": (_rules.orthogonal, _rules.triangle), "complete": (_rules.all_orthogonal, _rules.whole_triangle),
       "r": (_rules.no_orthogonal, _rules.triangle_alone)}  # fmt: skip


def qr(A, mode="reduced") -> tuple[Tensor, Tensor]:
    """`(Q, R)` with orthonormal columns Q and an upper triangular R, whose product is A (..., m, n).

    Q has the fewest columns that do, or all m ("complete"); with "r" it is not computed. Raises RuntimeError for another mode,
    and for a walk back through "r", or through more columns than A has.

    >>> import labkit.torch as torch
    >>> torch.linalg.qr(torch.tensor([[3.0], [4.0]])).R.abs()
    tensor([[5.]])
    """
    if mode not in _QR:
        expected = "expected one of 'reduced' (default), 'r', or 'complete'"
        raise RuntimeError(f"qr received unrecognized mode '{mode}' but {expected}")
    rules, (rows, columns) = _QR[mode], A.shape[-2:]
    if mode == "complete" and rows <= columns:
        rules = _QR["reduced"]
    if rules is _QR["reduced"] and rows < columns:
        rules = (_rules.wide_orthogonal, _rules.wide_triangle)
    return PAIRS["linalg_qr"](*(apply(rule, A) for rule in rules))


@both("geqrf")
def geqrf(input):
    """`(a, tau)`: R of `qr`, below it the vectors of the reflections that lead to it, and how much each takes away."""
    return PAIRS["geqrf"](apply(_rules.reflections, input), apply(_rules.reflected, input))


@both("orgqr")
def householder_product(input, tau) -> Tensor:
    """The first columns of the product of the reflections that `geqrf` gives: Q of `qr`.

    >>> import labkit.torch as torch
    >>> torch.linalg.householder_product(*torch.geqrf(torch.tensor([[3.0], [4.0]]))).abs()
    tensor([[0.6000],
            [0.8000]])
    """
    _check_reflections(input, tau)
    return apply(_rules.householder_product, input, tau)


@both("qr")
def _qr(input, some=True):
    """`torch.linalg.qr`, under its older name."""
    return PAIRS["qr"](*qr(input, "reduced" if some else "complete"))


def _check_reflections(input, tau):
    rows, columns = (0, 0) if input.ndim < 2 else input.shape[-2:]
    told = {
        "input must have at least 2 dimensions.": input.ndim < 2,
        "input.shape[-2] must be greater than or equal to input.shape[-1]": rows < columns,
        "input.shape[-1] must be greater than or equal to tau.shape[-1]": tau.ndim and columns < tau.shape[-1],
        f"Expected tau to have one dimension less than input, but got tau.ndim equal to {tau.ndim} and input.ndim is equal to "
        f"{input.ndim}": tau.ndim != input.ndim - 1,
        "Expected batch dimensions of tau to be equal to input.shape[:-2], but got "
        f"{list(tau.shape[:-1])}": tau.shape[:-1] != input.shape[:-2],
    }  # fmt: skip
    said = next((text for text, so in told.items() if so), None)
    if said is not None:
        raise RuntimeError(f"torch.linalg.householder_product: {said}")


def pinv(A, *, atol=None, rtol=None, hermitian=False) -> Tensor:
    """The pseudo-inverses of matrices (..., m, n): singular values below `rtol` of the largest, or below `atol`, count as 0.
    With `hermitian`, of symmetric ones, of which the lower triangle counts.

    >>> import labkit.torch as torch
    >>> torch.linalg.pinv(torch.tensor([[2.0], [0.0]]))
    tensor([[0.5000, 0.0000]])
    """
    largest = _sizes(A, hermitian).max(-1) if atol else None
    return apply(_rules.pinv, A, _relative(A, atol, rtol, largest), hermitian)


def _sizes(A, hermitian):
    """The singular values; of symmetric matrices, the sizes of eigenvalues."""
    return np.abs(np.linalg.eigvalsh(A._array)) if hermitian else np.linalg.svd(A._array, compute_uv=False)


def _relative(A, atol, rtol, largest):
    """The share of the largest singular value below which one counts as 0."""
    if rtol is None:
        rtol = 0.0 if atol else float(np.finfo(A._array.dtype).eps) * max(A.shape[-2:])
    return np.maximum(float(rtol), float(atol) / largest) if atol else float(rtol)


both("pinverse")(lambda input, rcond=1e-15: pinv(input, rtol=rcond))


def lstsq(A, B, rcond=None, *, driver=None) -> tuple[Tensor, ...]:
    """The x that brings A @ x nearest to B, in `solution`; beside it `residuals`, `rank` and `singular_values`, empty where the
    `driver` ("gelsy", or "gels", "gelsd" and "gelss") has not found them.

    Raises RuntimeError where A and B have not as many rows.

    >>> import labkit.torch as torch
    >>> torch.linalg.lstsq(torch.tensor([[1.0], [1.0]]), torch.tensor([[1.0], [3.0]])).solution
    tensor([[2.]])
    """
    if B.ndim == A.ndim - 1:
        found = lstsq(A, B.unsqueeze(-1), rcond, driver=driver)
        return PAIRS["linalg_lstsq"](found[0].squeeze(-1), *found[1:])
    if A.shape[-2] != B.shape[-2]:
        raise RuntimeError("torch.linalg.lstsq: input.size(-2) should match other.size(-2)")
    rank, values = matrix_rank(A), svdvals(A).detach()
    nearest = apply(_rules.nearest, *alike(A, B))
    empty = lambda dtype: FUNCTIONS["empty"](0, dtype=dtype)
    known = driver in ("gels", "gelsd", "gelss") and A.shape[-2] > A.shape[-1] and bool((rank == A.shape[-1]).all())
    return PAIRS["linalg_lstsq"](
        nearest,
        ((A @ nearest - B) ** 2).sum(-2) if known else empty(A.dtype),
        empty(rank.dtype) if driver == "gels" else rank,
        values if driver in ("gelsd", "gelss") else empty(A.dtype),
    )


def matrix_rank(A, *, atol=None, rtol=None, hermitian=False) -> Tensor:
    """How many singular values of matrices (..., m, n) are not 0, to `rtol` of the largest and to `atol`."""
    values = _sizes(A, hermitian)
    largest = values.max(-1)
    least = np.expand_dims(largest * _relative(A, atol, rtol, largest), -1)
    return off_tape((values > least).sum(-1), "matrix_rank", A)


def svdvals(A) -> Tensor:
    """The singular values of matrices (..., m, n), in descending order.

    >>> import labkit.torch as torch
    >>> torch.linalg.svdvals(torch.tensor([[3.0, 0.0], [0.0, -4.0]]))
    tensor([4., 3.])
    """
    return apply(_rules.singular_values, A)


def svd(A, full_matrices=True, *, driver=None) -> tuple[Tensor, ...]:
    """`(U, S, Vh)` of matrices (..., m, n): the singular values S descend, and U @ diag(S) @ Vh is A.

    U has m columns and Vh n rows; without `full_matrices` as many as there are values, so that the product is as it stands.

    >>> import labkit.torch as torch
    >>> torch.linalg.svd(torch.tensor([[3.0, 0.0], [0.0, -4.0]])).S
    tensor([4., 3.])
    """
    left, right = (apply(rule, A, bool(full_matrices)) for rule in (_rules.left_vectors, _rules.right_vectors))
    return PAIRS["linalg_svd"](left, apply(_rules.singular_values, A, bool(full_matrices)), right)


@both("svd")
def _svd(input, some=True, compute_uv=True):
    """`torch.linalg.svd`, under its older name, with V as columns; zeros in their place without `compute_uv`."""
    found = svd(input, not some)
    if not compute_uv:
        m, n = input.shape[-2:]
        empty = (FUNCTIONS["zeros"](*input.shape[:-2], k, k, dtype=input.dtype) for k in (m, n))
        return PAIRS["svd"](next(empty), found[1], next(empty))
    return PAIRS["svd"](found[0], found[1], found[2].mT)


@both()
def matrix_exp(input):
    """The exponential series of square matrices (..., n, n)."""
    check_square("linalg.matrix_exp", input)
    return apply(_rules.matrix_exp, input)


@both()
def cholesky_inverse(L, upper=False):
    """The inverse of the matrix whose root is `L`."""
    return cholesky_solve(FUNCTIONS["eye"](L.shape[-1], dtype=L.dtype).expand(*L.shape), L, upper)
