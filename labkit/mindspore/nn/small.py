"""Small cells, of an op or two each: one-hot rows, norms, triangles, ranges, penalties, products of two vectors."""

from typing import Any

from ...kinds import of_kind
from .._initializer import Uniform, initializer
from ..dtype import float32
from ..ops import _op
from ..parameter import Parameter
from ..tensor import Tensor
from ._from_ops import REDUCTIONS
from .cell import Cell
from .losses import LossBase

__all__ = [
    "BiDense",
    "L1Regularizer",
    "Norm",
    "OneHot",
    "ParameterUpdate",
    "Range",
    "ReduceLogSumExp",
    "Roll",
    "TimeDistributed",
    "Tril",
    "TripletMarginWithDistanceLoss",
    "Triu",
    "Unflatten",
]

_OPS = _op.OPS


class OneHot(Cell):
    """Rows with `on_value` at each number and `off_value` elsewhere, `depth` long, along the new `axis`.

    >>> from labkit.mindspore import Tensor, nn
    >>> print(nn.OneHot(depth=3)(Tensor([0, 2])))
    [[1. 0. 0.]
     [0. 0. 1.]]
    """

    def __init__(self, axis=-1, depth=1, on_value=1.0, off_value=0.0, dtype=float32):
        super().__init__()
        self.axis, self.depth, self.dtype = axis, depth, dtype
        self.on_value, self.off_value = Tensor(on_value, dtype), Tensor(off_value, dtype)

    def construct(self, indices) -> Tensor:
        return _OPS["one_hot"](indices, self.depth, self.on_value, self.off_value, self.axis)


class Norm(Cell):
    """The Euclidean length of all elements, or along `axis`."""

    def __init__(self, axis=(), keep_dims=False):
        super().__init__()
        self.axis, self.keep_dims = axis, keep_dims

    def construct(self, x) -> Tensor:
        return (x * x).sum(self.axis if self.axis != () else None, keepdims=self.keep_dims).sqrt()

    def extend_repr(self) -> str:
        return f"axis={self.axis}, keep_dims={self.keep_dims}"


class ReduceLogSumExp(Cell):
    """log(sum(exp(x))) along `axis`."""

    def __init__(self, axis, keep_dims=False):
        super().__init__()
        self.axis, self.keep_dims = axis, keep_dims

    def construct(self, x) -> Tensor:
        return _OPS["logsumexp"](x, self.axis, self.keep_dims)


class Range(Cell):
    """The numbers from `start` up to, not including, `limit`, by `delta`; up to `start` from 0 where it stands alone."""

    def __init__(self, start, limit=None, delta=1):
        super().__init__()
        self.start: Any = 0 if limit is None else start
        self.limit, self.delta = start if limit is None else limit, delta

    def construct(self) -> Tensor:
        return _OPS["range"](self.start, self.limit, self.delta)


class Tril(Cell):
    """`ops.tril` as a cell, called with the diagonal `k`."""

    def construct(self, x, k=0) -> Tensor:
        return _OPS["tril"](x, k)


class Triu(Cell):
    """`ops.triu` as a cell, called with the diagonal `k`."""

    def construct(self, x, k=0) -> Tensor:
        return _OPS["triu"](x, k)


class L1Regularizer(Cell):
    """`scale` times the sum of the sizes of all weights.

    >>> from labkit.mindspore import Tensor, nn
    >>> nn.L1Regularizer(0.5)(Tensor([1.0, -3.0]))
    Tensor(shape=[], dtype=Float32, value= 2)
    """

    def __init__(self, scale):
        super().__init__()
        if not isinstance(scale, (int, float)) or scale <= 0:
            raise ValueError(f"For 'L1Regularizer', the 'scale' must be a number above 0, but got {scale}.")
        self.scale = scale

    def construct(self, weights) -> Tensor:
        return weights.abs().sum() * self.scale


class TripletMarginWithDistanceLoss(LossBase):
    """max(d(x, positive) - d(x, negative) + margin, 0), with the distance d of `distance_function`, or of two points.

    `swap`: the nearer of `x` and the positive one to the negative one counts.
    """

    def __init__(self, distance_function=None, swap=False, reduction="mean", margin=1.0):
        super().__init__()
        if reduction not in REDUCTIONS:
            raise ValueError(
                f"For '{self.cls_name}', the 'reduction' must be one of {REDUCTIONS}, but got {reduction}."
            )
        self.distance_function: Any = distance_function or (lambda x, y: _OPS["norm"](x - y, 2.0, -1))
        self.swap, self.margin, self.reduction = swap, margin, reduction

    def construct(self, x, positive, negative) -> Tensor:
        near, far = self.distance_function(x, positive), self.distance_function(x, negative)
        far = _OPS["minimum"](far, self.distance_function(positive, negative)) if self.swap else far
        each = _OPS["relu"](near - far + self.margin)
        return each if self.reduction == "none" else each.sum() if self.reduction == "sum" else each.mean()


class BiDense(Cell):
    """x1 @ weight[k] @ x2 + bias[k] for each k: `weight` (out, in1, in2), `bias` (out,); called with (..., in1) and (..., in2).

    >>> import labkit.mindspore as ms
    >>> BiDense(2, 3, 4)(ms.ops.ones((5, 2)), ms.ops.ones((5, 3))).shape
    (5, 4)
    """

    def __init__(
        self, in1_channels, in2_channels, out_channels, weight_init=None, bias_init=None, has_bias=True, dtype=float32
    ):
        super().__init__()
        self.in1_channels, self.in2_channels, self.out_channels = in1_channels, in2_channels, out_channels
        bound, shape = 1 / in1_channels**0.5, (out_channels, in1_channels, in2_channels)
        self.weight = Parameter(initializer(weight_init or Uniform(bound), shape, dtype), name="weight")
        self.has_bias = has_bias
        self.bias = (
            Parameter(initializer(bias_init or Uniform(bound), (out_channels,), dtype), name="bias")
            if has_bias
            else None
        )

    def extend_repr(self) -> str:
        """What is printed between the brackets."""
        sizes = (
            f"in1_channels={self.in1_channels}, in2_channels={self.in2_channels}, output_channels={self.out_channels}"
        )
        return f"{sizes}, has_bias={self.has_bias}"

    def construct(self, input1, input2) -> Tensor:
        return _OPS["bidense"](input1, input2, self.weight, self.bias)


class Unflatten(Cell):
    """The axis `axis` taken apart, into axes of the lengths `unflattened_size`, of which one may be -1.

    >>> import labkit.mindspore as ms
    >>> Unflatten(1, (2, 5))(ms.ops.ones((3, 10, 4))).shape
    (3, 2, 5, 4)
    """

    def __init__(self, axis, unflattened_size):
        super().__init__()
        self.axis, self.unflattened_size = axis, tuple(unflattened_size)

    def construct(self, input_x) -> Tensor:
        axis = self.axis % input_x.ndim
        return input_x.reshape((*input_x.shape[:axis], *self.unflattened_size, *input_x.shape[axis + 1 :]))


class Roll(Cell):
    """`ops.roll` as a cell: by `shift` places along `axis`, a number each or as many of both."""

    def __init__(self, shift, axis):
        super().__init__()
        self.shift, self.axis = shift, axis

    def construct(self, input_x) -> Tensor:
        return _OPS["roll"](input_x, self.shift, self.axis)


class ParameterUpdate(Cell):
    """Gives `param` new data when it is called, and returns it. Raises TypeError for anything but a parameter."""

    def __init__(self, param):
        super().__init__()
        of_kind(param, Parameter, "For 'ParameterUpdate', 'param' must be an instance of 'Parameter', but got {kind}.")
        object.__setattr__(self, "_param", param)

    def construct(self, x) -> Parameter:
        return _OPS["assign"](self._param, x)


class TimeDistributed(Cell):
    """`layer` applied at each place of `time_axis`, the results stacked along it.

    With `reshape_with_axis` it is applied once: the axis of time is first made one with that axis.

    >>> import labkit.mindspore as ms
    >>> TimeDistributed(ms.nn.Dense(3, 2), time_axis=1, reshape_with_axis=0)(ms.ops.ones((4, 5, 3))).shape
    (4, 5, 2)
    """

    def __init__(self, layer, time_axis, reshape_with_axis=None):
        super().__init__()
        self.layer, self.time_axis, self.reshape_with_axis = layer, time_axis, reshape_with_axis

    def construct(self, inputs) -> Tensor:
        axis = self.time_axis % inputs.ndim
        if self.reshape_with_axis is None:
            return _OPS["stack"]([self.layer(part) for part in _OPS["unbind"](inputs, axis)], axis)
        first, moved = self._beside(axis, self.reshape_with_axis % inputs.ndim, inputs)
        made = self.layer(moved.reshape((*moved.shape[:first], -1, *moved.shape[first + 2 :])))
        shape = (*made.shape[:first], *moved.shape[first : first + 2], *made.shape[first + 1 :])
        return made.reshape((-1, *shape[1:]))

    @staticmethod
    def _beside(time, other, x) -> tuple[int, Tensor]:
        """Where the two axes are that become one, and `x` with that of time moved beside the other."""
        new = x.ndim - 2 if other == x.ndim - 1 else other + 1 if time > other else other - 1
        order = [axis for axis in range(x.ndim) if axis != max(time, new)]
        order.insert(min(time, new), max(time, new))
        return min(new, other), x.transpose(tuple(order))
