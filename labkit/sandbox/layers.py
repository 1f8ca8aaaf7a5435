"""The isolation layers around a student's code: which this machine has, which are missing, and why.

layers = installed_layers()
layers.missing     # {"files outside the submission are hidden": "bubblewrap is not installed: apt install bubblewrap"}
"""

import os
import shutil
import sys
from dataclasses import dataclass, field

from ..messages.install_hints import in_browser
from .refusals import install, no_call_filter

LIMITS = "time, memory, processes and files are limited"
PROCESSES = "other processes and the network are hidden"
FILES = "files outside the submission are hidden"
CALLS = "dangerous system calls are refused"
ALL = (LIMITS, PROCESSES, FILES, CALLS)


@dataclass(frozen=True)
class Layers:
    """`present` names the active layers; `missing` says of each other layer why it is missing, and what to do."""

    present: tuple[str, ...] = ()
    missing: dict[str, str] = field(default_factory=dict)

    @property
    def isolated(self) -> bool:
        """True where every layer is active. Without the last one, a program could take memory that no limit counts."""
        return all(name in self.present for name in ALL)

    def __str__(self) -> str:
        there = [f"  {name}: yes" for name in self.present]
        missing = [f"  {name}: NO, {why}" for name, why in self.missing.items()]
        return "\n".join(there + missing)


class NotIsolated(RuntimeError):
    """This machine lacks isolation layers; the message says which, and what to do."""


def can_fork() -> bool:
    """True where a process can be forked and limited at all (Linux, macOS, WSL). A browser has a fork that fails."""
    try:
        import resource
    except ImportError:
        return False
    return hasattr(os, "fork") and hasattr(resource, "setrlimit")


def installed_layers() -> Layers:
    """What is installed. Whether the kernel allows it is only known when a sandbox has started (`sandbox.Sandbox`)."""
    if not can_fork():
        system = "a browser" if in_browser() else sys.platform
        why = "{system} cannot fork: grade on Linux, on Windows inside WSL".format(system=system)
        return Layers((), dict.fromkeys(ALL, why))
    if not sys.platform.startswith("linux"):
        why = "only Linux has namespaces: grade on Linux"
        return Layers((LIMITS,), dict.fromkeys((PROCESSES, FILES, CALLS), why))
    present, missing = [LIMITS], {}
    if shutil.which("bwrap"):
        present += [PROCESSES, FILES]
    else:
        why = "bubblewrap is not installed: {command}".format(command=install("bubblewrap", "bubblewrap"))
        missing = dict.fromkeys((PROCESSES, FILES), why)
    if has_call_filter():
        present.append(CALLS)
    else:
        missing[CALLS] = no_call_filter()
    return Layers(tuple(present), missing)


def has_call_filter() -> bool:
    """True where pyseccomp finds libseccomp."""
    try:
        import pyseccomp  # noqa: F401
    except (ImportError, OSError, RuntimeError):
        return False
    return True
