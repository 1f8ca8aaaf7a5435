"""The transforms under the name they had in release 1."""

from . import Compose, OneHot, TypeCast

__all__ = ["Compose", "OneHot", "TypeCast"]
