"""What a cell is to those that come before it."""

from ..layout import Placed


class Cell_(metaclass=Placed):
    """The base of `nn.Cell`: graph mode, which cells use, knows a cell by it."""
