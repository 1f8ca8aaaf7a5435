"""Random numbers on the tape: they depend on what they were drawn for in no way, so the gradient is zero."""

import autograd.numpy as anp

from .core import mover


def _named(args, kwargs):
    return args[-1]


@mover(_named, lambda ans, x, drawn, name: lambda g: anp.zeros_like(x), others="drawn name")
def drawn_for(x, drawn, name):
    """`drawn`, an array, in place of `x` or with parameters `x`; the node is called `name`."""
    return drawn


@mover(_named, lambda ans, x, y, drawn, name: lambda g: anp.zeros_like(x),
    lambda ans, x, y, drawn, name: lambda g: anp.zeros_like(y), tensors="self other", others="drawn name")  # fmt: skip
def drawn_for_both(x, y, drawn, name):
    """`drawn`, an array, with parameters `x` and `y`."""
    return drawn
