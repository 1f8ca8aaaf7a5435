"""The types under the name `mindspore.common.dtype`."""

from ..dtype import *  # noqa: F403
from ..dtype import __all__  # noqa: F401
