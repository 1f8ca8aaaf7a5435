"""`torch.testing`: `assert_close`, which says where two tensors, numbers or collections of them are apart."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..aliases import attributes
from ._dtype import DTYPES
from ._table import FUNCTIONS
from ._tensor import Tensor

__all__ = ["assert_close", "make_tensor"]

_TOLERANCES = {"float16": (1e-3, 1e-5), "bfloat16": (1.6e-2, 1e-5), "float32": (1.3e-6, 1e-5), "float64": (1e-7, 1e-7)}
_NUMBERS = (int, float, np.number)


def make_tensor(
    *shape, dtype, device="cpu", low=None, high=None, requires_grad=False, noncontiguous=False, exclude_zero=False,
    memory_format=None,
) -> Tensor:  # fmt: skip
    """A tensor of random numbers from `low` below `high`: from -9 to 9 unless given, from 0 of unsigned integers, 0 or 1 of bool.

    `exclude_zero` puts the smallest positive number in place of each 0. Raises ValueError where `low` is not below `high`.

    >>> import labkit.torch as torch
    >>> torch.testing.make_tensor((2, 3), dtype=torch.float32, device="cpu", low=0, high=1).shape
    torch.Size([2, 3])
    """
    shape = tuple(shape[0]) if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
    least, most = {"bool": (0, 2), "uint8": (0, 10)}.get(dtype.name, (-9, 9 if dtype.is_floating_point else 10))
    low, high = least if low is None else low, most if high is None else high
    if not low < high:
        raise ValueError(f"`low` must be less than `high`, but got {low} >= {high}")
    if dtype.is_floating_point:
        made = FUNCTIONS["empty"](shape, dtype=dtype).uniform_(low, high)
    else:
        made = FUNCTIONS["randint"](low, high, shape, dtype=dtype)
    if noncontiguous and made.numel() > 1:
        made = made.repeat_interleave(2, dim=-1)[..., ::2]
    if exclude_zero:
        made[made == 0] = float(np.finfo(dtype.np).tiny) if dtype.is_floating_point else 1
    return made.requires_grad_(requires_grad) if requires_grad else made


def assert_close(
    actual, expected, *, allow_subclasses=True, rtol=None, atol=None, equal_nan=False, check_device=True,
    check_dtype=True, check_layout=True, check_stride=False, msg=None,
) -> None:  # fmt: skip
    """Raise AssertionError unless abs(actual - expected) <= atol + rtol * abs(expected) for each element.

    Tensors, NumPy arrays, numbers, and sequences or dicts of them. Shapes have to be equal, dtypes with `check_dtype`, strides
    with `check_stride`; `rtol` and `atol` are those of the dtype (0 for integers and bool) unless both are given. Two nans
    are apart without `equal_nan`. `msg`: the text of the error, or a function of it. Raises TypeError for what cannot be
    compared, ValueError for one tolerance without the other.

    >>> import labkit.torch as torch
    >>> assert_close(torch.ones(2), torch.ones(2) + 1e-7)
    >>> try:
    ...     assert_close(torch.ones(2), torch.tensor([1.0, 2.0]))
    ... except AssertionError as error:
    ...     print(str(error).splitlines()[2])
    Mismatched elements: 1 / 2 (50.0%)
    """
    if (rtol is None) != (atol is None):
        raise ValueError(
            "Both 'rtol' and 'atol' must be either specified or omitted, but got no "
            f"{'rtol' if rtol is None else 'atol'}."
        )
    how = {"tolerances": None if rtol is None else (rtol, atol), "equal_nan": equal_nan, "check_dtype": check_dtype,
           "check_stride": check_stride}  # fmt: skip
    text = _apart(actual, expected, how)
    if text:
        raise AssertionError(text if msg is None else msg(text) if callable(msg) else msg)


def _apart(a, b, how, place=()) -> str | None:
    """What is to be said of a pair; None where they are close."""
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return _of_keys(a, b) or _first(((k, a[k], b[k]) for k in a), how, place)
    if isinstance(a, Sequence) and isinstance(b, Sequence) and not isinstance(a, str) and not isinstance(b, str):
        if len(a) != len(b):
            return f"The length of the sequences mismatch: {len(a)} != {len(b)}"
        return _first(((i, *pair) for i, pair in enumerate(zip(a, b))), how, place)
    said = _of_pair(a, b, how)
    return said + f"\n\nThe failure occurred for item {''.join(f'[{p!r}]' for p in place)}" if said and place else said


def _of_keys(a, b):
    absent, more = [k for k in b if k not in a], [k for k in a if k not in b]
    if not absent and not more:
        return None
    return (
        "The keys of the mappings do not match:\n"
        f"Missing keys in the actual mapping: {sorted(absent)}\nAdditional keys in the actual mapping: {sorted(more)}"
    )


def _first(triples, how, place):
    return next(filter(None, (_apart(a, b, how, (*place, key)) for key, a, b in triples)), None)


def _of_pair(a, b, how):
    if a is None and b is None:
        return None
    if isinstance(a, bool) and isinstance(b, bool):
        return None if a is b else f"Booleans mismatch: {a} is not {b}"
    if isinstance(a, _NUMBERS) and isinstance(b, _NUMBERS):
        return _of_numbers(a, b, how)
    if isinstance(a, (Tensor, np.ndarray)) and isinstance(b, type(a) if isinstance(a, np.ndarray) else Tensor):
        mine, theirs = (x if isinstance(x, Tensor) else FUNCTIONS["tensor"](x) for x in (a, b))
        return _of_tensors(mine, theirs, how)
    raise TypeError(f"No comparison pair was able to handle inputs of type {type(a)} and {type(b)}.")


def _of_numbers(a, b, how):
    if how["check_dtype"] and type(a) is not type(b):
        return f"The (d)types do not match: {type(a)} != {type(b)}."
    whole = isinstance(a, int) and isinstance(b, int)
    tolerances = how["tolerances"] or ((0, 0) if whole else _TOLERANCES["float64"])
    return _said(np.asarray(a), np.asarray(b), tolerances, how["equal_nan"])


def _of_tensors(a, b, how):
    facts = {"shape": (a.shape, b.shape), "dtype": (a.dtype, b.dtype) if how["check_dtype"] else (0, 0),
             "stride()": (a.stride(), b.stride()) if how["check_stride"] else (0, 0)}  # fmt: skip
    for name, (mine, theirs) in facts.items():
        if mine != theirs:
            return f"The values for attribute '{name}' do not match: {mine} != {theirs}."
    defaults = [_TOLERANCES.get(x.dtype.name, (0, 0)) for x in (a, b)]
    tolerances = how["tolerances"] or tuple(max(pair) for pair in zip(*defaults))
    wide = [x.detach().to(DTYPES["float32"] if x.dtype.itemsize == 2 and x.dtype.is_floating_point else x.dtype)
            for x in (a, b)]  # fmt: skip
    return _said(wide[0]._array, wide[1]._array, tolerances, how["equal_nan"])


def _said(a, b, tolerances, equal_nan) -> str | None:
    """The report on two arrays of one shape, or on two numbers."""
    if a.dtype.kind == "b":
        a, b = a.astype(np.int64), b.astype(np.int64)
    rtol, atol = tolerances
    wrong = ~np.isclose(a, b, rtol, atol, equal_nan)
    if not wrong.any():
        return None
    kind, subject = ("equal" if rtol == atol == 0 else "close"), "Tensor-likes" if a.ndim else "Scalars"
    with np.errstate(all="ignore"):
        far = np.abs(a - b)
        kind_of_share = np.float32 if a.ndim and a.dtype.kind != "f" else a.dtype
        share = far.astype(kind_of_share) / np.abs(b).astype(kind_of_share)
    up_to = lambda limit: f" (up to {limit} allowed)" if kind == "close" else ""
    if not a.ndim:
        lines = [f"Expected {b.item()} but got {a.item()}.", f"Absolute difference: {far.item()}{up_to(atol)}",
                 f"Relative difference: {share.item()}{up_to(rtol)}"]  # fmt: skip
    else:
        count = f"{wrong.sum()} / {wrong.size} ({wrong.mean():.1%})"
        lines = [f"Mismatched elements: {count}", f"Greatest absolute difference: {_greatest(far, wrong)}{up_to(atol)}",
                 f"Greatest relative difference: {_greatest(share, wrong)}{up_to(rtol)}"]  # fmt: skip
    return "\n".join([f"{subject} are not {kind}!", "", *lines])


def _greatest(values, wrong) -> Any:
    """The largest of the wrong ones, nan first, and where it is."""
    shown = np.where(wrong, values, -1)
    place = np.unravel_index(np.argmax(np.where(np.isnan(shown), np.inf, shown)), values.shape)
    return f"{values[place].item()} at index {tuple(map(int, place))}"


__getattr__ = attributes(__name__)
