"""`**`, which in boxes rounds as it does outside of them."""

from autograd.core import primitive_jvps, primitive_vjps
from autograd.extend import primitive
from autograd.numpy import power as _power

from .guest import ArrayBox


# NumPy's `x ** p` and `np.power(x, p)` round differently, and autograd takes the one for the other. So a gradient inside
# another, whose values are boxed, would differ in the last digit from the same gradient outside.
@primitive
def power(x, p):
    """`x ** p`."""
    return x**p


power.text = "{} ** {}"
primitive_vjps[power], primitive_jvps[power] = primitive_vjps[_power], primitive_jvps[_power]
ArrayBox.__pow__ = lambda self, other: power(self, other)
ArrayBox.__rpow__ = lambda self, other: power(other, self)
