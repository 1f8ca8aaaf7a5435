"""Pictures to drive: the graph explorer and the labs. Each is a `Picture`: show it in a notebook, save it, describe it."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .batch_splitter import BatchSplitter
    from .calls import CallBuilder
    from .clipping import ClippingLab
    from .cut import CutEdge
    from .explorer import Explorer, show
    from .jacobian import JacobianMap
    from .landscape import Landscape
    from .loss_scale import LossScaleLab
    from .memory_curve import MemoryCurve
    from .microscope import Microscope
    from .picture import Picture
    from .plots import plot
    from .sens import SensDial
    from .sink import SinkCalculator
    from .step_size import StepSize
    from .wrong_engines import WrongEngineLab, first_wrong

_HOMES = {
    "BatchSplitter": "batch_splitter",
    "CutEdge": "cut",
    "CallBuilder": "calls",
    "ClippingLab": "clipping",
    "Explorer": "explorer",
    "JacobianMap": "jacobian",
    "Landscape": "landscape",
    "LossScaleLab": "loss_scale",
    "MemoryCurve": "memory_curve",
    "Microscope": "microscope",
    "Picture": "picture",
    "SensDial": "sens",
    "SinkCalculator": "sink",
    "StepSize": "step_size",
    "WrongEngineLab": "wrong_engines",
    "first_wrong": "wrong_engines",
    "plot": "plots",
    "show": "explorer",
}

__all__ = [
    "BatchSplitter",
    "CallBuilder",
    "ClippingLab",
    "CutEdge",
    "Explorer",
    "JacobianMap",
    "Landscape",
    "LossScaleLab",
    "MemoryCurve",
    "Microscope",
    "Picture",
    "SensDial",
    "SinkCalculator",
    "StepSize",
    "WrongEngineLab",
    "first_wrong",
    "plot",
    "show",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"labkit.widgets has no {name!r}; it has {', '.join(__all__)}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
