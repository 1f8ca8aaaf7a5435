"""Cells that train: forward pass, derivative and update in one call."""

from typing import Any

from ...dialects.argument_types import of_kind
from ...engine import map_leaves
from ..common.dtype import float32
from ..common.tensor import Tensor
from ..context import ParallelMode, get_auto_parallel_context
from ..gradient.reverse_run import Run
from ..ops import GradOperation, fill
from .activation import Identity
from .cell import Cell
from .grad_reducer import DistributedGradReducer

__all__ = ["ForwardValueAndGrad", "TrainOneStepCell", "WithEvalCell", "WithLossCell", "recompute"]


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

    @property
    def backbone_network(self) -> Cell:
        """The network without the loss."""
        return self._backbone


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

    def set_sens(self, value) -> None:
        """Change the factor of the loss's cotangent."""
        self.sens, self.sense_flag = value, True

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
            outputs, label = map_leaves(in_float32, (outputs, label))
        return self._loss_fn(outputs, label), outputs, label


def in_float32(value):
    """A floating tensor in Float32, everything else as it is."""
    floats = isinstance(value, Tensor) and value.dtype.numpy.kind not in "biu"
    return value.astype(float32) if floats and value.dtype is not float32 else value


class ForwardValueAndGrad(Cell):
    """`(output, gradients)` of a network or function; the options are those of `GradOperation`.

    >>> from labkit.mindspore import Tensor
    >>> ForwardValueAndGrad(lambda x: x * x)(Tensor(3.0))
    (Tensor(shape=[], dtype=Float32, value= 9), Tensor(shape=[], dtype=Float32, value= 6))
    """

    def __init__(self, network, weights=None, get_all=False, get_by_list=False, sens_param=False):
        super().__init__(auto_prefix=False)
        self.network, self.sens_param = network, sens_param
        self.weights = (weights,) if get_by_list else ()
        self.grad = GradOperation(get_all=get_all, get_by_list=get_by_list, sens_param=sens_param)

    def construct(self, *inputs) -> tuple:
        output = self.network(*(inputs[:-1] if self.sens_param else inputs))
        return output, self.grad(self.network, *self.weights)(*inputs)


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
