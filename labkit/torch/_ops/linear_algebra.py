"""Products of vectors and matrices, `einsum`, linear equations, determinants and singular values."""

from collections import Counter
from math import prod
from string import ascii_letters

import numpy as np

from .. import _rules
from .._tensor.tensor import Tensor
from ..amp._autocast_mode import lowered
from .dispatch import apply, check_broadcast, together, view, whole_dim
from .function_table import FUNCTIONS, METHODS, both, function
from .indexing import diagonal
from .reductions import PAIRS
from .shape import expand, movedim, permute, reshape, unsqueeze


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
        raise RuntimeError(
            f"mat1 and mat2 shapes cannot be multiplied ({a.shape[0]}x{a.shape[1]} and {b.shape[0]}x{b.shape[1]})"
        )


@both()
def mv(input, vec):
    """The product of a matrix and a vector."""
    if input.shape[1] != vec.shape[0]:
        raise RuntimeError(
            f"size mismatch, got input ({input.shape[0]}), mat ({input.shape[0]}x{input.shape[1]}), vec "
            f"({vec.shape[0]})"
        )
    _same_dtype(input, vec)
    return apply(_rules.mv, input, vec)


@both()
def dot(input, tensor):
    """The inner product of two vectors."""
    if input.ndim != 1 or tensor.ndim != 1:
        raise RuntimeError(f"1D tensors expected, but got {input.ndim}D and {tensor.ndim}D tensors")
    if input.shape != tensor.shape:
        raise RuntimeError(
            "inconsistent tensor size, expected tensor "
            f"[{input.shape[0]}] and src [{tensor.shape[0]}] to have the same number of elements, but got "
            f"{input.shape[0]} and {tensor.shape[0]} elements respectively"
        )
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
        raise RuntimeError(
            f"Expected size for first two dimensions of batch2 tensor to be: [{input.shape[0]}, {input.shape[2]}] but "
            f"got: [{mat2.shape[0]}, {mat2.shape[1]}]."
        )
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
    input, other = together(input, other)
    check_broadcast(input, other)
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
def einsum(equation, *operands):
    """Sums of products by index letters, such as `"ij,jk->ik"`; or each tensor followed by a list of numbers for letters."""
    if isinstance(equation, Tensor):
        equation, *operands = _of_lists([equation, *operands])
    given = operands[0] if len(operands) == 1 and isinstance(operands[0], (tuple, list)) else operands
    inputs, output = _letters(equation.replace(" ", ""))
    _check_letters(inputs, given)
    inputs, output, order = _spelt_out(inputs, output, given)
    lined = [_in_order(x, letters, order) for x, letters in zip(given, inputs, strict=True)]
    return _contracted(lined, len(output), len(order))


# ---- the equation ----


def _of_lists(given):
    """Tensors and lists of numbers in turn, and perhaps a list for the result, as an equation and tensors."""
    word = lambda places: "".join("..." if p is ... else ascii_letters[p] for p in places)
    pairs = len(given) // 2
    inputs = ",".join(word(places) for places in given[1 : 2 * pairs : 2])
    return [inputs + (f"->{word(given[-1])}" if len(given) % 2 else ""), *given[: 2 * pairs : 2]]


def _letters(equation):
    left, arrow, output = equation.partition("->")
    inputs = left.split(",")
    if not arrow:
        output = "".join(sorted(c for c in set(left) - {",", "."} if left.count(c) == 1))
        output = ("..." if "..." in left else "") + output
    return inputs, output


def _check_letters(inputs, given):
    """Raise RuntimeError where a letter stands for two sizes."""
    seen: dict[str, int] = {}
    for place, (letters, x) in enumerate(zip(inputs, given, strict=False)):
        front, _, back = letters.partition("...")
        sizes = [*zip(front, x.shape, strict=False), *zip(reversed(back), reversed(x.shape), strict=False)]
        for letter, size in sizes:
            before = seen.setdefault(letter, size)
            if 1 not in (size, before) and size != before:
                raise RuntimeError(
                    f"einsum(): subscript {letter} has size {size} for operand {place} which does not broadcast with "
                    f"previously seen size {before}"
                )
            seen[letter] = max(size, before)


def _spelt_out(inputs, output, given):
    """Letters as lists, with a number for each dimension of "..."; and the order of all: those of the result first."""
    hidden = [x.ndim - len(letters) + 3 if "..." in letters else 0 for x, letters in zip(given, inputs, strict=True)]
    most = max(hidden)
    spelt = lambda letters, count: [
        *letters.partition("...")[0],
        *(range(most - count, most) if "..." in letters else ()),
        *letters.partition("...")[2],
    ]
    lists, shown = [spelt(*pair) for pair in zip(inputs, hidden, strict=True)], spelt(output, most)
    used = {letter for letters in lists for letter in letters}
    summed = [letter for letter in (*range(most), *ascii_letters.swapcase()) if letter in used - {*shown}]
    return lists, shown, shown + summed


# ---- the tensors ----


def _in_order(x, letters, order):
    """`x` with one dimension for each letter in `order`, of size 1 where it has none; the diagonal where it has one twice."""
    known: list = []
    for letter in letters:
        if letter in known:
            x = movedim(diagonal(x, 0, known.index(letter), len(known)), -1, known.index(letter))
        else:
            known.append(letter)
    for letter in order:
        if letter not in known:
            x = unsqueeze(x, -1)
            known.append(letter)
    return permute(x, [known.index(letter) for letter in order])


def _contracted(given, shown, dims):
    """The product of tensors whose dimensions from `shown` on are summed over, each as soon as it can be."""
    left = Counter(d for x in given for d in range(shown, dims) if x.shape[d] != 1)
    found, *others = given
    for x in others:
        pair, now = (found, x), []
        for d in range(shown, dims):
            has = [y.shape[d] != 1 for y in pair]
            left[d] -= all(has)
            if left[d] == 1 and any(has):
                left[d] = 0
                now.append(d)
        a, b = (_summed(y, [d for d in now if z.shape[d] == 1]) for y, z in (pair, pair[::-1]))
        found = _multiplied(a, b, [d for d in now if a.shape[d] != 1])
    if dims == shown:
        return found
    return reshape(found, found.shape[:shown]) if others else FUNCTIONS["sum"](found, list(range(shown, dims)))


def _summed(x, dims):
    return FUNCTIONS["sum"](x, dims, True) if dims else x


def _multiplied(a, b, dims):
    """The sum over `dims` of the product of two tensors, as one product of batches of matrices; `dims` keep the size 1."""
    if not dims:
        return a * b
    free = [d for d in range(a.ndim) if d not in dims]
    batch = [d for d in free if a.shape[d] != 1 and b.shape[d] != 1]
    rows = [d for d in free if a.shape[d] != 1 and b.shape[d] == 1]
    columns = [d for d in free if a.shape[d] == 1]
    of = lambda x, kind: prod(x.shape[d] for d in kind)
    mine, theirs = permute(a, batch + rows + dims + columns), permute(b, batch + dims + columns + rows)
    product = bmm(reshape(mine, (of(a, batch), of(a, rows), of(a, dims))),
        reshape(theirs, (of(a, batch), of(a, dims), of(b, columns))))  # fmt: skip
    order = batch + rows + dims + columns
    sizes = [a.shape[d] if d in batch + rows else 1 if d in dims else b.shape[d] for d in order]
    return permute(reshape(product, sizes), [order.index(d) for d in range(a.ndim)])


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
