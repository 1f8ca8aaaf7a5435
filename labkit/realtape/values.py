"""The contents of a tensor, as plain data that shares no memory with it."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..engine import Summary
from .kinds import installed

MOST = 256  # numbers that are kept in full; of more there is a summary
FEWEST = 3  # numbers by which a copy is known
MOST_READ = 2**24  # numbers of one tensor that a summary is made of


@dataclass(frozen=True, eq=False)
class Value:
    """The numbers of a tensor: `shape`, `dtype` as PyTorch calls it ("float32"), `numbers`, an array, or a summary of many."""

    shape: tuple[int, ...]
    dtype: str
    numbers: np.ndarray | Summary


def dtype_of(tensor: Any) -> str:
    """The dtype as it is written: "float32"."""
    return str(tensor.dtype).removeprefix("torch.")


def shape_of(tensor: Any) -> tuple[int, ...] | None:
    """Its shape, or None of a nested tensor, whose parts have shapes of their own."""
    return None if tensor.is_nested else tuple(map(int, tensor.shape))


def readable(tensor: Any) -> bool:
    """Whether the numbers can be read without running anything of the user's: not of a subclass with its own dispatch, not
    of what has no numbers (the device "meta"), and no sparse, quantized or nested tensor."""
    torch = installed()
    plain = type(tensor).__torch_dispatch__ is torch.Tensor.__torch_dispatch__
    known = plain and not (tensor.is_nested or tensor.is_quantized)
    return known and tensor.device.type != "meta" and tensor.layout == torch.strided


def _is_sparse(tensor):
    """Whether it is a plain sparse tensor, as the gradient of an embedding may be: it can be written out."""
    torch = installed()
    plain = type(tensor).__torch_dispatch__ is torch.Tensor.__torch_dispatch__
    return plain and tensor.device.type != "meta" and tensor.layout == torch.sparse_coo


def array_of(tensor: Any) -> np.ndarray:
    """Its numbers, in its own memory where NumPy can; those that NumPy has no type for (bfloat16, float8) as float32."""
    raw = tensor.detach()
    raw = (raw.to_dense() if raw.is_sparse else raw).resolve_conj().resolve_neg().cpu()
    try:
        return raw.numpy()
    except TypeError:
        return raw.float().numpy()


def value_of(tensor: Any) -> Value | None:
    """What `tensor` holds now, or None where that cannot be read. To be called where `unseen` is in force."""
    if not (readable(tensor) or _is_sparse(tensor)) or tensor.is_nested or tensor.numel() > MOST_READ:
        return None
    try:
        array = array_of(tensor)
    except (RuntimeError, TypeError, NotImplementedError):  # inside a transform of torch.func
        return None
    many = array.size > MOST and array.dtype.kind != "c"
    return Value(shape_of(tensor) or (), dtype_of(tensor), Summary(array) if many else array.copy())


def same_numbers(one: Any, other: Any) -> bool:
    """Whether two tensors hold the same numbers, several different ones, in any order."""
    alike = (
        readable(one)
        and readable(other)
        and one.dtype == other.dtype
        and FEWEST <= one.numel() == other.numel() <= MOST_READ
    )
    if not alike or not one.is_floating_point():
        return False
    a, b = (np.sort(array_of(tensor), None) for tensor in (one, other))
    return bool(a[0] < a[-1]) and np.array_equal(a, b)


def bytes_of(tensor: Any) -> int | None:
    """How many bytes its elements take, or None where that is not known."""
    if tensor.is_nested:
        return None
    try:
        return int(tensor.numel() * tensor.element_size())
    except (RuntimeError, NotImplementedError):
        return None


def storage_of(tensor: Any) -> int | None:
    """Its memory: the same number for tensors that share it, or None where that is not known."""
    try:
        return int(tensor.untyped_storage()._cdata) if readable(tensor) else None
    except (RuntimeError, NotImplementedError, AttributeError):
        return None
