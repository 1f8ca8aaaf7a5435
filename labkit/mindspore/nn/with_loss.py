"""A network and its loss as one cell."""

from ..tensor import Tensor
from .cell import Cell

__all__ = ["WithLossCell"]


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
