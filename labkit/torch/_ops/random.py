"""Random tensors: from one seed the numbers of PyTorch on the CPU, one by one and in the same order.

A tensor is filled in the order of its memory. What is drawn depends on nothing that can be differentiated.
"""

from functools import wraps
from math import prod

import numpy as np

from .. import random as _draws
from .._rules import memory as drawing
from .._tape import grad_mode
from .._tensor import dtype as _dtype
from .._tensor.dtype import DTYPES
from .._tensor.tensor import Tensor
from ..random import default_generator
from .creation import _made, _sizes
from .dispatch import apply, check_inplace, overwrite
from .function_table import METHODS, function
from .normal_samples import normal as normals


def _source(generator):
    return default_generator if generator is None else generator


def _laid_out_as(array, drawn):
    """Flat numbers in the shape of `array` and in the order of its memory."""
    if array.flags.c_contiguous:
        return drawn.reshape(array.shape)
    axes = _axes_in_memory(array)
    return drawn.reshape([array.shape[axis] for axis in axes]).transpose(np.argsort(axes))


def _axes_in_memory(array):
    """The axes of `array` from the widest stride to the narrowest; one that repeats its elements stays in its place."""
    axes: list[int] = []
    for axis in range(array.ndim):
        place = len(axes)
        for k in reversed(range(len(axes))):
            if array.strides[axes[k]] and array.strides[axes[k]] < array.strides[axis]:
                place = k
            elif array.strides[axes[k]]:
                break
        axes.insert(place if array.strides[axis] else len(axes), axis)
    return axes


def _floating(dtype, words):
    """NumPy's type for a floating `dtype`. Raises NotImplementedError for an integer one, naming `words`."""
    dtype = dtype or _dtype.get_default_dtype()
    if not dtype.is_floating_point:
        raise NotImplementedError(f"\"{words}\" not implemented for '{dtype.legacy}'")
    return dtype.np


def _shared(draw):
    """`draw`, which inside `vmap` draws for all entries of the batch, or is refused."""

    @wraps(draw)
    def drawn(generator, count, *parameters, **named):
        drawing = grad_mode.state.drawing
        if drawing is None:
            return draw(generator, count, *parameters, **named)
        return drawing.share(lambda n: draw(generator, n, *parameters, **named), count)

    return drawn


# ---- what is drawn: (generator, count, dtype, contiguous, *parameters) -> a flat array ----


@_shared
def _uniform(generator, count, dtype, contiguous=True, low=0.0, high=1.0):
    kind = _floating(dtype, "check_uniform_bounds")
    if low > high:
        raise RuntimeError(f"uniform_ expects to return a [from, to) range, but found from={low:g} > to={high:g}")
    return _draws.uniform(_source(generator), count, kind, low, high)


@_shared
def _normal(generator, count, dtype, contiguous=True, mean=0.0, std=1.0):
    kind = _floating(dtype, "normal_kernel_cpu")
    if not std >= 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std:g}")
    return normals(_source(generator), count, kind, mean, std, contiguous)


@_shared
def _integers(generator, count, dtype, contiguous=True, low=0, high=None):
    low, high = (0, low) if high is None else (low, high)
    if low >= high:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    for name, bound in (("from", low), ("to - 1", high - 1)):
        _check_bound(name, bound, dtype)
    return _draws.integers(_source(generator), count, dtype.np, low, high)


def _check_bound(name, bound, dtype):
    if not -(2**63) <= bound < 2**63:
        raise ValueError(f"Overflow when unpacking long long: {name!r} is {bound}")
    limits = _dtype.finfo(dtype) if dtype.is_floating_point else np.iinfo("uint8" if dtype.rank == 0 else dtype.np)
    if not limits.min <= bound <= (limits.max if dtype.rank else 1):
        raise RuntimeError(f"{name} is out of bounds for {dtype.name}")


def drawn_seed(generator) -> int:
    """A seed for another generator, as PyTorch's loaders and samplers draw it."""
    return int(_draws.any_integers(generator or default_generator, 1, DTYPES["int64"].np)[0])


# ---- by size ----


def _sized(draw, size, generator, dtype, device, requires_grad):
    dtype, shape = dtype or _dtype.get_default_dtype(), _sizes(size)
    return _made(draw(generator, prod(shape), dtype).reshape(shape), requires_grad, device)


@function()
def rand(*size, generator=None, dtype=None, device=None, requires_grad=False, layout=None, pin_memory=False):
    """Uniform random numbers in [0, 1).

    >>> import labkit.torch as torch
    >>> _ = torch.manual_seed(0)
    >>> torch.rand(3)
    tensor([0.4963, 0.7682, 0.0885])
    """
    return _sized(_uniform, size, generator, dtype, device, requires_grad)


@function()
def randn(*size, generator=None, dtype=None, device=None, requires_grad=False, layout=None, pin_memory=False):
    """Random numbers of the standard normal distribution.

    >>> import labkit.torch as torch
    >>> _ = torch.manual_seed(0)
    >>> torch.randn(3)
    tensor([ 1.5410, -0.2934, -2.1788])
    """
    return _sized(_normal, size, generator, dtype, device, requires_grad)


@function()
def randint(low, high=None, size=None, *, generator=None, dtype=None, device=None, requires_grad=False):
    """Random integers from `low` (0 if left out) below `high`."""
    if isinstance(high, (tuple, list)):
        high, size = None, high
    low, high = (0, low) if high is None else (low, high)
    shape = _sizes((size,))
    drawn = _integers(generator, prod(shape), dtype or DTYPES["int64"], True, int(low), int(high))
    return _made(drawn.reshape(shape), requires_grad, device)


@function()
def randperm(n, *, generator=None, dtype=None, device=None, requires_grad=False):
    """The integers below `n` in random order."""
    _sizes((n,))
    order = _draws.permutation(_source(generator), n)
    return _made(order.astype((dtype or DTYPES["int64"]).np), requires_grad, device)


# ---- like a tensor ----


def _like(name, draw):
    def fun(
        input, *parameters, dtype=None, device=None, requires_grad=False, layout=None, generator=None, **named,
    ):  # fmt: skip
        array, dtype = input._array, dtype or input.dtype
        contiguous = _axes_in_memory(array) == list(range(array.ndim))
        drawn = draw(generator, array.size, dtype, contiguous, *parameters, **named)
        return _made(_laid_out_as(array, drawn), requires_grad, device)

    fun.__name__, fun.__doc__ = f"{name}_like", f"`{name}` with the shape and dtype of `input`."
    function(fun.__name__)(fun)


_like("rand", _uniform)
_like("randn", _normal)


@function()
def normal(mean, std=1.0, size=None, *, generator=None, dtype=None, device=None, requires_grad=False):
    """Random numbers of normal distributions: `mean` and `std` are numbers, with a `size`, or tensors."""
    if not isinstance(mean, Tensor) and not isinstance(std, Tensor):
        if size is None:
            raise TypeError("normal(): mean and std are numbers, so it needs a size: normal(mean, std, (2, 3))")
        dtype, shape = dtype or _dtype.get_default_dtype(), _sizes((size,))
        return _made(_normal(generator, prod(shape), dtype, True, mean, std).reshape(shape), requires_grad, device)
    if isinstance(std, Tensor) and (std._array < 0).any():
        raise RuntimeError("normal expects all elements of std >= 0.0")
    parameters = [p for p in (mean, std) if isinstance(p, Tensor)]
    drawn = _around(mean, std, parameters, generator)
    if len(parameters) == 2:
        return apply(drawing.drawn_for_both, *parameters, drawn, "NormalBackward3")
    return apply(drawing.drawn_for, *parameters, drawn, f"NormalBackward{1 if parameters[0] is mean else 2}")


def _around(mean, std, parameters, generator):
    """Normal numbers, with the deviation applied by the generator if it is a number, else afterwards."""
    shape, dtype = np.broadcast_shapes(*(p.shape for p in parameters)), parameters[0].dtype
    scale, center = (p._array if isinstance(p, Tensor) else p for p in (std, mean))
    first = (0.0, 1.0) if isinstance(std, Tensor) else (0.0, scale)
    drawn = _normal(generator, prod(shape), dtype, True, *first).reshape(shape)
    if isinstance(std, Tensor):
        drawn = drawn * scale
    return (drawn + np.asarray(center, dtype.np)).astype(dtype.np)


def _bernoulli(array, p, dtype, generator=None):
    """0 and 1 in the layout of `array`: 1 with probability `p`."""
    if not 0 <= p <= 1:
        raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={p:g}")
    return _laid_out_as(array, _choices(generator, array.size, p).astype(dtype.np))


@_shared
def _choices(generator, count, p):
    return _draws.choices(_source(generator), count, p)


def dropped(input, p):
    """Factors for dropout: 0 with probability `p`, else 1 / (1 - p)."""
    dtype = input.dtype
    if not dtype.is_floating_point:
        raise RuntimeError(f"result type Float can't be cast to the desired output type {dtype.legacy}")
    if p == 1:
        return Tensor._of(np.zeros((), dtype.np))
    kind = np.float64 if dtype.name == "float64" else np.float32
    scale = (kind(1) / kind(1 - p)).astype(dtype.np)
    return Tensor._of(_bernoulli(input._array, 1 - p, dtype) * scale)


# ---- in place ----


def _refill(name, node, draw):
    def fun(self, *parameters, generator=None, **named):
        check_inplace(name, self)
        array = self._array
        drawn = draw(generator, array.size, self.dtype, array.flags.c_contiguous, *parameters, **named)
        return overwrite(self, apply(drawing.drawn_for, self, _laid_out_as(array, drawn), node))

    fun.__name__, fun.__doc__ = name, "Fill with random numbers, in place."
    METHODS[name] = fun


def _random(generator, count, dtype, contiguous, *bounds):
    if bounds:
        return _integers(generator, count, dtype, contiguous, *bounds)
    return _draws.any_integers(_source(generator), count, dtype.np)


_refill("random_", "RandomBackward0", _random)
_refill("uniform_", "UniformBackward0", _uniform)
_refill("normal_", "NormalBackward0", _normal)
