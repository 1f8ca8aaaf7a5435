"""`Size`: the shape of a tensor, a tuple that prints as `torch.Size([2, 3])`."""

from math import prod


class Size(tuple):
    """A shape. It behaves as a tuple of ints; `numel()` is their product."""

    __slots__ = ()

    def numel(self):
        """How many elements a tensor of this shape has."""
        return prod(self)

    def __repr__(self):
        return f"torch.Size([{', '.join(map(str, self))}])"

    def __add__(self, other):
        return Size(tuple.__add__(self, tuple(other)))

    def __getitem__(self, index):
        found = tuple.__getitem__(self, index)
        return Size(found) if isinstance(index, slice) else found
