"""Cells that train, forward pass, derivative and update in one call; and the reducer of the gradients of all ranks."""

from typing import Any

import numpy as np

from ...dialects.argument_types import of_kind
from ...dialects.packed_arrays import forms, pack, unpack
from ...engine import dtype_of, map_leaves
from ...parallel import member
from ..common.dtype import at_least_four_bytes
from ..common.tensor import Tensor, wrap
from ..context import ParallelMode, get_auto_parallel_context
from ..gradient.reverse_run import Run
from ..ops import GradOperation, fill
from ..ops.collectives import WORLD, AllReduce
from .cell import Cell, in_dtype
from .layers import Identity

__all__ = [
    "DistributedGradReducer", "TrainOneStepCell", "WithEvalCell", "WithLossCell", "recompute",
]  # fmt: skip


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
                "For 'DistributedGradReducer', expected {expected} gradients, one per parameter, but got {count}.".format(
                    expected=len(self.allreduce_filter), count=len(several)
                )
            )
        if member().size == 1 and (self.degree == 1 or not self.mean):
            return grads
        places: dict[np.dtype, list[int]] = {}
        for place, (grad, shared) in enumerate(zip(several, self.allreduce_filter, strict=True)):
            if shared:
                places.setdefault(at_least_four_bytes(dtype_of(grad._value)), []).append(place)
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


class WithLossCell(Cell):
    """`loss_fn(backbone(data), label)`: what a training step differentiates.

    >>> from labkit.mindspore import Tensor, nn
    >>> WithLossCell(nn.Dense(2, 1, "ones", "zeros"), nn.MSELoss())(Tensor([[1.0, 2.0]]), Tensor([[1.0]]))
    Tensor(shape=[], dtype=Float32, value= 4)
    """

    def __init__(self, backbone, loss_fn):
        super().__init__(auto_prefix=False)
        self._backbone, self._loss_fn = backbone, loss_fn

    def construct(self, data, label) -> Tensor:
        return self._loss_fn(self._backbone(data), label)


class TrainOneStepCell(Cell):
    """One training step: call it with what `network`, which ends in a loss, takes; it returns the loss before the step.

    The parameters of `optimizer` are differentiated and stepped. `sens` multiplies the loss's cotangent, so give the
    optimizer the same `loss_scale`. With `return_grad` the result is `(loss, {name: gradient})`. Gradients go through
    `grad_reducer`, which adds up those of all processes in a parallel mode. Raises ValueError for `sens` 0.

    >>> from labkit.mindspore import Tensor, nn
    >>> net = nn.Dense(1, 1, weight_init=Tensor([[2.0]]), has_bias=False)
    >>> with_loss = nn.WithLossCell(net, nn.MSELoss())
    >>> step = nn.TrainOneStepCell(with_loss, nn.SGD(net.trainable_params(), 0.25))
    >>> step(Tensor([[1.0]]), Tensor([[0.0]])), net.weight.value()
    (Tensor(shape=[], dtype=Float32, value= 4), Tensor(shape=[1, 1], dtype=Float32, value=
    [[ 1.00000000e+00]]))
    """

    def __init__(self, network, optimizer, sens=None, return_grad=False):
        super().__init__(auto_prefix=False)
        self.network = network
        self.network.set_grad()
        self.optimizer = optimizer
        self.weights = optimizer.parameters
        self.grad = GradOperation(get_by_list=True, sens_param=True)
        self.grad_no_sens = GradOperation(get_by_list=True)
        if sens is not None and not isinstance(sens, Tensor) and sens == 0:
            raise ValueError("The input argument of 'sens' can not be 0.")
        self.sens, self.sense_flag = 1.0 if sens is None else sens, sens is not None
        self.return_grad = return_grad
        self._add_reducer()

    def _add_reducer(self):
        """The cell that makes one gradient of those of all processes; alone, they stay as they are."""
        self.parallel_mode = get_auto_parallel_context("parallel_mode")
        self.reducer_flag = self.parallel_mode in (ParallelMode.DATA_PARALLEL, ParallelMode.HYBRID_PARALLEL)
        if not self.reducer_flag:
            self.grad_reducer: Cell = Identity()
            return
        self.mean, self.degree = get_auto_parallel_context("gradients_mean"), get_auto_parallel_context("device_num")
        self.grad_reducer = DistributedGradReducer(self.weights, self.mean, self.degree)

    def construct(self, *inputs) -> Any:
        run = Run(self.network, inputs, (), self.weights)
        loss = run.output
        sens = map_leaves(lambda out: fill(out.dtype, out.shape, self.sens), loss) if self.sense_flag else None
        grads = self.grad_reducer(tuple(run.pull(sens)[1]))
        self.optimizer(grads)
        if self.return_grad:
            return loss, dict(zip((p.name for p in self.weights), grads, strict=True))
        return loss


class WithEvalCell(Cell):
    """A network and its loss for evaluation: returns `(loss, outputs, label)`; `add_cast_fp32` takes both to Float32."""

    def __init__(self, network, loss_fn, add_cast_fp32=False):
        super().__init__(auto_prefix=False)
        self._network, self._loss_fn = network, loss_fn
        self.add_cast_fp32 = bool(add_cast_fp32)

    def construct(self, data, label) -> tuple:
        outputs = self._network(data)
        if self.add_cast_fp32:
            outputs, label = map_leaves(lambda value: in_dtype(value, np.float32), (outputs, label))
        return self._loss_fn(outputs, label), outputs, label


def recompute(block, *args, **kwargs) -> Any:
    """`block(*args)`, a cell of which the inputs alone are kept: its derivative computes it again. Raises TypeError for others.

    >>> import labkit.mindspore as ms
    >>> layer = ms.nn.Tanh()
    >>> ms.grad(lambda x: ms.recompute(layer, x))(ms.Tensor(0.0))
    Tensor(shape=[], dtype=Float32, value= 1)
    """
    of_kind(block, Cell, "Recompute function now only support block which inherited from Cell when use_reentrant=True!")
    from ...memory import checkpoint

    return checkpoint(block)(*args, **kwargs)
