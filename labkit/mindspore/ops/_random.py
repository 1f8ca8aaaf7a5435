"""Random tensors of other distributions, with MindSpore's numbers for a seed. Each kind of op counts its own seeds."""

import math
from collections.abc import Callable

import numpy as np

from ...kinds import of_kind, one_by_one
from ..dtype import float32, int32, int64
from ..tensor import Tensor, tensor, wrap
from ._op import register


def sampled(kind, shape, seed, draw, engine="Uniform") -> Tensor:
    """The tensor of `draw(engine, count)`, an array; a compiled function draws anew whenever it runs."""
    from .. import _engines
    from .._seed import drawn, op_seed

    shape, mixed = _shape(shape, kind), op_seed(kind, seed)
    make = lambda: getattr(_engines, engine)(mixed)
    return wrap(drawn(make, lambda engine: draw(engine, math.prod(shape)).reshape(shape), kind))


def _shape(shape, kind):
    shape = tuple(shape.tolist()) if isinstance(shape, Tensor) else tuple(shape) if isinstance(shape, list) else shape
    return of_kind(
        shape, tuple, f"For '{kind}', the shape must be a tuple, but got {{kind}}. Write (3,) for three numbers."
    )


def _plain(engine, count):
    return engine(count)


def standard_normal(shape, seed=None):
    """Samples of the standard normal distribution; Float32."""
    return sampled("standard_normal", shape, seed, _plain, "Normal")


def normal(shape, mean, stddev, seed=None):
    """Samples of the normal distribution with this mean and standard deviation, numbers or tensors that broadcast.

    Derivatives pass to both, as `mean + stddev * sample`.
    """
    return sampled("normal", shape, seed, _plain, "Normal") * tensor(stddev) + tensor(mean)


def uniform(shape, minval, maxval, seed=None, dtype=float32):
    """Samples of the uniform distribution on [minval, maxval), tensors; with an integer `dtype` integers of it."""
    low, high = tensor(minval), tensor(maxval)
    if dtype in (int32, int64):
        return sampled("uniform", shape, seed, _integers(low.item(), high.item(), dtype))
    return sampled("uniform", shape, seed, _plain) * (high - low) + low


def _integers(low, high, dtype):
    """A draw of integers in [low, high), one word each."""
    if not low < high:
        raise ValueError(f"For 'randint', expected low < high, but got low {low} and high {high}.")
    return lambda engine, count: (low + engine.integers(high - low, count)).astype(dtype.numpy)


def randint(low, high, size, seed=None, *, dtype=None):
    """Integers in [low, high); Int64 unless `dtype` says otherwise. Raises TypeError or ValueError for other arguments."""
    for name, value in (("low", low), ("high", high)):
        of_kind(value, int, f"For 'randint_like', '{name}' must be an int, but got {{type}}.")
    return sampled("randint", size, seed, _integers(low, high, dtype or int64))


def randint_like(input, low, high, seed=None, *, dtype=None):
    """Integers in [low, high), in the shape of `input` and its type, which must be one of integers."""
    kind = dtype or input.dtype
    if kind not in (int32, int64):
        raise ValueError(f"For 'randint_like', the 'dtype' must be an int type, but got {kind}.")
    return sampled("randint_like", input.shape, seed, _integers(low, high, kind))


def randn_like(input, seed=None, *, dtype=None):
    """Samples of the standard normal distribution, in the shape and type of `input`."""
    return sampled("randn_like", input.shape, seed, _plain, "Normal").astype(dtype or input.dtype)


def rand_like(input, seed=None, *, dtype=None):
    """Samples of the uniform distribution on [0, 1), in the shape and type of `input`."""
    return sampled("rand_like", input.shape, seed, _plain).astype(dtype or input.dtype)


_FUNCTIONS: tuple[Callable, ...] = (
    standard_normal, normal, uniform, randint, randint_like, randn_like, rand_like,
)  # fmt: skip
for _fun in _FUNCTIONS:
    register(_fun, method=False)


def of_numpy(name) -> Callable | None:
    """`mindspore.numpy.rand`, `randn` or `randint`, whose ops take the seed that is set as their own; else None."""

    def rand(*shape, dtype=float32):
        return sampled("UniformReal", _sizes(shape), _own(), _plain).astype(dtype)

    def randn(*shape, dtype=float32):
        return sampled("StandardNormal", _sizes(shape), _own(), _plain, "Normal").astype(dtype)

    def randint(minval, maxval=None, shape=None, dtype=int32):
        low, high = (0, minval) if maxval is None else (minval, maxval)
        return sampled("UniformInt", _sizes(((1,) if shape is None else shape,)), _own(), _integers(low, high, dtype))

    rand.__doc__ = "Samples of the uniform distribution on [0, 1), of a shape."
    randn.__doc__ = "Samples of the standard normal distribution, of a shape."
    randint.__doc__ = "Integers in [minval, maxval), or in [0, minval), of a shape; Int32 by default."
    return {"rand": rand, "randn": randn, "randint": randint}.get(name)


def _own():
    from .._seed import get_seed

    return get_seed()


def _sizes(shape):
    return tuple(int(n) for n in np.atleast_1d(np.asarray(one_by_one(shape), np.int64)))
