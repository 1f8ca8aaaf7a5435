"""`DistributedGradReducer`: the gradients of all ranks, made one."""

import numpy as np

from ...dialects.packed_arrays import forms, pack, unpack
from ...engine import dtype_of
from ...parallel import member
from ..common.tensor import Tensor, wrap
from ..context import get_auto_parallel_context
from ..ops.collectives import WORLD, AllReduce
from .cell import Cell

__all__ = ["DistributedGradReducer"]


class DistributedGradReducer(Cell):
    """Add up the gradients of all ranks; with `mean`, multiply by 1/`degree`. Every rank gets the same bits.

    `parameters` are those the gradients belong to; one with `layerwise_parallel` keeps its own rank's gradient. `mean` is
    the setting `gradients_mean` unless given, `degree` the number of ranks; `fusion_type` is accepted. In one process
    gradients stay as they are. Raises ValueError for a degree that is not a positive int.

    float16, bfloat16 and float32 gradients are added and multiplied in float32, then cast back; float64 stays float64 (the
    real one takes float32 there too). All that is reduced in one type travels as one array.

    The mean of the ranks' gradients is the gradient of the whole batch where all ranks have equally many samples and the
    loss is a mean. With `n` of `total` samples here, reduce `grad * (n / total)` by the sum instead.

    >>> from labkit.mindspore import Tensor, nn
    >>> reducer = DistributedGradReducer(nn.Dense(2, 1, has_bias=False).trainable_params(), mean=True)
    >>> reducer((Tensor([[1.0, 2.0]]),))
    (Tensor(shape=[1, 2], dtype=Float32, value=
    [[ 1.00000000e+00,  2.00000000e+00]]),)
    """

    def __init__(self, parameters, mean=None, degree=None, fusion_type=1, group=WORLD[0]):
        super().__init__(auto_prefix=False)
        if degree is not None and (not isinstance(degree, int) or isinstance(degree, bool) or degree <= 0):
            raise ValueError(
                "For 'DistributedGradReducer', parameter 'degree' in DistributedGradReducer should large than 0 and be "
                f"int, degree: {degree}."
            )
        self.mean = get_auto_parallel_context("gradients_mean") if mean is None else mean
        self.degree = member().size if degree is None else degree
        self.allreduce = AllReduce("sum", group)
        self.allreduce_filter = tuple(not p.layerwise_parallel for p in parameters)

    def construct(self, grads) -> Tensor | tuple[Tensor, ...]:
        """The reduced gradients, in their own types: a tuple, or one tensor for one parameter."""
        several = (grads,) if isinstance(grads, Tensor) else tuple(grads)
        if len(several) != len(self.allreduce_filter):
            raise ValueError(
                f"For 'DistributedGradReducer', expected {len(self.allreduce_filter)} gradients, one per parameter, but "
                f"got {len(several)}."
            )
        if member().size == 1 and (self.degree == 1 or not self.mean):
            return grads
        places: dict[np.dtype, list[int]] = {}
        for place, (grad, shared) in enumerate(zip(several, self.allreduce_filter, strict=True)):
            if shared:
                places.setdefault(_wide(grad._value), []).append(place)
        found = list(several)
        for dtype, chosen in places.items():
            with np.errstate(all="ignore"):
                reduced = self._reduced([several[p]._value for p in chosen], dtype)
            for place, value in zip(chosen, reduced, strict=True):
                found[place] = wrap(value)
        return found[0] if isinstance(grads, Tensor) else tuple(found)

    def _reduced(self, values, dtype):
        """Arrays, sent as one of this dtype."""
        total = self.allreduce(wrap(pack(values, dtype)))._value
        if self.mean:
            total = total * dtype.type(1 / self.degree)
        return unpack(total, forms(values))


def _wide(value):
    """The dtype to reduce in: float32 for narrower ones."""
    dtype = dtype_of(value)
    return np.dtype(np.float32) if dtype.itemsize < 4 else dtype
