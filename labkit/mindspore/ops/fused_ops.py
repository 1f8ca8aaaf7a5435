"""Ops that would cost several nodes each, and stand in every network: one node and a short rule of its own."""

import math

import autograd.numpy as anp
import numpy as np

from ... import ops as primitives
from ...engine import shape_of


@primitives.rule(
    lambda ans, x, weight: lambda g: anp.matmul(g, weight),
    lambda ans, x, weight: lambda g: anp.matmul(anp.transpose(g), x),
    text="{} @ {}.T",
    words="g @ w, g.T @ x",
)
def dense(x, weight):
    """`x @ weight.T`: x (n, in), weight (out, in), output (n, out)."""
    return np.matmul(x, weight.T)


def mean(x):
    """The mean of all elements; nan where there are none."""
    return _mean(x) if size(x) else sum_all(x) * np.nan


@primitives.rule(lambda ans, x: lambda g: spread(g / size(x), shape_of(x)), text="np.mean")
def _mean(x):
    return np.mean(x)


@primitives.rule(lambda ans, x: lambda g: spread(g, shape_of(x)), text="np.sum")
def sum_all(x):
    """The sum of all elements."""
    return np.sum(x)


sum_all.__name__ = "sum"


def size(x):
    """The number of elements."""
    return math.prod(shape_of(x))


def spread(g, shape):
    """A 0-d gradient given to every element of `shape`."""
    return primitives.expand(g, shape) if shape else g
