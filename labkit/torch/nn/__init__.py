"""`torch.nn`: modules, parameters, layers and losses."""

from ...dialects.unsupported import attributes
from . import functional, init, utils
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
__all__ += [name for name in globals() if name[0].isupper() and name not in __all__]

__getattr__ = attributes(__name__)
