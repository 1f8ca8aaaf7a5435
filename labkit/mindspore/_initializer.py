"""Initial values of parameters: constants and random distributions, by class or by name."""

import math
from typing import Any

import numpy as np

from ..kinds import as_tuple
from ..layout import Placed
from ._distributions import normal, truncated_normal, uniform
from .dtype import float32

__all__ = ["Constant", "Dirac", "HeNormal", "HeUniform", "Identity", "Initializer", "Normal", "One", "Orthogonal",
           "Sparse", "TruncatedNormal", "Uniform", "VarianceScaling", "XavierNormal", "XavierUniform", "Zero",
           "initializer"]  # fmt: skip


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


class _Scaled(Initializer):
    """A distribution whose width follows the number of inputs and outputs."""

    def __init__(self, gain):
        self.gain = gain

    def deviation(self, shape):
        raise NotImplementedError

    def draw(self, shape):
        return normal(shape, 0, self.deviation(shape))


class _Uniformly(_Scaled):
    def draw(self, shape):
        bound = math.sqrt(3) * self.deviation(shape)
        return uniform(shape, -bound, bound)


class HeNormal(_Scaled):
    """Normal distribution of deviation gain / sqrt(fan) (K. He et al., 2015)."""

    def __init__(self, negative_slope=0, mode="fan_in", nonlinearity="leaky_relu"):
        super().__init__(_gain(nonlinearity, negative_slope))
        self.mode = mode

    def deviation(self, shape):
        fan_in, fan_out = fans(shape)
        return self.gain / math.sqrt(fan_in if self.mode == "fan_in" else fan_out)


class HeUniform(_Uniformly, HeNormal):
    """The uniform distribution of the deviation of `HeNormal`."""


class XavierNormal(_Scaled):
    """Normal distribution of deviation gain sqrt(2 / (fan_in + fan_out)) (X. Glorot and Y. Bengio, 2010)."""

    def __init__(self, gain=1):
        super().__init__(gain)

    def deviation(self, shape):
        return self.gain * math.sqrt(2 / sum(fans(shape)))


class XavierUniform(_Uniformly, XavierNormal):
    """The uniform distribution of the deviation of `XavierNormal`."""


class VarianceScaling(Initializer):
    """Variance `scale / fan`, with `mode` "fan_in", "fan_out" or "fan_avg".

    `distribution`: "untruncated_normal", else uniform; so "truncated_normal" is uniform, too, as in the real framework.
    """

    def __init__(self, scale=1.0, mode="fan_in", distribution="truncated_normal"):
        if scale <= 0 or mode not in ("fan_in", "fan_out", "fan_avg"):
            wrong = ("mode", mode, "fan_in, fan_out or fan_avg")
            argument, value, wanted = wrong if scale > 0 else ("scale", scale, "greater than 0")
            raise ValueError(
                f"For VarianceScaling initializer, the argument '{argument}' must be {wanted}, but got {value}."
            )
        self.scale, self.mode, self.distribution = scale, mode, distribution

    def draw(self, shape):
        fan_in, fan_out = fans(shape)
        fan = {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2}[self.mode]
        variance = self.scale / max(1.0, fan)
        if self.distribution == "untruncated_normal":
            return normal(shape, 0, math.sqrt(variance))
        return uniform(shape, -math.sqrt(3 * variance), math.sqrt(3 * variance))


class _Shaped(Initializer):
    """A rule for some numbers of dimensions only."""

    least: float = 2
    most: float = 2
    wording = "the dimension of the initialized tensor should be 2"

    def draw(self, shape):
        if not self.least <= len(shape) <= self.most:
            raise ValueError(f"For {type(self).__name__} initializer, {self.wording}, but got {len(shape)}.")
        return self._of(shape)

    def _of(self, shape):
        raise NotImplementedError


class Identity(_Shaped):
    """1 on the diagonal of a matrix, else 0."""

    def _of(self, shape):
        return np.eye(*shape)


class Sparse(_Shaped):
    """A matrix from the normal distribution of deviation `sigma`, a share `sparsity` of each column set to 0."""

    def __init__(self, sparsity, sigma=0.01):
        self.sparsity, self.sigma = sparsity, sigma

    def _of(self, shape):
        array = np.array(normal(shape, 0, self.sigma))
        for column in array.T:
            column[np.random.permutation(shape[0])[: math.ceil(self.sparsity * shape[0])]] = 0
        return array


class Dirac(_Shaped):
    """Weights of a convolution that hands its input channels on as they are, in `groups`."""

    least, most, wording = 3, 5, "only support to initialize tensor with dimension of 3, 4 or 5"

    def __init__(self, groups=1):
        self.groups = groups

    def _of(self, shape):
        if shape[0] % self.groups:
            raise ValueError(
                "For Dirac initializer, the first dimension of the initialized tensor must be divisible by groups, "
                f"but got first dimension {shape[0]}, groups {self.groups}."
            )
        array, each = np.zeros(shape), shape[0] // self.groups
        middle = tuple(n // 2 for n in shape[2:])
        for out in range(shape[0]):
            if out % each < shape[1]:
                array[(out, out % each, *middle)] = 1
        return array


class Orthogonal(_Shaped):
    """Orthogonal rows or columns, whichever are fewer, of length `gain` (A. Saxe et al., 2013)."""

    most, wording = math.inf, "the dimension of the initialized tensor should be no less than 2"

    def __init__(self, gain=1.0):
        self.gain = gain

    def _of(self, shape):
        drawn = np.asarray(normal((shape[0], math.prod(shape) // shape[0]), 0, 1))
        wide = drawn.shape[0] < drawn.shape[1]
        q, r = np.linalg.qr(drawn.T if wide else drawn)
        q = q * np.sign(np.diag(r))
        return (self.gain * (q.T if wide else q)).reshape(shape)


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
    "truncatednormal": TruncatedNormal, "heuniform": HeUniform, "he_uniform": HeUniform,
    "henormal": HeNormal, "he_normal": HeNormal, "xavieruniform": XavierUniform,
    "xavier_uniform": XavierUniform, "xaviernormal": XavierNormal, "xavier_normal": XavierNormal,
    "identity": Identity, "dirac": Dirac, "orthogonal": Orthogonal, "variancescaling": VarianceScaling,
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
