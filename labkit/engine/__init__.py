"""The engine: record and differentiate. NumPy and autograd only; no dialect, no picture, no Jupyter."""

from . import mended  # noqa: F401  (before any rule is used)
from .boxes import new_box
from .graph import Contribution, Graph, Step, record
from .guest import inside, new_level
from .record import cast, dtype_of, getval, isbox, shape_of
from .reverse import (
    custom_vjp,
    grad,
    hvp,
    jacfwd,
    jacrev,
    jvp,
    leaves,
    map_leaves,
    reverse_pass,
    stop_gradient,
    value_and_grad,
    vjp,
)
from .scope import Scope

__all__ = [
    "Contribution", "Graph", "Scope", "Step", "cast", "custom_vjp", "dtype_of", "getval",
    "grad", "hvp", "inside", "isbox", "jacfwd", "jacrev", "jvp", "leaves", "map_leaves", "new_box", "new_level", "record",
    "reverse_pass", "shape_of", "stop_gradient", "value_and_grad", "vjp",
]  # fmt: skip
