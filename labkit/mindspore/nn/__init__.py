"""Cells, layers and losses."""

from . import activation as _activation
from .activation import get_activation
from .cell import Cell, GraphCell
from .container import CellDict, CellList, SequentialCell
from .layer import Dense, Flatten
from .loss import L1Loss, LossBase, MSELoss, SmoothL1Loss

globals().update(_activation.CLASSES)

__all__ = [
    "Cell", "CellDict", "CellList", "Dense", "Flatten", "GraphCell", "L1Loss", "LossBase", "MSELoss", "SequentialCell",
    "SmoothL1Loss", "get_activation", *_activation.CLASSES,
]  # fmt: skip


def __getattr__(name):
    offered = ", ".join(__all__)
    raise AttributeError(f"module 'mindspore.nn' has no attribute '{name}' in labkit, which offers {offered}")
