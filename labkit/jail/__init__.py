"""Run other people's code where it can do no harm, and get plain data back.

A `Jail` runs whole programs in processes of their own that see no file, no network and no other process.
"""

from . import wire
from .jail import USERS, Jail, Limits, die_with, tried_layers
from .layers import CALLS, FILES, PROCESSES, Layers, NotIsolated, installed_layers
from .session import JailError, Session

__all__ = [
    "CALLS", "FILES", "PROCESSES", "USERS", "Jail", "JailError", "Layers", "Limits", "NotIsolated", "Session",
    "die_with", "installed_layers", "tried_layers", "wire",
]  # fmt: skip
