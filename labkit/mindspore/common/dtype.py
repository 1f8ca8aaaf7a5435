"""The types under the name `mindspore.common.dtype`."""

from ...aliases import attributes
from ..dtype import *  # noqa: F403
from ..dtype import __all__  # noqa: F401

__getattr__ = attributes(__name__)
