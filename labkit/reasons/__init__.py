"""Why a gradient is None, zero, nan, small or healthy: `labkit.why`.

`tape`, `run`, `real` and `mode` read the way back from a loss to a tensor: as numbers, which `flow` and `probe` judge, and as
notes of what was made of what (`sight`, `notes`). `taped`, `functional` and `installed` answer by them, and `words` says it.
"""

from .answer import Place, Why
from .asking import why
from .asserting import GradientError, assert_gradients

__all__ = ["GradientError", "Place", "Why", "assert_gradients", "why"]
