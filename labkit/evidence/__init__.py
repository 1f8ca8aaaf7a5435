"""What comes of a call of somebody's function, as plain data: enough to judge it here or elsewhere.

`call` runs one function with a time limit, in this process; `try_call` keeps what came of it and what it did to its
arguments; `encode` and `decode` turn values into bytes and back, never by pickle.
"""

from .calling import LONGEST, CallOutcome, Printed, call, error_text
from .coding import MOST, decode, encode
from .doings import doings, unwatched
from .limit import TimeUp, time_limit
from .reach import WORDS, may_do
from .trying import TriedCall, goes_on, is_blank, try_call
from .values import Unreadable, is_tensor, package, plain_data, wrap

__all__ = [
    "LONGEST",
    "MOST",
    "WORDS",
    "CallOutcome",
    "Printed",
    "TimeUp",
    "TriedCall",
    "Unreadable",
    "call",
    "decode",
    "doings",
    "encode",
    "error_text",
    "goes_on",
    "is_blank",
    "is_tensor",
    "may_do",
    "package",
    "plain_data",
    "time_limit",
    "try_call",
    "unwatched",
    "wrap",
]  # fmt: skip
