"""Activations as cells."""

from ..common.tensor import Tensor
from ..ops import gelu, leaky_relu, relu, sigmoid, softmax, tanh
from .cell import Cell

__all__ = ["GELU", "Identity", "LeakyReLU", "ReLU", "Sigmoid", "Softmax", "Tanh", "get_activation"]


class Identity(Cell):
    """What goes in comes out."""

    def construct(self, input) -> Tensor:
        return input


class ReLU(Cell):
    """`ops.relu` as a cell: x above 0, else 0; any shape.

    >>> import labkit.mindspore as ms
    >>> ReLU()(ms.Tensor([-1.0, 2.0])).tolist()
    [0.0, 2.0]
    """

    def __init__(self):
        super().__init__()

    def construct(self, input) -> Tensor:
        return relu(input)


class LeakyReLU(Cell):
    """`ops.leaky_relu` as a cell: x above 0, else `alpha` x; any shape.

    >>> import labkit.mindspore as ms
    >>> LeakyReLU(0.5)(ms.Tensor([-1.0, 2.0])).tolist()
    [-0.5, 2.0]
    """

    def __init__(self, alpha=0.2):
        super().__init__()
        self.alpha = alpha

    def construct(self, input) -> Tensor:
        return leaky_relu(input, self.alpha)


class Sigmoid(Cell):
    """`ops.sigmoid` as a cell: 1 / (1 + exp(-x)); any shape.

    >>> import labkit.mindspore as ms
    >>> Sigmoid()(ms.Tensor([0.0])).tolist()
    [0.5]
    """

    def __init__(self):
        super().__init__()

    def construct(self, input) -> Tensor:
        return sigmoid(input)


class Tanh(Cell):
    """`ops.tanh` as a cell; any shape.

    >>> import labkit.mindspore as ms
    >>> Tanh()(ms.Tensor([0.0])).tolist()
    [0.0]
    """

    def __init__(self):
        super().__init__()

    def construct(self, input) -> Tensor:
        return tanh(input)


class Softmax(Cell):
    """`ops.softmax` as a cell: exp(x) over its sum along `axis`.

    >>> import labkit.mindspore as ms
    >>> Softmax()(ms.Tensor([[0.0, 0.0]])).tolist()
    [[0.5, 0.5]]
    """

    def __init__(self, axis=-1):
        super().__init__()
        self.axis = axis

    def construct(self, input) -> Tensor:
        return softmax(input, self.axis)


class GELU(Cell):
    """`ops.gelu` as a cell; by the tanh formula unless `approximate` is False."""

    def __init__(self, approximate=True):
        super().__init__()
        self.approximate = approximate

    def construct(self, input) -> Tensor:
        return gelu(input, "tanh" if self.approximate else "none")


_NAMED = {"relu": ReLU, "sigmoid": Sigmoid, "tanh": Tanh, "softmax": Softmax, "gelu": GELU, "leakyrelu": LeakyReLU}


def get_activation(name, prim_name=None) -> Cell:
    """The activation cell of a name such as "relu". Raises KeyError for an unknown one."""
    if name not in _NAMED:
        owner = "The" if prim_name is None else f"For '{prim_name}', the"
        raise KeyError(f"{owner} 'name' must be in {list(_NAMED)}, but got '{name}'.")
    return _NAMED[name]()
