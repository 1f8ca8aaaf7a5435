# ruff: noqa: F401
"""The PyTorch dialect: tensors with a tape, `backward()`, `torch.autograd`, `torch.func` and the basis of `torch.nn`.

`import labkit.torch as torch` runs code written for PyTorch; on the CPU, with NumPy underneath.
"""

from math import e, inf, nan, pi
from sys import modules
from typing import Any

from ..dialects.unsupported import attributes
from ..imports.lazy import load as _load
from . import autograd, random
from ._ops import function_table as _table
from ._tape.grad_mode import enable_grad, inference_mode, is_grad_enabled, no_grad, set_grad_enabled
from ._tensor.attributes import Size
from ._tensor.device import device, set_default_device
from ._tensor.dtype import ALIASES as _ALIASES
from ._tensor.dtype import DTYPES as _DTYPES
from ._tensor.dtype import by_python_types as _by_python_types
from ._tensor.dtype import dtype, finfo, get_default_dtype, set_default_dtype
from ._tensor.printing import set_printoptions
from ._tensor.tensor import Tensor
from .amp._autocast_mode import autocast, get_autocast_dtype, is_autocast_enabled
from .random import Generator, get_rng_state, manual_seed, set_rng_state

globals().update(_DTYPES)
globals().update({alias: globals()[name] for alias, name in _ALIASES.items()})
globals().update({_name: _by_python_types(_fun) for _name, _fun in _table.FUNCTIONS.items()})
for _name in ("add", "div", "matmul", "mm", "mul", "rand", "randn", "sub"):
    globals()[_name] = _table.with_out(globals()[_name])
for _name, _fun in _table.METHODS.items():
    setattr(Tensor, _name, _by_python_types(_fun))
Tensor.__module__ = dtype.__module__ = Size.__module__ = device.__module__ = "torch"
torch = modules[__name__]  # which `torch.torch` is in PyTorch, too
__version__ = "2.13.0+labkit"

_LATER = {  # name -> the module that has it (or is it), loaded when first wanted
    **dict.fromkeys(("amp", "backends", "cuda", "func", "linalg", "nn", "optim", "serialization", "utils"), ""),
    **dict.fromkeys(("load", "save"), "serialization"),
    "vmap": "func",
    "accelerator": "backends",
}


def compile(
    model=None, *, fullgraph=False, dynamic=None, backend="inductor", mode=None, options=None, disable=False
) -> Any:
    """`model` itself: nothing is compiled here, and what a compiled function computes is the same.

    Without a `model`, a decorator.

    >>> import labkit.torch as torch
    >>> torch.compile(torch.sin)(torch.tensor(0.0))
    tensor(0.)
    """
    return (lambda fun: fun) if model is None else model


def is_tensor(obj) -> "bool":
    """Whether `obj` is a tensor."""
    return isinstance(obj, Tensor)


_missing = attributes(__name__)


def __getattr__(name):
    if name in _LATER:
        return _load(globals(), _LATER, name)
    return _missing(name)


def __dir__():
    return sorted({*globals(), *_LATER})
