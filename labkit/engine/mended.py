"""Rules of autograd's that answer wrongly where shapes differ, put right; and `**`, which rounds as outside of traces."""

import operator
from itertools import count

import autograd.numpy as anp
from autograd.core import primitive_jvps, primitive_vjps
from autograd.extend import defvjp, primitive
from autograd.numpy.numpy_boxes import ArrayBox
from autograd.numpy.numpy_vjps import unbroadcast_f


def _untile(ans, x, reps):
    """The sum over the copies. (autograd takes one number for the first axis, NumPy for the last.)"""
    shape = (1,) * (anp.ndim(ans) - anp.ndim(x)) + anp.shape(x)
    blocks = [n for whole, part in zip(anp.shape(ans), shape, strict=True) for n in (whole // max(part, 1), part)]
    copies = tuple(range(0, len(blocks), 2))
    return lambda g: anp.reshape(anp.sum(anp.reshape(g, blocks), axis=copies), anp.shape(x))


_where = next(op for op in primitive_vjps if op.__name__ == "where")  # `anp.where` itself is a wrapper of it

defvjp(anp.tile, _untile)
defvjp(
    _where,
    None,
    lambda ans, c, x, y: unbroadcast_f(x, lambda g: anp.where(c, g, anp.zeros_like(g))),
    lambda ans, c, x, y: unbroadcast_f(y, lambda g: anp.where(c, anp.zeros_like(g), g)),
)

# NumPy's `x ** p` and `np.power(x, p)` round differently, and autograd takes the one for the other. So a gradient inside
# another, whose values are boxed, would differ in the last digit from the same gradient outside.
power = primitive(operator.pow)
power.__name__, power.text = "power", "{} ** {}"
primitive_vjps[power], primitive_jvps[power] = primitive_vjps[anp.power], primitive_jvps[anp.power]
ArrayBox.__pow__ = lambda self, other: power(self, other)
ArrayBox.__rpow__ = lambda self, other: power(other, self)


def _elements(box):
    """What a loop over a box meets. A loop over NumPy's single numbers would find nothing and say nothing."""
    if type(box._node).__module__.startswith("labkit.") and anp.ndim(box) == 0:
        raise TypeError("expected an array to loop over, but got one number that is being differentiated")
    for place in count():
        try:
            element = box[place]
        except IndexError:
            return
        yield element


ArrayBox.__iter__ = _elements
