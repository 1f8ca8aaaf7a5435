"""The tutor under an exercise's own list: reasons for wrong answers that nobody has planted, each checked before it is told.

`explain_calls` looks at what a function gave on drawn inputs, `explain_value` at a prediction, `meant` at an error.
They see results alone and run the exercise's solution, never the learner's code.
"""

from ..closeness import Reason, sure
from .errors import meant
from .functions import explain_calls
from .items import besides, explain_value, fuller

__all__ = ["Reason", "besides", "explain_calls", "explain_value", "fuller", "meant", "sure"]
