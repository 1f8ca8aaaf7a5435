"""`torch._vmap_internals`: `vmap` under the name that it had first."""

from collections.abc import Callable
from warnings import warn

from ..aliases import attributes
from ._vmap import vmap as _vmap_of_today

__all__ = ["vmap"]


def _vmap(func, in_dims=0, out_dims=0, allow_none_pass_through=False) -> Callable:
    """`torch.vmap(func, in_dims, out_dims)`."""
    return _vmap_of_today(func, in_dims, out_dims)


def vmap(func, in_dims=0, out_dims=0) -> Callable:
    """The same, with a warning that it stands in `torch` now."""
    warn("Please use `torch.vmap` instead of `torch._vmap_internals.vmap`.", FutureWarning, stacklevel=2)
    return _vmap(func, in_dims, out_dims)


__getattr__ = attributes(__name__)
