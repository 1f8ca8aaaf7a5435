"""What `torch.nn.modules.module` has beside `Module`."""

from typing import TypeVar

from ...parts import Loaded
from ._hooks import FOR_ALL
from .module import Module

T = TypeVar("T", bound=Module)


def _addindent(s_, numSpaces) -> str:
    """A text with all lines but the first further to the right."""
    return s_.replace("\n", "\n" + " " * numSpaces)


ASKED = {**FOR_ALL, "T": T, "_IncompatibleKeys": Loaded, "_addindent": _addindent}
