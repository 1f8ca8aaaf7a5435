"""Training with a loss scale: the cells that change the scale, and the step that skips an update after overflow."""

from typing import Any

import numpy as np

from ...engine import map_leaves
from ...ops import select as chosen
from ...program import TraceError
from .. import ops
from ..common.dtype import bool_, float32, int32
from ..common.parameter import Parameter
from ..common.tensor import Tensor, wrap
from ..context import ParallelMode, compiles
from ..gradient.reverse_run import Run
from ..graph.recorder import current
from ..ops.reductions import all_finite
from .cell import Cell
from .training import TrainOneStepCell

__all__ = ["DynamicLossScaleUpdateCell", "FixedLossScaleUpdateCell", "TrainOneStepWithLossScaleCell"]

_grad_scale = ops.MultitypeFuncGraph("grad_scale")


@_grad_scale.register("Tensor", "Tensor")
def _unscaled(scale, grad):
    return grad * ops.cast(ops.reciprocal(scale), ops.dtype(grad))


class _UpdateCell(Cell):
    def __init__(self, loss_scale_value):
        super().__init__()
        self.loss_scale_value = loss_scale_value

    def get_loss_scale(self) -> float:
        """The scale to start with."""
        return self.loss_scale_value


class FixedLossScaleUpdateCell(_UpdateCell):
    """A scale that never changes: called with the scale and whether there was overflow, it returns the latter.

    For `TrainOneStepWithLossScaleCell`, in place of a scale that changes.

    >>> import labkit.mindspore as ms
    >>> update = ms.nn.FixedLossScaleUpdateCell(1024.0)
    >>> update.get_loss_scale(), bool(update(ms.Tensor(1024.0), ms.Tensor(True)))
    (1024.0, True)
    """

    def construct(self, _, overflow) -> Tensor:
        return overflow


class DynamicLossScaleUpdateCell(_UpdateCell):
    """Called with the scale, a parameter, and whether there was overflow: divides the scale by `scale_factor` (down to 1)
    after overflow, multiplies it after `scale_window` steps without; returns whether there was overflow.

    >>> from labkit.mindspore import Parameter, Tensor
    >>> scale, update = Parameter(Tensor(16.0), name="scale"), DynamicLossScaleUpdateCell(16, 2, 1)
    >>> update(scale, Tensor(True)), scale.value()
    (Tensor(shape=[], dtype=Bool, value= True), Tensor(shape=[], dtype=Float32, value= 8))
    """

    def __init__(self, loss_scale_value, scale_factor, scale_window):
        super().__init__(loss_scale_value)
        self.scale_factor = Tensor(scale_factor, float32)
        self.scale_window = Tensor(scale_window, int32)
        self.cur_iter = Parameter(wrap(np.int32(1)), name="current_iterator_step")
        self.last_overflow_iter = Parameter(wrap(np.int32(0)), name="last_overflow_iterator_step")

    def construct(self, loss_scale, overflow) -> Tensor:
        full = self.scale_window <= self.cur_iter - self.last_overflow_iter
        smaller = ops.maximum(loss_scale * ops.reciprocal(self.scale_factor), Tensor(1.0, float32))
        scale = ops.select(overflow, smaller, loss_scale.value())
        grows = ops.logical_and(full, ops.logical_not(overflow))
        ops.assign(loss_scale, ops.select(grows, scale * self.scale_factor, scale))
        restart = ops.logical_or(overflow, full)
        ops.assign(self.last_overflow_iter, ops.select(restart, self.cur_iter.value(), self.last_overflow_iter.value()))
        ops.assign(self.cur_iter, self.cur_iter + 1)
        return overflow


class TrainOneStepWithLossScaleCell(TrainOneStepCell):
    """A training step whose loss's cotangent is `scale_sense`: gradients are divided by it again, and if one of them is
    infinite or nan, the update is left out.

    `scale_sense` is a tensor (changed by `set_sense_scale`) or a cell that changes the scale after every step, such as
    `DynamicLossScaleUpdateCell`. Returns `(loss, overflow, scale)`, the scale as it is after the step.

    A subclass defines `construct` with `start_overflow_check`, `get_overflow_status` and `process_loss_scale`. In graph mode
    a step is one program, also where `construct` branches on the overflow (`if not overflow:`); one that cannot be compiled runs
    as it stands instead, with the cells that it calls compiled.

    >>> import labkit.mindspore as ms
    >>> net = ms.nn.WithLossCell(ms.nn.Dense(2, 1), ms.nn.MSELoss())
    >>> step = ms.nn.TrainOneStepWithLossScaleCell(net, ms.nn.SGD(net.trainable_params(), 0.1), ms.Tensor(1024.0))
    >>> loss, overflow, scale = step(ms.ops.ones((3, 2)), ms.ops.ones((3, 1)))
    >>> loss.shape, bool(overflow), float(scale.asnumpy())
    ((), False, 1024.0)
    """

    def __init__(self, network, optimizer, scale_sense):
        super().__init__(network, optimizer, sens=None)
        self.hyper_map = ops.HyperMap()
        self.is_distributed = self.parallel_mode != ParallelMode.STAND_ALONE
        self.allreduce = ops.AllReduce()
        self.loss_scaling_manager = scale_sense if isinstance(scale_sense, Cell) else None
        self.scale_sense = Parameter(_initial_scale(scale_sense), name="scale_sense")

    def __call__(self, *args, **kwargs):
        if not compiles():
            return super().__call__(*args, **kwargs)
        if "_branches" not in self.__dict__:
            try:
                return super().__call__(*args, **kwargs)
            except TraceError:
                self.__dict__["_branches"] = True
        return map_leaves(lambda out: out.value() if isinstance(out, Parameter) else out, self._run(*args, **kwargs))

    def construct(self, *inputs) -> tuple:
        run = Run(self.network, inputs, (), self.weights)
        loss, scaling_sens = run.output, self.scale_sense
        status, scaling_sens = self.start_overflow_check(loss, scaling_sens)
        scaling_sens_filled = ops.ones_like(loss) * ops.cast(scaling_sens, ops.dtype(loss))
        grads = tuple(run.pull(scaling_sens_filled)[1])
        grads = self.hyper_map(ops.partial(_grad_scale, scaling_sens), grads)
        grads = self.grad_reducer(grads)
        cond = self.get_overflow_status(status, grads)
        self._step_unless(self.process_loss_scale(cond), grads)
        return loss, cond, scaling_sens

    def _step_unless(self, overflow, grads):
        """Update the parameters; after overflow everything that the optimizer holds stays as it was."""
        if current.recorder is None:
            if not overflow:
                self.optimizer(grads)
            return
        held = [(p, p._value) for p in self.optimizer.get_parameters()]
        self.optimizer(grads)
        for p, before in held:
            if p._value is not before:
                p._value = chosen(overflow._value, before, p._value)

    def set_sense_scale(self, sens) -> None:
        """Change the scale. Raises TypeError for anything but a tensor."""
        self.scale_sense.set_data(sens)

    def start_overflow_check(self, pre_cond, compute_input) -> tuple[Tensor, Any]:
        """`(status, compute_input)`. NumPy has no overflow flag to clear: gradients are looked at when they are there."""
        return wrap(np.zeros(8, np.int32)), compute_input

    def get_overflow_status(self, status, compute_output) -> Tensor:
        """Whether a tensor of `compute_output` has an infinite or nan element, in any process: a 0-d Bool tensor."""
        found = ops.logical_not(all_finite(compute_output))
        return self.allreduce(found.astype(float32)).astype(bool_) if self.is_distributed else found

    def process_loss_scale(self, overflow) -> Tensor:
        """Change the scale for the next step; returns whether there was overflow."""
        if self.loss_scaling_manager is None:
            return overflow
        return self.loss_scaling_manager(self.scale_sense, overflow)


def _initial_scale(scale_sense):
    if isinstance(scale_sense, Cell):
        return Tensor(scale_sense.get_loss_scale(), float32)
    if scale_sense.shape not in ((), (1,)):
        raise ValueError(
            "For 'TrainOneStepWithLossScaleCell', the shape of 'scale_sense' must be (1,) or (), but got "
            f"{scale_sense.shape}."
        )
    return scale_sense
