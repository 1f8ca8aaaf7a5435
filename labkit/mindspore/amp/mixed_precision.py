"""Mixed precision of whole networks: which cells compute in two bytes, and a training step made of that."""

from ...dialects.argument_types import of_kind
from ...engine import map_leaves
from .. import nn
from ..common.dtype import bfloat16, float16, float32
from ..nn.cell import in_dtype
from ..nn.training import in_float32
from .loss_scale import DynamicLossScaleManager

__all__ = ["auto_mixed_precision", "build_train_network", "get_black_list", "get_white_list"]

_WHITE = ("Conv1d", "Conv2d", "Conv3d", "Conv1dTranspose", "Conv2dTranspose", "Conv3dTranspose", "Dense")
_BLACK = ("BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "LayerNorm")
LEVELS = ["O0", "O1", "O2", "O3"]


def _offered(names):
    return [getattr(nn, name) for name in names if name in nn.__all__]


def get_white_list():
    """The cells that compute in two bytes at level O1."""
    return _offered(_WHITE)


def get_black_list():
    """The cells that stay in Float32 at level O2."""
    return _offered(_BLACK)


class _Cast(nn.Cell):
    def __init__(self, backbone, dtype):
        super().__init__(auto_prefix=False)
        self._backbone, self.dtype = backbone, dtype


class _OutputTo16(_Cast):
    """A cell whose outputs are cast to two bytes."""

    def construct(self, *args, **kwargs):
        return map_leaves(lambda out: in_dtype(out, self.dtype.numpy), self._backbone(*args, **kwargs))


class _OutputTo32(_Cast):
    """A cell whose outputs are cast to Float32."""

    def __init__(self, backbone):
        super().__init__(backbone, float32)

    def construct(self, *args, **kwargs):
        return map_leaves(in_float32, self._backbone(*args, **kwargs))


def auto_mixed_precision(network, amp_level="O0", dtype=float16):
    """The network at a level of mixed precision: "O0" as it is; "O1" dense and convolution layers in `dtype`; "O2" all but
    normalisation layers; "O3" all. Outputs are Float32, parameters and their gradients keep their type.

    Changes the network's cells. Raises TypeError for anything but a cell, ValueError for another level or type.

    >>> from labkit.mindspore import Tensor, nn
    >>> network = auto_mixed_precision(nn.Dense(1, 1, weight_init=Tensor([[1.0]]), has_bias=False), "O2")
    >>> network(Tensor([[70000.0]]))
    Tensor(shape=[1, 1], dtype=Float32, value=
    [[            inf]])
    """
    of_kind(network, nn.Cell, "For amp_level '{amp_level}', the network type should be Cell.", amp_level=amp_level)
    if dtype not in (float16, bfloat16):
        raise ValueError(f"The dtype should be one of (mstype.float16, mstype.bfloat16), but got {dtype}.")
    if amp_level not in LEVELS:
        raise ValueError(f"The amp level {amp_level} is not supported")
    if amp_level == "O0":
        return network
    if amp_level == "O1":
        return _replaced(network, tuple(get_white_list()), lambda cell: _OutputTo32(cell.to_float(dtype)))
    return _OutputTo32(_shortened(network, amp_level, dtype))


def _shortened(network, level, dtype=float16):
    """A network that computes in `dtype`; at level O2 its normalisation layers stay in Float32."""
    network.to_float(dtype)
    if level == "O2":
        _replaced(network, tuple(get_black_list()), lambda cell: _OutputTo16(cell.to_float(float32), dtype))
    return network


def _replaced(cell, kinds, new):
    """The cell itself replaced, if it is one of `kinds`; else those inside it."""
    if isinstance(cell, kinds):
        return new(cell)
    for name, inner in list(cell._cells.items()):
        found = _replaced(inner, kinds, new)
        if found is not inner:
            cell._cells[name] = found
            if name in cell.__dict__:
                cell.__dict__[name] = found
    return cell


class _WithLossInFloat32(nn.WithLossCell):
    def construct(self, data, label):
        return self._loss_fn(in_float32(self._backbone(data)), in_float32(label))


_WithLossInFloat32.__name__ = "WithLossCell"


def build_train_network(network, optimizer, loss_fn=None, level="O0", boost_level="O0", **kwargs):
    """A training step of a network and its loss at a level of mixed precision, in training mode.

    `loss_scale_manager` is a `LossScaleManager` or None; "O2" has a dynamic one unless told otherwise. In the real framework
    a manager that leaves out steps needs other hardware than a CPU; here it runs. Raises TypeError or ValueError for
    arguments of another kind.
    """
    _check(optimizer, level, kwargs)
    manager = kwargs.get("loss_scale_manager", DynamicLossScaleManager() if level == "O2" else None)
    in_two_bytes = level in ("O2", "O3")
    network = _shortened(network, level) if in_two_bytes else auto_mixed_precision(network, level)
    if loss_fn is not None:
        network = (_WithLossInFloat32 if in_two_bytes else nn.WithLossCell)(network, loss_fn)
    update = manager.get_update_cell() if manager is not None else None
    if update is not None:
        return nn.TrainOneStepWithLossScaleCell(network, optimizer, scale_sense=update).set_train()
    scale = None if manager is None else manager.get_loss_scale()
    return nn.TrainOneStepCell(network, optimizer, scale).set_train()


def _check(optimizer, level, options):
    of_kind(optimizer, nn.Optimizer, "The type of 'optimizer' should be 'Optimizer', but got type '{kind}'.")
    if level not in LEVELS:
        raise ValueError(f"The 'level' should be in : {LEVELS}, but got {level}.")
    for name in options:
        if name != "loss_scale_manager":
            raise ValueError(f"Unsupported arg '{name}'")
