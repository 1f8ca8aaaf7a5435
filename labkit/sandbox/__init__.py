"""Runs untrusted code in isolation, and returns plain data.

A `Sandbox` runs whole programs in processes of their own that see no file, no network and no other process.
"""

from . import wire
from .layers import CALLS, FILES, PROCESSES, Layers, NotIsolated, installed_layers
from .sandbox import USERS, Limits, Sandbox, die_with, tried_layers
from .session import SandboxError, Session

__all__ = [
    "CALLS",
    "FILES",
    "PROCESSES",
    "USERS",
    "Layers",
    "Limits",
    "NotIsolated",
    "Sandbox",
    "SandboxError",
    "Session",
    "die_with",
    "installed_layers",
    "tried_layers",
    "wire",
]  # fmt: skip
