"""The measures of a network's answers; their home is `nn.metrics`."""

from ..nn.metrics import *  # noqa: F403
from ..nn.metrics import __all__  # noqa: F401
