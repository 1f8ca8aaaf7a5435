"""The tutor under an exercise's own list: reasons for wrong answers that no slip of the exercise explains.

`explain_calls` looks at what a function gave on drawn inputs, `explain_items` at a prediction, `meant` at an error.
They see results only, never the learner's code.
"""

from ..closeness import Reason, sure
from .errors import meant, real_framework
from .functions import explain_calls
from .items import explain_items, places

__all__ = ["Reason", "explain_calls", "explain_items", "meant", "places", "real_framework", "sure"]
