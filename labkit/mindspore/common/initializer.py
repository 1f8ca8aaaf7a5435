"""Initial values of parameters: constants and random distributions, by class or by name."""

from ...aliases import attributes
from .._initializer import *  # noqa: F403
from .._initializer import __all__  # noqa: F401

__getattr__ = attributes(__name__)
