"""`torch._foreach_add` and its like: an op on each tensor of a list, with numbers, tensors or lists of them beside it."""

from collections.abc import Callable
from numbers import Number
from typing import Any

from ._reduce import vector_norm
from ._table import FUNCTIONS, METHODS
from ._tensor import Tensor

_OTHERWISE: dict[str, Callable] = {  # what the op on one tensor is called, or does not do
    "norm": vector_norm,
    "maximum": lambda x, y: METHODS["clamp_min" if isinstance(y, Number) else "maximum"](x, y),
    "minimum": lambda x, y: METHODS["clamp_max" if isinstance(y, Number) else "minimum"](x, y),
    "addcmul": lambda x, a, b, value=1: METHODS["addcmul"](x, a, b, value=value),
    "addcdiv": lambda x, a, b, value=1: METHODS["addcdiv"](x, a, b, value=value),
    "copy_": lambda x, y, non_blocking=False: x.copy_(y),
}


def on_lists(name) -> Callable:
    """The function `torch._foreach_...` of this name. Raises AttributeError where there is no such op on a tensor.

    >>> import labkit.torch as torch
    >>> on_lists("_foreach_add")([torch.ones(1), torch.zeros(2)], [1.0, 5.0])
    (tensor([2.]), tensor([5., 5.]))
    """
    word = name.removeprefix("_foreach_")
    one = _of_one(word)
    if one is None:
        raise AttributeError(f"module 'torch' has no attribute '{name}'")

    def foreach(self, *args, **kwargs):
        if isinstance(self, Number):
            return tuple(FUNCTIONS[word](self, x) for x in args[0])
        if not self:
            raise RuntimeError("Tensor list must have at least one tensor.")
        columns = [_column(a, len(self), word) for a in args]
        named = {key: _column(value, len(self), word) for key, value in kwargs.items()}
        rows = [
            one(x, *(column[i] for column in columns), **{key: column[i] for key, column in named.items()})
            for i, x in enumerate(self)
        ]
        return self if word[-1] == "_" else tuple(rows)

    foreach.__name__ = foreach.__qualname__ = name
    foreach.__doc__ = f"`torch.{word}` of each tensor in a list{', in place' if word[-1] == '_' else ', as a tuple'}."
    return foreach


def _of_one(word) -> Callable | None:
    if word in _OTHERWISE:
        return _OTHERWISE[word]
    plain = word.removesuffix("_")
    if word in METHODS and plain not in _OTHERWISE:
        return METHODS[word]
    if word != plain and (op := _of_one(plain)) is not None:
        return lambda x, *args, **kwargs: x.copy_(op(x, *args, **kwargs))
    return getattr(Tensor, word, None)


def _column(given, count, word) -> Any:
    """What stands beside each of `count` tensors."""
    if isinstance(given, Tensor) and given.ndim == 1 and word.startswith(("addcmul", "addcdiv")):
        given = given.tolist()
    if not isinstance(given, (list, tuple)):
        return [given] * count
    if len(given) != count:
        kind = "tensor" if given and isinstance(given[0], Tensor) else "scalar"
        lists = "Tensor lists must have the same number of tensors, got {0} and {1}" if kind == "tensor" else (
            "Tensor list must have same number of elements as scalar list."
        )  # fmt: skip
        raise RuntimeError(lists.format(count, len(given)))
    return given


def grouped(tensorlistlist, with_indices=False) -> dict:
    """`{(device, dtype of the first list's tensors): (lists with these alone, their places)}`.

    >>> import labkit.torch as torch
    >>> groups = grouped([[torch.ones(1), torch.ones(2).double(), torch.zeros(3)]], True)
    >>> [(str(dtype), places) for (_, dtype), (_, places) in groups.items()]
    [('torch.float32', [0, 2]), ('torch.float64', [1])]
    """
    found: dict = {}
    for place, first in enumerate(tensorlistlist[0]):
        lists, places = found.setdefault((first.device, first.dtype), ([[] for _ in tensorlistlist], []))
        for own, given in zip(lists, tensorlistlist, strict=True):
            if given:
                own.append(given[place])
        places += [place] if with_indices else []
    return found
