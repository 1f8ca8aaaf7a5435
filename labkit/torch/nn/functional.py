"""`torch.nn.functional`: layers and losses as functions."""

from functools import partial
from inspect import signature

import numpy as np

from ...aliases import attributes
from .._dispatch import off_tape
from .._reduce import log_softmax, softmax
from .._table import FUNCTIONS
from .._tensor import Tensor
from . import (
    _activations,
    _attention,
    _convolutions,
    _cross_entropy,
    _ctc,
    _distances,
    _embedding,
    _images,
    _linear,
    _losses,
    _moving,
    _norms,
    _reduction,
    _resizing,
    _sampling,
)  # fmt: skip
from ._activations import *
from ._attention import *
from ._convolutions import *
from ._cross_entropy import *
from ._ctc import *
from ._distances import *
from ._embedding import *
from ._fractional import *
from ._images import *
from ._linear import *
from ._losses import *
from ._moving import *
from ._norms import *
from ._resizing import *
from ._sampling import *

__all__ = ["log_softmax", "one_hot", "sigmoid", "softmax", "tanh"]
__all__ += _activations.__all__
__all__ += _attention.__all__
__all__ += _convolutions.__all__
__all__ += _cross_entropy.__all__
__all__ += _ctc.__all__
__all__ += _distances.__all__
__all__ += _embedding.__all__
__all__ += _images.__all__
__all__ += _linear.__all__
__all__ += _losses.__all__
__all__ += _moving.__all__
__all__ += _norms.__all__
__all__ += _resizing.__all__
__all__ += _sampling.__all__

_Reduction = _reduction
sigmoid, tanh = FUNCTIONS["sigmoid"], FUNCTIONS["tanh"]
for _fun in [globals()[_name] for _name in _activations.__all__]:
    if "inplace" in signature(_fun).parameters:
        globals()[f"{_fun.__name__}_"] = partial(_fun, inplace=True)
        __all__ += [f"{_fun.__name__}_"]


def one_hot(tensor, num_classes=-1) -> Tensor:
    """Class numbers as rows with a single 1."""
    if num_classes == -1 and not tensor.numel():
        raise RuntimeError("Can not infer total number of classes from empty tensor.")
    if tensor.dtype.name != "int64":
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    if tensor.numel() and tensor._array.min() < 0:
        raise RuntimeError("Class values must be non-negative.")
    if tensor.numel() and -1 != num_classes <= tensor._array.max():
        raise RuntimeError("Class values must be smaller than num_classes.")
    classes = int(tensor._array.max()) + 1 if num_classes == -1 else num_classes
    return off_tape(np.eye(classes, dtype=np.int64)[tensor._array], "one_hot", tensor)


__getattr__ = attributes(__name__)
