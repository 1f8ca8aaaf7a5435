"""`torch.overrides`: whether arguments answer to functions themselves; here only tensors do, and none takes a function over."""

from typing import Any

from ..aliases import attributes
from ._tensor import Tensor

__all__ = ["handle_torch_function", "has_torch_function", "is_tensor_like"]


def has_torch_function(relevant_args) -> bool:
    """Whether one of the arguments takes a function over: no."""
    return False


def handle_torch_function(public_api, relevant_args, *args, **kwargs) -> Any:
    """What `public_api` returns: nothing takes it over."""
    return public_api(*args, **kwargs)


def is_tensor_like(inp) -> bool:
    """Whether it is a tensor."""
    return isinstance(inp, Tensor)


has_torch_function_unary = has_torch_function


def has_torch_function_variadic(*args) -> bool:
    """Whether one of the arguments takes a function over: no."""
    return False


__getattr__ = attributes(__name__)
