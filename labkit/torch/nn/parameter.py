"""`Parameter`: a tensor that a module trains."""

from contextlib import contextmanager

from ...layout import Placed
from .. import _creation
from .._tensor import Tensor

__all__ = ["Parameter"]


class Parameter(Tensor, metaclass=Placed):
    """A leaf that a `Module` finds among its attributes; it requires a gradient unless told otherwise.

    `data`: a tensor, whose memory, shape and dtype it has. Raises RuntimeError for integers, unless `requires_grad=False`.

    >>> import labkit.torch as torch
    >>> torch.nn.Parameter(torch.tensor([1.0, 2.0]))
    Parameter containing:
    tensor([1., 2.], requires_grad=True)
    """

    def __new__(cls, data=None, requires_grad=True):
        return object.__new__(cls)

    def __init__(self, data=None, requires_grad=True):
        data = Tensor(0) if data is None else data
        self._set_up(data._array)
        if requires_grad and not self.dtype.is_floating_point:
            raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
        self._requires = bool(requires_grad)

    def __repr__(self):
        return "Parameter containing:\n" + super().__repr__()

    @contextmanager
    def __engine_bind__(self, value):
        """Inside, this parameter's value is `value`, which may be a box; afterwards it is what it was."""
        kept = self._data, self._requires
        self._data, self._requires = value, False
        try:
            yield self
        finally:
            self._data, self._requires = kept


def add_weights(layer, shape, bias, dtype) -> None:
    """Give a layer its weight of `shape` and, if it has one, its bias, an element for each output; and draw them."""
    layer.weight = Parameter(_creation.empty(*shape, dtype=dtype))
    layer.register_parameter("bias", Parameter(_creation.empty(shape[0], dtype=dtype)) if bias else None)
    layer.reset_parameters()
