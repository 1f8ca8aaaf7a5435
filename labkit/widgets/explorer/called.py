"""What is seen from where `show` was called: the variables there, and how its arguments are written."""

import sys
from inspect import CO_OPTIMIZED
from typing import Any


def variables_outside(up: int = 2) -> dict[str, Any]:
    """The variables where `show` was called, `up` frames above; that frame keeps no copy of them."""
    frame = sys._getframe(up)
    found = {**frame.f_globals, **frame.f_locals}
    if sys.version_info < (3, 13) and frame.f_code.co_flags & CO_OPTIMIZED:
        copy = frame.f_locals  # of what a function has; it would live as long as the call
        if sys.getrefcount(copy) <= 3:  # the frame, `copy`, and the call that counts: nobody else looks at it
            copy.clear()
    return found
