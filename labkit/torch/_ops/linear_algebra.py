"""Products of vectors and matrices, `einsum`, linear equations, determinants and singular values."""

from string import ascii_letters

import numpy as np

from .. import _rules
from .._error_texts import error
from .._tensor.tensor import Tensor
from ..amp._autocast_mode import lowered
from .dispatch import apply, check_broadcast, for_kernel, view, whole_dim
from .function_table import METHODS, both, function
from .indexing import diagonal
from .reductions import PAIRS
from .shape import expand


def _same_dtype(a, b):
    if a.dtype is not b.dtype:
        raise RuntimeError(f"expected m1 and m2 to have the same dtype, but got: {in_c(a)} != {in_c(b)}")


def in_c(tensor) -> str:
    """The name that C++ has for the type of a tensor's elements."""
    return tensor.dtype.in_c


@both()
@lowered
def mm(input, mat2):
    """The product of two matrices."""
    for name, x in (("self", input), ("mat2", mat2)):
        if x.ndim != 2:
            raise RuntimeError(f"{name} must be a matrix")
    _check_inner(input, mat2)
    _same_dtype(input, mat2)
    return apply(_rules.mm, input, mat2)


def _check_inner(a, b):
    if a.shape[1] != b.shape[0]:
        raise error("mm_shapes", n=a.shape[0], k=a.shape[1], l=b.shape[0], m=b.shape[1])


@both()
def mv(input, vec):
    """The product of a matrix and a vector."""
    if input.ndim != 2 or vec.ndim != 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got 1, {input.ndim}, {vec.ndim}")
    if input.shape[1] != vec.shape[0]:
        raise error("mv_sizes", n=input.shape[0], k=input.shape[1], m=vec.shape[0])
    _same_dtype(input, vec)
    return apply(_rules.mv, input, vec)


@both()
def dot(input, tensor):
    """The inner product of two vectors."""
    if input.ndim != 1 or tensor.ndim != 1:
        raise RuntimeError(f"1D tensors expected, but got {input.ndim}D and {tensor.ndim}D tensors")
    if input.shape != tensor.shape:
        raise error("dot_sizes", n=input.shape[0], m=tensor.shape[0])
    if input.dtype is not tensor.dtype:
        kinds = f"{input.dtype.legacy} and {tensor.dtype.legacy}"
        raise RuntimeError(f"dot : expected both vectors to have same dtype, but found {kinds}")
    return apply(_rules.dot, input, tensor)


@both()
@lowered
def bmm(input, mat2):
    """Products of two batches of matrices."""
    for name, x in (("batch1", input), ("batch2", mat2)):
        if x.ndim != 3:
            raise RuntimeError(f"{name} must be a 3D tensor")
    if input.shape[0] != mat2.shape[0] or input.shape[2] != mat2.shape[1]:
        raise error("bmm_sizes", batch=input.shape[0], inner=input.shape[2], batch2=mat2.shape[0], rows=mat2.shape[1])
    _same_dtype(input, mat2)
    return apply(_rules.bmm, input, mat2)


@both()
@lowered
def matmul(input, other):
    """The product by shapes: vectors, matrices, and batches of matrices, which broadcast."""
    if input.ndim == 1 and other.ndim == 1:
        return dot(input, other)
    if input.ndim == 2 and other.ndim == 1:
        return mv(input, other)
    if input.ndim == 1 and other.ndim == 2:
        return view(mm(METHODS["unsqueeze"](input, 0), other), _rules.squeeze_product, 0)
    if input.ndim == 2 and other.ndim == 2:
        return mm(input, other)
    if other.ndim <= 2:
        return _folded(input, other)
    return _batched(input, other)


def _folded(input, other):
    """Many matrices times one: one tall product."""
    flat = METHODS["reshape"](input, (-1, input.shape[-1]))
    made = matmul(flat, other)
    return apply(_rules.reshape_copied, made, (*input.shape[:-1], *other.shape[1:]))


def _batched(input, other):
    a = METHODS["unsqueeze"](input, 0) if input.ndim == 1 else input
    batch = np.broadcast_shapes(a.shape[:-2], other.shape[:-2])
    left, right = (
        METHODS["reshape"](METHODS["expand"](x, *batch, *x.shape[-2:]), (-1, *x.shape[-2:])) for x in (a, other)
    )
    made = apply(_rules.reshape_copied, bmm(left, right), (*batch, a.shape[-2], other.shape[-1]))
    return METHODS["squeeze"](made, -2) if input.ndim == 1 else made


@both()
@lowered
def addmm(input, mat1, mat2, *, beta=1, alpha=1):
    """`beta * input + alpha * (mat1 @ mat2)`, one op."""
    _check_inner(mat1, mat2)
    for name, a in (("mat1", mat1), ("self", input)):
        if a.dtype is not mat2.dtype:
            kinds = f"{a.dtype.legacy} and {mat2.dtype.legacy}"
            raise RuntimeError(f"{name} and mat2 must have the same dtype, but got {kinds}")
    return apply(_rules.addmm, input, mat1, mat2, beta, alpha)


@both()
def outer(input, vec2):
    """Every product of an element of one vector with one of the other."""
    return METHODS["reshape"](input, (-1, 1)) * vec2


@both()
def cross(input, other, dim=None):
    """The cross products of vectors of length 3 along `dim`, or along the first dimension of this length."""
    if input.dtype is not other.dtype:
        raise RuntimeError(f"expected scalar type {input.dtype.legacy} but found {other.dtype.legacy}")
    check_broadcast(for_kernel("cross", input, "b"), other)
    shape = np.broadcast_shapes(input.shape, other.shape)
    if dim is None:
        dim = next((d for d, n in enumerate(shape) if n == 3), -1)
    dim = whole_dim(dim, len(shape))
    if input.ndim != other.ndim:
        raise RuntimeError("linalg.cross: inputs must have the same number of dimensions.")
    if input.shape[dim] != 3 or other.shape[dim] != 3:
        raise RuntimeError(f"linalg.cross: inputs dimension {dim} must have length 3.")
    return apply(_rules.cross, input, other, dim)


METHODS["__matmul__"] = lambda self, other: matmul(self, other) if isinstance(other, Tensor) else NotImplemented
METHODS["__rmatmul__"] = lambda self, other: NotImplemented  # two tensors meet in the line above


@function()
@lowered
def einsum(equation, *operands):
    """Sums of products by index letters, such as `"ij,jk->ik"`; or each tensor followed by a list of numbers for letters."""
    if isinstance(equation, Tensor):
        equation, *operands = _of_lists([equation, *operands])
    given = operands[0] if len(operands) == 1 and isinstance(operands[0], (tuple, list)) else operands
    left, arrow, output = equation.replace(" ", "").partition("->")
    if not arrow:
        output = "..." * ("..." in left) + "".join(sorted(c for c in set(left) - {",", "."} if left.count(c) == 1))
    words = left.split(",")
    hidden = [(x.ndim - len(word) + 3) * ("..." in word) for x, word in zip(given, words, strict=True)]
    free = "".join(c for c in ascii_letters if c not in equation)[: max(hidden)]  # letters for the dimensions of "..."
    inputs = [word.replace("...", free[len(free) - n :]) for word, n in zip(words, hidden, strict=True)]
    output, sizes = output.replace("...", free), _sizes_of_letters(inputs, given)
    pairs = [_diagonals(x, letters) for x, letters in zip(given, inputs, strict=True)]
    shapes = [tuple(sizes[c] for c in letters) for _, letters in pairs]
    whole = [x if x.shape == shape else expand(x, *shape) for (x, _), shape in zip(pairs, shapes, strict=True)]
    return apply(_rules.einsum, f"{','.join(letters for _, letters in pairs)}->{output}", *whole)


def _of_lists(given):
    """Tensors and lists of numbers in turn, and perhaps a list for the result, as an equation and tensors."""
    word = lambda places: "".join("..." if p is ... else ascii_letters[p] for p in places)
    pairs = len(given) // 2
    inputs = ",".join(word(places) for places in given[1 : 2 * pairs : 2])
    return [inputs + (f"->{word(given[-1])}" if len(given) % 2 else ""), *given[: 2 * pairs : 2]]


def _sizes_of_letters(inputs, given):
    """`{letter: size}`. Raises RuntimeError where a letter stands for two sizes."""
    seen: dict[str, int] = {}
    for place, (letters, x) in enumerate(zip(inputs, given, strict=True)):
        for letter, size in zip(letters, x.shape, strict=True):
            before = seen.setdefault(letter, size)
            if 1 not in (size, before) and size != before:
                raise error("einsum_sizes", letter=letter, size=size, place=place, before=before)
            seen[letter] = max(size, before)
    return seen


def _diagonals(x, letters):
    """A tensor and its letters with each letter once: the diagonal of two dimensions that have one letter."""
    for letter in {c for c in letters if letters.count(c) > 1}:
        while letters.count(letter) > 1:
            x = diagonal(x, 0, letters.index(letter), letters.rindex(letter))
            letters = letters[: letters.index(letter)] + letters[letters.index(letter) + 1 :]
            letters = letters[: letters.rindex(letter)] + letters[letters.rindex(letter) + 1 :] + letter
    return x, letters


_SINGULAR = (
    "The diagonal element {} is zero, the inversion could not be completed because the input matrix is singular."
)


class _LinAlgError(RuntimeError):
    """A matrix that has no inverse, or no root."""

    __module__ = "torch._C"


LinAlgError = _LinAlgError


def check_square(name, A) -> None:
    """Raise unless `A` has square matrices."""
    if A.ndim < 2 or A.shape[-1] != A.shape[-2]:
        size = " by ".join(map(str, A.shape[-2:]))
        raise RuntimeError(f"{name}: A must be batches of square matrices, but they are {size} matrices")


def _found(name, rule, text, *given):
    """What a rule gives; LinAlgError where NumPy finds that it is not to be had."""
    check_square(name, given[0])
    try:
        return apply(rule, *given)
    except np.linalg.LinAlgError:
        array = given[0]._array
        place, order = next((i, k) for i in np.ndindex(array.shape[:-2]) if (k := _dependent(array[i])))
        where = f"(Batch element {np.ravel_multi_index(place, array.shape[:-2])}): " if place else ""
        raise LinAlgError(f"{name}: {where}{text.format(order)}") from None


def _dependent(matrix) -> int:
    """The first k for which the first k columns are dependent; 0 where there is none."""
    return next((k for k in range(1, len(matrix) + 1) if np.linalg.matrix_rank(matrix[:, :k]) < k), 0)


def inv(A) -> Tensor:
    """The inverses of matrices (..., n, n). Raises LinAlgError where there is none.

    >>> import labkit.torch as torch
    >>> torch.linalg.inv(torch.tensor([[2.0, 0.0], [0.0, 4.0]]))
    tensor([[0.5000, 0.0000],
            [0.0000, 0.2500]])
    """
    return _found("linalg.inv", _rules.inv, _SINGULAR, A)


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


@both()
def det(A):
    """The determinants of matrices (..., n, n)."""
    check_square("linalg.det", A)
    return apply(_rules.det, A)


def svd(A, full_matrices=True, *, driver=None) -> tuple[Tensor, ...]:
    """`(U, S, Vh)` of matrices (..., m, n): the singular values S descend, and U @ diag(S) @ Vh is A.

    U has m columns and Vh n rows; without `full_matrices` as many as there are values, so that the product is unchanged.

    >>> import labkit.torch as torch
    >>> torch.linalg.svd(torch.tensor([[3.0, 0.0], [0.0, -4.0]])).S
    tensor([4., 3.])
    """
    left, right = (apply(rule, A, bool(full_matrices)) for rule in (_rules.left_vectors, _rules.right_vectors))
    return PAIRS["linalg_svd"](left, apply(_rules.singular_values, A, bool(full_matrices)), right)


@function("svd")
def _svd_of_both(input, some=True):
    """`(U, S, V)`, the older form of `torch.linalg.svd`, with V itself; without `some` all of its columns, and of U's."""
    left, values, right = svd(input, not some)
    return PAIRS["svd"](left, values, right.mT)
