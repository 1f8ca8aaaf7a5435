"""`torch.nn`: modules, parameters, layers and losses."""

from ...aliases import attributes
from . import (
    activations,
    adaptive,
    cells,
    containers,
    convolutions,
    functional,
    images,
    init,
    layers,
    lazy,
    losses,
    multihead,
    normalization,
    recurrent,
    sparse,
    transformer,
    utils,
)
from .activations import *
from .adaptive import *
from .cells import *
from .containers import *
from .convolutions import *
from .images import *
from .layers import *
from .lazy import *
from .losses import *
from .module import Module
from .multihead import *
from .normalization import *
from .parameter import Buffer, Parameter, UninitializedBuffer, UninitializedParameter
from .recurrent import *
from .sparse import *
from .transformer import *

__all__ = [
    "Buffer",
    "Module",
    "Parameter",
    "UninitializedBuffer",
    "UninitializedParameter",
    "functional",
    "init",
    "utils",
]
__all__ += activations.__all__
__all__ += adaptive.__all__
__all__ += cells.__all__
__all__ += containers.__all__
__all__ += convolutions.__all__
__all__ += images.__all__
__all__ += layers.__all__
__all__ += lazy.__all__
__all__ += losses.__all__
__all__ += multihead.__all__
__all__ += normalization.__all__
__all__ += recurrent.__all__
__all__ += sparse.__all__
__all__ += transformer.__all__


__getattr__ = attributes(__name__)
