"""Initial values of parameters: constants and random distributions, by class or by name."""

import math
from typing import Any

import numpy as np

from ...dialects.argument_types import as_tuple
from ...dialects.class_paths import Placed
from ...dialects.unsupported import attributes
from .dtype import float32
from .seed import initial_seed, words_of

__all__ = [
    "Constant", "HeNormal", "HeUniform", "Initializer", "Normal", "One", "TruncatedNormal", "Uniform", "Zero", "initializer",
]  # fmt: skip


class Initializer(metaclass=Placed):
    """A rule that fills a shape. One of your own defines `_initialize(self, arr)`, which fills a NumPy array in place.

    >>> class Ramp(Initializer):
    ...     def _initialize(self, arr):
    ...         arr[:] = np.arange(arr.size).reshape(arr.shape)
    >>> initializer(Ramp(), [2, 2]).tolist()
    [[0.0, 1.0], [2.0, 3.0]]
    """

    tensor_of: Any = None  # makes a tensor of an array; tensors, which are filled by these rules, put it here

    def __init__(self, **kwargs):
        """Options are accepted; a rule keeps what it needs itself."""

    def draw(self, shape):
        """An array of `shape`."""
        array = np.zeros(shape, np.float32)
        self._initialize(array)
        return array

    def _initialize(self, arr):
        raise NotImplementedError("Must be overridden!")


class Zero(Initializer):
    """All 0."""

    def draw(self, shape):
        return np.zeros(shape)


class One(Initializer):
    """All 1."""

    def draw(self, shape):
        return np.ones(shape)


class Constant(Initializer):
    """All `value`."""

    def __init__(self, value):
        self.value = value

    def draw(self, shape):
        return np.full(shape, self.value)


class Normal(Initializer):
    """Normal distribution of standard deviation `sigma` and mean `mean`."""

    def __init__(self, sigma=0.01, mean=0.0):
        self.sigma, self.mean = sigma, mean

    def draw(self, shape):
        return normal(shape, self.mean, self.sigma)


class TruncatedNormal(Initializer):
    """Normal distribution, cut off outside [a, b]: absolute bounds, not multiples of `sigma`."""

    def __init__(self, sigma=0.01, mean=0.0, a=-2.0, b=2.0):
        self.sigma, self.mean, self.a, self.b = sigma, mean, a, b

    def draw(self, shape):
        return truncated_normal(shape, self.mean, self.sigma, self.a, self.b)


class Uniform(Initializer):
    """Uniform distribution on [-scale, scale)."""

    def __init__(self, scale=0.07):
        self.scale = scale

    def draw(self, shape):
        return uniform(shape, -self.scale, self.scale)


class HeNormal(Initializer):
    """Normal distribution of deviation gain / sqrt(fan) (K. He et al., 2015)."""

    def __init__(self, negative_slope=0, mode="fan_in", nonlinearity="leaky_relu"):
        self.gain, self.mode = _gain(nonlinearity, negative_slope), mode

    def deviation(self, shape):
        """The standard deviation for a weight of this shape."""
        fan_in, fan_out = fans(shape)
        return self.gain / math.sqrt(fan_in if self.mode == "fan_in" else fan_out)

    def draw(self, shape):
        return normal(shape, 0, self.deviation(shape))


class HeUniform(HeNormal):
    """The uniform distribution of the deviation of `HeNormal`."""

    def draw(self, shape):
        bound = math.sqrt(3) * self.deviation(shape)
        return uniform(shape, -bound, bound)


def _gain(nonlinearity, slope):
    gains = {"relu": math.sqrt(2), "tanh": 5 / 3, "leaky_relu": math.sqrt(2 / (1 + slope**2))}
    return gains.get(nonlinearity, 1)


def fans(shape):
    """`(fan_in, fan_out)` of a weight of `shape` (out, in, ...): the inputs of an output, and the reverse."""
    if len(shape) < 2:
        raise ValueError(
            "Fan in and fan out can not be computed for tensor with fewer than 2 dimensions, "
            f"but got dimensions {len(shape)}."
        )
    area = math.prod(shape[2:])
    return shape[1] * area, shape[0] * area


_NAMED = {
    "zeros": Zero, "zero": Zero, "ones": One, "one": One, "normal": Normal, "uniform": Uniform,
    "truncatednormal": TruncatedNormal, "heuniform": HeUniform, "he_uniform": HeUniform, "henormal": HeNormal,
    "he_normal": HeNormal,
}  # fmt: skip


def initializer(init, shape=None, dtype=float32):
    """A tensor of `shape` filled by `init`: an Initializer, its name ("ones", "normal" ...), a number or a tensor."""
    if hasattr(init, "__engine_wrap__"):
        wanted = list(as_tuple(shape, (tuple, list)))
        if shape is not None and wanted != list(init.shape):
            raise ValueError(
                "For 'initializer', the shape of the 'init' argument should be same as the argument 'shape', but got "
                f"the 'init' shape {list(init.shape)} and the 'shape' {wanted}."
            )
        return init if init.dtype == dtype else init.astype(dtype)
    shape = tuple(as_tuple(shape, (tuple, list)))
    if isinstance(init, str):
        if init.lower() not in _NAMED:
            raise ValueError(f"For 'initializer', the class corresponding to '{init}' was not found.")
        init = _NAMED[init.lower()]()
    elif isinstance(init, (int, float)):
        init = Constant(init)
    elif not isinstance(init, Initializer):
        raise TypeError(
            "For 'initializer', the type of the 'init' argument should be 'Tensor', 'number', 'string' "
            f"or 'initializer', but got {type(init)}."
        )
    return Initializer.tensor_of(np.asarray(init.draw(shape)).astype(dtype.numpy))


_PI, _ROOT_2, _LEAST = (float(np.float32(x)) for x in (3.1415926, 1.4142135, 1e-7))  # as MindSpore writes them


def uniform(shape, low, high):
    """Numbers in [low, high)."""
    low, high = np.array([low, high], np.float32).tolist()
    return ((high - low) * _units(shape) + low).astype(np.float32)


def normal(shape, mean, sigma):
    """Normal numbers, by pairs (G. Box and M. Muller, 1958). Raises ValueError for a negative deviation."""
    if sigma < 0:
        raise ValueError("sigma < 0")
    mean, sigma = np.array([mean, sigma], np.float32).tolist()
    count = math.prod(shape)
    fractions = (words_of(initial_seed(), count + count % 2) & np.uint64(2**23 - 1)) * 2.0**-23
    first, second = np.maximum(fractions, _LEAST).reshape(-1, 2).T
    radius, angle = np.sqrt(-2 * np.log(first)) * sigma, 2 * _PI * second
    pairs = np.stack([mean + radius * np.cos(angle), mean + radius * np.sin(angle)], 1)
    return pairs.reshape(-1)[:count].astype(np.float32).reshape(shape)


def truncated_normal(shape, mean, sigma, low, high):
    """Normal numbers between `low` and `high`, by the inverse of the distribution function."""
    from statistics import NormalDist

    if sigma < 0:
        raise ValueError("sigma < 0")
    mean, sigma, low, high = np.array([mean, sigma, low, high], np.float32).tolist()
    least, most = (math.erfc(-(bound - mean) / sigma / _ROOT_2) / 2 for bound in (low, high))
    within = np.clip(least + _units(shape) * (most - least), np.finfo(float).tiny, np.nextafter(1, 0))
    found = np.vectorize(NormalDist().inv_cdf, otypes=[float])(within)
    return (mean + sigma * (_ROOT_2 / math.sqrt(2)) * found).astype(np.float32)


def _units(shape):
    """Numbers in [0, 1), of a shape."""
    return (words_of(initial_seed(), math.prod(shape)) * 2.0**-32).reshape(shape)


__getattr__ = attributes(__name__)
