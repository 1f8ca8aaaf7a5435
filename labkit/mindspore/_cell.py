"""What a cell is to those that come before it."""

from collections.abc import Callable
from typing import Any

from ..layout import Placed


class Cell_(metaclass=Placed):
    """The base of `nn.Cell`: graph mode, which cells use, knows a cell by it."""

    construct: Callable[..., Any]
    _run: Callable[..., Any]
