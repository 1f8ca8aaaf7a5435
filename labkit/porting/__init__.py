"""Checks a port of a model from PyTorch to MindSpore.

`compare` carries the weights over, runs both models, and names the first layer that differs. `sides` of a comparison are
`torch_side` and `mindspore_side`, each a framework or its dialect, which are known by the model that is given and never
imported here. `matching` says which module is which, `calls` which call, `rounding` what rounding explains, `rows` what is
compared; `alone` runs two modules by themselves, by which `reasons` are established; `result` is what is shown.
"""

from .compare import compare
from .matching import UnclearMatch
from .result import Comparison, Layer
from .rounding import Difference
from .rows import Compared

__all__ = ["Compared", "Comparison", "Difference", "Layer", "UnclearMatch", "compare"]
