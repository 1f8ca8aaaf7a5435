"""What a box does otherwise than autograd's: `**`, which rounds as outside of boxes, and loops."""

from itertools import count

import autograd.numpy as anp
from autograd.core import primitive_jvps, primitive_vjps
from autograd.extend import primitive

from .boxes import Array
from .guest import ArrayBox


# NumPy's `x ** p` and `np.power(x, p)` round differently, and autograd takes the one for the other. So a gradient inside
# another, whose values are boxed, would differ in the last digit from the same gradient outside.
@primitive
def power(x, p) -> Array:
    """`x ** p`."""
    return x**p


primitive_vjps[power], primitive_jvps[power] = primitive_vjps[anp.power], primitive_jvps[anp.power]
ArrayBox.__pow__ = lambda self, other: power(self, other)
ArrayBox.__rpow__ = lambda self, other: power(other, self)


def _elements(box):
    """What a loop over a box meets. A loop over NumPy's single numbers would find nothing and say nothing."""
    if anp.ndim(box) == 0:
        raise TypeError("expected an array to loop over, but got one number that is being differentiated")
    for place in count():
        try:
            element = box[place]
        except IndexError:
            return
        yield element


ArrayBox.__iter__ = _elements
