"""Activations: part of `torch.nn.functional`."""

from collections.abc import Callable
from functools import wraps
from inspect import signature

import numpy as np

from ...ops import FUNCTIONS as OPS
from .. import _draws, _rules
from .._dispatch import apply, check_inplace, inplace, whole_dim
from .._dtype import finfo
from .._generator import default_generator
from .._reduce import softmax
from .._table import FUNCTIONS, METHODS
from .._tensor import Tensor

__all__ = [
    "celu", "elu", "gelu", "glu", "gumbel_softmax", "hardshrink", "hardsigmoid", "hardswish", "hardtanh", "leaky_relu",
    "logsigmoid", "mish", "prelu", "relu", "relu6", "rrelu", "selu", "silu", "softmin", "softplus", "softshrink", "softsign",
    "tanhshrink", "threshold",
]  # fmt: skip


def may_change(fun) -> Callable:
    """An activation with an option `inplace`: with True it changes its input, in place, to the result."""

    @wraps(fun)
    def activation(*args, **kwargs):
        given = signature(fun).bind(*args, **kwargs)
        if not given.arguments.pop("inplace", False):
            return fun(*given.args, **given.kwargs)
        input = given.args[0]
        check_inplace(f"{fun.__name__}_", input)
        made = fun(*given.args, **given.kwargs)
        if made._edge is not None:
            made._edge.node.keep_original()
        return inplace(input, made)

    return activation


@may_change
def relu(input, inplace=False) -> Tensor:
    """`x` where positive, else 0."""
    return FUNCTIONS["relu"](input)


@may_change
def leaky_relu(input, negative_slope=0.01, inplace=False) -> Tensor:
    """`x` where positive, else `negative_slope * x`."""
    return apply(_rules.leaky_relu, input, negative_slope)


def prelu(input, weight) -> Tensor:
    """As `leaky_relu`, with slopes `weight` that are trained: one, or one for each channel (dimension 1)."""
    channels = input.shape[1] if input.ndim > 1 else 1
    if weight.numel() not in (1, channels):
        raise RuntimeError(
            f"Mismatch of parameter numbers and input channel size. Found parameter numbers = {weight.numel()} and channel "
            f"size = {channels}."
        )
    shape = [1] * input.ndim
    if input.ndim > 1:
        shape[1] = weight.numel()
    return apply(_rules.prelu, input, weight.view(shape) if input.ndim else weight.squeeze())


@may_change
def rrelu(input, lower=1 / 8, upper=1 / 3, training=False, inplace=False) -> Tensor:
    """As `leaky_relu`, with slopes drawn from [lower, upper] while training, their mean otherwise."""
    slopes = np.full(input.shape, (lower + upper) / 2, input.dtype.np)
    if training:
        below = input._array <= 0
        slopes = np.ones_like(slopes)
        slopes[below] = _draws.uniform(default_generator, int(below.sum()), np.dtype(float), lower, upper)
    return apply(_rules.rrelu, input, slopes)


@may_change
def elu(input, alpha=1.0, inplace=False) -> Tensor:
    """`x` where positive, else `alpha * (exp(x) - 1)`."""
    return apply(_rules.elu, input, alpha)


@may_change
def selu(input, inplace=False) -> Tensor:
    """`elu`, scaled so that mean 0 and variance 1 tend to stay (G. Klambauer et al., 2017)."""
    return apply(_rules.elu, input, 1.6732632423543772, 1.0507009873554805)


@may_change
def celu(input, alpha=1.0, inplace=False) -> Tensor:
    """`x` where positive, else `alpha * (exp(x / alpha) - 1)`."""
    return apply(_rules.celu, input, alpha)


@may_change
def relu6(input, inplace=False) -> Tensor:
    """Limited to [0, 6]; at 0 and at 6 the slope is 0."""
    return apply(_rules.hardtanh, input, 0.0, 6.0)


@may_change
def hardtanh(input, min_val=-1.0, max_val=1.0, inplace=False) -> Tensor:
    """Limited to [min_val, max_val]; at these limits the slope is 0."""
    return apply(_rules.hardtanh, input, min_val, max_val)


def gelu(input, approximate="none") -> Tensor:
    """`x` times the normal distribution function of `x`; with "tanh" by a formula with tanh."""
    if approximate not in ("none", "tanh"):
        raise RuntimeError("approximate argument must be either none or tanh.")
    return apply(_rules.gelu, input) if approximate == "none" else apply(_rules.gelu_by_tanh, input)


@may_change
def silu(input, inplace=False) -> Tensor:
    """`x * sigmoid(x)`."""
    return apply(_rules.silu, input)


@may_change
def mish(input, inplace=False) -> Tensor:
    """`x * tanh(softplus(x))`."""
    return apply(OPS["mish"].fun, input)


@may_change
def hardsigmoid(input, inplace=False) -> Tensor:
    """`(x + 3) / 6`, limited to [0, 1]."""
    return apply(_rules.hardsigmoid, input)


@may_change
def hardswish(input, inplace=False) -> Tensor:
    """`x * hardsigmoid(x)`."""
    return apply(_rules.hardswish, input)


def softplus(input, beta=1.0, threshold=20.0) -> Tensor:
    """`log(1 + exp(beta x)) / beta`, elementwise, of the shape of `input`; `x` itself where `beta x` is above `threshold`.

    >>> import labkit.torch as torch
    >>> torch.nn.functional.softplus(torch.tensor([-1.0, 0.0, 30.0]))
    tensor([ 0.3133,  0.6931, 30.0000])
    """
    return apply(_rules.softplus, input, beta, threshold)


def logsigmoid(input) -> Tensor:
    """`log(sigmoid(x))`."""
    return apply(_rules.logsigmoid, input)


@may_change
def threshold(input, threshold, value, inplace=False) -> Tensor:
    """`x` where above `threshold`, else `value`."""
    return apply(_rules.threshold, input, threshold, value)


def hardshrink(input, lambd=0.5) -> Tensor:
    """0 within [-lambd, lambd], else `x`."""
    return apply(_rules.hardshrink, input, lambd)


def softshrink(input, lambd=0.5) -> Tensor:
    """0 within [-lambd, lambd], else `x` less `lambd` in size. Raises RuntimeError for a negative `lambd`."""
    if lambd < 0:
        most = finfo(input.dtype).max
        raise RuntimeError(
            f"lambda must be in range [0, {most:g}] for input dtype {input.dtype.legacy}, but found {lambd:g}"
        )
    return apply(_rules.softshrink, input, lambd)


def softsign(input) -> Tensor:
    """`x / (1 + |x|)`."""
    return input / (METHODS["abs"](input) + 1)


def tanhshrink(input) -> Tensor:
    """`x - tanh(x)`."""
    return input - METHODS["tanh"](input)


def gumbel_softmax(logits, tau=1, hard=False, eps=1e-10, dim=-1) -> Tensor:
    """A softmax of `logits` and of random numbers, over `tau`; with `hard` rows with a single 1, and this gradient.

    >>> import labkit.torch as torch
    >>> logits = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> made = gumbel_softmax(logits, hard=True)
    >>> made.sum().item(), made.requires_grad
    (1.0, True)
    """
    drawn = -logits.new_empty(*logits.shape).exponential_().log()
    soft = softmax((logits + drawn) / tau, dim)
    if not hard:
        return soft
    chosen = METHODS["scatter"](logits.new_zeros(*logits.shape), dim, soft.max(dim, keepdim=True)[1], 1.0)
    return chosen - soft.detach() + soft


def softmin(input, dim=None, _stacklevel=3, dtype=None) -> Tensor:
    """`softmax(-x)`."""
    return softmax(-input, dim, dtype=dtype)


def glu(input, dim=-1) -> Tensor:
    """The first half of `dim` times the sigmoid of the second. Raises RuntimeError for a length that is odd."""
    dim = whole_dim(dim, input.ndim)
    if input.shape[dim] % 2:
        raise RuntimeError(f"Halving dimension must be even, but dimension {dim} is size {input.shape[dim]}")
    return apply(_rules.glu, input, dim)
