"""What comes of a call of somebody's function, as plain data: enough to judge it here or elsewhere.

`call` runs one function with a time limit, in this process; `try_call` keeps what came of it and what it did to its
arguments; `encode` and `decode` turn values into bytes and back, never by pickle.
"""

from .calling import Outcome, Printed, TimeUp, call, time_limit, told
from .trying import Tried, is_blank, try_call
from .values import MOST, Unreadable, decode, encode, is_tensor, package, plain, wrap

__all__ = [
    "MOST", "Outcome", "Printed", "TimeUp", "Tried", "Unreadable", "call", "decode", "encode", "is_blank", "is_tensor",
    "package", "plain", "time_limit", "told", "try_call", "wrap",
]  # fmt: skip
