"""Why a gradient is None, zero, nan, small or healthy: `labkit.why`.

`tape`, `run`, `real` and `mode` read the way back from a loss to a tensor: as numbers (`flow`, judged there, by `probe`) and as notes
of what was made of what (`sight`, `notes`). `asking` decides which of them can tell, and `words` says it.
"""

from .answer import Place, Why
from .asking import why

__all__ = ["Place", "Why", "why"]
