"""The precision microscope: see `Microscope`."""

from .microscope import Microscope

__all__ = ["Microscope"]
