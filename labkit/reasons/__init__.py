"""Why a gradient is None, zero, nan, small or healthy: `labkit.why`.

`tape`, `run`, `real` and `mode` read the backward pass from a loss to a tensor: as numbers, which `flow` and `probe` judge, and
as notes of which tensor was computed from which (`sight`, `provenance_paths`). `causes` finds the cause; `taped`, `functional`
and `installed` answer, in the sentences of `words`, `cut_words` and `open_words`.
"""

from .answer import Place, Why
from .asking import why
from .asserting import GradientError, assert_gradients

__all__ = ["GradientError", "Place", "Why", "assert_gradients", "why"]
