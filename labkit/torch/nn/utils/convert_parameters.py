"""All parameters as one vector, and back."""

from ....aliases import attributes
from ..._table import FUNCTIONS
from ..._tensor import Tensor

__all__ = ["parameters_to_vector", "vector_to_parameters"]


def parameters_to_vector(parameters) -> Tensor:
    """The elements of all parameters, one after the other.

    >>> import labkit.torch as torch
    >>> torch.nn.utils.parameters_to_vector(torch.nn.Linear(3, 2).parameters()).shape
    torch.Size([8])
    """
    return FUNCTIONS["cat"]([p.view(-1) for p in parameters])


def vector_to_parameters(vec, parameters) -> None:
    """Give the parameters the elements of `vec`, in their order."""
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {type(vec)}")
    start = 0
    for p in parameters:
        p.data = vec[start : start + p.numel()].view_as(p).data  # type: ignore[index]
        start += p.numel()


__getattr__ = attributes(__name__)
