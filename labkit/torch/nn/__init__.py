"""`torch.nn`: modules, parameters, layers and losses."""

from ...dialects.unsupported import attributes
from . import (
    activations,
    containers,
    convolutions,
    functional,
    init,
    layers,
    lazy,
    losses,
    normalization,
    pooling,
    recurrent,
    utils,
)
from .activations import *
from .containers import *
from .convolutions import *
from .layers import *
from .lazy import *
from .losses import *
from .module import Module
from .normalization import *
from .parameter import Parameter, UninitializedParameter
from .pooling import *
from .recurrent import *

__all__ = ["Module", "Parameter", "UninitializedParameter", "functional", "init", "utils"]
__all__ += activations.__all__
__all__ += containers.__all__
__all__ += convolutions.__all__
__all__ += layers.__all__
__all__ += lazy.__all__
__all__ += losses.__all__
__all__ += normalization.__all__
__all__ += pooling.__all__
__all__ += recurrent.__all__


__getattr__ = attributes(__name__)
