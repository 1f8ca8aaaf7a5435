"""The precision microscope: where a number lands in a float format."""

from .scene import Microscope

__all__ = ["Microscope"]
