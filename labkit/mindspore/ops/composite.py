"""The ops under the name `mindspore.ops.composite`."""

from . import *  # noqa: F403
from . import __all__  # noqa: F401
