"""Layers: dense and flatten, and clipping as one."""

import math

from ...kinds import of_kind
from .._initializer import HeUniform, Uniform, initializer
from ..dtype import float32
from ..ops import Primitive, dense, flatten, maximum
from ..parameter import Parameter
from ..tensor import Tensor
from ._checks import check_positive_int
from .activation import get_activation
from .cell import Cell

__all__ = ["ClipByNorm", "Dense", "Flatten"]


class Dense(Cell):
    """x @ weight.T + bias: x (..., in_channels), weight (out_channels, in_channels), output (..., out_channels).

    Both are drawn from U(-1/sqrt(in), 1/sqrt(in)) unless `weight_init`, `bias_init` say otherwise (a tensor, number,
    name or Initializer). `activation`: a name or cell to apply to the result.

    >>> Dense(3, 1, has_bias=False)
    Dense(input_channels=3, output_channels=1)
    """

    def __init__(self, in_channels, out_channels, weight_init=None, bias_init=None, has_bias=True, activation=None,
                 dtype=float32):  # fmt: skip
        super().__init__()
        self.in_channels = check_positive_int(in_channels, "in_channels", self.cls_name)
        self.out_channels = check_positive_int(out_channels, "out_channels", self.cls_name)
        self.has_bias = of_kind(has_bias, bool, "For 'Dense', the 'has_bias' must be a bool, but got {kind}.")
        self.weight = self._weight(weight_init, dtype)
        self.bias = self._bias(bias_init, dtype) if has_bias else None
        self.activation = get_activation(activation) if isinstance(activation, str) else activation
        if activation is not None and not isinstance(self.activation, (Cell, Primitive)):
            kind = type(activation).__name__
            raise TypeError(f"For 'Dense', the 'activation' must be str or Cell or Primitive, but got {kind}.")

    def _weight(self, init, dtype):
        shape = (self.out_channels, self.in_channels)
        if isinstance(init, Tensor) and init.shape != shape:
            raise ValueError(
                "For 'Dense', weight init shape error. The ndim of 'weight_init' must be equal to 2, and the first dim "
                "must be equal to 'out_channels', and the second dim must be equal to 'in_channels'. But got "
                f"'weight_init': {init}, 'out_channels': {self.out_channels}, 'in_channels': {self.in_channels}."
            )
        return Parameter(initializer(HeUniform(math.sqrt(5)) if init is None else init, shape, dtype), name="weight")

    def _bias(self, init, dtype):
        if isinstance(init, Tensor) and init.shape != (self.out_channels,):
            raise ValueError(
                "For 'Dense', bias init shape error. The ndim of 'bias_init' must be equal to 1, and the first dim "
                f"must be equal to 'out_channels'. But got 'bias_init': {init}, 'out_channels': {self.out_channels}."
            )
        init = Uniform(1 / math.sqrt(self.in_channels)) if init is None else init
        return Parameter(initializer(init, (self.out_channels,), dtype), name="bias")

    def construct(self, x) -> Tensor:
        out = dense(x, self.weight, self.bias)
        return out if self.activation is None else self.activation(out)

    def extend_repr(self) -> str:
        bias = f", has_bias={self.has_bias}" if self.has_bias else ""
        activation = f", activation={self.activation}" if self.activation is not None else ""
        return f"input_channels={self.in_channels}, output_channels={self.out_channels}{bias}{activation}"


class Flatten(Cell):
    """All axes from `start_dim` to `end_dim` as one; the first axis, the batch, stays by default.

    No parameters; raises TypeError for anything but a tensor.

    >>> import labkit.mindspore as ms
    >>> ms.nn.Flatten()(ms.ops.ones((2, 3, 4))).shape
    (2, 12)
    """

    def __init__(self, start_dim=1, end_dim=-1):
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def construct(self, x) -> Tensor:
        return flatten(x, start_dim=self.start_dim, end_dim=self.end_dim)


class ClipByNorm(Cell):
    """`x * clip_norm / max(norm, clip_norm)`: a gradient of at most that norm, over all axes or over `axis`.

    With an `axis` the real framework's CPU kernel takes the norms of other elements; here it does what is documented.

    >>> ClipByNorm()(Tensor([3.0, 4.0]), Tensor([1.0])).asnumpy()
    array([0.6, 0.8], dtype=float32)
    """

    def __init__(self, axis=None):
        super().__init__()
        self.axis = axis

    def construct(self, x, clip_norm) -> Tensor:
        norm = (x * x).sum(self.axis, keepdims=True).sqrt()
        return (x / (maximum(norm, clip_norm) / clip_norm)).astype(x.dtype)
