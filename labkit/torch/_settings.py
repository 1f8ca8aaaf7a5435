"""Settings that programs make and labkit does not need: they are kept, so that they can be asked for."""

from collections.abc import Callable
from typing import Any

from ._dtype import DTYPES, set_default_dtype
from ._table import FUNCTIONS, function

_DEFAULTS = {
    "num_threads": 1,
    "num_interop_threads": 1,
    "float32_matmul_precision": "highest",
    "deterministic_debug_mode": 0,
    "flush_denormal": False,
}
_now: dict[str, Any] = {}


def _pair(name, default):
    def get():
        return _now.get(name, default)

    def set(value):
        _now[name] = value
        return name == "flush_denormal" or None

    get.__doc__ = f"What `set_{name}` has set, {default!r} before; it changes nothing here."
    set.__doc__ = f"Set what `get_{name}` tells; it changes nothing here."
    for fun, full in ((get, f"get_{name}"), (set, f"set_{name}")):
        fun.__name__ = fun.__qualname__ = full
        FUNCTIONS[full] = fun


for _name, _default in _DEFAULTS.items():
    _pair(_name, _default)


@function()
def use_deterministic_algorithms(mode, *, warn_only=False) -> None:
    """Everything here gives the same numbers each time, whatever is set."""
    _now["deterministic"] = bool(mode)


@function()
def are_deterministic_algorithms_enabled() -> bool:
    """What `use_deterministic_algorithms` has set."""
    return _now.get("deterministic", False)


@function()
def set_default_tensor_type(t) -> None:
    """Set the default dtype to that of a legacy type, such as `torch.DoubleTensor` or its name. Raises TypeError for another."""
    name = t.removeprefix("torch.") if isinstance(t, str) else getattr(t, "__name__", repr(t))
    if name.startswith("cuda."):
        raise TypeError(f"type {t} not available. Torch not compiled with CUDA enabled.")
    kind = next((d for d in DTYPES.values() if f"{d.legacy}Tensor" == name), None)
    if kind is None:
        raise TypeError(f"invalid type name: expected one such as 'torch.FloatTensor', but got {name!r}")
    set_default_dtype(kind)


@function()
def compile(
    model=None, *, fullgraph=False, dynamic=None, backend="inductor", mode=None, options=None, disable=False
) -> Callable:
    """`model` itself: nothing is compiled here, and what a compiled function computes is the same.

    Without a `model`, a decorator.

    >>> import labkit.torch as torch
    >>> torch.compile(torch.sin)(torch.tensor(0.0))
    tensor(0.)
    """
    return (lambda fun: fun) if model is None else model


@function("_assert")
def _assert(condition, message) -> None:
    """`assert condition, message`."""
    assert condition, message


@function("_assert_async")
def _assert_async(condition, message="Expected Tensor with single nonzero value, but got zero") -> None:
    """Raise RuntimeError with `message` unless the tensor's element is true."""
    if not condition:
        raise RuntimeError(message)


@function("_check")
def _check(cond, message=None) -> None:
    """Raise RuntimeError with `message()` unless `cond`."""
    if not cond:
        raise RuntimeError("Expected cond to be True, but got False" if message is None else str(message()))
