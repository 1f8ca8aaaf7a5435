"""Products of vectors and matrices."""

import numpy as np

from . import _rules
from ._autocast import lowered
from ._dispatch import apply, view
from ._table import METHODS, both
from ._tensor import Tensor


def _same_dtype(a, b):
    if a.dtype is not b.dtype:
        raise RuntimeError(f"expected m1 and m2 to have the same dtype, but got: {in_c(a)} != {in_c(b)}")


_C = {
    "float32": "float",
    "float64": "double",
    "float16": "c10::Half",
    "bfloat16": "c10::BFloat16",
    "int64": "long int",
    "int32": "int",
    "int16": "short int",
    "int8": "signed char",
    "uint8": "unsigned char",
    "bool": "bool",
}


def in_c(tensor) -> str:
    """The name that C++ has for the type of a tensor's elements."""
    return _C[tensor.dtype.name]


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


both("vdot")(dot)


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
    if input.ndim == 0 or other.ndim == 0:
        raise RuntimeError(
            f"both arguments to matmul need to be at least 1D, but they are {input.ndim}D and {other.ndim}D"
        )
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
    if a.shape[-1] != other.shape[-2]:
        raise RuntimeError(
            f"Expected size for first two dimensions of batch2 tensor to be: [{int(np.prod(other.shape[:-2]))}, "
            f"{a.shape[-1]}] but got: [{int(np.prod(other.shape[:-2]))}, {other.shape[-2]}]."
        )
    try:
        batch = np.broadcast_shapes(tuple(a.shape[:-2]), tuple(other.shape[:-2]))
    except ValueError:
        from ._dispatch import check_broadcast

        check_broadcast(Tensor._of(np.empty(a.shape[:-2])), Tensor._of(np.empty(other.shape[:-2])))
        raise
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


@both("outer", "ger")
def outer(input, vec2):
    """Every product of an element of one vector with one of the other."""
    return METHODS["reshape"](input, (-1, 1)) * vec2


METHODS["__matmul__"] = lambda self, other: matmul(self, other) if isinstance(other, Tensor) else NotImplemented
METHODS["__rmatmul__"] = lambda self, other: NotImplemented  # two tensors meet in the line above
