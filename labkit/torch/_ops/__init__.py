"""The operations: functions of `torch` and methods of tensors. Loading the package enters them in `function_table`."""

from . import creation, elementwise, indexing, linear_algebra, operators, random, reductions, shape
from . import linear_algebra as linear_systems

__all__ = ["creation", "elementwise", "indexing", "linear_algebra", "linear_systems", "operators", "random",
    "reductions", "shape"]  # fmt: skip
