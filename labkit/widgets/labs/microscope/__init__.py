"""The precision microscope: see `Microscope`."""

from .lab import Microscope

__all__ = ["Microscope"]
