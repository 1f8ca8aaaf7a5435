"""The result of a call of a student's function, as plain data: enough to judge it here or elsewhere.

`call` runs one function with a time limit, in this process; `try_call` keeps its result and its effect on its
arguments; `encode` and `decode` turn values into bytes and back, never by pickle.
"""

from .calling import LONGEST, CallOutcome, Printed, call, error_text
from .coding import MOST, decode, encode
from .limit import TimeUp, time_limit
from .observers import OBSERVERS, observing
from .trying import TriedCall, goes_on, is_blank, try_call
from .values import BOXES, Unreadable, is_tensor, package, plain_data, wrap

__all__ = [
    "BOXES", "LONGEST", "MOST", "OBSERVERS", "CallOutcome", "Printed", "TimeUp", "TriedCall", "Unreadable", "call",
    "decode", "encode", "error_text", "goes_on", "is_blank", "is_tensor", "observing", "package", "plain_data",
    "time_limit", "try_call", "wrap",
]  # fmt: skip
