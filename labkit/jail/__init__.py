"""Run other people's code where it can do no harm, and get plain data back.

`call` runs one function with a time limit, in this process; a `Jail` runs whole programs in processes of their own that
see no file, no network and no other process, and `values` turns what they give into bytes and back, never by pickle.
"""

from .call import Outcome, call
from .values import Unreadable, decode, encode, plain

__all__ = ["Outcome", "Unreadable", "call", "decode", "encode", "plain"]
